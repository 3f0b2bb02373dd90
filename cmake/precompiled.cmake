# What most files include is read by the compiler once: three precompiled headers, one for each set of options.
#   umf_precompiled        as the build type says: folders whose loops are hot
#   umf_precompiled_brief  folders that wait for others, and need not be optimised as hard
#   umf_precompiled_tests  test programs
function(umf_precompile target header)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cc CONTENT "")
  add_library(${target} STATIC ${CMAKE_CURRENT_BINARY_DIR}/${target}.cc)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE fmt::fmt nlohmann_json::nlohmann_json ${ARGN})
  # By name, not by path: builds of two checkouts can then share a cache.
  target_precompile_headers(${target} PRIVATE <${header}>)
endfunction()

function(umf_brief_options target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# What is fast, and what is watched, is the product.
function(umf_test_options target)
  target_compile_options(${target} PRIVATE -O0)
  if(UMF_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
endfunction()

umf_precompile(umf_precompiled base/precompiled.h)
umf_precompile(umf_precompiled_brief base/precompiled.h)
umf_brief_options(umf_precompiled_brief)
umf_precompile(umf_precompiled_tests support/precompiled.h GTest::gtest_main GTest::gmock)
umf_test_options(umf_precompiled_tests)
