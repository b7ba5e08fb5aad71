# SPDX-License-Identifier: MIT
# Installation, so that find_package(Arenascope) works: the modules as Arenascope::NAME with their headers in
# include/arenascope, the programs' manual pages, desktop entry and licences.
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY ARENASCOPE_MODULE_TARGETS)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Arenascope")
install(TARGETS ${modules} EXPORT ArenascopeTargets COMPONENT development
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT ArenascopeTargets NAMESPACE Arenascope:: DESTINATION "${package_dir}" COMPONENT development)
install(DIRECTORY engine/include/arenascope/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/arenascope" COMPONENT development
  FILES_MATCHING PATTERN "*.h")

# The package file must find the dependencies of the modules, which depend on the configuration.
set(ARENASCOPE_FIND_DEPENDENCIES "")
set(ARENASCOPE_COMPONENTS "")
set(linked "")
foreach(module_target IN LISTS modules)
  get_target_property(name ${module_target} EXPORT_NAME)
  string(APPEND ARENASCOPE_COMPONENTS " ${name}")
  get_target_property(libraries ${module_target} INTERFACE_LINK_LIBRARIES)
  foreach(library IN LISTS libraries)
    # Private dependencies are listed as $<LINK_ONLY:x>, build-only ones as $<BUILD_INTERFACE:x>.
    if(NOT library MATCHES "BUILD_INTERFACE")
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
      list(APPEND linked "${library}")
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES linked)
foreach(library IN LISTS linked)
  if(NOT library MATCHES "^([A-Za-z0-9_]+)::(.*)$" OR CMAKE_MATCH_1 STREQUAL "Arenascope")
    continue()
  endif()
  set(package "${CMAKE_MATCH_1}")
  set(target "${CMAKE_MATCH_2}")
  if(package STREQUAL "PkgConfig")
    set(module_HWY libhwy)
    set(module_JPEG libjpeg)
    set(module_PNG libpng)
    set(module_TIFF libtiff-4)
    set(module_WEBP libwebp)
    set(module_OPENJPEG libopenjp2)
    string(APPEND ARENASCOPE_FIND_DEPENDENCIES "find_dependency(PkgConfig)\n"
      "pkg_check_modules(${target} REQUIRED QUIET IMPORTED_TARGET ${module_${target}})\n")
  elseif(package STREQUAL "protobuf")
    string(APPEND ARENASCOPE_FIND_DEPENDENCIES "find_dependency(Protobuf)\n")
  elseif(package STREQUAL "DNNL")
    string(APPEND ARENASCOPE_FIND_DEPENDENCIES "find_dependency(dnnl)\n")
  elseif(package STREQUAL "CUDA")
    string(APPEND ARENASCOPE_FIND_DEPENDENCIES "find_dependency(CUDAToolkit)\n")
  elseif(package STREQUAL "ICU")
    string(APPEND ARENASCOPE_FIND_DEPENDENCIES "find_dependency(ICU COMPONENTS ${target})\n")
  else()
    string(APPEND ARENASCOPE_FIND_DEPENDENCIES "find_dependency(${package})\n")
  endif()
endforeach()
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/ArenascopeConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/ArenascopeConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/ArenascopeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/ArenascopeConfig.cmake" "${CMAKE_BINARY_DIR}/ArenascopeConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

install(FILES packaging/arenascope-cli.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
if(ARENASCOPE_WINDOW)
  install(FILES packaging/arenascope.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES packaging/org.arenascope.Arenascope.desktop DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
  install(FILES packaging/org.arenascope.Arenascope.metainfo.xml DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo")
endif()
set(documents "${CMAKE_INSTALL_DATADIR}/doc/arenascope")
install(FILES README.md CHANGELOG.md DESTINATION "${documents}")
install(DIRECTORY LICENSES DESTINATION "${documents}")

include("${CMAKE_SOURCE_DIR}/packaging/deb.cmake")
