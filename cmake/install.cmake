# What `cmake --install` gives to programs that build on Strata: headers, archives, a CMake package
# and files for pkg-config. They are the component `development`.
include(CMakePackageConfigHelpers)
set(libraries strata_core strata_onnx_io strata_kernels strata_manifest)
if(STRATA_HUB)
  list(APPEND libraries strata_hub)
endif()
foreach(library IN LISTS libraries)
  string(REPLACE strata_ "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS ${libraries} EXPORT StrataTargets COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Which headers there are follows from what they include when they are installed.
set(headers ${PROJECT_BINARY_DIR}/public_headers)
install(CODE "
  file(REMOVE_RECURSE \"${headers}\")
  execute_process(COMMAND \"${CMAKE_COMMAND}\" -D \"SOURCE=${PROJECT_SOURCE_DIR}\"
    -D \"BINARY=${PROJECT_BINARY_DIR}\" -D \"HUB=${STRATA_HUB}\"
    -D \"INCLUDES=${headers}\"
    -P \"${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT development)
install(DIRECTORY ${headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Strata)
install(EXPORT StrataTargets NAMESPACE Strata:: DESTINATION ${package} COMPONENT development)
configure_package_config_file(cmake/StrataConfig.cmake.in StrataConfig.cmake
  INSTALL_DESTINATION ${package})
# Before 1.0 every version may break what was built on another one.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/StrataConfigVersion.cmake
  COMPATIBILITY ExactVersion)
install(FILES ${PROJECT_BINARY_DIR}/StrataConfig.cmake
    ${PROJECT_BINARY_DIR}/StrataConfigVersion.cmake
  DESTINATION ${package} COMPONENT development)

# From these files to the folder that they are installed in, wherever that will be.
file(RELATIVE_PATH pkgconfig_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
# There are archives alone, so what they need is always linked.
if(STRATA_CUDA)
  get_target_property(cudart CUDA::cudart_static IMPORTED_LOCATION)
  set(pkgconfig_cuda " ${cudart} -lrt -ldl -lpthread")
endif()
foreach(file strata strata-hub)
  if(file STREQUAL "strata" OR STRATA_HUB)
    configure_file(cmake/${file}.pc.in ${file}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${file}.pc
      DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
  endif()
endforeach()
