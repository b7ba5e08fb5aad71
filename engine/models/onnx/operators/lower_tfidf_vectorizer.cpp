// SPDX-License-Identifier: MIT
// ONNX's TfIdfVectorizer over integers or strings: counts the listed n-grams in each row, also with gaps.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMax = 1 << 16;  // n-grams, and comparisons of one kind

// n-grams of one length, concatenated.
struct Grams {
  int64_t length = 1;
  std::vector<int64_t> items, columns;  // columns[i]: where the i-th is counted
  int64_t count() const { return static_cast<int64_t>(columns.size()); }
};

// The items of the n-grams: integers, or indices of interned strings.
std::vector<int64_t> read_pool(OpCall& c, StringInterner& string_table) {
  const auto* strings = c.attr("pool_strings");
  if (!strings) return c.attr_ints("pool_int64s");
  std::vector<int64_t> out;
  for (const std::string& one : strings->strings) out.push_back(string_table.place(one));
  return out;
}

bool read_grams(OpCall& c, const std::vector<int64_t>& pool, std::vector<Grams>& out, int64_t& width) {
  const auto starts = c.attr_ints("ngram_counts"), columns = c.attr_ints("ngram_indexes");
  const int64_t least = c.attr_int("min_gram_length", 1), most = c.attr_int("max_gram_length", 1);
  if (pool.empty() || starts.empty() || columns.empty() || static_cast<int64_t>(pool.size()) > kMax || least < 1 ||
      most < least || most > static_cast<int64_t>(starts.size()) ||
      *std::max_element(columns.begin(), columns.end()) >= kMax)
    c.fail("its pool, ngram_counts, ngram_indexes and gram lengths are inconsistent");
  if (!c.ok()) return false;
  size_t next = 0;
  for (size_t n = 1; n <= starts.size(); ++n) {
    const int64_t begin = starts[n - 1], end = n < starts.size() ? starts[n] : static_cast<int64_t>(pool.size());
    const auto length = static_cast<int64_t>(n);
    if (begin < 0 || end < begin || end > static_cast<int64_t>(pool.size()) || (end - begin) % length != 0) {
      c.fail(fmt::format("the pool entries of {}-grams from {} to {} are invalid", n, begin, end));
      return false;
    }
    Grams grams{length, {pool.begin() + begin, pool.begin() + end}, {}};
    for (int64_t i = 0; i < (end - begin) / length; ++i, ++next) {
      if (next >= columns.size() || columns[next] < 0 || columns[next] >= kMax) {
        c.fail(fmt::format("ngram_indexes lacks a valid entry for n-gram {}", next));
        return false;
      }
      grams.columns.push_back(columns[next]);
    }
    if (length >= least && length <= most && grams.count() > 0) out.push_back(std::move(grams));
  }
  width = *std::max_element(columns.begin(), columns.end()) + 1;
  return c.ok();
}

// The count of each n-gram in the rows [N, T] with `gap` items between its items; f32 [N, count].
Tensor counted(OpCall& c, const Tensor& lines, const Grams& grams, int64_t gap, const std::string& name) {
  const int64_t step = gap + 1, indices = lines.sizes()[1] - (grams.length - 1) * step, count = grams.count();
  if (indices < 1) return {};
  if (lines.sizes()[0] * indices * count > int64_t{1} << 28) {
    c.fail(fmt::format("comparing {} n-grams at {} positions exceeds the limit", count, indices));
    return {};
  }
  Tensor all;
  for (int64_t j = 0; j < grams.length && c.ok(); ++j) {
    const std::string at = fmt::format("{}_{}", name, j);
    HostArray expected = HostArray::make(DType::I64, {1, 1, count});
    for (int64_t i = 0; i < count; ++i) expected.set_integer(i, grams.items[static_cast<size_t>(i * grams.length + j)]);
    const Tensor part = c.slice(lines, 1, j * step, j * step + indices, 1, (at + "_slice").c_str());
    const Tensor items = c.reshape(c.op(Op::Cont, {part}, (at + "_items").c_str()), {lines.sizes()[0], indices, 1},
                                   (at + "_column").c_str());
    const Tensor same =
        c.op(Op::Equal, {items, c.constant(std::move(expected), (at + "_expected").c_str())}, at.c_str());
    all = all ? c.op(Op::And, {all, same}, (at + "_all").c_str()) : same;
  }
  return c.op_with(Op::ReduceSum, {c.cast(all, DType::F32, (name + "_f32").c_str())}, ReduceParams{1u << 1, false},
                   (name + "_count").c_str());
}

