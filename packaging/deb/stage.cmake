# SPDX-License-Identifier: MIT
# Run by cpack on the staged files of each Debian package: adds the changelog and the copyright file, and compresses the
# man pages.
file(GLOB usr "${CPACK_TEMPORARY_DIRECTORY}/usr" "${CPACK_TEMPORARY_DIRECTORY}/*/usr")
foreach(folder IN LISTS usr)
  get_filename_component(component "${folder}" DIRECTORY)
  get_filename_component(component "${component}" NAME)
  if(component STREQUAL "development")
    set(package libarenascope-dev)
  elseif(component STREQUAL "client")
    set(package arenascope-client-dev)
  else()
    set(package arenascope)
  endif()
  set(documents "${folder}/share/doc/${package}")
  file(COPY "${CPACK_ARENASCOPE_DEB}/copyright" DESTINATION "${documents}")
  file(REMOVE_RECURSE "${documents}/LICENSES")  # the copyright file has the texts, or names them
  set(CPACK_PACKAGE_NAME "${package}")
  set(PROJECT_VERSION "${CPACK_PACKAGE_VERSION}")
  configure_file("${CPACK_ARENASCOPE_DEB}/changelog" "${documents}/changelog" @ONLY)
  file(GLOB pages "${folder}/share/man/man1/*.1")
  execute_process(COMMAND gzip -9n "${documents}/changelog" ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
