# clsort_openmp(target): its OpenMP loops are shared out among all cores where the compiler has OpenMP, else they are plain loops.
function(clsort_openmp target)
    find_package(OpenMP QUIET COMPONENTS C)
    if(OpenMP_C_FOUND)
        target_link_libraries(${target} PRIVATE OpenMP::OpenMP_C)
    elseif(NOT MSVC)
        target_compile_options(${target} PRIVATE -Wno-unknown-pragmas)
    endif()
endfunction()
