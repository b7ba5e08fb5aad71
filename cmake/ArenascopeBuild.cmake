# SPDX-License-Identifier: MIT
# Compiler settings of all targets: the standard, warnings, sanitizers, ccache, and the include root.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)  # programs share precompiled headers with libraries
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # ccache needs these settings for precompiled headers.
  set(launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Private headers are included by their path from the root: "engine/graph/op_rules.h".
include_directories("${CMAKE_SOURCE_DIR}")

add_library(arenascope_options INTERFACE)
# -Wrestrict: GCC 12 warns of `"text" + std::string` (its bug 105651).
target_compile_options(arenascope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(ARENASCOPE_WERROR)
  target_compile_options(arenascope_options INTERFACE -Werror)
endif()
if(ARENASCOPE_SANITIZE)
  add_compile_options(-fsanitize=${ARENASCOPE_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${ARENASCOPE_SANITIZE})
  if(ARENASCOPE_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(ARENASCOPE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# arenascope_precompile(TARGET REUSE TARGET2) or arenascope_precompile(TARGET header…): the headers that most files
# include, parsed once. The preset `dev` builds without them, so that a missing #include is found.
option(ARENASCOPE_PRECOMPILE "Precompile common headers" ON)
set(arenascope_common_headers <algorithm> <array> <atomic> <chrono> <functional> <map> <memory> <mutex> <optional> <span>
  <string> <string_view> <unordered_map> <vector> <fmt/format.h>)
function(arenascope_precompile target)
  cmake_parse_arguments(ARG "" "REUSE" "" ${ARGN})
  if(NOT ARENASCOPE_PRECOMPILE)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CCACHE_PROGRAM)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
  if(ARG_REUSE)
    target_precompile_headers(${target} REUSE_FROM ${ARG_REUSE})
  else()
    target_precompile_headers(${target} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  endif()
endfunction()

# arenascope_unity(TARGET): unity build, which takes a third of the time of a full build. packaging/run and
# packaging/test enable it. Incremental builds are faster without it.
option(ARENASCOPE_UNITY "Unity builds of modules, views and programs" OFF)
function(arenascope_unity target)
  if(ARENASCOPE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# arenascope_module(NAME SOURCES … [PUBLIC lib…] [PRIVATE lib…])
# One module of the engine: a static library arenascope_NAME, exported as Arenascope::NAME. OWN_OPTIONS: the module has its
# own compiler options and cannot share the precompiled headers. NO_UNITY: its files are compiled separately, as with
# OWN_OPTIONS.
function(arenascope_module name)
  cmake_parse_arguments(ARG "OWN_OPTIONS;NO_UNITY" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(arenascope_${name} STATIC ${ARG_SOURCES})
  add_library(Arenascope::${name} ALIAS arenascope_${name})
  set_target_properties(arenascope_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(arenascope_${name} PUBLIC cxx_std_20)
  target_include_directories(arenascope_${name} PUBLIC
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/engine/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(arenascope_${name} PUBLIC ${ARG_PUBLIC}
    PRIVATE "$<BUILD_INTERFACE:arenascope_options>" ${ARG_PRIVATE})
  if(ARG_OWN_OPTIONS)
    arenascope_precompile(arenascope_${name} ${arenascope_common_headers})
  else()
    arenascope_precompile(arenascope_${name} REUSE arenascope_precompiled)
    if(NOT ARG_NO_UNITY)
      arenascope_unity(arenascope_${name})
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY ARENASCOPE_MODULE_TARGETS arenascope_${name})
endfunction()

# arenascope_backend_module(NAME SOURCES … [PRIVATE lib…])
# A backend that is loaded at run time: arenascope-NAME.so, in lib/arenascope of the build tree and of an installation.
function(arenascope_backend_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PRIVATE" ${ARGN})
  add_library(arenascope_module_${name} MODULE ${ARG_SOURCES})
  set_target_properties(arenascope_module_${name} PROPERTIES PREFIX "" OUTPUT_NAME "arenascope-${name}"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/arenascope" CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(arenascope_module_${name} PRIVATE arenascope_options ${ARG_PRIVATE})
  add_dependencies(arenascope_module_${name} arenascope_probe)
  set_property(GLOBAL APPEND PROPERTY ARENASCOPE_PROGRAMS arenascope_module_${name})
  install(TARGETS arenascope_module_${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/arenascope")
endfunction()

# Tests with sanitizers take several times as long.
function(arenascope_sanitized_timeout seconds)
  if(ARENASCOPE_SANITIZE)
    math(EXPR longer "${${seconds}} * 4")
    set(${seconds} ${longer} PARENT_SCOPE)
  endif()
endfunction()

# arenascope_engine_test(NAME SOURCES … LIBS …): one doctest program (no Qt), one ctest entry.
function(arenascope_engine_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE arenascope_test_main arenascope_options ${ARG_LIBS})
  arenascope_precompile(test_${name} REUSE arenascope_test_main)
  # GCC 12 has false positives for copies of std::string (GCC bug 105651).
  target_compile_options(test_${name} PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
  add_test(NAME ${name} COMMAND test_${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  arenascope_sanitized_timeout(ARG_TIMEOUT)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS engine SKIP_RETURN_CODE 77)
endfunction()