// The input as integers to compare with the n-grams; -1: a string that occurs in none.
Tensor counted_source(OpCall& c, const StringInterner& string_table) {
  const bool of_strings = c.has_attr("pool_strings");
  if (c.has(0) && of_strings != (c.value(0).strings != nullptr))
    c.fail(of_strings ? "its pool has strings, but its input has numbers"
                      : "its pool has integers, but its input has strings");
  if (!of_strings || !c.ok()) return c.ok() ? c.in(0) : Tensor();
  const StringTable own = c.string_table(0);
  HostArray table = HostArray::make(DType::I64, {static_cast<int64_t>(own->size())});
  for (size_t i = 0; i < own->size(); ++i) table.ints[i] = string_table.find((*own)[i]);
  ValuePtr indices = c.lookup(0, std::move(table), ":places");
  if (!indices) return {};
  Status status;
  Tensor out = c.lowering().materialise(*indices, status);
  if (!status.ok()) c.fail(status.error().message);
  return out;
}

void tf_idf_vectorizer(OpCall& c) {
  StringInterner string_table;
  std::vector<Grams> grams;
  int64_t width = 0;
  if (!read_grams(c, read_pool(c, string_table), grams, width)) return;
  const Tensor x = counted_source(c, string_table);
  if (!x) return;
  const std::string mode = c.attr_string("mode", "");
  if (x->rank() < 1 || x->rank() > 2 || info(x.dtype()).floating)
    return c.fail("its input must be integers with 1 or 2 dimensions");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return c.fail(fmt::format("the mode '{}' is not supported: expected TF, IDF or TFIDF", mode));
  const int64_t skips = c.attr_int("max_skip_count", 0);
  if (skips < 0 || skips > 1 << 10) return c.fail(fmt::format("max_skip_count is {}: expected 0 to 1024", skips));
  const bool one_line = x->rank() == 1;
  const int64_t rows = one_line ? 1 : x.sizes()[0];
  const Tensor lines =
      c.cast(c.reshape(x, {rows, one_line ? x.sizes()[0] : x.sizes()[1]}, ":lines"), DType::I64, ":i64");
  if (!lines) return;
  OpParams nothing;
  nothing.set(FillParams{{rows, 1}, DType::F32, 0, 0});
  std::vector<Tensor> parts{c.apply(Op::Fill, std::span<const Tensor>{}, nothing, ":none")};
  std::vector<int64_t> from(static_cast<size_t>(width), 0);  // by column; 0: it is never counted
  int64_t next = 1;
  for (const Grams& kind : grams) {
    Tensor sum;
    for (int64_t gap = 0; gap <= (kind.length == 1 ? 0 : skips) && c.ok(); ++gap) {
      const std::string name = fmt::format(":grams_{}_{}", kind.length, gap);
      const Tensor one = counted(c, lines, kind, gap, name);
      if (one) sum = sum ? c.op(Op::Add, {sum, one}, (name + "_sum").c_str()) : one;
    }
    if (!c.ok()) return;
    if (!sum) continue;  // the lines are too short for it
    parts.push_back(sum);
    for (const int64_t column : kind.columns) from[static_cast<size_t>(column)] = next++;
  }
  const Tensor all = c.op_list(Op::Concat, std::span<const Tensor>(parts), AxisParams{1}, ":all");
  Tensor y =
      c.op_with(Op::Gather, {all, c.constant(HostArray::of(std::move(from)), ":columns")}, AxisParams{1}, ":counts");
  const auto* weights = c.attr("weights");
  if (mode != "TF" && weights && !weights->floats.empty()) {
    if (static_cast<int64_t>(weights->floats.size()) < width)
      return c.fail(fmt::format("it has {} weights: expected at least {}", weights->floats.size(), width));
    HostArray each = HostArray::make(DType::F32, {1, width});
    for (int64_t i = 0; i < width; ++i) each.set(i, static_cast<double>(weights->floats[static_cast<size_t>(i)]));
    const Tensor weight = c.constant(std::move(each), ":weights");
    if (mode == "IDF")
      y = c.cast(c.op(Op::Greater, {y, c.scalar(0, DType::F32, ":zero")}, ":found"), DType::F32, ":found_f32");
    y = c.op(Op::Mul, {y, weight}, ":weighed");
  } else if (mode == "IDF") {
    y = c.cast(c.op(Op::Greater, {y, c.scalar(0, DType::F32, ":zero")}, ":found"), DType::F32, ":found_f32");
  }
  c.out(0, c.reshape(y, one_line ? Dims{width} : Dims{rows, width}));
}

constexpr HandlerEntry kCountsHandlers[] = {{"TfIdfVectorizer", tf_idf_vectorizer}};

}  // namespace

std::span<const HandlerEntry> tfidf_vectorizer_handlers() { return kCountsHandlers; }

}  // namespace arenascope::models
