# umf_embed_files(OUTPUT FUNCTION ROOT FOLDERS...): writes OUTPUT, a C++ file that defines
# `std::span<const BuiltInFolder> FUNCTION()` (base/folder.h) with the files of every ROOT/FOLDER, README.md left out. The
# assembler takes the bytes in as they are, into read-only memory: nothing is copied or read before it is used.
function(umf_embed_files output function root)
  set(inputs)
  set(assembly)
  set(declarations)
  set(tables)
  set(folders)
  foreach(folder ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${root}/${folder}/*)
    list(FILTER files EXCLUDE REGEX "/README.md$")
    if(NOT files)
      message(FATAL_ERROR "there is nothing in ${root}/${folder}")
    endif()
    list(SORT files)
    set(entries)
    foreach(file ${files})
      get_filename_component(name ${file} NAME)
      string(MAKE_C_IDENTIFIER "${function}_${folder}_${name}" symbol)
      string(APPEND assembly
        ".balign 64\n.hidden ${symbol}\n.globl ${symbol}\n${symbol}:\n.incbin \"${file}\"\n"
        ".hidden ${symbol}_end\n.globl ${symbol}_end\n${symbol}_end:\n.byte 0\n")
      string(APPEND declarations "extern const std::byte ${symbol}[], ${symbol}_end[];\n")
      string(APPEND entries "      {\"${name}\", {${symbol}, ${symbol}_end}},\n")
    endforeach()
    string(MAKE_C_IDENTIFIER "files_of_${folder}" table)
    string(APPEND tables "  static const BuiltInFile ${table}[] = {\n${entries}  };\n")
    string(APPEND folders "      {\"${folder}\", ${table}},\n")
    list(APPEND inputs ${files})
  endforeach()
  file(CONFIGURE OUTPUT ${output} CONTENT
"// Made by cmake/embed_files.cmake.
#include \"built_in.h\"

asm(R\"(
.section .rodata.built_in,\"a\",@progbits
${assembly}.text
)\");

extern \"C\" {
${declarations}}

namespace umf {

std::span<const BuiltInFolder> ${function}() {
${tables}  static const BuiltInFolder kFolders[] = {
${folders}  };
  return kFolders;
}

}  // namespace umf
" @ONLY)
  # What the assembler takes in is not seen by the compiler's list of dependencies.
  set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${inputs}")
endfunction()
