# SPDX-License-Identifier: MIT
# Subjects of the commits since this file was added, or since the last tag: `area: imperative`, at most 72 characters.
execute_process(COMMAND "${GIT}" -C "${SOURCE}" log --format=%H --diff-filter=A -- tests/packaging/commit_subjects.cmake
  OUTPUT_VARIABLE added OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
if(NOT status EQUAL 0 OR added STREQUAL "")
  message(STATUS "skipped: this is not a checkout with its history")
  return()
endif()
execute_process(COMMAND "${GIT}" -C "${SOURCE}" describe --tags --abbrev=0 OUTPUT_VARIABLE tag OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE status ERROR_QUIET)
set(from "${added}")
if(status EQUAL 0 AND NOT tag STREQUAL "")
  set(from "${tag}")
endif()
execute_process(COMMAND "${GIT}" -C "${SOURCE}" log --no-merges --format=%s "${from}..HEAD" OUTPUT_VARIABLE subjects
  OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE ";" "," subjects "${subjects}")
string(REPLACE "\n" ";" subjects "${subjects}")
foreach(subject IN LISTS subjects)
  string(LENGTH "${subject}" length)
  if(NOT subject MATCHES "^[a-z][a-z0-9_/, -]*: [a-z]" OR length GREATER 72)
    message(SEND_ERROR "commit subject is not 'area: imperative' of at most 72 characters: ${subject}")
  endif()
endforeach()
