# tenon_embed(TARGET NAME FILE): puts a file's bytes into the program.
#   extern const unsigned char NAME[]; extern const size_t NAME_size;   a zero byte follows the last one
function(tenon_embed target name file)
  get_filename_component(path ${file} ABSOLUTE)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embed/${name}.c)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include <stddef.h>
extern const unsigned char @name@[];
extern const size_t @name@_size;
#if defined(_WIN32) /* COFF */
#define SECTION ".section .rdata,\"dr\"\n"
#define NAME(name) name
#define HIDDEN(name) ""
#define END ".text\n"
#elif defined(__APPLE__) /* Mach-O */
#define SECTION ".section __TEXT,__const\n"
#define NAME(name) "_" name
#define HIDDEN(name) ".private_extern _" name "\n"
#define END ".text\n"
#else /* ELF */
#define SECTION ".pushsection .rodata\n"
#define NAME(name) name
#define HIDDEN(name) ".hidden " name "\n"
#define END ".popsection\n"
#endif
__asm__(SECTION ".balign 16\n.globl " NAME("@name@") "\n" HIDDEN("@name@")
        NAME("@name@") ":\n.incbin \"@path@\"\n9:\n.byte 0\n"
        ".balign 8\n.globl " NAME("@name@_size") "\n" HIDDEN("@name@_size")
        NAME("@name@_size") ":\n.quad 9b - " NAME("@name@") "\n" END);
]])
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${path})
  target_sources(${target} PRIVATE ${source})
endfunction()
