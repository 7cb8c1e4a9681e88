# The checks of the project itself, each a CTest entry: packages, exported symbols, layers, layout, documents, compilers.
# Each is a script of this folder that fails by itself; common.sh says how to run one by hand.
set(clsort_project_checks ${CMAKE_CURRENT_LIST_DIR})

# clsort_project_test(name label script [argument...])
function(clsort_project_test name label script)
    set(entry project_${name})
    add_test(NAME ${entry} COMMAND bash ${clsort_project_checks}/${script} ${ARGN})
    set_tests_properties(${entry} PROPERTIES
        LABELS "${label};project"
        TIMEOUT 3600
        ENVIRONMENT "SOURCE=${PROJECT_SOURCE_DIR};BUILD=${PROJECT_BINARY_DIR};WORK=${CMAKE_CURRENT_BINARY_DIR}/project/${name};CMAKE=${CMAKE_COMMAND};CC=${CMAKE_C_COMPILER}")
endfunction()

foreach(way find_package pkg_config add_subdirectory)
    clsort_project_test(${way} unit outside_project.sh ${way})
endforeach()
clsort_project_test(exported_symbols unit exported_symbols.sh)
clsort_project_test(layers unit layers.sh)
clsort_project_test(fault_sites unit fault_sites.sh)
clsort_project_test(header_clean unit header_clean.sh)
clsort_project_test(warnings_gcc slow warnings_clean.sh gcc)
clsort_project_test(warnings_clang unit warnings_clean.sh clang)
clsort_project_test(format unit format.sh)
clsort_project_test(api_reference unit api_reference.sh)
clsort_project_test(readme_example unit readme_example.sh)
clsort_project_test(extending unit extending.sh)
clsort_project_test(windows slow windows.sh)
clsort_project_test(peers slow peers.sh)

# What the programs of a tuning family are, for the vendors' compilers: internal, so it links the static library.
if(TARGET clsort_static)
    add_executable(clsort_programs ${clsort_project_checks}/print_programs.c)
    set_target_properties(clsort_programs PROPERTIES OUTPUT_NAME clsort-programs)
    clsort_warnings(clsort_programs)
    target_include_directories(clsort_programs PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(clsort_programs PRIVATE clsort_static)
endif()
clsort_project_test(vendor_compilers unit vendor_compilers.sh)
# These keep all cores busy by themselves; the first of all tests, as two others would have to end before it later on.
set_tests_properties(project_vendor_compilers PROPERTIES PROCESSORS 2 COST 300)
# An entry for the share of each target, of some minutes: all in one would take two busy cores longer than the time limit.
file(STRINGS ${clsort_project_checks}/vendor_targets.txt vendor_targets REGEX "^[a-z]")
foreach(line IN LISTS vendor_targets)
    string(REPLACE " " ";" fields "${line}")
    list(GET fields 1 target)
    clsort_project_test(vendor_compilers_full_${target} slow vendor_compilers.sh --full ${target})
    set_tests_properties(project_vendor_compilers_full_${target} PROPERTIES PROCESSORS 2)
endforeach()
