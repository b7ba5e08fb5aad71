// SPDX-License-Identifier: MIT
// A decoder with an encoder (T5's and Whisper's forms), which runs once. The decoder has self-attention caches [rows, heads,
// length, head] for the keys and values of each layer, and as many for cross-attention. An encoder that is given the first
// tokens computes the first iteration itself.
#include "engine/models/onnx/searches/search_loop.h"

#include <fmt/format.h>

namespace arenascope::models::ir::search {
namespace {

constexpr size_t kStart = 10;  // the source of Whisper's first tokens
constexpr size_t kLogits = 1, kHidden = 1;

bool is_whole(const ValueType& x) { return x.type == kInt32 || x.type == kInt64; }
bool is_cache(const ValueType& x) {
  return x.type == kFloat && x.sizes.size() == 4 && x.sizes[1] > 0 && x.sizes[3] > 0;
}

class AfterEncoder : public Decoder {
 public:
  AfterEncoder(const Call& call, int64_t beams, bool takes_audio)
      : call_(call), beams_(beams), takes_audio_(takes_audio) {}

  Status read() override {
    encoder_ = call_.graph("encoder");
    decoder_ = call_.graph("decoder");
    if (!encoder_) return Error{"it has no encoder"};
    if (!decoder_) return Error{"it has no decoder"};
    const size_t before = takes_audio_ ? 1 : 2, results = decoder_->outputs.size();
    hidden_ = decoder_->inputs.size() > before && decoder_->inputs[before].name == "encoder_hidden_states";
    first_past_ = before + (hidden_ ? 1 : 0);
    layers_ = results / 2;
    if (layers_ == 0 || results % 2 == 0 || decoder_->inputs.size() != first_past_ + 4 * layers_)
      return Error{fmt::format("its decoder has {} inputs and {} outputs", decoder_->inputs.size(), results)};
    for (size_t i = 0; i < decoder_->inputs.size(); ++i) {
      const ValueType& input = decoder_->inputs[i];
      const bool fits = i < before ? is_whole(input) : i < first_past_ || is_cache(input);
      if (!fits) return Error{fmt::format("its decoder's input '{}' has another form", input.name)};
    }
    begins_ = takes_audio_ || encoder_->inputs.size() == 3;
    const size_t given = encoder_->inputs.size(), made = encoder_->outputs.size();
    const size_t expected = begins_ ? kLogits + kHidden + 4 * layers_ : 2 * layers_;
    if ((given != 2 && given != 3) || (takes_audio_ && given != 2) || made != expected || (hidden_ && !begins_))
      return Error{fmt::format("its encoder has {} inputs and {} outputs, which do not match a decoder with {} inputs",
                               given, made, decoder_->inputs.size())};
    for (size_t i = takes_audio_ ? 1 : 0; i < given; ++i)
      if (!is_whole(encoder_->inputs[i])) return Error{"the token ids of its encoder are not integers"};
    if (call_.attribute("decoder_start_token_id", -1) < 0 && !(takes_audio_ && call_.has(kStart)))
      return Error{"it has no decoder_start_token_id"};
    return {};
  }

  const Graph& graph() const override { return *decoder_; }
  const Graph* first() const override { return begins_ ? encoder_ : nullptr; }
  // The decoder runs once after it, even if all texts have ended.
  bool first_may_end() const override { return false; }

  std::string begin(Nodes& n) override {
    const std::string& ids = call_.source(call_.sources.ids);
    for_encoder_.push_back(takes_audio_ ? n.add("Identity", {ids}, "heard")
                                        : n.cast(ids, encoder_->inputs[0].type, "tokens_read"));
    if (!takes_audio_) for_encoder_.push_back(mask(n, ids));
    const std::string start = first_tokens(n, ids);
    if (encoder_->inputs.size() > for_encoder_.size())
      for_encoder_.push_back(n.cast(start, encoder_->inputs[for_encoder_.size()].type, "start_for_encoder"));
    const std::string tokens = spread(n, call_, beams_, start, "tokens");
    if (begins_) return tokens;
    ids_ = n.cast(tokens, decoder_->inputs[0].type, "first_ids");
    encode(n);
    none_yet(n, tokens);
    return tokens;
  }

  std::vector<State> states() const override {
    std::vector<State> out{{decoder_->inputs[0], ids_}};
    for (size_t i = 0; i < 2 * layers_; ++i)
      out.push_back({decoder_->inputs[first_past_ + i], begins_ ? std::string() : caches_[i]});
    return out;
  }

  Bound bound() const override {
    Bound out;
    for (size_t i = 0; i < fixed_.size(); ++i) {
      const size_t at = i + 1 < first_past_ ? 1 + i : 1 + i + 2 * layers_;
      out.emplace_back(decoder_->inputs[at].name, fixed_[i]);
    }
    return out;
  }

  Bound bound_first() const override {
    Bound out;
    for (size_t i = 0; i < for_encoder_.size(); ++i) out.emplace_back(encoder_->inputs[i].name, for_encoder_[i]);
    return out;
  }

