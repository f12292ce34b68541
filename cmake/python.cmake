# Whether the Python package is built: STRATA_PYTHON becomes ON or OFF. It takes an interpreter with
# its headers, and nanobind. `scripts/setup python` makes build/python-env, which has both and is
# looked at first.
set(STRATA_PYTHON_ENV ${PROJECT_SOURCE_DIR}/build/python-env)

if(STRATA_PYTHON STREQUAL "AUTO" AND NOT STRATA_HUB)
  set(STRATA_PYTHON OFF)
endif()
if(STRATA_PYTHON)
  if(NOT DEFINED Python_EXECUTABLE AND EXISTS ${STRATA_PYTHON_ENV}/bin/python)
    set(Python_EXECUTABLE ${STRATA_PYTHON_ENV}/bin/python)
  endif()
  if(STRATA_PYTHON STREQUAL "AUTO")
    find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
  else()
    find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
  endif()
  if(Python_FOUND)
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
      OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT ERROR_QUIET)
    find_package(nanobind CONFIG QUIET)
  endif()
  if(NOT Python_FOUND OR NOT nanobind_FOUND)
    if(NOT STRATA_PYTHON STREQUAL "AUTO")
      message(FATAL_ERROR "STRATA_PYTHON is ON, and ${Python_EXECUTABLE} has no nanobind: "
        "scripts/setup python")
    endif()
    set(STRATA_PYTHON OFF)
  else()
    set(STRATA_PYTHON ON)
  endif()
endif()
