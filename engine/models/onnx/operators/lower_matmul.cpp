// SPDX-License-Identifier: MIT
// ONNX's matmul operators. MUL_MAT multiplies rows by rows, so the second operand of an ONNX matmul is
// transposed: a constant when it is loaded, another one as a view.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace arenascope::models {
namespace {

// The same bytes with the last two dimensions swapped.
WeightSource::Writer transposed_writer(WeightSource source, const Dims& sizes, DType dtype) {
  return [source = std::move(source), sizes, dtype](std::byte* out) -> Status {
    const auto item = static_cast<size_t>(element_bytes(dtype));
    const auto rows = static_cast<size_t>(sizes.back(1)), columns = static_cast<size_t>(sizes.back());
    const auto total = static_cast<size_t>(element_count(sizes));
    const auto plain = WeightReader::read(source, total * item);
    if (!plain) return plain.error();
    const size_t slice = std::max<size_t>((size_t{4} << 20) / std::max<size_t>(columns * item, 1), 1);  // rows
    for (size_t at = 0; at < total; at += rows * columns)
      for (size_t r = 0; r < rows; ++r) {
        for (size_t k = 0; k < columns; ++k)
          std::memcpy(out + (at + k * rows + r) * item, plain->data() + (at + r * columns + k) * item, item);
        if (r % slice == slice - 1) plain->done((at + (r + 1) * columns) * item);
      }
    return {};
  };
}

// Input i of [.., K, N] as [.., N, K].
Tensor transposed(OpCall& c, size_t i) {
  const Value& value = c.value(i);
  if (value.kind != Value::Kind::Constant || value.tensor || value.sizes.rank() < 2) {
    const Tensor x = c.in(i);
    return x ? c.op(Op::Transpose, {x}, fmt::format(":t{}", i).c_str()) : Tensor();
  }
  auto is_transposed = std::make_shared<Value>();
  is_transposed->name = value.name + ":t";
  is_transposed->kind = Value::Kind::Constant;
  is_transposed->dtype = value.dtype;
  is_transposed->sizes = value.sizes;
  std::swap(is_transposed->sizes[value.sizes.rank() - 1], is_transposed->sizes[value.sizes.rank() - 2]);
  is_transposed->source = transposed_writer(value.source, value.sizes, value.dtype);
  Status status;
  Tensor tensor = c.lowering().materialise(*is_transposed, value.source.bytes().data(), status);
  if (!status.ok()) c.fail(status.error().message);
  return tensor;
}

Tensor as_float(OpCall& c, const Tensor& x, const char* suffix) {
  return x && !info(x.dtype()).floating ? c.cast(x, DType::F32, suffix) : x;
}

// Matmul of a [.., N, K] and b [.., M, K], the operands of MUL_MAT.
bool check_inner(OpCall& c, const Tensor& a, const Tensor& b) {
  if (c.ok() && a && b && a.sizes().back() != b.sizes().back()) c.fail("inner dimensions differ");
  return c.ok() && a && b;
}

void gemm(OpCall& c) {
  if (c.rank(0) != 2 || c.rank(1) != 2) return c.fail("both operands must have 2 dimensions");
  const DType dtype = c.value(0).dtype;
  const float alpha = c.attr_float("alpha", 1), beta = c.attr_float("beta", 1);
  const Tensor rows = c.attr_int("transA", 0) ? transposed(c, 0) : c.in(0);
  const Tensor columns = c.attr_int("transB", 0) ? c.in(1) : transposed(c, 1);
  if (!check_inner(c, columns, rows)) return;
  const Tensor a = as_float(c, columns, ":b"), b = as_float(c, rows, ":a");
  const bool back = dtype != DType::F32;
  if (!c.has(2) || beta == 0) return c.out(0, c.cast(c.mul_mat(a, b, {}, alpha, back ? ":product" : ""), dtype));
  const int64_t n = a->sizes[0];
  const Dims& shape = c.sizes(2);
  const bool per_column = (shape == Dims{n} || shape == Dims{1, n}) && beta == 1 && !back;
  if (per_column) return c.out(0, c.mul_mat(a, b, c.reshape(c.in(2), {n}, ":bias"), alpha));
  Tensor addend = c.in_f32(2);
  if (beta != 1) addend = c.op_with(Op::Scale, {addend}, ScaleParams{beta, 0}, ":addend");
  c.out(0, c.cast(c.op(Op::Add, {c.mul_mat(a, b, {}, alpha, ":product"), addend}, back ? ":sum" : ""), dtype));
}

// NumPy's matmul of float tensors; one-dimensional sources lend a dimension that is taken away again.
Tensor product(OpCall& c, const Tensor& left, const Tensor& right_t, bool drop_row, bool drop_column, float scale,
               const char* suffix) {
  if (!check_inner(c, right_t, left)) return {};
  Tensor y = c.mul_mat(right_t, left, {}, scale, drop_row || drop_column ? ":product" : suffix);
  if (!y || (!drop_row && !drop_column)) return y;
  Dims sizes = y.sizes();
  const int64_t rows = sizes.back(1), columns = sizes.back();
  sizes.resize(y->rank() - 2);
  if (!drop_row) sizes.push_back(rows);
  if (!drop_column) sizes.push_back(columns);
  return c.reshape(y, sizes, suffix);
}

// Moves axis 0 to the second-last position, where the batch follows the rows.
Tensor batch_first(OpCall& c, const Tensor& x, const char* suffix) {
  if (!x || x->rank() < 3) return x;
  std::vector<int> order;
  for (int i = 1; i + 1 < x->rank(); ++i) order.push_back(i);
  order.push_back(0), order.push_back(x->rank() - 1);
  return c.permute(x, order, suffix);
}

// Operands may be transposed and the result scaled, as in ONNX Runtime's variants.
void mat_mul(OpCall& c) {
  const int ra = c.rank(0), rb = c.rank(1);
  if (ra == 0 || rb == 0) return c.fail("it needs at least one dimension");
  const DType dtype = c.value(0).dtype;
  const auto asks = [&](const char* name, int rank) { return rank > 1 && c.attr_int(name, 0) != 0; };
  const bool turn_left = asks("transA", ra), turn_right = asks("transB", rb);
  const bool batch_left = asks("transBatchA", ra), batch_right = asks("transBatchB", rb);
  Tensor left = as_float(c, c.in(0), ":a");
  if (batch_left) left = batch_first(c, left, ":a_batch");
  if (turn_left && left) left = c.op(Op::Transpose, {left}, ":a_t");
  if (ra == 1 && left) left = c.reshape(left, {1, left.sizes()[0]}, ":row");
  Tensor right = rb == 1 || turn_right || batch_right ? c.in(1) : transposed(c, 1);
  if (batch_right) right = batch_first(c, right, ":b_batch");
  if (batch_right && !turn_right && right) right = c.op(Op::Transpose, {right}, ":b_t");
  if (rb == 1 && right) right = c.reshape(right, {1, right.sizes()[0]}, ":column");
  right = as_float(c, right, ":b");
  const bool back = dtype != DType::F32;
  const float alpha = c.attr_float("alpha", 1);
  c.out(0, c.cast(product(c, left, right, ra == 1, rb == 1, alpha, back ? ":f32" : ""), dtype));
}

// Two inputs with one label a dimension (Einsum): both are brought to [batch, own, shared], multiplied and put in
// order.
class Einsum {
 public:
  explicit Einsum(OpCall& c) : c_(c) {}

