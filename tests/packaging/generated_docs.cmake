# SPDX-License-Identifier: MIT
# Pages that programs and scripts describe are as they print them.
function(check_page file)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
  file(READ "${SOURCE}/${file}" kept)
  if(NOT status EQUAL 0 OR NOT "${printed}" STREQUAL "${kept}")
    message(SEND_ERROR "${file} differs from the output of ${ARGN}: run packaging/generate-docs")
  endif()
endfunction()

check_page(docs/reference/cli.md "${CLI}" reference)
check_page(packaging/arenascope-cli.1 "${CLI}" reference --man)
check_page(docs/reference/tables.md "${CLI}" query --tables)
check_page(docs/reference/json.md "${SOURCE}/packaging/schema-page")
check_page(docs/reference/onnx-operators.md "${SOURCE}/packaging/onnx/operators")
foreach(shell bash zsh fish)
  check_page(packaging/completions/arenascope-cli.${shell} "${CLI}" reference --completions ${shell})
endforeach()
