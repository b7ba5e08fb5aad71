// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/recurrent_cell.h"

#include <fmt/format.h>
#include "engine/models/onnx/operators/decompose.h"

#include <algorithm>
#include <cctype>

namespace arenascope::models {
namespace {

// An activation with the default parameters, and whether it has them.
struct KnownActivation {
  std::string_view name;
  float alpha, beta;
  bool has_alpha, has_beta;
};
constexpr KnownActivation kActivations[] = {
    {"tanh", 0, 0, false, false},         {"sigmoid", 0, 0, false, false},
    {"relu", 0, 0, false, false},         {"softplus", 0, 0, false, false},
    {"softsign", 0, 0, false, false},     {"affine", 1, 0, true, true},
    {"leakyrelu", 0.01f, 0, true, false}, {"thresholdedrelu", 1, 0, true, false},
    {"scaledtanh", 1, 1, true, true},     {"hardsigmoid", 0.2f, 0.5f, true, true},
    {"elu", 1, 0, true, false},
};

std::vector<std::string_view> usual_names(int64_t gates) {
  if (gates == 1) return {"tanh"};
  if (gates == 3) return {"sigmoid", "tanh"};
  return {"sigmoid", "tanh", "tanh"};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char ch) { return std::tolower(ch); });
  return text;
}

}  // namespace

std::vector<Activation> read_activations(OpCall& c, int64_t gates, int64_t directions) {
  std::vector<Activation> out;
  const auto usual = usual_names(gates);
  const auto* specified = c.attr("activations");
  if (!specified || specified->strings.empty()) {
    for (int64_t d = 0; d < directions; ++d)
      for (const std::string_view name : usual) out.push_back({name});
    return out;
  }
  if (specified->strings.size() < usual.size() * static_cast<size_t>(directions)) {
    c.fail(
        fmt::format("{} functions for {} directions of {} each", specified->strings.size(), directions, usual.size()));
    return {};
  }
  // Parameters are listed for those functions that have them, in order.
  static const std::vector<float> kNone;
  const auto *alphas = c.attr("activation_alpha"), *betas = c.attr("activation_beta");
  const std::vector<float>&alpha = alphas ? alphas->floats : kNone, &beta = betas ? betas->floats : kNone;
  size_t next_alpha = 0, next_beta = 0;
  for (size_t i = 0; i < usual.size() * static_cast<size_t>(directions); ++i) {
    const std::string name = lower_case(specified->strings[i]);
    const auto known = std::find_if(std::begin(kActivations), std::end(kActivations),
                                    [&](const KnownActivation& k) { return k.name == name; });
    if (known == std::end(kActivations)) {
      c.fail(fmt::format("the activation '{}' is not supported", specified->strings[i]));
      return {};
    }
    Activation f{known->name, known->alpha, known->beta};
    if (known->has_alpha && next_alpha < alpha.size()) f.alpha = alpha[next_alpha++];
    if (known->has_beta && next_beta < beta.size()) f.beta = beta[next_beta++];
    if (f.name == "thresholdedrelu") {
      f.edge = c.scalar(static_cast<double>(f.alpha), DType::F32, fmt::format(":edge_{}", i).c_str());
      f.zero = c.scalar(0, DType::F32, fmt::format(":below_{}", i).c_str());
    }
    out.push_back(std::move(f));
  }
  return out;
}

void write_activations(std::span<const Activation> functions, ir::Node& node) {
  ir::Attribute names, alphas, betas;
  names.kind = ir::Attribute::kStrings, alphas.kind = betas.kind = ir::Attribute::kFloats;
  for (const Activation& f : functions) {
    names.strings.emplace_back(f.name);
    const auto known = std::find_if(std::begin(kActivations), std::end(kActivations),
                                    [&](const KnownActivation& k) { return k.name == f.name; });
    if (known == std::end(kActivations)) continue;
    if (known->has_alpha) alphas.floats.push_back(f.alpha);
    if (known->has_beta) betas.floats.push_back(f.beta);
  }
  node.attributes["activations"] = std::move(names);
  node.attributes["activation_alpha"] = std::move(alphas);
  node.attributes["activation_beta"] = std::move(betas);
}

