// SPDX-License-Identifier: MIT
// ONNX's linear models and support vector machines.
#include <fmt/format.h>
#include "engine/models/onnx/operators/ml_common.h"

#include <algorithm>
#include <vector>

namespace arenascope::models {
namespace {

void out_scores(OpCall& c, size_t i, const Tensor& scores) {
  if (scores && c.has_output(i))
    c.out(i, scores.dtype() == DType::F32 ? c.op(Op::Copy, {scores}, ":given") : c.cast(scores, DType::F32, ":given"));
}

// x [N, F] by coefficients [rows, F] and with intercepts [rows]: [N, rows]. The input decides F: as in ONNX Runtime,
// coefficients after the first rows·F are not read.
Tensor linear_scores(OpCall& c, const Tensor& x, int64_t rows, const std::vector<double>& intercepts) {
  std::vector<double> coefficients = attr_floats(c, "coefficients");
  const auto count = static_cast<int64_t>(coefficients.size());
  const int64_t width = x.sizes()[1];
  if (rows < 1 || count % rows != 0 || count / rows < width) {
    c.fail(fmt::format("expected {} × {} coefficients, one per result and column of the input, found {}", rows, width,
                       count));
    return {};
  }
  coefficients.resize(static_cast<size_t>(rows * width));
  const Tensor w = ml_table(c, DType::F32, {rows, width}, coefficients, ":coefficients");
  return c.mul_mat(w, c.cast(x, DType::F32, ":x"),
                   intercepts.empty() ? Tensor() : ml_table(c, DType::F32, {rows}, intercepts, ":intercepts"), 1,
                   ":linear");
}

void linear_regressor(OpCall& c) {
  const Tensor x = learned_rows(c, 0);
  if (!x) return;
  const PostTransform after = read_post_transform(c);
  const int64_t targets = c.attr_int("targets", 1);
  std::vector<double> intercepts = attr_floats(c, "intercepts");
  if (static_cast<int64_t>(intercepts.size()) != targets) intercepts.clear();  // as ONNX Runtime does
  out_scores(c, 0, post_transformed(c, linear_scores(c, x, targets, intercepts), after, ":transformed"));
}

Tensor best_of(OpCall& c, const Tensor& scores) {
  return c.op_with(Op::ArgMax, {scores}, ArgParams{1, false, false}, ":best");
}

// The intercepts decide how many classes there are, as in ONNX Runtime. Without them there is one per label, or one for
// two labels if the coefficients are too few for two.
void linear_classifier(OpCall& c) {
  const Tensor x = learned_rows(c, 0);
  const ClassLabels labels = read_labels(c, "classlabels_ints", "classlabels_strings");
  if (!x || !c.ok()) return;
  const PostTransform after = read_post_transform(c);
  const std::vector<double> intercepts = attr_floats(c, "intercepts");
  const auto* a = c.attr("coefficients");
  const bool one =
      labels.size() == 2 &&
      (intercepts.empty() ? a && static_cast<int64_t>(a->floats.size()) == x.sizes()[1] : intercepts.size() == 1);
  const size_t classes = one ? 1 : intercepts.empty() ? labels.size() : intercepts.size();
  if (labels.size() < classes || (intercepts.size() == 1 && !one))
    return c.fail(fmt::format("expected {} labels for {} intercepts, found {}", std::max<size_t>(classes, 2),
                              intercepts.size(), labels.size()));
  const Tensor scores = linear_scores(c, x, static_cast<int64_t>(classes), intercepts);
  if (!scores) return;
  if (!one) {
    out_labels(c, labels, best_of(c, scores));
    return out_scores(c, 1, post_transformed(c, scores, after, ":transformed"));
  }
  const Tensor flat = c.reshape(scores, {scores.sizes()[0]}, ":score");
  out_labels_by(c, labels, c.op(Op::Greater, {flat, c.scalar(0, DType::F32, ":edge")}, ":above"));
  // The other class has the complement to 1; only the logistic transform applies to it.
  const Tensor own = after == PostTransform::Logistic ? c.op(Op::Sigmoid, {scores}, ":sigmoid") : scores;
  const Tensor parts[] = {c.op_with(Op::Scale, {own}, ScaleParams{-1, 1}, ":other"), own};
  out_scores(c, 1, c.op_list(Op::Concat, parts, AxisParams{1}, ":both"));
}

// A support vector machine's kernel.
struct Kernel {
  std::string kind;
  float gamma = 0, shift = 0, degree = 3;
};

Kernel read_kernel(OpCall& c) {
  Kernel k{c.attr_string("kernel_type", "LINEAR")};
  const std::vector<double> given = attr_floats(c, "kernel_params");
  if (!given.empty() && given.size() != 3) c.fail(fmt::format("found {} kernel_params: expected 3", given.size()));
  if (given.size() == 3)
    k.gamma = static_cast<float>(given[0]), k.shift = static_cast<float>(given[1]),
    k.degree = static_cast<float>(given[2]);
  for (const char* known : {"LINEAR", "POLY", "RBF", "SIGMOID"})
    if (k.kind == known) return k;
  c.fail(fmt::format("the kernel '{}' is not supported", k.kind));
  return k;
}

// K(x, v) of rows x [N, F] and vectors v [S, F]: [N, S].
Tensor kernel_of(OpCall& c, const Kernel& k, const Tensor& x, const Tensor& v, const std::string& at) {
  const auto name = [&](const char* what) { return at + what; };
  if (!x || !v) return {};
  if (k.kind == "RBF") {
    const int64_t n = x.sizes()[0], s = v.sizes()[0], f = x.sizes()[1];
    const Tensor off = c.op(Op::Sub, {c.reshape(x, {n, 1, f}, name("_x").c_str()), v}, name("_off").c_str());
    const Tensor square = c.op_with(Op::ReduceSum, {c.op(Op::Mul, {off, off}, name("_squares").c_str())},
                                    ReduceParams{1u << 2, false}, name("_distance").c_str());
    return c.op(Op::Exp,
                {c.op_with(Op::Scale, {c.reshape(square, {n, s}, name("_flat").c_str())}, ScaleParams{-k.gamma, 0},
                           name("_near").c_str())},
                name("").c_str());
  }
  const Tensor dot = c.mul_mat(v, x, {}, 1, k.kind == "LINEAR" ? name("").c_str() : name("_dot").c_str());
  if (k.kind == "LINEAR") return dot;
  const Tensor inner = c.op_with(Op::Scale, {dot}, ScaleParams{k.gamma, k.shift}, name("_inner").c_str());
  if (k.kind == "SIGMOID") return c.op(Op::Tanh, {inner}, name("").c_str());
  return c.op(Op::Pow, {inner, c.scalar(static_cast<double>(k.degree), DType::F32, name("_degree").c_str())},
              name("").c_str());
}

// The rows of `attr`, each of `width` elements; undefined, with an error, if the size is wrong.
Tensor rows_of(OpCall& c, const char* attr, int64_t width, int64_t rows) {
  const std::vector<double> numbers = attr_floats(c, attr);
  if (width >= 1 && rows >= 1 && static_cast<int64_t>(numbers.size()) / width == rows &&
      static_cast<int64_t>(numbers.size()) % width == 0)
    return ml_table(c, DType::F32, {rows, width}, numbers, fmt::format(":{}", attr));
  c.fail(fmt::format("found {} values of '{}': expected {} rows of {}", numbers.size(), attr, rows, width));
  return {};
}

void svm_regressor(OpCall& c) {
  const Tensor given = learned_rows(c, 0);
  if (!given) return;
  const Tensor x = c.cast(given, DType::F32, ":x");
  Kernel k = read_kernel(c);
  const PostTransform after = read_post_transform(c);
  const int64_t supports = c.attr_int("n_supports", 0);
  const std::vector<double> rho = attr_floats(c, "rho");
  if (rho.empty()) c.fail("it lacks 'rho'");
  if (!c.ok()) return;
  const Tensor shift = ml_table(c, DType::F32, {1}, {rho[0]}, ":rho");
  Tensor y;
  if (supports > 0) {
    const Tensor near = kernel_of(c, k, x, rows_of(c, "support_vectors", x.sizes()[1], supports), ":kernel");
    y = c.mul_mat(rows_of(c, "coefficients", supports, 1), near, shift, 1, ":sum");
  } else {
    y = c.mul_mat(rows_of(c, "coefficients", x.sizes()[1], 1), x, shift, 1, ":sum");  // linear, any kernel is ignored
  }
  if (c.attr_int("one_class", 0) != 0 && y) {
    const Tensor inside = c.op(Op::Greater, {y, c.scalar(0, DType::F32, ":edge")}, ":inside");
    y = c.op_with(Op::Scale, {c.cast(inside, DType::F32, ":side")}, ScaleParams{2, -1}, ":one_class");
  }
  out_scores(c, 0, post_transformed(c, y, after, ":transformed"));
}

// Pairwise classification: the decision value of each row for each pair of classes, [N, pairs].
struct Pairs {
  std::vector<std::pair<int64_t, int64_t>> classes;
  Tensor scores;
};

Pairs pair_scores(OpCall& c, const Tensor& near, const std::vector<int64_t>& per_class) {
  const auto classes = static_cast<int64_t>(per_class.size()), supports = near.sizes()[1];
  const std::vector<double> coefficients = attr_floats(c, "coefficients"), rho = attr_floats(c, "rho");
  Pairs out;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j) out.classes.emplace_back(i, j);
  const auto pairs = static_cast<int64_t>(out.classes.size());
  if (pairs * supports > int64_t{1} << 22 || static_cast<int64_t>(coefficients.size()) != (classes - 1) * supports ||
      static_cast<int64_t>(rho.size()) < pairs) {
    c.fail(fmt::format("{} coefficients and {} values of 'rho' do not match {} classes with {} pairs and {} vectors",
                       coefficients.size(), rho.size(), classes, pairs, supports));
    return out;
  }
  // One row of weights per pair of classes: the coefficients of their support vectors, 0 for all others.
  std::vector<double> weights(static_cast<size_t>(pairs * supports), 0);
  std::vector<int64_t> starts(1, 0);
  for (const int64_t count : per_class) starts.push_back(starts.back() + count);
  for (int64_t p = 0; p < pairs; ++p) {
    const auto [i, j] = out.classes[static_cast<size_t>(p)];
    const auto take = [&](int64_t own, int64_t row) {
      for (int64_t v = starts[static_cast<size_t>(own)]; v < starts[static_cast<size_t>(own) + 1]; ++v)
        weights[static_cast<size_t>(p * supports + v)] = coefficients[static_cast<size_t>(row * supports + v)];
    };
    take(i, j - 1), take(j, i);
  }
  out.scores = c.mul_mat(ml_table(c, DType::F32, {pairs, supports}, weights, ":pair_weights"), near,
                         ml_table(c, DType::F32, {pairs}, {rho.begin(), rho.begin() + pairs}, ":rho"), 1, ":pairs");
  return out;
}

// A number for each class and pair of which it is the first (`first`) or the second.
Tensor pair_table(OpCall& c, const Pairs& pairs, int64_t classes, bool first, const char* suffix) {
  const auto count = static_cast<int64_t>(pairs.classes.size());
  std::vector<double> table(static_cast<size_t>(classes * count), 0);
  for (int64_t p = 0; p < count; ++p) {
    const auto [i, j] = pairs.classes[static_cast<size_t>(p)];
    table[static_cast<size_t>((first ? i : j) * count + p)] = 1;
  }
  return ml_table(c, DType::F32, {classes, count}, table, suffix);
}

// How many pairs each class wins, [N, classes].
Tensor votes_of(OpCall& c, const Pairs& pairs, int64_t classes) {
  const Tensor zero = c.scalar(0, DType::F32, ":even");
  const Tensor won = c.cast(c.op(Op::Greater, {pairs.scores, zero}, ":first_wins"), DType::F32, ":won");
  const Tensor lost = c.op_with(Op::Scale, {won}, ScaleParams{-1, 1}, ":lost");
  return c.op(Op::Add,
              {c.mul_mat(pair_table(c, pairs, classes, true, ":firsts"), won, {}, 1, ":votes_of_firsts"),
               c.mul_mat(pair_table(c, pairs, classes, false, ":seconds"), lost, {}, 1, ":votes_of_seconds")},
              ":votes");
}

// The probabilities of classes from those of pairs r [N, C, C] (Wu, Lin and Weng 2004, their second method): p is bettered class
// by class, and a row that is near enough stays.
class Coupling {
 public:
  Coupling(OpCall& c, const Tensor& r, int64_t classes) : c_(c), classes_(classes) { make_q(r); }