  std::vector<std::string> kept_of_first() const override {
    std::vector<std::string> out;
    if (hidden_) out.push_back(encoder_->outputs[kLogits].name);
    for (size_t i = 0; i < 2 * layers_; ++i) out.push_back(encoder_->outputs[kLogits + kHidden + 2 * layers_ + i].name);
    return out;
  }

  void after_first(Nodes& n, const std::vector<std::string>& kept) override { fix(n, kept); }

  std::string of_rows(Nodes& n, Iteration iteration, const std::string& scores) override {
    return iteration == Iteration::First ? spread(n, call_, beams_, scores, "scores_of_rows") : scores;
  }

  std::vector<ValueType> next(Nodes& n, const Graph& graph, Iteration iteration, const Chosen& chosen) override {
    const ValueType& ids = decoder_->inputs[0];
    const bool one = ids.sizes.size() == 2 && ids.sizes[1] == 1;  // it reads the last token only
    std::vector<ValueType> out{value(n.cast(one ? chosen.token : chosen.tokens, ids.type, "given"), ids.type)};
    for (size_t i = 0; i < 2 * layers_; ++i) {
      const bool first = iteration == Iteration::First;
      std::string cache = graph.outputs[kLogits + (first ? kHidden : 0) + i].name;
      const std::string name = fmt::format("cache_{}", i);
      if (first)
        cache = spread(n, call_, beams_, cache, name);
      else if (!chosen.rows.empty())
        cache = n.add("Gather", {cache, chosen.rows}, name, along(0));
      out.push_back(value(cache, kFloat));
    }
    return out;
  }

 private:
  // Masks padding before the first token only.
  std::string mask(Nodes& n, const std::string& ids) {
    const int32_t type = encoder_->inputs[1].type;
    std::string mask;
    if (call_.has(call_.sources.mask)) {
      mask = n.cast(call_.source(call_.sources.mask), type, "mask");
    } else {
      const std::string is_pad =
          n.add("Equal", {n.cast(ids, kInt64, "read_whole"), n.number(call_.pad(), "pad")}, "is_pad");
      const std::string is_token = n.cast(n.add("Not", {is_pad}, "is_no_pad"), kInt64, "is_token");
      const std::string sum = n.add("CumSum", {is_token, n.number(1, "read_axis")}, "tokens_so_far");
      mask = n.cast(n.add("Greater", {sum, n.number(0, "no_token")}, "has_begun"), type, "mask");
    }
    fixed_.push_back(n.cast(spread(n, call_, beams_, mask, "mask_of_rows"), decoder_->inputs[1].type, "fixed_mask"));
    return mask;
  }

  // The first tokens of each text.
  std::string first_tokens(Nodes& n, const std::string& ids) const {
    if (takes_audio_ && call_.has(kStart)) return n.cast(call_.source(kStart), kInt64, "start");
    const std::string texts = n.unsqueezed(n.size(ids, 0, "texts_read"), 0, "texts_read_1");
    const std::string shape = n.add("Concat", {texts, n.numbers({1}, "a_token")}, "start_shape", along(0));
    return n.add("Expand", {n.number(call_.attribute("decoder_start_token_id", 0), "start_token"), shape}, "start");
  }

  void encode(Nodes& n) {
    auto graph = std::make_shared<Graph>(*encoder_);
    graph->inputs.clear();
    bind_names(*graph, bound_first());
    std::vector<std::string> results;
    for (size_t i = 0; i < encoder_->outputs.size(); ++i) results.push_back(n.name(fmt::format("encoded_{}", i)));
    n.graph(std::move(graph), "encoder", results);
    fix(n, results);
  }

  void fix(Nodes& n, const std::vector<std::string>& kept) {
    for (size_t i = 0; i < kept.size(); ++i)
      fixed_.push_back(spread(n, call_, beams_, kept[i], fmt::format("fixed_{}", i)));
  }

  // Caches of no tokens.
  void none_yet(Nodes& n, const std::string& tokens) {
    const std::string rows = n.unsqueezed(n.size(tokens, 0, "cached_rows"), 0, "cached_rows_1");
    for (size_t i = 0; i < 2 * layers_; ++i) {
      const std::vector<int64_t>& sizes = decoder_->inputs[first_past_ + i].sizes;
      const std::string at = fmt::format("past_{}", i);
      const std::string shape =
          n.add("Concat", {rows, n.numbers({sizes[1], 0, sizes[3]}, at + "_rest")}, at + "_shape", along(0));
      caches_.push_back(n.add("ConstantOfShape", {shape}, at));
    }
  }

  const Call& call_;
  const int64_t beams_;
  const bool takes_audio_;  // Whisper: the input is audio, not tokens
  const Graph *encoder_ = nullptr, *decoder_ = nullptr;
  bool begins_ = false, hidden_ = false;  // the encoder makes the first iteration; the decoder reads what it makes
  size_t first_past_ = 0, layers_ = 0;
  std::string ids_;
  std::vector<std::string> for_encoder_, fixed_, caches_;
};

}  // namespace

std::unique_ptr<Decoder> decoder_after_encoder(const Call& call, int64_t beams, bool takes_audio) {
  return std::make_unique<AfterEncoder>(call, beams, takes_audio);
}

}  // namespace arenascope::models::ir::search