bool are_usual(const std::vector<Activation>& functions, int64_t gates) {
  const auto usual = usual_names(gates);
  for (size_t i = 0; i < functions.size(); ++i)
    if (functions[i].name != usual[i % usual.size()]) return false;
  return true;
}

Cell::Cell(OpCall& c, int64_t gates, int64_t hidden, const CellWeights& weights, std::vector<Activation> functions)
    : c_(c),
      gates_(gates),
      hidden_(hidden),
      weights_(weights),
      functions_(std::move(functions)),
      limit_(c.attr_float("clip", 0)),
      before_reset_(c.attr_int("linear_before_reset", 0) != 0),
      couples_(c.attr_int("input_forget", 0) != 0),
      quantised_(c.attr_int(kQuantisedState, 0) != 0) {
  if (gates_ == 3 && !before_reset_) {
    const int64_t two = 2 * hidden_, all = 3 * hidden_;
    r_zr_ = c_.slice(weights_.r, 0, 0, two, 1, ":r_zr"), r_h_ = c_.slice(weights_.r, 0, two, all, 1, ":r_h");
    if (weights_.bias)
      bias_zr_ = c_.slice(weights_.bias, 0, 0, two, 1, ":rb_zr"),
      bias_h_ = c_.slice(weights_.bias, 0, two, all, 1, ":rb_h");
  }
  for (int64_t i = 0; weights_.peeped && i < 3; ++i)
    peepholes_.push_back(part(weights_.peeped, 0, i, fmt::format(":peephole_{}", i)));
}

Tensor Cell::part(const Tensor& x, int axis, int64_t i, const std::string& name) {
  return c_.slice(x, axis, i * hidden_, (i + 1) * hidden_, 1, name.c_str());
}

Tensor Cell::limited(const Tensor& x, const std::string& name) {
  if (limit_ == 0) return x;
  const auto limit = static_cast<double>(limit_);
  return c_.op_with(Op::Clamp, {x}, ClampParams{-limit, limit}, (name + "_limited").c_str());
}

// The state as the recurrent weights are multiplied by it.
Tensor Cell::rounded(const Tensor& h, const std::string& name) {
  if (!quantised_) return h;
  const auto codes = lower_parts(c_, {"DynamicQuantizeLinear", {as_source(c_, h)}, {}, name + "_codes", 3});
  if (codes.size() != 3) return {};
  return lower_part(c_, {"DequantizeLinear", {codes[0], codes[1], codes[2]}, {}, name + "_rounded"});
}

Tensor Cell::function(size_t i, const Tensor& given, const std::string& name, bool limits) {
  const Activation& f = functions_[i];
  const Tensor x = limits ? limited(given, name) : given;
  const char* at = name.c_str();
  if (f.name == "sigmoid") return c_.op(Op::Sigmoid, {x}, at);
  if (f.name == "relu") return c_.op(Op::Relu, {x}, at);
  if (f.name == "softplus") return c_.op(Op::Softplus, {x}, at);
  if (f.name == "softsign") return c_.op(Op::Softsign, {x}, at);
  if (f.name == "affine") return c_.op_with(Op::Scale, {x}, ScaleParams{f.alpha, f.beta}, at);
  if (f.name == "leakyrelu") return c_.op_with(Op::LeakyRelu, {x}, AlphaParams{f.alpha, 0}, at);
  if (f.name == "elu") return c_.op_with(Op::Elu, {x}, AlphaParams{f.alpha, 0}, at);
  if (f.name == "hardsigmoid") return c_.op_with(Op::HardSigmoid, {x}, AlphaParams{f.alpha, f.beta}, at);
  if (f.name == "thresholdedrelu")
    return c_.op(Op::Where, {c_.op(Op::Greater, {x, f.edge}, (name + "_above").c_str()), x, f.zero}, at);
  if (f.name != "scaledtanh") return c_.op(Op::Tanh, {x}, at);
  const Tensor inner = c_.op_with(Op::Scale, {x}, ScaleParams{f.beta, 0}, (name + "_inner").c_str());
  return c_.op_with(Op::Scale, {c_.op(Op::Tanh, {inner}, (name + "_tanh").c_str())}, ScaleParams{f.alpha, 0}, at);
}

