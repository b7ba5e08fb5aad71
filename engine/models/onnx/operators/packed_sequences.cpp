// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/packed_sequences.h"
#include <fmt/format.h>

#include <algorithm>

namespace arenascope::models {

bool Sequences::alike() const {
  for (int64_t i = 1; i < count(); ++i)
    if (length(i) != length(0)) return false;
  return true;
}

int64_t Sequences::longest() const {
  int64_t most = 0;
  for (int64_t i = 0; i < count(); ++i) most = std::max(most, length(i));
  return most;
}

std::optional<Sequences> packed_sequences(OpCall& c, size_t i, int64_t total, bool may_be_empty) {
  const Value& from = c.value(i);
  if (!c.ok()) return std::nullopt;
  if (from.sizes.rank() != 1 || from.sizes[0] < 2 || from.dtype != DType::I32 ||
      (!may_be_empty && from.sizes[0] - 1 > total)) {
    c.fail(fmt::format("the starts of its sequences are {} {}; expected int32 [n + 1] for n sequences of {} tokens",
                       arenascope::name(from.dtype), to_string(from.sizes), total));
    return std::nullopt;
  }
  const auto specified = c.known(i);
  if (!specified) {
    c.wait_for(i, "how long its sequences are must be known at compile time", true);
    return std::nullopt;
  }
  Sequences out{specified->ints};
  bool fits = out.starts.front() == 0 && out.total() == total;
  for (int64_t s = 0; s < out.count(); ++s) fits = fits && out.length(s) >= (may_be_empty ? 0 : 1);
  if (fits) return out;
  c.fail(fmt::format("its sequences do not make up {} tokens", total));
  return std::nullopt;
}

Sequences equal_sequences(int64_t count, int64_t length) {
  Sequences out;
  for (int64_t i = 0; i <= count; ++i) out.starts.push_back(i * length);
  return out;
}

bool pad_sequences(OpCall& c, const Sequences& of, std::initializer_list<Tensor*> tensors) {
  const int64_t count = of.count(), longest = of.longest();
  if (longest < 1 || count > kMaxPlaces / longest) {
    c.fail(fmt::format("{} sequences of up to {} tokens exceed the limit of an index table", count, longest));
    return false;
  }
  std::vector<int64_t> starts, last, lengths;
  for (int64_t s = 0; s < count; ++s) {
    starts.push_back(std::min(of.start(s), of.total() - 1));
    lengths.push_back(of.length(s)), last.push_back(std::max<int64_t>(of.length(s) - 1, 0));
  }
  OpParams line;
  line.set(FillParams{{longest}, DType::I64, 0, 1});
  const Dims column{count, 1};
  const Tensor slots = c.apply(Op::Arange, std::span<const Tensor>(), line, ":slots_of_all");
  const Tensor near = c.op(Op::Min, {slots, index_table(c, std::move(last), column, ":last_slots")}, ":slots_there");
  const Tensor rows = c.op(Op::Add, {near, index_table(c, std::move(starts), column, ":starts")}, ":slot_rows");
  const Tensor ends = index_table(c, std::move(lengths), column, ":slot_ends");
  const Tensor there = c.reshape(c.op(Op::Less, {slots, ends}, ":slot_there"), {count * longest, 1, 1}, ":slot_column");
  const Tensor at = c.reshape(rows, {count * longest}, ":slot_places"), zero = c.scalar(0, DType::F32, ":zero");
  int which = 0;
  for (Tensor* x : tensors) {
    const std::string name = fmt::format(":padded_{}", which++);
    if (!*x || !c.ok()) continue;
    const Tensor taken = c.op_with(Op::Gather, {*x, at}, AxisParams{0}, (name + "_taken").c_str());
    *x = c.op(Op::Where, {there, taken, zero}, name.c_str());
  }
  return c.ok();
}

std::vector<int64_t> padded_indices(const Sequences& padded, const Sequences& of) {
  std::vector<int64_t> out;
  if (padded.total() == of.total()) return out;
  for (int64_t s = 0; s < of.count(); ++s)
    for (int64_t t = 0; t < of.length(s); ++t) out.push_back(padded.start(s) + t);
  return out;
}

Tensor index_table(OpCall& c, std::vector<int64_t> indices, const Dims& sizes, const char* suffix) {
  HostArray table;
  table.dtype = DType::I64;
  table.sizes = sizes;
  table.ints = std::move(indices);
  return c.constant(std::move(table), suffix);
}

int64_t capture_capacity(OpCall& c, size_t counts, int64_t sequences) {
  const int64_t capacity = c.attr_int("state_update_capacity", 0);
  if (capacity < 0 || capacity > 8) c.fail(fmt::format("state_update_capacity is {}: expected 0 to 8", capacity));
  if (c.ok() && c.has(counts) != (capacity > 0))
    c.fail("the number of captured states and their capacity must both be given or both be absent");
  if (c.ok() && capacity > 0 && (!(c.sizes(counts) == Dims{sequences}) || c.value(counts).dtype != DType::I32))
    c.fail(fmt::format("the counts of captured states {} must be I32, one for each of {} sequences",
                       to_string(c.sizes(counts)), sequences));
  return c.ok() ? capacity : -1;
}

Tensor captured(OpCall& c, size_t counts, const Sequences& of, int64_t capacity) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < of.count(); ++i) lengths.push_back(of.length(i));
  const Tensor most = index_table(c, std::move(lengths), {of.count(), 1}, ":lengths");
  const Tensor specified = c.reshape(c.cast(c.in(counts), DType::I64, ":counts_i64"), {of.count(), 1}, ":counts");
  OpParams line;
  line.set(FillParams{{capacity}, DType::I64, 0, 1});
  const Tensor slots = c.apply(Op::Arange, std::span<const Tensor>(), line, ":slots");
  return c.op(Op::Less, {slots, c.op(Op::Min, {specified, most}, ":captured_counts")}, ":captured");
}

}  // namespace arenascope::models
