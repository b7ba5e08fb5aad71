// SPDX-License-Identifier: MIT
// Sequences of different lengths that are concatenated along one dimension, as ONNX Runtime's operators pack them.
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

// Parses the cumulative lengths in input i, which may be known only at run time. None, with an error, if they are unknown
// or do not match `total` tokens; `may_be_empty`: sequences without tokens are permitted.
std::optional<Sequences> packed_sequences(OpCall& c, size_t i, int64_t total, bool may_be_empty);
Sequences equal_sequences(int64_t count, int64_t length);

// Pads tensors [T, n, m] so that each sequence has as many rows as the longest one; added rows are 0. False, with an error,
// if that is too large.
bool pad_sequences(OpCall& c, const Sequences& of, std::initializer_list<Tensor*> tensors);
// The indices of the actual rows among the padded ones; empty where both are equal.
std::vector<int64_t> padded_indices(const Sequences& padded, const Sequences& of);

// Constant I64 indices.
Tensor index_table(OpCall& c, std::vector<int64_t> indices, const Dims& sizes, const char* suffix);
// The index of element s of sequence i among the captured states, [count, capacity]; input `counts` gives their number.
// The attribute "state_update_capacity" is present and valid.
Tensor captured(OpCall& c, size_t counts, const Sequences& of, int64_t capacity);
// The attribute; negative, with an error, if it does not match input `counts`.
int64_t capture_capacity(OpCall& c, size_t counts, int64_t sequences);

}  // namespace arenascope::models
