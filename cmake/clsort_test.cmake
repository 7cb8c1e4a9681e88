# One-line tests: clsort_test(NAME UNIT|DEVICE [INTERNAL] [LIBRARY target] [SLOW] [SETTINGS name...] [TIMEOUT seconds]).
#
# Builds NAME from NAME.c and the shared parts of tests/. UNIT: one CTest entry NAME, no device. DEVICE: one entry
# NAME.SETTING for each device setting that tests/settings.cmake lets it run on, out of SETTINGS if given. SLOW adds to each
# the entry NAME.SETTING.slow, which runs the whole with CLSORT_TEST_SLOW=1. INTERNAL links the static library and includes
# src/, for tests of what the shared library does not export. LIBRARY links that target in place of the shared library.
function(clsort_test name kind)
    cmake_parse_arguments(PARSE_ARGV 2 arg "INTERNAL;SLOW" "TIMEOUT;LIBRARY" "SETTINGS")
    add_executable(${name} ${name}.c)
    clsort_warnings(${name})
    target_compile_definitions(${name} PRIVATE _XOPEN_SOURCE=700)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    if(arg_INTERNAL)
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
        target_link_libraries(${name} PRIVATE clsort_test_support clsort_static Threads::Threads m)
    else()
        if(NOT arg_LIBRARY)
            set(arg_LIBRARY clsort::clsort)
        endif()
        target_link_libraries(${name} PRIVATE clsort_test_support ${arg_LIBRARY} Threads::Threads m)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600)
    endif()
    if(kind STREQUAL "UNIT")
        add_test(NAME ${name} COMMAND ${name})
        set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT ${arg_TIMEOUT}
            ENVIRONMENT "${clsort_test_environment};XDG_CONFIG_HOME=${CMAKE_CURRENT_BINARY_DIR}/no-settings")
        return()
    endif()
    foreach(setting IN LISTS CLSORT_TEST_SETTINGS)
        clsort_test_runs(runs ${name} ${setting})
        if(NOT runs OR (arg_SETTINGS AND NOT setting IN_LIST arg_SETTINGS))
            continue()
        endif()
        clsort_test_entry(${name}.${setting} ${name} ${setting} device ${arg_TIMEOUT})
        if(setting STREQUAL "pocl_wg1" AND TEST ${name}.pocl)
            # Its programs are among those of pocl: after that one they are in the cache.
            set_tests_properties(${name}.${setting} PROPERTIES DEPENDS ${name}.pocl)
        endif()
        if(arg_SLOW)
            clsort_test_entry(${name}.${setting}.slow ${name} ${setting} slow 7200)
        endif()
    endforeach()
endfunction()

# The CTest entry of a device test on a setting; what follows are arguments of the program.
function(clsort_test_entry entry target setting label timeout)
    set(wrapper)
    if(setting STREQUAL "oclgrind")
        set(wrapper sh ${CMAKE_CURRENT_SOURCE_DIR}/run_oclgrind.sh ${CMAKE_CURRENT_SOURCE_DIR}/oclgrind_suppressions.txt)
    endif()
    # Programs for work-groups of one work-item are the same on all settings of PoCL, and compiled once. The library's key of
    # stored programs does not tell the runtime's own build flags: programs with such have a folder of their own.
    string(REGEX REPLACE "^pocl_.*" "pocl" cache_name ${setting})
    set(flags)
    if(target IN_LIST clsort_unoptimised_${setting})
        set(cache_name ${setting}_unoptimised)
        set(flags POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable)
    endif()
    set(cache ${CMAKE_CURRENT_BINARY_DIR}/cache/${cache_name})
    file(MAKE_DIRECTORY ${cache}/pocl ${cache}/clsort)
    set(slow)
    if(label STREQUAL "slow")
        set(slow CLSORT_TEST_SLOW=1)
    endif()
    add_test(NAME ${entry} COMMAND ${wrapper} $<TARGET_FILE:${target}> ${ARGN})
    # A file of tuning rows that the user has is not part of any test: there is no such folder.
    set_tests_properties(${entry} PROPERTIES LABELS ${label} TIMEOUT ${timeout}
        ENVIRONMENT "${clsort_test_environment};XDG_CONFIG_HOME=${CMAKE_CURRENT_BINARY_DIR}/no-settings;CLSORT_TEST_SETTING=${setting};CLSORT_CACHE_DIR=${cache}/clsort;POCL_CACHE_DIR=${cache}/pocl;${slow};${flags};${clsort_environment_${setting}}")
endfunction()
