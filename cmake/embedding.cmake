# The embedding library, shared and static, and what an installation holds.
#
#   cmake --build build --target libcairn libcairn_static && cmake --install build --prefix /usr/local
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(libcairn SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:cairn_embedding>
  vm/embedding/shared/standard_error.c)
# The program links the static libraries of what it stands on, for a quick start; a shared library needs the shared ones.
set(cairn_system_libraries asmjit ffi z xxhash mpfr gmp uring)
target_link_libraries(libcairn PRIVATE cairn_options)
set_target_properties(libcairn PROPERTIES OUTPUT_NAME cairn VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME cairn
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_include_directories(libcairn INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# One archive of all parts, so that a host links one library and what it stands on.
set(parts embedding vm frontend bytecode jit cuda stdlib runtime)
set(script "create ${PROJECT_BINARY_DIR}/lib/libcairn.a\n")
set(archives "")
foreach(part IN LISTS parts)
  get_target_property(kind cairn_${part} TYPE)
  if(kind STREQUAL "STATIC_LIBRARY")
    string(APPEND script "addlib $<TARGET_FILE:cairn_${part}>\n")
    list(APPEND archives cairn_${part})
  endif()
endforeach()
string(APPEND script "save\nend\n")
list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archive_files)
add_dependencies(libcairn ${archives})
set_property(TARGET libcairn APPEND PROPERTY LINK_DEPENDS ${archive_files})
target_link_libraries(libcairn PRIVATE -Wl,--start-group ${archive_files} -Wl,--end-group ${cairn_system_libraries} dl pthread)
target_link_options(libcairn PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined -Wl,--wrap=stderr)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/lib/libcairn.mri CONTENT "${script}")
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/lib/libcairn.a
  COMMAND ${CMAKE_COMMAND} -E rm -f ${PROJECT_BINARY_DIR}/lib/libcairn.a
  COMMAND ${CMAKE_AR} -M < ${PROJECT_BINARY_DIR}/lib/libcairn.mri
  DEPENDS ${archives} ${PROJECT_BINARY_DIR}/lib/libcairn.mri VERBATIM COMMENT "Joining libcairn.a")
add_custom_target(libcairn_static DEPENDS ${PROJECT_BINARY_DIR}/lib/libcairn.a)
set(cairn_static_libraries "stdc++;m;asmjit;ffi;z;xxhash;mpfr;gmp;uring;dl;pthread")
list(JOIN cairn_static_libraries " -l" cairn_static_flags)
set(cairn_static_flags "-l${cairn_static_flags}")

install(TARGETS cairn RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS libcairn EXPORT cairnTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_BINARY_DIR}/lib/libcairn.a DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/vm/embedding/cairn.h ${PROJECT_SOURCE_DIR}/vm/embedding/cairn.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/docs/cairn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(EXPORT cairnTargets NAMESPACE cairn:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cairnConfig.cmake.in ${PROJECT_BINARY_DIR}/cairnConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairnConfig.cmake ${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
configure_file(${PROJECT_SOURCE_DIR}/cmake/cairn.pc.in ${PROJECT_BINARY_DIR}/cairn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
