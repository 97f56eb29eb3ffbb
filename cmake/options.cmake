# How everything is compiled and linked: the language level, the warnings, and the promises the semantics rest on.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
set(CAIRN_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
option(CAIRN_FUZZ "Build the fuzz targets with libFuzzer (clang only)" OFF)
option(CAIRN_WERROR "Warnings are errors" ON)
option(CAIRN_PRECOMPILE "Precompile the standard headers (off shows what a file forgets to include)" ON)
option(CAIRN_JOIN "Compile the files of a folder several at a time: quicker for a whole build, slower for one change" OFF)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

find_program(CAIRN_CCACHE ccache)
if(CAIRN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A precompiled header's time stamp must not enter the key, or every fresh build folder would miss.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CAIRN_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CAIRN_CCACHE})
endif()

# The options every target of ours is compiled with.
add_library(cairn_options INTERFACE)
target_include_directories(cairn_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(cairn_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow
  # Nothing may be fused or reassociated: the language fixes every rounding.
  -ffp-contract=off
  -fno-plt -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overflows and overlaps inside std::string's own operator+ that are not there (GCC bugs 105329, 105651).
  target_compile_options(cairn_options INTERFACE -Wno-stringop-overflow -Wno-restrict -Wno-array-bounds)
endif()
if(CAIRN_WERROR)
  target_compile_options(cairn_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(cairn_options INTERFACE -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp"
    # std::stable_sort of libstdc++ 12 uses a function it marks deprecated.
    -Wno-deprecated-declarations)
endif()
target_link_options(cairn_options INTERFACE -Wl,--gc-sections -Wl,--as-needed)
if(NOT CAIRN_SANITIZE)
  # A shared libstdc++ costs every start of the program 0.4 ms, two thirds of what all else costs.
  target_link_options(cairn_options INTERFACE -static-libstdc++ -static-libgcc)
endif()

find_program(CAIRN_LINKER NAMES mold ld.lld-19 ld.lld)
if(CAIRN_LINKER MATCHES "mold$")
  target_link_options(cairn_options INTERFACE -fuse-ld=mold)
elseif(CAIRN_LINKER AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(cairn_options INTERFACE --ld-path=${CAIRN_LINKER})
endif()

if(CAIRN_SANITIZE)
  target_compile_options(cairn_options INTERFACE -fsanitize=${CAIRN_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(cairn_options INTERFACE -fsanitize=${CAIRN_SANITIZE})
endif()
option(CAIRN_BREAKABLE_RULES "Let CAIRN_BREAK_RULE switch a rule of the checker off, for tests of that rule" OFF)
if(CAIRN_BREAKABLE_RULES)
  target_compile_definitions(cairn_options INTERFACE CAIRN_BREAKABLE_RULES)
endif()
if(CAIRN_FUZZ)
  target_compile_options(cairn_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
