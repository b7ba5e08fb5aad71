// SPDX-License-Identifier: MIT
// The attention of ONNX Runtime's AttnLSTM over a memory, queried by the previous state (Bahdanau, Cho and Bengio 2015).
#pragma once
#include "engine/models/onnx/lowering.h"

#include <string>

namespace arenascope::models {

struct AttentionSizes {
  int64_t batch = 0, hidden = 0, directions = 0;
  int64_t memory = 0, depth = 0, inner = 0;  // steps of the memory, their width, and that of what is compared
  int64_t state = 0;                         // width of the context vector
};

// Inputs 8 to 13 of AttnLSTM for these directions, sequences and units. False, with an error, if they do not match.
bool read_attention(OpCall& c, AttentionSizes& out);

class StepAttention {
 public:
  // Attention of direction d; `weight` [4·H, state] are the gates' weights of the context vector.
  StepAttention(OpCall& c, const AttentionSizes& sizes, int64_t d, const Tensor& weight);

  // The gates' contribution from the context vector, [B, 4·H].
  Tensor source(const std::string& step);
  // Computes the next context vector from the state [B, H]; sequences that are not `there` [B, 1], if it is defined, keep theirs.
  void match(const Tensor& h, const Tensor& there, const std::string& step);
  // The context vector of the current step, [B, state]; zeros at first.
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
