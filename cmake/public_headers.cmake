# Which headers are public, what they may show, and how they are installed. Run as a script:
#
#   cmake -DSOURCE=DIR -P public_headers.cmake                     fails on what a header may not show
#   cmake -DSOURCE=DIR -DINCLUDES=DIR [-DHUB=OFF] -P public_headers.cmake
#                                                                  writes them to DIR/strata
#
# Public are the headers of core/ops, the entries to core, onnx_io and hub below, and whatever these
# include. Who builds on Strata needs no header of another library but tl/expected.hpp.
set(entries core/config/user_folders.h core/exit_code.h core/parallel.h onnx_io/array_model.h
  onnx_io/checkpoint/finished_check.h onnx_io/model_reader.h hub/open_transport.h
  hub/store_remote.h)
if(DEFINED HUB AND NOT HUB)
  list(FILTER entries EXCLUDE REGEX "^hub/")
endif()
set(shown "^([a-z_]+|tl/expected\\.hpp|sys/types\\.h)$")
set(hidden "^kernels/|/detail/|\\.pb\\.h$")

# Sets `result` to the public headers below `root`, and chain_HEADER to the includes that lead to it.
# `problems` gets a line for each include that no public header may have, with its chain.
function(strata_public_headers root result problems)
  file(GLOB_RECURSE queue RELATIVE ${root} ${root}/core/ops/*.h)
  list(FILTER queue EXCLUDE REGEX "/detail/")
  if(NOT queue)
    message(FATAL_ERROR "${root}/core/ops: has no headers")
  endif()
  foreach(entry IN LISTS entries)
    # The whole tree has all of them; that of a test has what it needs.
    if(EXISTS ${root}/${entry} OR EXISTS ${root}/CMakeLists.txt)
      list(APPEND queue ${entry})
    endif()
  endforeach()
  list(SORT queue)
  foreach(header IN LISTS queue)
    set(chain_${header} ${header})
  endforeach()
  while(queue)
    list(POP_FRONT queue header)
    list(APPEND found ${header})
    file(STRINGS ${root}/${header} lines REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"].*" "\\1" name "${line}")
      if(line MATCHES "<")
        if(NOT name MATCHES "${shown}")
          list(APPEND wrong "${chain_${header}} > <${name}>")
        endif()
      elseif(name MATCHES "${hidden}")
        list(APPEND wrong "${chain_${header}} > ${name}")
      elseif(NOT DEFINED chain_${name})
        set(chain_${name} "${chain_${header}} > ${name}")
        list(APPEND queue ${name})
      endif()
    endforeach()
  endwhile()
  set(${result} "${found}" PARENT_SCOPE)
  set(${problems} "${wrong}" PARENT_SCOPE)
endfunction()

# In the tree includes begin with a folder of the tree, installed ones with `strata/`.
function(strata_write_headers root folder)
  foreach(header IN LISTS ARGN)
    file(READ ${root}/${header} text)
    string(REGEX REPLACE "(#[ \t]*include[ \t]*\")" "\\1strata/" text "${text}")
    file(WRITE ${folder}/strata/${header} "${text}")
  endforeach()
endfunction()

strata_public_headers(${SOURCE} headers problems)
if(INCLUDES)
  strata_write_headers(${SOURCE} ${INCLUDES} ${headers})
elseif(problems)
  list(JOIN problems "\n  " problems)
  message(FATAL_ERROR "public headers show what they may not:\n  ${problems}")
endif()
