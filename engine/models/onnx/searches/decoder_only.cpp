// SPDX-License-Identifier: MIT
// A decoder without an encoder (GPT-2's form): tokens, positions, a mask, and a cache [2, rows, heads, length, head] per layer.
#include "engine/models/onnx/searches/search_loop.h"

#include <algorithm>

#include <fmt/format.h>

namespace arenascope::models::ir::search {
namespace {

// Its inputs before those of its layers.
enum Given : size_t { kIds, kPlaces, kMask, kFirstPast };

Status check(const Graph& decoder) {
  const size_t layers = decoder.inputs.size() - std::min<size_t>(kFirstPast, decoder.inputs.size());
  if (layers == 0 || decoder.outputs.size() < layers + 1)
    return Error{
        fmt::format("its decoder has {} inputs and {} outputs", decoder.inputs.size(), decoder.outputs.size())};
  for (size_t i = 0; i < decoder.inputs.size(); ++i) {
    const ValueType& input = decoder.inputs[i];
    const bool past = i >= kFirstPast;
    const bool fits = past ? input.type == kFloat && input.sizes.size() == 5 && input.sizes[2] > 0 && input.sizes[4] > 0
                           : input.type == kInt32 || input.type == kInt64;
    if (!fits)
      return Error{fmt::format("its decoder's input '{}' is not {}", input.name,
                               past ? "cache [2, batch, heads, past, head] of FLOAT" : "tensor of integers")};
  }
  return {};
}

class Plain : public Decoder {
 public:
  Plain(const Call& call, int64_t beams) : call_(call), beams_(beams) {}

  Status read() override {
    decoder_ = call_.graph("decoder");
    if (!decoder_) return Error{"it has no decoder"};
    if (auto ok = check(*decoder_); !ok) return ok;
    first_ = call_.graph("init_decoder");
    if (!first_) return {};
    if (first_->inputs.size() != decoder_->inputs.size()) return Error{"its decoders have different inputs"};
    return check(*first_);
  }

  const Graph& graph() const override { return *decoder_; }
  const Graph* first() const override { return first_; }

  std::string begin(Nodes& n) override {
    const Sources& from = call_.sources;
    const std::string given = n.cast(call_.source(from.ids), kInt64, "given"), pad = n.number(call_.pad(), "pad");
    const std::string is_pad = n.add("Equal", {given, pad}, "is_pad");
    const std::string is_token = n.cast(n.add("Not", {is_pad}, "is_no_pad"), kInt64, "is_token");
    const std::string one = n.number(1, "one_token");
    // A token's position is the number of tokens before it, without padding, even if a mask is given; padding has position 0.
    const std::string counted = n.add("CumSum", {is_token, one}, "counted");
    const std::string indices = n.add("Mul", {n.add("Sub", {counted, one}, "before"), is_token}, "places");
    place_ = n.add("ReduceSum", {is_token, n.numbers({1}, "tokens_axis")}, "place", {{"keepdims", whole(1)}});
    const std::string mask = call_.has(from.mask) ? n.cast(call_.source(from.mask), kInt64, "mask") : is_token;
    const std::string tokens = spread(n, call_, beams_, given, "tokens");
    place_ = spread(n, call_, beams_, place_, "place_of_rows");
    const std::string of_rows[] = {tokens, spread(n, call_, beams_, indices, "places_of_rows"),
                                   spread(n, call_, beams_, mask, "mask_of_rows")};
    for (size_t i = 0; i < kFirstPast; ++i)
      given_.push_back(n.cast(of_rows[i], decoder_->inputs[i].type, fmt::format("given_{}", i)));
    const std::string rows = n.add("Shape", {place_}, "rows_and_one");
    const std::string rows_1 =
        n.slice(rows, n.numbers({0}, "from_rows"), n.numbers({1}, "to_rows"), 0, "rows_of_caches");
    for (size_t i = kFirstPast; i < decoder_->inputs.size(); ++i) {
      const std::vector<int64_t>& sizes = decoder_->inputs[i].sizes;
      const std::string at = fmt::format("past_{}", i - kFirstPast);
      const std::string shape =
          n.add("Concat", {n.numbers({2}, at + "_both"), rows_1, n.numbers({sizes[2], 0, sizes[4]}, at + "_rest")},
                at + "_shape", along(0));
      given_.push_back(n.add("ConstantOfShape", {shape}, at));
    }
    return tokens;
  }

  std::vector<State> states() const override {
    std::vector<State> out{{value(call_.now("place"), kInt64), place_}};
    for (size_t i = 0; i < given_.size(); ++i) out.push_back({decoder_->inputs[i], given_[i]});
    return out;
  }

  Bound bound_first() const override {
    Bound out{{call_.now("place"), place_}};
    for (size_t i = 0; i < given_.size(); ++i) out.emplace_back(first_->inputs[i].name, given_[i]);
    return out;
  }

  std::vector<ValueType> next(Nodes& n, const Graph& graph, Iteration, const Chosen& chosen) override {
    const std::string place = call_.now("place");
    const std::string mask = n.cast(graph.inputs[kMask].name, kInt64, "mask_whole");
    const std::string shape = n.add("Shape", {chosen.token}, "token_shape");
    const std::string ones = n.add("Expand", {n.number(1, "one"), shape}, "ones");
    const std::string of_next[] = {chosen.token, place, n.add("Concat", {mask, ones}, "mask_now", along(1))};
    std::vector<ValueType> out{value(n.add("Add", {place, n.number(1, "step")}, "place_now"), kInt64)};
    for (size_t i = 0; i < kFirstPast; ++i) {
      const int32_t type = decoder_->inputs[i].type;
      out.push_back(value(n.cast(of_next[i], type, fmt::format("given_{}", i)), type));
    }
    for (size_t i = kFirstPast; i < decoder_->inputs.size(); ++i) {
      ValueType cache = graph.outputs[1 + i - kFirstPast];
      if (!chosen.rows.empty())
        cache = value(n.add("Gather", {cache.name, chosen.rows}, fmt::format("cache_{}", i), along(1)), kFloat);
      out.push_back(std::move(cache));
    }
    return out;
  }

 private:
  const Call& call_;
  const int64_t beams_;
  const Graph *decoder_ = nullptr, *first_ = nullptr;
  std::string place_;
  std::vector<std::string> given_;
};

}  // namespace

std::unique_ptr<Decoder> plain_decoder(const Call& call, int64_t beams) { return std::make_unique<Plain>(call, beams); }

}  // namespace arenascope::models::ir::search
