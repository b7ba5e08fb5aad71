// SPDX-License-Identifier: MIT
// One step of ONNX's RNN, GRU and LSTM as ops, with the functions, limits and couplings that a file asks for.
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

// The functions of `directions` directions of a cell of so many gates, one after another: the usual ones where the file tells
// none. An error, and none, where one is unknown or too few are told.
std::vector<Activation> read_activations(OpCall& c, int64_t gates, int64_t directions);
// The same as attributes of a node.
void write_activations(std::span<const Activation> functions, ir::Node& node);
bool are_usual(const std::vector<Activation>& functions, int64_t gates);

// What one direction's steps share.
struct CellWeights {
  Tensor r;       // [G·H, H]
  Tensor bias;    // [G·H], of what r makes; may be undefined
  Tensor peeped;  // [3·H], an LSTM's peepholes i, o, f; may be undefined
};

class Cell {
 public:
  // `gates`: 1 of an RNN, 3 of a GRU, 4 of an LSTM.
  Cell(OpCall& c, int64_t gates, int64_t hidden, const CellWeights& weights, std::vector<Activation> functions);

  // From the states [B, H] before a step to those behind it; `xw` [B, G·H] is what the step's source gives, with its bias.
  // `cell` is an LSTM's only. Ops are named as `step` says.
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
