# What can be chosen, and the flags that every target of the project gets.
include(GNUInstallDirs)

# What is built beside the core and onnx_io. AUTO: where the machine has what it needs.
option(STRATA_HUB "Build the hub: exchange with remotes, the server" ON)
option(STRATA_CLI "Build the command line, strata; needs the hub" ON)
set(STRATA_GUI AUTO CACHE STRING "Build the window, strata-gui, which needs the hub: AUTO, ON or OFF")
set(STRATA_CUDA AUTO CACHE STRING "Build the CUDA engine: AUTO, ON or OFF")
set(STRATA_PYTHON OFF CACHE STRING "Build the Python package, which needs the hub: AUTO, ON or OFF")
option(STRATA_TESTS "Build the tests of what is built" ON)
option(STRATA_BENCHES "Build the benches" OFF)
set_property(CACHE STRATA_GUI STRATA_CUDA STRATA_PYTHON PROPERTY STRINGS AUTO ON OFF)
if(STRATA_CLI AND NOT STRATA_HUB)
  message(FATAL_ERROR "STRATA_CLI is ON and STRATA_HUB is OFF: the command line needs the hub")
endif()

if(STRATA_PYTHON STREQUAL "ON" AND NOT STRATA_HUB)
  message(FATAL_ERROR "STRATA_PYTHON is ON and STRATA_HUB is OFF: the Python package needs the hub")
endif()

option(STRATA_WERROR "Treat warnings as errors" OFF)
set(STRATA_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=: address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(STRATA_CCACHE ccache)
if(STRATA_CCACHE)
  # Without this a cache cannot keep what is compiled with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    ${STRATA_CCACHE})
endif()

add_library(strata_options INTERFACE)
add_library(strata::options ALIAS strata_options)
# What the C++ compiler is told; nvcc hands it on for the host's half of CUDA sources.
set(STRATA_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion)
list(JOIN STRATA_WARNINGS "," STRATA_HOST_WARNINGS)
target_compile_options(strata_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${STRATA_WARNINGS}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${STRATA_HOST_WARNINGS}>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Wrong for std::string: https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105651. In precompiled headers
  # the others are said of the library's own lines, too.
  set(wrong -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  target_compile_options(strata_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${wrong}>")
endif()
if(STRATA_WERROR)
  target_compile_options(strata_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> "$<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcompiler=-Werror>")
endif()
if(STRATA_SANITIZE)
  target_compile_options(strata_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${STRATA_SANITIZE};-fno-omit-frame-pointer>")
  target_link_options(strata_options INTERFACE -fsanitize=${STRATA_SANITIZE})
endif()
