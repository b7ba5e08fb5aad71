// SPDX-License-Identifier: MIT
// One step of ONNX's RNN, GRU and LSTM as ops, with the file's activations, clipping and couplings.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models {

// Attribute of an LSTM lowered for DynamicQuantizeLSTM: 1 if its state is rounded to 8 bits before each step.
inline constexpr const char* kQuantisedState = "quantised state";

// A function of a gate. ONNX's names, in lower case.
struct Activation {
  std::string_view name;
  float alpha = 0, beta = 0;
  Tensor edge = {}, zero = {};  // what a function with a threshold compares with and gives below it
};

// The activations of `directions` directions of a cell with so many gates, concatenated; default activations if the
// file specifies none. Empty, with an error, if one is unknown or some are missing.
std::vector<Activation> read_activations(OpCall& c, int64_t gates, int64_t directions);
// The same as attributes of a node.
void write_activations(std::span<const Activation> functions, ir::Node& node);
bool are_usual(const std::vector<Activation>& functions, int64_t gates);

// Weights shared by the steps of one direction.
struct CellWeights {
  Tensor r;       // [G·H, H]
  Tensor bias;    // [G·H], of the recurrent matmul; may be undefined
  Tensor peeped;  // [3·H], an LSTM's peepholes i, o, f; may be undefined
};

class Cell {
 public:
  // `gates`: 1 of an RNN, 3 of a GRU, 4 of an LSTM.
  Cell(OpCall& c, int64_t gates, int64_t hidden, const CellWeights& weights, std::vector<Activation> functions);

  // Advances the states [B, H] by one step; `xw` [B, G·H] is the input's contribution, with its bias. `cell` is used by an
  // LSTM only. The names of ops contain `step`.
  void step(const Tensor& xw, Tensor& h, Tensor& cell, const std::string& step);

 private:
  Tensor function(size_t i, const Tensor& x, const std::string& name, bool limits = true);
  Tensor limited(const Tensor& x, const std::string& name);
  Tensor rounded(const Tensor& h, const std::string& name);
  Tensor part(const Tensor& x, int axis, int64_t i, const std::string& name);
  Tensor gru(const Tensor& xw, const Tensor& h, const std::string& step);
  void lstm(const Tensor& xw, Tensor& h, Tensor& cell, const std::string& step);

  OpCall& c_;
  int64_t gates_, hidden_;
  CellWeights weights_;
  std::vector<Activation> functions_;
  float limit_;  // 0: none
  bool before_reset_, couples_, quantised_;
  Tensor r_zr_, r_h_, bias_zr_, bias_h_;  // parts of a GRU's
  std::vector<Tensor> peepholes_;         // i, o, f
};

}  // namespace arenascope::models
