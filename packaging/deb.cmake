# SPDX-License-Identifier: MIT
# `cpack` in the build folder writes three Debian packages: arenascope (the programs), libarenascope-dev (the engine) and
# arenascope-client-dev (the header of programs that record themselves).
# The test `deb` checks them with dpkg and lintian.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME arenascope)
set(CPACK_PACKAGE_VENDOR Arenascope)
set(CPACK_PACKAGE_CONTACT "Arenascope developers <maintainers@arenascope.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_ARENASCOPE_DEB "${CMAKE_SOURCE_DIR}/packaging/deb")
set(CPACK_PRE_BUILD_SCRIPTS "${CPACK_ARENASCOPE_DEB}/stage.cmake")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)

# Files installed without a component are the programs.
set(CPACK_COMPONENTS_ALL Unspecified development client)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME arenascope)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libarenascope-dev)
set(CPACK_DEBIAN_CLIENT_PACKAGE_NAME arenascope-client-dev)
set(CPACK_DEBIAN_CLIENT_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENT_UNSPECIFIED_DESCRIPTION
  "Opens and runs ONNX and GGUF models and shows the graph, all threads and
barriers, and the memory arena. Records other programs while they run, and
plans their memory.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Headers, static libraries and CMake package of Arenascope's engine: tensors,
graphs, orders, memory planners.")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
  "development files of Arenascope's engine
${CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION}")
set(CPACK_COMPONENT_CLIENT_DESCRIPTION
  "One C header without dependencies, with which a program records its tensors,
memory and spans for Arenascope.")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SECTION science)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_CLIENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA "${CPACK_ARENASCOPE_DEB}/postinst" "${CPACK_ARENASCOPE_DEB}/prerm"
  "${CPACK_ARENASCOPE_DEB}/postrm")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Fonts for both languages of the window; drivers and Python are used where they are installed.
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS "arenascope-client-dev, fonts-dejavu-core, fonts-noto-cjk | fonts-wqy-zenhei")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS "pocl-opencl-icd | opencl-icd, python3")
# All that find_package(Arenascope) looks for; dnnl's own package file needs OpenCL.
set(development_packages "arenascope-client-dev (= ${PROJECT_VERSION})" libfmt-dev libprotobuf-dev libonnx-dev zlib1g-dev libicu-dev libre2-dev libjpeg-dev libpng-dev
  libtiff-dev libwebp-dev libopenjp2-7-dev libhwy-dev libdnnl-dev pkg-config ocl-icd-opencl-dev opencl-c-headers)
list(JOIN development_packages ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
# dpkg-shlibdeps (package dpkg-dev) determines the libraries that the programs depend on.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