  Tensor run() {
    const int64_t rows = q_ ? q_.sizes()[0] : 0;
    Tensor p = c_.expand(c_.scalar(1.0 / static_cast<double>(classes_), DType::F32, ":even_chance"), {rows, classes_},
                         ":chances");
    for (int64_t round = 0; round < kRounds && c_.ok(); ++round) p = bettered(p, fmt::format(":round_{}", round));
    return p;
  }

 private:
  static constexpr int64_t kRounds = 100;

  Tensor op(Op kind, std::initializer_list<Tensor> sources, const std::string& name) {
    return c_.op(kind, sources, name.c_str());
  }

  // Q[t][t] = Σ r[j][t]², Q[t][j] = -r[j][t]·r[t][j].
  void make_q(const Tensor& r) {
    std::vector<double> same(static_cast<size_t>(classes_ * classes_), 0);
    for (int64_t t = 0; t < classes_; ++t) same[static_cast<size_t>(t * classes_ + t)] = 1;
    const Tensor diagonal = ml_table(c_, DType::F32, {classes_, classes_}, same, ":diagonal");
    const Tensor transposed = op(Op::Cont, {c_.op(Op::Transpose, {r}, ":turned_view")}, ":turned");
    const Tensor squares = c_.op_with(Op::ReduceSum, {op(Op::Mul, {transposed, transposed}, ":squares")},
                                      ReduceParams{1u << 2, true}, ":square_sums");
    q_ = op(Op::Sub, {op(Op::Mul, {squares, diagonal}, ":own"), op(Op::Mul, {r, transposed}, ":both")}, ":q");
  }

