# Which folders the files of a folder may include, and the check that they do not include more. Run by the build and by
# `./dev test`: cmake -P cmake/include_rules.cmake
#
# A row: a folder, then the folders and headers it may include. The longest matching folder decides.
set(rules
  "runtime: runtime"
  "frontend: frontend runtime"
  "stdlib: stdlib runtime"
  "vm/bytecode: vm/bytecode runtime"
  "jit: jit vm/bytecode runtime"
  "cuda: cuda vm/bytecode runtime"
  "vm/program: vm/embedding/cairn.h"
  "vm: vm frontend runtime stdlib jit/jit.hpp cuda/device.hpp cuda/compiler.hpp cuda/gpus.hpp cuda/tools.hpp"
  "vm/verify/ssa: vm runtime jit")

get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
file(GLOB_RECURSE files RELATIVE ${root} ${root}/runtime/*.[ch]pp ${root}/frontend/*.[ch]pp ${root}/stdlib/*.[ch]pp
  ${root}/vm/*.[ch]pp ${root}/jit/*.[ch]pp ${root}/cuda/*.[ch]pp)
set(faults 0)
foreach(file IN LISTS files)
  set(longest "")
  set(allowed "")
  foreach(rule IN LISTS rules)
    string(REGEX MATCH "^([^:]+): (.*)$" _ "${rule}")
    string(LENGTH "${CMAKE_MATCH_1}" size)
    string(LENGTH "${longest}" longest_size)
    string(FIND "${file}" "${CMAKE_MATCH_1}/" at)
    if(at EQUAL 0 AND size GREATER longest_size)
      set(longest "${CMAKE_MATCH_1}")
      string(REPLACE " " ";" allowed "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  file(STRINGS ${root}/${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[\"<]")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "[\"<]([^\">]+)[\">]" _ "${line}")
    set(included "${CMAKE_MATCH_1}")
    if(line MATCHES "include[ \t]*<" AND NOT included MATCHES "^(runtime|frontend|stdlib|vm|jit|cuda)/")
      continue()
    endif()
    set(fine FALSE)
    foreach(path IN LISTS allowed)
      string(FIND "${included}" "${path}/" at)
      if(at EQUAL 0 OR included STREQUAL path)
        set(fine TRUE)
      endif()
    endforeach()
    if(NOT fine)
      message("${file}: includes \"${included}\", but ${longest}/ may include only: ${allowed}")
      math(EXPR faults "${faults} + 1")
    endif()
  endforeach()
endforeach()
if(faults)
  message(FATAL_ERROR "${faults} includes cross a border between the parts (the table is in cmake/include_rules.cmake).")
endif()
