// SPDX-License-Identifier: GPL-3.0-or-later
// C functions that the Python package loads with ctypes. They belong to one version of the package and are not a public
// interface. A function that fails returns null or 1 and writes a message, truncated to fit. A handle may be used by
// one thread at a time; only arenascope_tables_stop() may be called from any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

#include "app/python/arrow.h"

#define ARENASCOPE_PYTHON extern "C" __attribute__((visibility("default")))

namespace arenascope::python {

// A tensor on the host in C order. `owner`: see arenascope_bytes_free(); null for inputs.
struct Array {
  static constexpr int kMaxRank = 16;
  const char* name;
  const char* dtype;  // "f32"
  int64_t rank;
  int64_t shape[kMaxRank];
  void* data;
  void* owner;
};

struct RunOptions {
  int threads;  // 0: all cores
  const char* planner;
  const char* order;
  double budget_seconds;
};

struct RunTimes {
  int64_t nanoseconds;
  int64_t arena_bytes;
};

struct Tables;
struct Batch;
struct Model;

void write_message(std::string_view text, char* message, size_t size);

// The result of body(), or `failed` with the message of an exception, none of which crosses the C functions.
template <class Result, class Body>
Result guarded(char* message, size_t size, Result failed, const Body& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    write_message(error.what(), message, size);
    return failed;
  }
}

}  // namespace arenascope::python

// Tables of a recording, trace, model or CSV of intervals. `problem`: what the tables lack; empty: nothing.
ARENASCOPE_PYTHON arenascope::python::Tables* arenascope_tables_open(const char* file, char* problem,
                                                                     size_t problem_size, char* message, size_t size);
ARENASCOPE_PYTHON void arenascope_tables_close(arenascope::python::Tables* tables);
ARENASCOPE_PYTHON const char* arenascope_tables_name(const arenascope::python::Tables* tables,
                                                     size_t index);  // or null
ARENASCOPE_PYTHON arenascope::python::Batch* arenascope_tables_query(arenascope::python::Tables* tables,
                                                                     const char* sql, char* message, size_t size);
ARENASCOPE_PYTHON void arenascope_tables_stop(arenascope::python::Tables* tables);  // makes the running query fail

// A result as one record batch of the Arrow C data interface. Each export is released by its consumer and keeps the
// columns alive.
ARENASCOPE_PYTHON int64_t arenascope_batch_rows(const arenascope::python::Batch* batch);
ARENASCOPE_PYTHON int arenascope_batch_export(const arenascope::python::Batch* batch, ArrowSchema* schema,
                                              ArrowArray* array);
ARENASCOPE_PYTHON void arenascope_batch_free(arenascope::python::Batch* batch);

// Compiles a model for inputs of these types and shapes; other inputs have default values.
ARENASCOPE_PYTHON arenascope::python::Model* arenascope_model_open(const char* spec,
                                                                   const arenascope::python::Array* inputs,
                                                                   size_t count,
                                                                   const arenascope::python::RunOptions* options,
                                                                   char* message, size_t size);
ARENASCOPE_PYTHON void arenascope_model_close(arenascope::python::Model* model);
// The index-th input or output, without data. 1: there is none, without a message. Outputs of a deferred subgraph exist
// after a run.
ARENASCOPE_PYTHON int arenascope_model_value(const arenascope::python::Model* model, int is_output, size_t index,
                                             arenascope::python::Array* value);
// 2: the model must be opened with these inputs, because shapes of its graph depend on values of them.
ARENASCOPE_PYTHON int arenascope_model_run(arenascope::python::Model* model, const arenascope::python::Array* inputs,
                                           size_t count, arenascope::python::RunTimes* times, char* message,
                                           size_t size);
// The index-th output of the last run. 2: there is none.
ARENASCOPE_PYTHON int arenascope_model_output(arenascope::python::Model* model, size_t index,
                                              arenascope::python::Array* value, char* message, size_t size);
ARENASCOPE_PYTHON void arenascope_bytes_free(void* owner);
