# The device settings of the tests, and which file does not run on which and why: the one table of it. CMakeLists.txt makes
# a CTest entry for each device test and setting from it, and settings_table.h, from which every test prints its part.
set(CLSORT_TEST_SETTINGS pocl pocl_wg1 pocl_wg7 rusticl oclgrind
    CACHE STRING "Device settings that the tests run on, of tests/settings.cmake")

set(CLSORT_INTEL_VENDORS "" CACHE PATH "Folder with the .icd file of Intel's CPU runtime, which the setting intel is run by")

set(clsort_setting_rows "")
set(clsort_exemption_rows "")

# clsort_test_setting(name largest_count time_limit_s reason [NAME=VALUE...]): environment in which the setting's tests run.
function(clsort_test_setting name largest_count time_limit reason)
    string(APPEND clsort_setting_rows "    {\"${name}\", ${largest_count}, ${time_limit}, \"${reason}\"},\n")
    set(clsort_setting_rows "${clsort_setting_rows}" PARENT_SCOPE)
    set(clsort_environment_${name} "${ARGN}" PARENT_SCOPE)
endfunction()

# clsort_test_exempt(setting reason file...): these files do not run on the setting. "ALL_BUT file..." inverts the list.
function(clsort_test_exempt setting reason)
    set(shown "${ARGN}")
    if("${ARGV2}" STREQUAL "ALL_BUT")
        list(POP_FRONT ARGN)
        set(clsort_only_${setting} "${ARGN}" PARENT_SCOPE)
        list(JOIN ARGN ", " shown)
        set(shown "all but ${shown}")
    else()
        set(clsort_never_${setting} "${clsort_never_${setting}};${ARGN}" PARENT_SCOPE)
        list(JOIN ARGN ", " shown)
    endif()
    string(APPEND clsort_exemption_rows "    {\"${setting}\", \"${shown}\", \"${reason}\"},\n")
    set(clsort_exemption_rows "${clsort_exemption_rows}" PARENT_SCOPE)
endfunction()

# Whether a test file runs on a setting.
function(clsort_test_runs result file setting)
    set(runs TRUE)
    if(DEFINED clsort_only_${setting} AND NOT file IN_LIST clsort_only_${setting})
        set(runs FALSE)
    elseif(file IN_LIST clsort_never_${setting})
        set(runs FALSE)
    endif()
    set(${result} ${runs} PARENT_SCOPE)
endfunction()

#                   name      largest  limit  reason
clsort_test_setting(pocl      4194304  60 "2^22 is the largest count of the cases; no sort takes a minute"
    "CLSORT_DEVICE=Portable Computing Language")
clsort_test_setting(pocl_wg1  20000    60 "work-groups of one work-item are slow, and larger counts meet no further path"
    "CLSORT_DEVICE=Portable Computing Language" POCL_MAX_WORK_GROUP_SIZE=1)
# The kernels for work-groups of several work-items, which PoCL's own row of the tuning table does not use: groups of 4.
clsort_test_setting(pocl_wg7  20000    60 "small work-groups are slow, and larger counts meet no further path"
    "CLSORT_DEVICE=Portable Computing Language" POCL_MAX_WORK_GROUP_SIZE=7
    "CLSORT_TUNING=group_size=4,items=4,radix_bits=8,rank_bits=4,local_group_size=4,local_items=16,bitonic_count=20,counting_group_size=4,counting_items=1024,counting_groups=32,counting_count=0,rank_count=40,samplesort_count=0,at_once_count=100,spread_group_size=1,spread_items=64,serial_count=0,chunked_count=0")
clsort_test_setting(rusticl   5000     60 "llvmpipe takes 0.3 ms a launch and sorts few keys a second; 5000 keys meet every path"
    CLSORT_DEVICE=llvmpipe RUSTICL_ENABLE=llvmpipe)
clsort_test_setting(oclgrind  1025     0  "it simulates 0.1 million keys a second, and time says nothing there"
    CLSORT_DEVICE=oclgrind)
# Taken by './run test --full', which installs that runtime.
clsort_test_setting(intel     4194304  60 "2^22 is the largest count of the cases; Intel's compiler is no other on a CPU of Intel's"
    CLSORT_DEVICE=Intel "OCL_ICD_VENDORS=${CLSORT_INTEL_VENDORS}")
clsort_test_setting(native    4194304  60 "2^22 is the largest count of the cases; the device that CLSORT_TEST_DEVICE names, else the default one")

# Tests of many programs: on pocl_wg7 they are compiled without optimisations, which halves the minutes that PoCL 3.1 takes for
# them. In real use no CPU runs these shapes, and the other tests run them optimised.
set(clsort_unoptimised_pocl_wg7
    test_quicksort test_matrix test_sizes test_pairs test_key_order test_aliasing test_limits test_host)

#                  setting   reason                                                            files
clsort_test_exempt(oclgrind "too slow for more than one run of every kernel, and what it alone has found"
    ALL_BUT test_kernels test_samplesort)
clsort_test_exempt(pocl_wg7 "PoCL 3.1 takes a minute to compile hybrid for each type of keys; the setting pocl has it"
    test_hybrid test_segmented_hybrid test_segmented_pairs)
clsort_test_exempt(pocl_wg7 "its shapes are those of the setting pocl, whose work-groups may be larger" test_kernels)
foreach(setting pocl_wg1 pocl_wg7)
    clsort_test_exempt(${setting} "the host's calls are those of the setting pocl" test_failures test_lifecycle test_cache)
endforeach()
foreach(setting pocl_wg7 rusticl)
    clsort_test_exempt(${setting} "programs of random types take it seconds each; test_matrix has a covering part" test_properties)
endforeach()
clsort_test_exempt(pocl_wg1 "it compiles the programs of the setting pocl, with no cache to take them from" test_prepare)
clsort_test_exempt(pocl_wg1 "segmented_hybrid and segmented_pairs need work-groups of several work-items; the setting pocl has it"
    test_segmented_hybrid test_segmented_pairs)
clsort_test_exempt(pocl_wg7 "samplesort's work-groups have one work-item on PoCL; the setting pocl has it" test_samplesort)
clsort_test_exempt(pocl_wg7 "the rows whose work-groups are small enough are those of pocl_wg1" test_tuning_rows)
clsort_test_exempt(rusticl "llvmpipe takes minutes to compile kernels for work-groups of several work-items"
    test_hybrid test_segmented_hybrid test_segmented_pairs)
clsort_test_exempt(intel "Intel's compiler 2026.2.0 crashes on the program segmented_network"
    test_segmented_hybrid test_segmented_pairs)
foreach(setting pocl pocl_wg1 pocl_wg7 rusticl intel)
    clsort_test_exempt(${setting} "gigabytes of keys would take this device minutes" test_large)
endforeach()
