# Libraries of others, each behind a deps:: name. Z3 and the CUDA libraries are not here: they are opened when a command
# needs them. `./dev` installs the Debian packages.
find_package(Threads REQUIRED)

function(cairn_dependency name)
  add_library(deps_${name} INTERFACE)
  target_link_libraries(deps_${name} INTERFACE ${ARGN})
  add_library(deps::${name} ALIAS deps_${name})
endfunction()

# Static archives where Debian has them: each shared library costs every start of the program.
function(cairn_archive name header library)
  find_path(CAIRN_${name}_INCLUDE ${header} REQUIRED)
  find_library(CAIRN_${name}_LIBRARY NAMES lib${library}.a ${library} REQUIRED)
  cairn_dependency(${name} ${CAIRN_${name}_LIBRARY})
  target_include_directories(deps_${name} SYSTEM INTERFACE ${CAIRN_${name}_INCLUDE})
  mark_as_advanced(CAIRN_${name}_INCLUDE CAIRN_${name}_LIBRARY)
endfunction()

cairn_archive(xxhash xxhash.h xxhash)
cairn_archive(gmp gmp.h gmp)
cairn_archive(mpfr mpfr.h mpfr)
cairn_archive(libffi ffi.h ffi)
cairn_archive(zlib zlib.h z)
cairn_archive(liburing liburing.h uring)
cairn_archive(asmjit asmjit/asmjit.h asmjit)
target_compile_definitions(deps_asmjit INTERFACE ASMJIT_STATIC)

# Header-only, or opened at run time.
function(cairn_headers name header)
  find_path(CAIRN_${name}_INCLUDE ${header} REQUIRED)
  cairn_dependency(${name})
  target_include_directories(deps_${name} SYSTEM INTERFACE ${CAIRN_${name}_INCLUDE})
  mark_as_advanced(CAIRN_${name}_INCLUDE)
endfunction()
cairn_headers(cli11 CLI/CLI.hpp)
cairn_headers(mimalloc mimalloc.h)
cairn_headers(nlohmann_json nlohmann/json.hpp)
cairn_headers(tomlplusplus toml++/toml.h)
target_compile_definitions(deps_tomlplusplus INTERFACE TOML_EXCEPTIONS=1 TOML_HEADER_ONLY=1)
