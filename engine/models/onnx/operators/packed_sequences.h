// SPDX-License-Identifier: MIT
// Sequences of different lengths that lie one after another in one dimension, as ONNX Runtime's operators pack them.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <optional>
#include <vector>

namespace arenascope::models {

inline constexpr int64_t kMaxPlaces = int64_t{1} << 22;  // in all tables of a node

struct Sequences {
  std::vector<int64_t> starts;  // of each, and where the last one ends

  int64_t count() const { return static_cast<int64_t>(starts.size()) - 1; }
  int64_t start(int64_t i) const { return starts[static_cast<size_t>(i)]; }
  int64_t length(int64_t i) const { return start(i + 1) - start(i); }
  int64_t total() const { return starts.back(); }
  int64_t longest() const;
  bool alike() const;  // all of one length
};

// From the running sums of lengths of source i, which a run may have to make. None, and an error, where they are not known or
// do not fit `total` tokens; `may_be_empty`: a sequence need not have a token.
std::optional<Sequences> packed_sequences(OpCall& c, size_t i, int64_t total, bool may_be_empty);
Sequences equal_sequences(int64_t count, int64_t length);

// Of tensors [T, n, m] as many rows for each sequence as the longest one has; those that are not there are 0. False, and an error,
// where that is too much.
bool pad_sequences(OpCall& c, const Sequences& of, std::initializer_list<Tensor*> tensors);
// Where the rows that are there lie among the padded ones; none where these are the same.
std::vector<int64_t> padded_indices(const Sequences& padded, const Sequences& of);

// Constant I64 indices.
Tensor index_table(OpCall& c, std::vector<int64_t> indices, const Dims& sizes, const char* suffix);
// Where element s of sequence i is among the first that are captured, [count, capacity], of as many as source `counts` says.
// The attribute "state_update_capacity" is told, and fits.
Tensor captured(OpCall& c, size_t counts, const Sequences& of, int64_t capacity);
// The attribute; below 0, and an error, where it does not fit source `counts`.
int64_t capture_capacity(OpCall& c, size_t counts, int64_t sequences);

}  // namespace arenascope::models
