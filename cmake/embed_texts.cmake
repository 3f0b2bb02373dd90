# Writes OUTPUT, a C++ file with the text of every file in TEXTS, as FUNCTION of HEADER. Texts are cut into short raw
# strings: compilers limit the length of one.
cmake_minimum_required(VERSION 3.25)
set(entries)
set(names)
foreach(file ${TEXTS})
  get_filename_component(name ${file} ${NAME_PART})
  if(name IN_LIST names)
    message(FATAL_ERROR "two files to build in are called ${name}")
  endif()
  list(APPEND names ${name})
endforeach()
list(SORT names)
foreach(name ${names})
  foreach(file ${TEXTS})
    get_filename_component(this ${file} ${NAME_PART})
    if(this STREQUAL name)
      file(READ ${file} text)
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
"// Made by cmake/embed_texts.cmake.
#include \"${HEADER}\"

namespace umf {

const std::vector<std::pair<std::string_view, std::string_view>>& ${FUNCTION}() {
  static const std::vector<std::pair<std::string_view, std::string_view>> kTexts = {
${entries}  };
  return kTexts;
}

}  // namespace umf
")