void Cell::step(const Tensor& xw, Tensor& h, Tensor& cell, const std::string& step) {
  if (gates_ == 3) {
    h = gru(xw, h, step);
  } else if (gates_ == 4) {
    lstm(xw, h, cell, step);
  } else {
    const Tensor hr = c_.mul_mat(weights_.r, h, weights_.bias, 1, (step + "_hr").c_str());
    h = function(0, c_.op(Op::Add, {xw, hr}, (step + "_sum").c_str()), step + "_h");
  }
}

// ONNX's order z, r, h: h' = (1 - z) ⊙ g(…) + z ⊙ h.
Tensor Cell::gru(const Tensor& xw, const Tensor& h, const std::string& step) {
  const auto op = [&](Op kind, const Tensor& a, const Tensor& b, const char* what) {
    return c_.op(kind, {a, b}, (step + what).c_str());
  };
  const auto times = [&](const Tensor& r, const Tensor& x, const Tensor& bias, const char* what) {
    return c_.mul_mat(r, x, bias, 1, (step + what).c_str());
  };
  const int64_t two = 2 * hidden_;
  Tensor hr_zr, hr_h;
  if (before_reset_) {
    const Tensor hr = times(weights_.r, h, weights_.bias, "_hr");
    hr_zr = c_.slice(hr, 1, 0, two, 1, (step + "_h_zr").c_str());
    hr_h = part(hr, 1, 2, step + "_h_h");
  } else {
    hr_zr = times(r_zr_, h, bias_zr_, "_h_zr");
  }
  const Tensor x_zr = c_.slice(xw, 1, 0, two, 1, (step + "_x_zr").c_str());
  const Tensor zr = function(0, op(Op::Add, x_zr, hr_zr, "_zr_sum"), step + "_zr");
  const Tensor z = part(zr, 1, 0, step + "_z"), reset = part(zr, 1, 1, step + "_r");
  const Tensor inner = before_reset_ ? op(Op::Mul, reset, hr_h, "_reset")
                                     : times(r_h_, op(Op::Mul, reset, h, "_reset"), bias_h_, "_h_h");
  const Tensor fresh = function(1, op(Op::Add, part(xw, 1, 2, step + "_x_h"), inner, "_sum"), step + "_fresh");
  return op(Op::Add, fresh, op(Op::Mul, z, op(Op::Sub, h, fresh, "_apart"), "_kept"), "_h");
}

// ONNX's order i, o, f, c; peepholes i, o, f.
void Cell::lstm(const Tensor& xw, Tensor& h, Tensor& cell, const std::string& step) {
  const auto op = [&](Op kind, const Tensor& a, const Tensor& b, const std::string& what) {
    return c_.op(kind, {a, b}, (step + what).c_str());
  };
  const Tensor hr = c_.mul_mat(weights_.r, rounded(h, step + "_h"), weights_.bias, 1, (step + "_hr").c_str());
  const Tensor sum = op(Op::Add, xw, hr, "_sum");
  const auto gate = [&](int64_t i, const Tensor& seen, const std::string& what) {
    Tensor g = part(sum, 1, i, fmt::format("{}{}_in", step, what));
    if (!peepholes_.empty())
      g = op(Op::Add, g, op(Op::Mul, peepholes_[static_cast<size_t>(i)], seen, what + "_peep"), what + "_seen");
    return function(0, g, step + what);
  };
  const Tensor in = gate(0, cell, "_i");
  const Tensor fresh = function(1, part(sum, 1, 3, step + "_g_in"), step + "_g");
  const Tensor forget =
      couples_ ? c_.op_with(Op::Scale, {in}, ScaleParams{-1, 1}, (step + "_f").c_str()) : gate(2, cell, "_f");
  cell = op(Op::Add, op(Op::Mul, forget, cell, "_kept"), op(Op::Mul, in, fresh, "_new"), "_c");
  const Tensor out = gate(1, cell, "_o");
  h = op(Op::Mul, out, function(2, cell, step + "_c_out", false), "_h");
}

}  // namespace arenascope::models
