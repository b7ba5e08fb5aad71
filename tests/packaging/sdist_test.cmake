# SPDX-License-Identifier: MIT
# The Python package's source distribution builds without the repository, of which it takes the client header along. The
# backend of the build, scikit-build-core, is not needed: its two calls of CMake are made here.
function(step text)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${text} failed:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(COPY "${SOURCE}/packaging/python" DESTINATION "${WORK}/repository/packaging")
file(COPY "${SOURCE}/engine/attach/arenascope_client.h" DESTINATION "${WORK}/repository/engine/attach")
step("copying the header" "${CMAKE_COMMAND}" -S "${WORK}/repository/packaging/python" -B "${WORK}/sdist" -G "${GENERATOR}"
  -DSKBUILD=2 -DSKBUILD_STATE=sdist "-DCMAKE_C_COMPILER=${CC}")
file(RENAME "${WORK}/repository/packaging/python" "${WORK}/arenascope-0.1.0")
step("configuring" "${CMAKE_COMMAND}" -S "${WORK}/arenascope-0.1.0" -B "${WORK}/wheel" -G "${GENERATOR}" -DSKBUILD=2
  -DSKBUILD_STATE=wheel "-DCMAKE_C_COMPILER=${CC}")
step("building" "${CMAKE_COMMAND}" --build "${WORK}/wheel")
step("installing" "${CMAKE_COMMAND}" --install "${WORK}/wheel" --prefix "${WORK}/installed")
if(NOT EXISTS "${WORK}/installed/arenascope/_arenascope_client.so")
  message(FATAL_ERROR "the client library was not installed")
endif()
