// SPDX-License-Identifier: MIT
// Converts std::bad_alloc into an error at a module's boundary, so that the exception does not leave the module.
#pragma once
#include <arenascope/base/result.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace arenascope {

// The current exception as an error message: "cannot open m.onnx: no memory is left". For use in a
// catch block.
inline Error error_of_exception(const std::string& failed) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return Error{failed + ": no memory is left"};
  } catch (const std::exception& problem) {
    return Error{failed + ": " + problem.what()};
  } catch (...) {
    return Error{failed + ": an exception of an unknown type"};
  }
}

// Calls `work`, which returns a Status or a Result; an exception becomes an error. `failed` describes the failed operation.
template <class F>
auto exceptions_as_errors(const std::string& failed, F&& work) -> decltype(work()) {
  try {
    return std::forward<F>(work)();
  } catch (...) {
    return error_of_exception(failed);
  }
}

}  // namespace arenascope
