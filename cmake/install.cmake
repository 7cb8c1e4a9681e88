# What is installed: headers, libraries, the clsort command, the CMake package, the pkg-config file and the documents.
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/clsort)

install(FILES include/clsort/clsort.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/clsort)
install(TARGETS ${clsort_targets} EXPORT clsort-targets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

if(TARGET clsort_command)
    # The installed command finds the shared library beside it, wherever the prefix is moved to.
    if(NOT WIN32 AND NOT APPLE)
        file(RELATIVE_PATH library_from_command ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
        set_target_properties(clsort_command PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_command}")
    endif()
    install(TARGETS clsort_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT clsort-targets NAMESPACE clsort:: DESTINATION ${package_directory})
configure_package_config_file(cmake/clsort-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/generated/clsort-config.cmake
    INSTALL_DESTINATION ${package_directory}
    NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the ABI.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/generated/clsort-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/generated/clsort-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/generated/clsort-config-version.cmake
    DESTINATION ${package_directory})

# In clsort.pc the prefix is given from the file's own place, so that the tree can be moved; pkg-config quotes spaces in it.
# Directories that were set to absolute paths stay as they are.
set(pc_directory ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    string(REPLACE " " "\\ " pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH prefix_from_pc /prefix/${pc_directory} /prefix)
    string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
    set(pc_prefix "\${pcfiledir}/${prefix_from_pc}")
endif()
foreach(kind INCLUDE LIB)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
        string(REPLACE " " "\\ " pc_${kind} "${CMAKE_INSTALL_${kind}DIR}")
    else()
        set(pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
    endif()
endforeach()
configure_file(cmake/clsort.pc.in ${CMAKE_CURRENT_BINARY_DIR}/generated/clsort.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/clsort.pc DESTINATION ${pc_directory})

if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/docs/clsort.1)
    install(FILES docs/clsort.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
foreach(document LICENSE README.md CHANGELOG.md)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${document})
        install(FILES ${document} DESTINATION ${CMAKE_INSTALL_DOCDIR})
    endif()
endforeach()
