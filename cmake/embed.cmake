# tenon_embed(TARGET NAME FILE): puts a file's bytes into the program.
#   extern const unsigned char NAME[]; extern const size_t NAME_size;   a zero byte follows the last one
function(tenon_embed target name file)
  get_filename_component(path ${file} ABSOLUTE)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embed/${name}.c)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include <stddef.h>
extern const unsigned char @name@[];
extern const size_t @name@_size;
__asm__(".pushsection .rodata\n"
        ".balign 16\n.global @name@\n.hidden @name@\n@name@:\n.incbin \"@path@\"\n9:\n.byte 0\n"
        ".balign 8\n.global @name@_size\n.hidden @name@_size\n@name@_size:\n.quad 9b - @name@\n"
        ".popsection\n");
]])
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${path})
  target_sources(${target} PRIVATE ${source})
endfunction()
