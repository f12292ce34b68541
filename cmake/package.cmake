# Debian packages, by `cpack` (scripts/package): the program, the window, what other programs build
# on, and the Python package. Which libraries they need follows from their binaries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME strata)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The authors of Strata <strata@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# strata_debian_package(COMPONENT NAME SECTION SUMMARY): what is installed as COMPONENT.
function(strata_debian_package component name section summary)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION ${summary} PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(CPACK_COMPONENTS_ALL)
strata_debian_package(development libstrata-dev libdevel
  "Stores fine-tuned models as small differences: headers and archives
 What programs in C++ build on, for CMake and pkg-config.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
# What StrataConfig.cmake and strata.pc look for; the test library.embed compares.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libexpected-dev, libfmt-dev, libisal-dev, \
libprotobuf-dev, libsqlite3-dev, libssl-dev, libtbb-dev, libtomlplusplus-dev, libxxhash-dev, \
libzstd-dev, pkg-config")
if(STRATA_HUB)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libcpp-httplib-dev")
endif()
if(STRATA_CLI)
  strata_debian_package(program strata science
    "Stores fine-tuned models as small, exact differences to their base
 The command line.")
endif()
# Loaded where they are there: the HTTP client, and the keychain for credentials.
foreach(component PROGRAM WINDOW DEBIAN_PYTHON)
  set(CPACK_DEBIAN_${component}_PACKAGE_RECOMMENDS "libcurl4, libsecret-1-0")
endforeach()
if(STRATA_GUI AND TARGET strata-gui)
  strata_debian_package(window strata-gui science
    "Stores fine-tuned models as small differences: the window
 For those who look through a store, compare models and exchange them.")
endif()
if(TARGET strata_python)
  strata_debian_package(debian_python python3-strata python
    "Stores fine-tuned models as small differences: the Python package
 Stores, loads and shares models, and keeps the checkpoints of trainings.")
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")  # an extension is for one version alone
  set(CPACK_DEBIAN_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_python})")
  set(CPACK_DEBIAN_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-numpy, python3-torch")
endif()
include(CPack)
