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

# The package file must find the dependencies of the wanted components, which depend on the configuration.
set(module_HWY libhwy)
set(module_JPEG libjpeg)
set(module_PNG libpng)
set(module_TIFF libtiff-4)
set(module_WEBP libwebp)
set(module_OPENJPEG libopenjp2)
set(package_protobuf Protobuf)
set(package_DNNL dnnl)
set(package_CUDA CUDAToolkit)
set(ARENASCOPE_COMPONENTS "")
set(ARENASCOPE_COMPONENT_NEEDS "")
foreach(module_target IN LISTS modules)
  get_target_property(name ${module_target} EXPORT_NAME)
  string(APPEND ARENASCOPE_COMPONENTS " ${name}")
  get_target_property(libraries ${module_target} INTERFACE_LINK_LIBRARIES)
  set(needs "")
  set(packages "")
  foreach(library IN LISTS libraries)
    # Private dependencies are listed as $<LINK_ONLY:x>, build-only ones as $<BUILD_INTERFACE:x>.
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
    if(library MATCHES "BUILD_INTERFACE")
      continue()
    elseif(library MATCHES "^(Arenascope::|arenascope_)(.*)$")
      list(APPEND needs "${CMAKE_MATCH_2}")
    elseif(library MATCHES "^PkgConfig::(.*)$")
      list(APPEND packages "pkg-config:${CMAKE_MATCH_1}:${module_${CMAKE_MATCH_1}}")
    elseif(library MATCHES "^ICU::(.*)$")
      list(APPEND packages "ICU:${CMAKE_MATCH_1}")
    elseif(library MATCHES "^([A-Za-z0-9_]+)::")
      set(package "${CMAKE_MATCH_1}")
      if(package_${package})
        set(package "${package_${package}}")
      endif()
      list(APPEND packages "${package}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  list(JOIN needs " " needs)
  list(JOIN packages " " packages)
  string(APPEND ARENASCOPE_COMPONENT_NEEDS
    "set(Arenascope_NEEDS_${name} ${needs})\nset(Arenascope_PACKAGES_${name} ${packages})\n")
endforeach()
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/ArenascopeConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/ArenascopeConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/ArenascopeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/ArenascopeConfig.cmake" "${CMAKE_BINARY_DIR}/ArenascopeConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

# For C projects without CMake.
file(RELATIVE_PATH ARENASCOPE_PC_PREFIX "/${CMAKE_INSTALL_DATADIR}/pkgconfig" "/")
configure_file(packaging/arenascope-planner.pc.in "${CMAKE_BINARY_DIR}/arenascope-planner.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/arenascope-planner.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig"
  COMPONENT development)

install(FILES packaging/arenascope-cli.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
if(ARENASCOPE_WINDOW)
  install(FILES packaging/arenascope.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES packaging/org.arenascope.Arenascope.desktop DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
  install(FILES packaging/org.arenascope.Arenascope.metainfo.xml DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo")
  install(FILES packaging/org.arenascope.Arenascope.mime.xml DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages"
    RENAME org.arenascope.Arenascope.xml)
endif()
set(documents "${CMAKE_INSTALL_DATADIR}/doc/arenascope")
install(FILES README.md CHANGELOG.md DESTINATION "${documents}")
install(DIRECTORY LICENSES DESTINATION "${documents}")

include("${CMAKE_SOURCE_DIR}/packaging/deb.cmake")
