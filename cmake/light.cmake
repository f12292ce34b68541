# For folders whose code waits for people, disks and servers, and for tests: compiled sooner than it
# could run faster. Of a release build only, for the folder that calls it and those below.
macro(strata_compile_lightly)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    add_compile_options(-O1)
  endif()
endmacro()

function(strata_compile_target_lightly target)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()
