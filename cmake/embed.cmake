# Turns .cl files into one C file of byte arrays and a table of them (struct embedded_source of program.h).
# As a function it adds the build step; run as a script (cmake -DOUTPUT=... -DSOURCES=... -P embed.cmake) it is that step.
if(CMAKE_SCRIPT_MODE_FILE)
    set(arrays "")
    set(rows "")
    foreach(path IN LISTS SOURCES)
        get_filename_component(name ${path} NAME_WE)
        file(READ ${path} hex HEX)
        file(SHA256 ${path} hash)
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
        string(REGEX REPLACE "(................................................................................)"
            "\\1\n    " bytes "${bytes}")
        string(APPEND arrays "static const unsigned char ${name}_text[] = {\n    ${bytes}0};\n")
        string(APPEND rows "    {\"${name}\", (const char *)${name}_text, sizeof ${name}_text - 1, \"${hash}\"},\n")
    endforeach()
    file(WRITE ${OUTPUT} "/* The kernel sources, made by cmake/embed.cmake. */\n#include \"program.h\"\n\n${arrays}\n"
        "const struct embedded_source clsort__embedded_sources[] = {\n${rows}    {0, 0, 0, 0},\n};\n")
    return()
endif()

function(clsort_embed output)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
    set(script ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake)
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DSOURCES=${paths}" -P ${script}
        DEPENDS ${paths} ${script}
        COMMENT "Embedding kernel sources"
        VERBATIM)
endfunction()
