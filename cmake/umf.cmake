# umf_library(NAME LINKS...): the folder's *.cc as library umf_NAME, and what stands beside it:
#   *_test.cc   one test program umf_NAME_tests
#   *_fuzz.cc   one fuzz target each; in a normal build a program that runs its corpus once
#   *_bench.cc  one benchmark program each, built by the target `benchmarks` alone
# LINKS are the folders below, without the prefix, or imported targets: a folder links only downward.
function(umf_targets out)
  set(targets)
  foreach(link ${ARGN})
    if(TARGET umf_${link})
      list(APPEND targets umf_${link})
    else()
      list(APPEND targets ${link})
    endif()
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# Folders that wait for models, judges, disks and people: what they do themselves takes no time.
set(UMF_BRIEF cli setup server bench report session solve model decode reward page sandbox math jinja)

# Folders whose files are compiled six at a time: what headers instantiate is then compiled once for six, which halves the
# time. The others have many files of one form, which call their parts by the same names. The builds that nobody waits for
# (fuzzers, arm64) compile each file by itself, so that none comes to need what another includes.
set(UMF_TOGETHER cli setup server bench report session solve decode search page tokenizer gguf base sandbox)

function(umf_compile_together name)
  if(name IN_LIST UMF_TOGETHER AND NOT UMF_FUZZ AND NOT CMAKE_CROSSCOMPILING)
    set_target_properties(umf_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

function(umf_library name)
  umf_targets(links ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  file(GLOB tests CONFIGURE_DEPENDS *_test.cc)
  file(GLOB fuzzers CONFIGURE_DEPENDS *_fuzz.cc)
  file(GLOB benches CONFIGURE_DEPENDS *_bench.cc)
  list(REMOVE_ITEM sources ${tests} ${fuzzers} ${benches} ${CMAKE_CURRENT_SOURCE_DIR}/main.cc)
  if(sources)
    set(scope PUBLIC)
    add_library(umf_${name} STATIC ${sources})
    if(${name} IN_LIST UMF_BRIEF)
      umf_brief_options(umf_${name})
      target_precompile_headers(umf_${name} REUSE_FROM umf_precompiled_brief)
    elseif(NOT name MATCHES "^backend")
      target_precompile_headers(umf_${name} REUSE_FROM umf_precompiled)
    endif()
    umf_compile_together(${name})
  else()
    set(scope INTERFACE)
    add_library(umf_${name} INTERFACE)
  endif()
  target_include_directories(umf_${name} ${scope} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(umf_${name} ${scope} ${links})
  if(tests)
    umf_test(umf_${name}_tests umf_${name} ${tests})
  endif()
  foreach(source ${fuzzers})
    umf_fuzzer(${source} umf_${name})
  endforeach()
  foreach(source ${benches})
    umf_benchmark(${source} umf_${name})
  endforeach()
endfunction()

add_custom_target(benchmarks)
function(umf_benchmark source library)
  get_filename_component(bench ${source} NAME_WE)
  add_executable(${bench} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${bench} PRIVATE ${library} umf_tiny_models)
  target_include_directories(${bench} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_dependencies(benchmarks ${bench})
endfunction()

# Emulated processors are some twenty times slower.
set(UMF_TEST_SECONDS 600)
if(CMAKE_CROSSCOMPILING_EMULATOR)
  set(UMF_TEST_SECONDS 3600)
endif()

# Tests are compiled four files at a time, but for those of programs whose files call different things by one name, or
# whose tests count the processes that those before them have left.
set(UMF_TESTS_APART
  umf_backend_agreement_tests umf_backend_cpu_tests umf_bench_tests umf_decode_tests umf_engine_tests umf_model_tests
  umf_reward_tests umf_sandbox_tests umf_search_tests umf_session_engine_tests umf_tokenizer_tests)

function(umf_test target library)
  add_executable(${target} ${ARGN})
  # Tests may make tiny checkpoints (tests/tiny), which stand on base alone.
  target_link_libraries(${target} PRIVATE ${library} umf_tiny_models GTest::gtest_main GTest::gmock)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${target} PRIVATE UMF_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  umf_test_options(${target})
  if(NOT target IN_LIST UMF_TESTS_APART AND NOT UMF_FUZZ AND NOT CMAKE_CROSSCOMPILING)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
  endif()
  target_precompile_headers(${target} REUSE_FROM umf_precompiled_tests)
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${UMF_TEST_SECONDS})
endfunction()

# The tests of a program that FILTER names, as a user who owns nothing: such a one has other walls than root, no users to
# give away and no control groups.
function(umf_test_as_ordinary_user target filter)
  add_test(NAME ${target}.ordinary_user
           COMMAND ${PROJECT_SOURCE_DIR}/tests/support/as_ordinary_user $<TARGET_FILE:${target}> --gtest_filter=${filter})
  # Among the first: they take a minute each.
  set_tests_properties(${target}.ordinary_user PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 COST 700)
endfunction()

# A fuzz target defines LLVMFuzzerTestOneInput. With UMF_FUZZ libFuzzer drives it; otherwise
# tests/support/fuzz_corpus.cc does, over tests/fuzz/NAME, so that every test run repeats the known inputs.
add_library(umf_fuzz_corpus OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/fuzz_corpus.cc)
function(umf_fuzzer source library)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${library})
  target_precompile_headers(${name} REUSE_FROM umf_precompiled)
  if(UMF_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_link_libraries(${name} PRIVATE umf_fuzz_corpus)
    add_test(NAME fuzz.${name} COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/${name})
  endif()
endfunction()

# umf_embed_texts(OUTPUT HEADER FUNCTION NAME_PART FILES...): the texts of the files as a table of pairs, name and text,
# that FUNCTION of HEADER gives. NAME_PART is NAME or NAME_WE: no two files may have the same.
function(umf_embed_texts output header function name_part)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DHEADER=${header}" "-DFUNCTION=${function}"
            "-DNAME_PART=${name_part}" "-DTEXTS=${ARGN}" -P ${script}
    DEPENDS ${ARGN} ${script}
    VERBATIM)
endfunction()

# umf_embed_python(OUTPUT): all src/*/python/*.py as the table of sandbox/embedded.h. A module is named by
# its file, so no two folders may use the same name.
function(umf_embed_python output)
  file(GLOB modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/python/*.py)
  umf_embed_texts(${output} sandbox/embedded.h embedded_modules NAME_WE ${modules})
endfunction()