  // [N, classes] by Q: [N, classes].
  Tensor by_q(const Tensor& p, const std::string& name) {
    const int64_t rows = q_.sizes()[0];
    const Tensor made =
        c_.mul_mat(q_, c_.reshape(p, {rows, 1, classes_}, (name + "_row").c_str()), {}, 1, (name + "_made").c_str());
    return c_.reshape(made, {rows, classes_}, name.c_str());
  }

  Tensor bettered(Tensor p, const std::string& at) {
    const ReduceParams all{1u << 1, true};
    Tensor qp = by_q(p, at + "_qp");
    Tensor pqp = c_.op_with(Op::ReduceSum, {op(Op::Mul, {p, qp}, at + "_parts")}, all, (at + "_pqp").c_str());
    const Tensor off = op(Op::Abs, {op(Op::Sub, {qp, pqp}, at + "_off")}, at + "_error");
    const Tensor most = c_.op_with(Op::ReduceMax, {off}, all, (at + "_most").c_str());
    const double near = 0.005 / static_cast<double>(classes_);
    const Tensor done = op(Op::Less, {most, c_.scalar(near, DType::F32, (at + "_near").c_str())}, at + "_done");
    const Tensor before = p;
    for (int64_t t = 0; t < classes_ && c_.ok(); ++t) {
      const std::string name = fmt::format("{}_{}", at, t);
      const auto column = [&](const Tensor& x, const char* what) {
        return c_.slice(x, 1, t, t + 1, 1, (name + what).c_str());
      };
      const Tensor row = c_.reshape(column(q_, "_row"), {q_.sizes()[0], classes_}, (name + "_q").c_str());
      const Tensor own = column(row, "_own");
      const Tensor step = op(Op::Div, {op(Op::Sub, {pqp, column(qp, "_at")}, name + "_lacks"), own}, name + "_step");
      const Tensor grown = c_.op_with(Op::Scale, {step}, ScaleParams{1, 1}, (name + "_grown").c_str());
      const Tensor twice = c_.op_with(Op::Scale, {column(qp, "_was")}, ScaleParams{2, 0}, (name + "_twice").c_str());
      const Tensor gain =
          op(Op::Mul, {step, op(Op::Add, {op(Op::Mul, {step, own}, name + "_more"), twice}, name + "_slope")},
             name + "_gain");
      pqp = op(Op::Div, {op(Op::Add, {pqp, gain}, name + "_pqp_sum"), op(Op::Mul, {grown, grown}, name + "_grown2")},
               name + "_pqp");
      qp = op(Op::Div, {op(Op::Add, {qp, op(Op::Mul, {step, row}, name + "_change")}, name + "_qp_sum"), grown},
              name + "_qp");
      std::vector<double> here(static_cast<size_t>(classes_), 0);
      here[static_cast<size_t>(t)] = 1;
      const Tensor place = ml_table(c_, DType::F32, {classes_}, here, name + "_place");
      p = op(Op::Div, {op(Op::Add, {p, op(Op::Mul, {step, place}, name + "_added")}, name + "_p_sum"), grown},
             name + "_p");
    }
    return op(Op::Where, {done, before, p}, at + "_kept");
  }

