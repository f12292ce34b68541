# Resolves STRATA_CUDA (AUTO, ON, OFF) into ON or OFF and enables the language. The runtime is linked
# statically and looks for a driver when it is first called, so that the programs run and start as
# fast on machines without one.
set(wish ${STRATA_CUDA})
set(STRATA_CUDA OFF)
if(wish STREQUAL "AUTO" OR wish)
  find_program(STRATA_NVCC nvcc HINTS $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
  if(STRATA_NVCC)
    set(CMAKE_CUDA_COMPILER ${STRATA_NVCC})
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90 CACHE STRING "GPUs to compile for")
    # CMake 3.25 does not know this flag of nvcc.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    include(CheckLanguage)
    check_language(CUDA)
  endif()
  if(STRATA_NVCC AND CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
    find_package(CUDAToolkit REQUIRED)
    set(STRATA_CUDA ON)
  elseif(NOT wish STREQUAL "AUTO")
    message(FATAL_ERROR
      "STRATA_CUDA is ${wish}, but there is no nvcc that works on PATH or in /usr/local/cuda/bin")
  endif()
endif()
