# Resolves STRATA_CUDA (AUTO, ON, OFF) once into STRATA_WITH_CUDA. The language itself is enabled by
# the first target that has a CUDA source; there is none yet, so this only says what was found.
set(STRATA_WITH_CUDA OFF)
if(NOT STRATA_CUDA STREQUAL "OFF")
  find_program(STRATA_NVCC nvcc HINTS $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
  if(STRATA_NVCC)
    set(STRATA_WITH_CUDA ON)
  elseif(STRATA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "STRATA_CUDA is ON, but there is no nvcc on PATH or in /usr/local/cuda/bin")
  endif()
endif()
