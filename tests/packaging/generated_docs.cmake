# SPDX-License-Identifier: MIT
# Files that the program describes itself are as it prints them.
foreach(pair "reference|docs/reference/cli.md" "reference;--man|packaging/arenascope-cli.1" "query;--tables|docs/reference/tables.md")
  string(REPLACE "|" ";" parts "${pair}")
  list(POP_BACK parts file)
  execute_process(COMMAND "${CLI}" ${parts} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
  file(READ "${SOURCE}/${file}" kept)
  if(NOT status EQUAL 0 OR NOT "${printed}" STREQUAL "${kept}")
    message(SEND_ERROR "${file} is not what the program prints: run packaging/generate-docs")
  endif()
endforeach()