  void run() {
    std::string text;
    for (char ch : c_.attr_string("equation", ""))
      if (ch != ' ') text += ch;
    const size_t arrow = text.find("->");
    std::vector<std::string> terms{""};
    for (char ch : text.substr(0, arrow)) {
      if (ch == ',')
        terms.emplace_back();
      else
        terms.back() += ch;
    }
    if (terms.size() != c_.input_count())
      return c_.fail(
          fmt::format("'{}' has {} terms: expected {}, one per input", text, terms.size(), c_.input_count()));
    std::string result, most;
    for (size_t i = 0; i < terms.size(); ++i)
      if (!spell_out(terms[i], c_.rank(i), most))
        return c_.fail(fmt::format("'{}' does not match input {}, which has {} dimensions", text, i, c_.rank(i)));
    if (arrow != std::string::npos) {
      result = text.substr(arrow + 2);
      if (const size_t dots = result.find("..."); dots != std::string::npos) result.replace(dots, 3, most);
    } else {
      result = most;
      for (char ch = 'A'; ch <= 'z'; ++ch) {
        int uses = 0;
        for (const auto& term : terms)
          for (char t : term) uses += t == ch;
        if (uses == 1) result += ch;
      }
    }
    for (size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].size() != static_cast<size_t>(c_.rank(i)))
        return c_.fail(fmt::format("'{}' does not match input {}, which has {} dimensions", text, i, c_.rank(i)));
      for (size_t d = 0; d < terms[i].size(); ++d) {
        const int64_t size = c_.sizes(i)[static_cast<int>(d)];
        if (auto [at, fresh] = sizes_.emplace(terms[i][d], size); !fresh && at->second != size)
          return c_.fail(fmt::format("'{}' is both {} and {}", terms[i][d], at->second, size));
      }
    }
    for (char ch : result)
      if (!sizes_.count(ch)) return c_.fail(fmt::format("'{}' has an output index '{}' that no input has", text, ch));
    if (terms.size() == 1) {
      const Tensor x = diagonal(c_.in(0), terms[0], ":of_0");
      return c_.out(0, ordered(summed(x, terms[0], result), terms[0], result));
    }
    if (terms.size() != 2) return c_.fail("more than two operands are not supported");
    two(terms[0], terms[1], result);
  }

 private:
  // Expands "..." to labels, aligned from the right; `most` are those of the longest term. False: ranks do not match.
  static bool spell_out(std::string& term, int rank, std::string& most) {
    const size_t dots = term.find("...");
    if (dots == std::string::npos) return term.find('.') == std::string::npos;
    const int count = rank - static_cast<int>(term.size()) + 3;
    if (count < 0 || count > kMaxDims) return false;
    std::string labels;
    for (int i = count; i > 0; --i) labels += static_cast<char>(i);
    if (labels.size() > most.size()) most = labels;
    term.replace(dots, 3, labels);
    return term.find('.') == std::string::npos;
  }

  // The diagonal of a label that occurs twice in a term; `term` shrinks with it.
  Tensor diagonal(Tensor x, std::string& term, const std::string& name) {
    for (size_t d = 0; d < term.size() && x; ++d) {
      const size_t again = term.find(term[d], d + 1);
      if (again == std::string::npos) continue;
      std::vector<int> order;
      Dims sizes;
      std::string rest;
      for (size_t i = 0; i < term.size(); ++i)
        if (i != d && i != again) {
          order.push_back(static_cast<int>(i));
          sizes.push_back(x.sizes()[static_cast<int>(i)]);
          rest += term[i];
        }
      const int64_t n = x.sizes()[static_cast<int>(d)];
      order.push_back(static_cast<int>(d)), order.push_back(static_cast<int>(again));
      sizes.push_back(n * n);
      std::vector<int64_t> indices;
      for (int64_t i = 0; i < n; ++i) indices.push_back(i * (n + 1));
      const std::string at = fmt::format("{}_{}", name, d);
      const Tensor square = c_.op(Op::Cont, {c_.permute(x, order, (at + "_order").c_str())}, (at + "_square").c_str());
      x = c_.op_with(Op::Gather,
                     {c_.reshape(square, sizes, (at + "_line").c_str()),
                      c_.constant(HostArray::of(std::move(indices)), (at + "_places").c_str())},
                     AxisParams{sizes.rank() - 1}, at.c_str());
      term = rest + term[d];
      d = static_cast<size_t>(-1);  // start again, for a label that occurs three times
    }
    return x;
  }

  // Sums over labels that are not needed further; `term` shrinks with it.
  Tensor summed(const Tensor& x, std::string& term, const std::string& kept) {
    ReduceParams params{0, false};
    std::string rest;
    for (size_t i = 0; i < term.size(); ++i) {
      if (kept.find(term[i]) == std::string::npos)
        params.axes |= 1u << i;
      else
        rest += term[i];
    }
    if (!params.axes) return x;
    term = rest;
    return c_.op_with(Op::ReduceSum, {x}, params, ":summed");
  }

  Tensor ordered(const Tensor& x, const std::string& have, const std::string& want, const char* suffix = "") {
    if (have.size() != want.size()) {
      c_.fail("its result has other labels than its inputs");
      return {};
    }
    std::vector<int> axes;
    for (char ch : want) axes.push_back(static_cast<int>(have.find(ch)));
    return c_.permute(x, axes, suffix);
  }

  Dims group(const std::string& labels, int64_t& product) const {
    Dims out;
    product = 1;
    for (char ch : labels) out.push_back(sizes_.at(ch)), product *= sizes_.at(ch);
    return out;
  }

  void two(std::string a, std::string b, const std::string& result) {
    Tensor x = diagonal(c_.in_f32(0), a, ":of_0"), y = diagonal(c_.in_f32(1), b, ":of_1");
    x = summed(x, a, b + result), y = summed(y, b, a + result);
    std::string batch, own_a, own_b, shared;
    for (char ch : a) {
      const bool in_b = b.find(ch) != std::string::npos, out = result.find(ch) != std::string::npos;
      (in_b ? (out ? batch : shared) : own_a) += ch;
    }
    for (char ch : b)
      if (a.find(ch) == std::string::npos) own_b += ch;
    int64_t nb, na, nn, nk;
    const Dims sb = group(batch, nb), sa = group(own_a, na), sn = group(own_b, nn);
    group(shared, nk);
    x = c_.reshape(ordered(x, a, batch + own_a + shared, ":a_order"), {nb, na, nk}, ":a");
    y = c_.reshape(ordered(y, b, batch + own_b + shared, ":b_order"), {nb, nn, nk}, ":b");
    Dims sizes = sb;
    for (int64_t s : sa) sizes.push_back(s);
    for (int64_t s : sn) sizes.push_back(s);
    const Tensor z = c_.reshape(c_.mul_mat(y, x, {}, 1, ":product"), sizes, ":unfolded");
    c_.out(0, c_.cast(ordered(z, batch + own_a + own_b, result), c_.value(0).dtype));
  }

  OpCall& c_;
  std::map<char, int64_t> sizes_;
};

constexpr HandlerEntry kMatMulHandlers[] = {
    {"Einsum", [](OpCall& c) { Einsum(c).run(); }},
    {"Gemm", gemm},
    {"MatMul", mat_mul},
    {"com.microsoft::FusedMatMul", mat_mul},
    {"com.microsoft::TransposeMatMul", mat_mul},
};

}  // namespace

std::span<const HandlerEntry> matmul_handlers() { return kMatMulHandlers; }

}  // namespace arenascope::models
