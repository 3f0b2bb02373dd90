# What `cmake --install` puts where, and what packages are made of. `install_files` builds it all.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DOCDIR ${CMAKE_INSTALL_DATADIR}/doc/umf)
include(CMakePackageConfigHelpers)

# Manual pages and completions: the program writes them, from the texts of its --help.
set(written ${PROJECT_BINARY_DIR}/written_by_umf)
add_custom_command(OUTPUT ${written}/done
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${written}
  COMMAND umf manual --out ${written}/man1
  COMMAND sh -c "gzip -9n ${written}/man1/*.1"
  COMMAND umf completion bash > ${written}/umf.bash
  COMMAND umf completion zsh > ${written}/umf.zsh
  COMMAND umf completion fish > ${written}/umf.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${written}/done
  DEPENDS umf VERBATIM)
add_custom_target(install_files ALL DEPENDS ${written}/done)
add_dependencies(install_files umf umf_c_api)

install(TARGETS umf RUNTIME)
install(TARGETS umf_c_api EXPORT umf LIBRARY INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/src/c_api/umf.h TYPE INCLUDE)
install(DIRECTORY ${written}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${written}/umf.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME umf)
foreach(place vendor-completions site-functions)  # where Debian's zsh looks below /usr, and where every zsh looks
  install(FILES ${written}/umf.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${place} RENAME _umf)
endforeach()
install(FILES ${written}/umf.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME umf.fish)

# The Python package: where Debian's Python looks, relative to the prefix.
set(UMF_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package is installed, below the prefix")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/umf DESTINATION ${UMF_PYTHON_DIR} FILES_MATCHING PATTERN *.py PATTERN py.typed
        PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.py
        PATTERN __pycache__ EXCLUDE)

# What clusters are told (docs/cluster.md).
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/slurm/umf-array.sbatch ${PROJECT_SOURCE_DIR}/tools/slurm/umf-job.sbatch
        DESTINATION ${CMAKE_INSTALL_DATADIR}/umf/slurm)

# find_package(umf), target umf::umf.
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/umf)
set_target_properties(umf_c_api PROPERTIES EXPORT_NAME umf)
install(EXPORT umf NAMESPACE umf:: FILE umf-config.cmake DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/umf-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/umf-config-version.cmake DESTINATION ${config})

# pkg-config --cflags --libs umf. Relative to where the file is, so that the folder may be moved.
string(REGEX REPLACE "[^/]+" ".." up ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/umf.pc CONTENT
"prefix=\${pcfiledir}/@up@
includedir=\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
libdir=\${prefix}/@CMAKE_INSTALL_LIBDIR@
Name: umf
Description: searches with masked diffusion language models
Version: @PROJECT_VERSION@
Cflags: -I\${includedir}
Libs: -L\${libdir} -lumf
" @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/umf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# make deb
configure_file(${PROJECT_SOURCE_DIR}/packaging/changelog.in ${PROJECT_BINARY_DIR}/packaging/changelog @ONLY)
execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/packaging/changelog COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright ${PROJECT_BINARY_DIR}/packaging/changelog.gz
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME umf)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "UnMaskFork maintainers <umf@example.org>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-numpy")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "search with masked diffusion language models
Masked diffusion language models write text by filling masked positions in
any order. UnMaskFork searches the ways to do so for the best answer, judged
by tests, a reward model or a function of yours, under a budget of forward
passes. With the program umf come a library with a C interface, a Python
package over it and three small models.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)
include(CPack)
