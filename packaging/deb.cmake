# SPDX-License-Identifier: MIT
# `cpack` in the build folder writes two Debian packages: arenascope (the programs) and libarenascope-dev (the engine).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME arenascope)
set(CPACK_PACKAGE_VENDOR Arenascope)
set(CPACK_PACKAGE_CONTACT "Arenascope developers <arenascope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

# Files installed without a component are the programs.
set(CPACK_COMPONENTS_ALL Unspecified development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME arenascope)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libarenascope-dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENT_UNSPECIFIED_DESCRIPTION
  "Opens and runs ONNX and GGUF models and shows the graph, all threads and barriers, and the memory arena.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Headers, static libraries and CMake package of Arenascope's engine: tensors, graphs, orders, memory planners.")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SECTION science)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libfmt-dev, libprotobuf-dev, libonnx-dev, zlib1g-dev, libicu-dev, libre2-dev, libjpeg-dev, libpng-dev, libtiff-dev, libwebp-dev, "
  "libopenjp2-7-dev, libhwy-dev, libdnnl-dev")
# dpkg-shlibdeps (package dpkg-dev) determines the libraries that the programs depend on.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
