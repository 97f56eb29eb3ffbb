# cairn_part(NAME FOLDER folder [EXCEPT path...] [LINKS target...] [SOURCES generated...]): the static library
# cairn_NAME made of every .cpp under the folder. A folder without sources gives an empty interface library, so that a
# part can be linked before its first file exists.
add_custom_target(include_check DEPENDS ${PROJECT_BINARY_DIR}/include_check.stamp)
file(GLOB_RECURSE cairn_checked_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/*.[ch]pp
  ${PROJECT_SOURCE_DIR}/frontend/*.[ch]pp ${PROJECT_SOURCE_DIR}/vm/*.[ch]pp ${PROJECT_SOURCE_DIR}/jit/*.[ch]pp
  ${PROJECT_SOURCE_DIR}/cuda/*.[ch]pp ${PROJECT_SOURCE_DIR}/stdlib/*.[ch]pp)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/include_check.stamp
  COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/cmake/include_rules.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/include_check.stamp
  DEPENDS ${cairn_checked_files} ${PROJECT_SOURCE_DIR}/cmake/include_rules.cmake
  COMMENT "Checking what each folder includes" VERBATIM)

# cairn_join(TARGET): with CAIRN_JOIN, files of the target that lie in one folder and open the same namespaces are compiled
# eight at a time. What is local to a file of a folder therefore has a name of its own there.
function(cairn_join target)
  if(NOT CAIRN_JOIN)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "^${PROJECT_SOURCE_DIR}/.*[.]cpp$" OR source MATCHES "^${PROJECT_BINARY_DIR}/|_avx[0-9]+[.]cpp$|/interpreter/interpreter.cpp$")
      continue()
    endif()
    file(STRINGS ${source} opened REGEX "^using (namespace )?(checked|syntax|enum)[;: ]")
    string(REGEX MATCHALL "checked|syntax|enum" opened "${opened}")
    list(SORT opened)
    list(REMOVE_DUPLICATES opened)
    get_filename_component(group ${source} DIRECTORY)
    file(RELATIVE_PATH group ${PROJECT_SOURCE_DIR} ${group})
    string(MAKE_C_IDENTIFIER "${group} ${opened}" group)
    list(APPEND joined_${group} ${source})
    list(LENGTH joined_${group} count)
    math(EXPR part "(${count} - 1) / 8")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(cairn_part name)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "FOLDER" "EXCEPT;LINKS;SOURCES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${part_FOLDER}/*.cpp)
  foreach(path IN LISTS part_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${path}(/|$)")
  endforeach()
  list(APPEND sources ${part_SOURCES})
  if(NOT sources)
    add_library(cairn_${name} INTERFACE)
    target_link_libraries(cairn_${name} INTERFACE ${part_LINKS})
    return()
  endif()
  # NAME_avx2.cpp and NAME_avx512.cpp are compiled for those processors; who calls them asks the processor first.
  foreach(source IN LISTS sources)
    if(source MATCHES "_avx512[.]cpp$")
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
        COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mavx512vl;-mavx512bw;-mavx2;-mfma;-mf16c")
    elseif(source MATCHES "_avx2[.]cpp$")
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "-mavx2;-mfma;-mf16c")
    endif()
    # Straight lines of hundreds of operations on lanes: what is slower than -O2 makes them spills most.
    if(source MATCHES "/runtime/pair/.*_avx[0-9]+[.]cpp$")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS "-O2")
    endif()
  endforeach()
  add_library(cairn_${name} STATIC ${sources})
  target_link_libraries(cairn_${name} PRIVATE cairn_options PUBLIC ${part_LINKS})
  cairn_join(cairn_${name})
  add_dependencies(cairn_${name} include_check)
  if(CAIRN_PRECOMPILE)
    target_precompile_headers(cairn_${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp)
  endif()
endfunction()

# cairn_embed(variable FOLDER folder FUNCTION name [PATTERN glob] [MODULES prefix]): a generated source whose function
# `name` gives the folder's files, or those that match, as EmbeddedFile; with MODULES only its .cairn files, as
# EmbeddedModule under their modules' names.
function(cairn_embed variable)
  cmake_parse_arguments(PARSE_ARGV 1 embed "" "FOLDER;FUNCTION;MODULES;PATTERN" "")
  set(pattern *)
  if(embed_PATTERN)
    set(pattern ${embed_PATTERN})
  endif()
  if(embed_MODULES)
    set(pattern *.cairn)
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${embed_FOLDER}/${pattern})
  set(table ${PROJECT_BINARY_DIR}/embedded/${embed_FUNCTION}.cpp)
  add_custom_command(OUTPUT ${table}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${table} -DROOT=${PROJECT_SOURCE_DIR}/${embed_FOLDER} -DPATTERN=${pattern} -DFUNCTION=${embed_FUNCTION}
      -DMODULES=${embed_MODULES} -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    COMMENT "Embedding ${embed_FOLDER}" VERBATIM)
  set(${variable} ${table} PARENT_SCOPE)
endfunction()