  OpCall& c_;
  int64_t classes_;
  Tensor q_;
};

// Probabilities of each pair by Platt's sigmoid, 1 / (1 + exp(a·score + b)), then of each class.
Tensor chances_of(OpCall& c, const Pairs& pairs, int64_t classes) {
  const auto count = static_cast<int64_t>(pairs.classes.size());
  const std::vector<double> a = attr_floats(c, "prob_a"), b = attr_floats(c, "prob_b");
  constexpr int64_t kMaxCoupled = 64;
  if (classes > kMaxCoupled || static_cast<int64_t>(a.size()) != count || static_cast<int64_t>(b.size()) != count) {
    c.fail(fmt::format("{} values of prob_a and {} of prob_b do not match {} pairs of classes", a.size(), b.size(),
                       count));
    return {};
  }
  const Tensor inner = c.op(Op::Add,
                            {c.op(Op::Mul, {pairs.scores, ml_table(c, DType::F32, {count}, a, ":prob_a")}, ":steep"),
                             ml_table(c, DType::F32, {count}, b, ":prob_b")},
                            ":platt");
  const Tensor first = c.op_with(Op::Clamp, {c.op(Op::Sigmoid, {c.op(Op::Neg, {inner}, ":against")}, ":pair_chance")},
                                 ClampParams{1e-7, 1 - 1e-7}, ":pair_chances");
  const Tensor second = c.op_with(Op::Scale, {first}, ScaleParams{-1, 1}, ":other_chances");
  const int64_t rows = first ? first.sizes()[0] : 0;
  const Tensor none = c.expand(c.scalar(0, DType::F32, ":no_chance"), {rows, 1}, ":no_chances");
  const Tensor parts[] = {first, second, none};
  const Tensor table = c.op_list(Op::Concat, parts, AxisParams{1}, ":all_chances");
  std::vector<int64_t> indices(static_cast<size_t>(classes * classes), 2 * count);
  for (int64_t p = 0; p < count; ++p) {
    const auto [i, j] = pairs.classes[static_cast<size_t>(p)];
    indices[static_cast<size_t>(i * classes + j)] = p, indices[static_cast<size_t>(j * classes + i)] = count + p;
  }
  const Tensor r = c.op_with(Op::Gather, {table, ml_table(c, {classes, classes}, std::move(indices), ":pair_places")},
                             AxisParams{1}, ":pair_table");
  return r ? Coupling(c, r, classes).run() : Tensor();
}

void svm_classifier(OpCall& c) {
  const Tensor given = learned_rows(c, 0);
  const ClassLabels labels = read_labels(c, "classlabels_ints", "classlabels_strings");
  if (!given || !c.ok()) return;
  const Tensor x = c.cast(given, DType::F32, ":x");
  const Kernel k = read_kernel(c);
  const PostTransform after = read_post_transform(c);
  const std::vector<int64_t> per_class = c.attr_ints("vectors_per_class");
  const auto classes = static_cast<int64_t>(labels.size());
  if (!c.ok()) return;
  if (per_class.empty()) {  // a row of coefficients per class, any kernel is ignored
    const std::vector<double> rho = attr_floats(c, "rho");
    const Tensor shift = ml_table(c, DType::F32, {1}, {rho.empty() ? 0 : rho[0]}, ":rho");
    const Tensor dot = c.mul_mat(rows_of(c, "coefficients", x.sizes()[1], classes), x, {}, 1, ":linear");
    const Tensor made = c.op(Op::Add, {dot, shift}, ":sum");
    if (!made) return;
    out_labels(c, labels, best_of(c, made));
    return out_scores(c, 1, post_transformed(c, made, after, ":transformed"));
  }
  int64_t supports = 0;
  for (const int64_t count : per_class) {
    if (count < 0 || count > 1 << 24) return c.fail(fmt::format("vectors_per_class cannot contain {}", count));
    supports += count;
  }
  if (per_class.size() != labels.size() || classes < 2 || classes > 256)
    return c.fail(fmt::format("support vectors of {} classes do not match {} labels", per_class.size(), classes));
  const Tensor near = kernel_of(c, k, x, rows_of(c, "support_vectors", x.sizes()[1], supports), ":kernel");
  if (!near) return;
  const Pairs pairs = pair_scores(c, near, per_class);
  if (!c.ok()) return;
  out_labels(c, labels, best_of(c, votes_of(c, pairs, classes)));
  if (!c.has_output(1)) return;
  const bool chances = c.has_attr("prob_a") && !attr_floats(c, "prob_a").empty();
  Tensor scores = chances ? chances_of(c, pairs, classes) : pairs.scores;
  if (chances || classes > 2) return out_scores(c, 1, post_transformed(c, scores, after, ":transformed"));
  // Binary with one score: with a post transform, the other class has the complement to 1.
  const ScaleParams other{-1, after == PostTransform::None ? 0.0f : 1.0f};
  const Tensor parts[] = {c.op_with(Op::Scale, {scores}, other, ":other"), scores};
  out_scores(c, 1, c.op_list(Op::Concat, parts, AxisParams{1}, ":both"));
}

constexpr HandlerEntry kLinearModelHandlers[] = {
    {"ai.onnx.ml::LinearClassifier", linear_classifier},
    {"ai.onnx.ml::LinearRegressor", linear_regressor},
    {"ai.onnx.ml::SVMClassifier", svm_classifier},
    {"ai.onnx.ml::SVMRegressor", svm_regressor},
};

}  // namespace

std::span<const HandlerEntry> linear_svm_handlers() { return kLinearModelHandlers; }

}  // namespace arenascope::models
