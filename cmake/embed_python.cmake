# Writes OUTPUT, a C++ file with the text of every file in MODULES. Texts are cut into short raw strings: compilers
# limit the length of one.
cmake_minimum_required(VERSION 3.25)
set(entries)
set(names)
foreach(module ${MODULES})
  get_filename_component(name ${module} NAME_WE)
  if(name IN_LIST names)
    message(FATAL_ERROR "two Python modules are called ${name}")
  endif()
  list(APPEND names ${name})
endforeach()
list(SORT names)
foreach(name ${names})
  foreach(module ${MODULES})
    get_filename_component(this ${module} NAME_WE)
    if(this STREQUAL name)
      file(READ ${module} text)
    endif()
  endforeach()
  set(pieces)
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 4000 piece)
    string(APPEND pieces "\n     R\"~~~~(${piece})~~~~\"")
    math(EXPR at "${at} + 4000")
  endwhile()
  string(APPEND entries "    {\"${name}\", std::string_view(\"\" ${pieces})},\n")
endforeach()
file(WRITE ${OUTPUT}
"// Made by cmake/embed_python.cmake.
#include \"sandbox/embedded.h\"

namespace umf {

const std::vector<std::pair<std::string_view, std::string_view>>& embedded_modules() {
  static const std::vector<std::pair<std::string_view, std::string_view>> kModules = {
${entries}  };
  return kModules;
}

}  // namespace umf
")
