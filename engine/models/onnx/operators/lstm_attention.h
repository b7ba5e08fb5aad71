// SPDX-License-Identifier: MIT
// What ONNX Runtime's AttnLSTM sees beside its source: a memory, of which each step takes what the state before it asks for
// (Bahdanau, Cho and Bengio 2015).
#pragma once
#include "engine/models/onnx/lowering.h"

#include <string>

namespace arenascope::models {

struct AttentionSizes {
  int64_t batch = 0, hidden = 0, directions = 0;
  int64_t memory = 0, depth = 0, inner = 0;  // steps of the memory, their width, and that of what is compared
  int64_t state = 0;                         // how wide what is seen is
};

// Sources 8 to 13 beside an LSTM of these directions, sequences and units. False, and an error, where they do not fit.
bool read_attention(OpCall& c, AttentionSizes& out);

class StepAttention {
 public:
  // Of direction d; `weight` [4·H, state] is by what the gates weigh what is seen.
  StepAttention(OpCall& c, const AttentionSizes& sizes, int64_t d, const Tensor& weight);

  // What the gates are given beside their source, [B, 4·H].
  Tensor source(const std::string& step);
  // What the next step sees, by the state [B, H]; sequences that are not `there` [B, 1], where it is defined, see what they saw.
  void match(const Tensor& h, const Tensor& there, const std::string& step);
  // What the step at hand sees, [B, state]; at first nothing.
  const Tensor& seen() const { return seen_; }
  void see(const Tensor& seen) { seen_ = seen; }

 private:
  Tensor own(size_t source, const char* what);

  OpCall& c_;
  const AttentionSizes sizes_;
  const int64_t d_;
  const std::string at_;
  Tensor weight_, query_, keys_, values_, vector_, layer_, ends_, seen_;
};

}  // namespace arenascope::models
