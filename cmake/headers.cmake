# How the parts of the project are compiled in less time. Files still include what they use, and do not
# lean on each other: the preset `dev` and the sanitized builds go without both of these.

# Headers that almost every file includes: parsed once for a library. One that is compiled with the same
# definitions can take those of another.
option(STRATA_PRECOMPILE "Parse common headers once for each library" ON)
set(STRATA_COMMON_HEADERS <algorithm> <array> <chrono> <filesystem> <fstream> <functional> <map> <memory>
  <optional> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility> <variant>
  <vector> <fmt/format.h> <tl/expected.hpp>)

function(strata_precompile_headers target)
  if(STRATA_PRECOMPILE AND NOT STRATA_SANITIZE)
    target_precompile_headers(${target} PRIVATE ${STRATA_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

function(strata_reuse_headers target other)
  if(STRATA_PRECOMPILE AND NOT STRATA_SANITIZE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

# Files of one folder are compiled about eight at a time: the headers and templates that they share are
# taken once. A file's group follows from its name, so that a new file changes no other group.
option(STRATA_JOIN_SOURCES "Compile several files of a folder at once" ON)

function(strata_join_sources target)
  if(NOT STRATA_JOIN_SOURCES OR STRATA_SANITIZE)
    return()
  endif()
  get_target_property(listed ${target} SOURCES)
  list(FILTER listed INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS listed)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source PARENT_PATH folder)
    string(REPLACE "/detail" "" folder ${folder})
    string(MAKE_C_IDENTIFIER ${folder} folder)
    list(APPEND folders ${folder})
    list(APPEND files_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH files_${folder} count)
    math(EXPR groups "(${count} + 4) / 8")
    foreach(source IN LISTS files_${folder})
      strata_group_of(${source} ${groups} group)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target}
        PROPERTIES UNITY_GROUP ${folder}_${group})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Says of a type that only the file with an unnamed namespace knows that others might, too.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()

function(strata_group_of source groups result)
  get_filename_component(name ${source} NAME)
  string(MD5 hash ${name})
  string(SUBSTRING ${hash} 0 4 hash)
  if(groups LESS 1)
    set(groups 1)
  endif()
  math(EXPR group "0x${hash} % ${groups}")
  set(${result} ${group} PARENT_SCOPE)
endfunction()
