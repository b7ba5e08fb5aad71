// SPDX-License-Identifier: MIT
#include "engine/models/onnx/search_nodes.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace arenascope::models::ir {
namespace {

constexpr int32_t kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9;  // the file's codes

// GreedySearch's sources.
enum Source : size_t { kIds, kMost, kLeast, kPenalty, kVocabulary, kFirstVocabulary, kMask };
// The decoder's inputs and outputs before those of its layers.
enum Decoder : size_t { kDecoderIds, kDecoderPlaces, kDecoderMask, kFirstPast };

Attribute whole(int64_t value) {
  Attribute a;
  a.kind = Attribute::kInt;
  a.i = value;
  return a;
}
Attribute wholes(std::vector<int64_t> values) {
  Attribute a;
  a.kind = Attribute::kInts;
  a.ints = std::move(values);
  return a;
}
Attribute reals(std::vector<float> values) {
  Attribute a;
  a.kind = Attribute::kFloats;
  a.floats = std::move(values);
  return a;
}

// Nodes in the making, each by the name of its result.
class Nodes {
 public:
  Nodes(std::string prefix, std::vector<Node>& to) : prefix_(std::move(prefix)), to_(to) {}

  std::string name(const std::string& part) const { return prefix_ + "/" + part; }
  std::string add(const char* op, std::vector<std::string> sources, const std::string& result,
                  std::map<std::string, Attribute> attributes = {}, const char* domain = "") {
    Node node;
    node.op = op;
    node.domain = domain;
    node.opset = node.domain.empty() ? 17 : 1;
    node.continues = true;
    node.inputs = std::move(sources);
    node.outputs.push_back(name(result));
    node.attributes = std::move(attributes);
    to_.push_back(std::move(node));
    return to_.back().outputs[0];
  }
  std::string number(int64_t value, const std::string& result) {
    return add("Constant", {}, result, {{"value_int", whole(value)}});
  }
  std::string numbers(std::vector<int64_t> values, const std::string& result) {
    return add("Constant", {}, result, {{"value_ints", wholes(std::move(values))}});
  }
  std::string real(float value, const std::string& result) {
    return add("Constant", {}, result, {{"value_floats", reals({value})}});
  }
  std::string cast(const std::string& x, int32_t type, const std::string& result) {
    return add("Cast", {x}, result, {{"to", whole(type)}});
  }
  // One size of a tensor, alone.
  std::string size(const std::string& x, int64_t axis, const std::string& result) {
    return add("Gather", {add("Shape", {x}, result + "_shape"), number(axis, result + "_axis")}, result,
               {{"axis", whole(0)}});
  }

 private:
  std::string prefix_;
  std::vector<Node>& to_;
};

class Greedy {
 public:
  Greedy(const Node& node, const std::string& prefix) : node_(node), prefix_(prefix) {}

  Result<std::vector<Node>> make() {
    if (auto ok = read(); !ok) return ok.error();
    std::vector<Node> out;
    Nodes n(prefix_, out);
    Node loop;
    loop.op = "Loop";
    loop.name = node_.name.empty() ? node_.op : node_.name;
    loop.opset = 17;
    loop.continues = true;
    begin(n, loop);
    loop.attributes["body"].kind = Attribute::kGraph;
    loop.attributes["body"].graph = body();
    for (size_t i = 0; i + 2 < loop.inputs.size(); ++i) loop.outputs.push_back(n.name(fmt::format("end_{}", i)));
    const std::string words = loop.outputs[0];
    out.push_back(std::move(loop));
    end(n, words);
    out.back().outputs[0] = node_.outputs[0];
    return out;
  }

 private:
  bool has(size_t source) const { return source < node_.inputs.size() && !node_.inputs[source].empty(); }
  int64_t attribute(const char* name, int64_t fallback) const {
    const auto at = node_.attributes.find(name);
    return at == node_.attributes.end() ? fallback : at->second.i;
  }

  Status read() {
    const auto decoder = node_.attributes.find("decoder");
    if (decoder == node_.attributes.end() || !decoder->second.graph) return Error{"it has no decoder"};
    if (node_.inputs.size() <= kMost || node_.outputs.empty() || !has(kIds) || !has(kMost))
      return Error{"it is given no words, or not how many there are to be"};
    if (attribute("model_type", 0) != 0) return Error{"a decoder beside an encoder"};
    if (node_.attributes.count("init_decoder")) return Error{"a decoder of its own for the first run"};
    decoder_ = decoder->second.graph.get();
    const size_t layers = decoder_->inputs.size() - std::min<size_t>(kFirstPast, decoder_->inputs.size());
    if (layers == 0 || decoder_->outputs.size() < layers + 1)
      return Error{
          fmt::format("its decoder has {} inputs and {} outputs", decoder_->inputs.size(), decoder_->outputs.size())};
    for (size_t i = 0; i < decoder_->inputs.size(); ++i) {
      const ValueType& input = decoder_->inputs[i];
      const bool past = i >= kFirstPast;
      const bool fits =
          past ? input.type == kFloat && input.sizes.size() == 5 && input.sizes[2] > 0 && input.sizes[4] > 0
               : input.type == kInt32 || input.type == kInt64;
      if (!fits)
        return Error{fmt::format("its decoder's input '{}' is no {}", input.name,
                                 past ? "cache [2, batch, heads, past, head] of FLOAT" : "tensor of whole numbers")};
    }
    return {};
  }

  // What the first turn is given: the words, who is done, the next word's place, the decoder's inputs.
  void begin(Nodes& n, Node& loop) const {
    const std::string words = n.cast(node_.inputs[kIds], kInt64, "words"),
                      pad = n.number(attribute("pad_token_id", 0), "pad");
    const std::string is_word =
        n.cast(n.add("Not", {n.add("Equal", {words, pad}, "is_pad")}, "is_no_pad"), kInt64, "is_word");
    const std::string mask = has(kMask) ? n.cast(node_.inputs[kMask], kInt64, "mask") : is_word;
    const std::string one = n.number(1, "one"), zero = n.number(0, "zero");
    // A word's place is how many there are before it, and that of padding is 0; a mask that is given changes nothing of that.
    const std::string counted = n.add("CumSum", {is_word, one}, "counted");
    const std::string places = n.add("Mul", {n.add("Sub", {counted, one}, "before"), is_word}, "places");
    const std::string place = n.add("ReduceSum", {is_word, n.numbers({1}, "along")}, "place", {{"keepdims", whole(1)}});
    const std::string batch = n.size(words, 0, "batch"), length = n.size(words, 1, "length");
    const std::string batch_1 = n.add("Unsqueeze", {batch, n.numbers({0}, "outermost")}, "batch_1");
    const std::string nobody = n.cast(n.add("Expand", {zero, batch_1}, "zeros"), kBool, "nobody");
    const std::string most = n.add("Squeeze", {n.cast(node_.inputs[kMost], kInt64, "most_1")}, "most");
    loop.inputs = {n.add("Sub", {most, length}, "turns"), n.cast(one, kBool, "always"), words, nobody, place};
    const std::string given[] = {words, places, mask};
    for (size_t i = 0; i < kFirstPast; ++i)
      loop.inputs.push_back(n.cast(given[i], decoder_->inputs[i].type, fmt::format("first_{}", i)));
    for (size_t i = kFirstPast; i < decoder_->inputs.size(); ++i) {
      const std::vector<int64_t>& sizes = decoder_->inputs[i].sizes;
      const std::string at = fmt::format("past_{}", i - kFirstPast);
      const std::string shape =
          n.add("Concat", {n.numbers({2}, at + "_both"), batch_1, n.numbers({sizes[2], 0, sizes[4]}, at + "_rest")},
                at + "_shape", {{"axis", whole(0)}});
      loop.inputs.push_back(n.add("ConstantOfShape", {shape}, at));
    }
  }

  static ValueType value(const std::string& name, int32_t type) {
    ValueType out;
    out.name = name;
    out.type = type;
    out.dtype = to_dtype(type);
    return out;
  }

  std::shared_ptr<Graph> body() const {
    auto out = std::make_shared<Graph>(*decoder_);
    Nodes n(prefix_ + "/next", out->nodes);
    const std::string turn = n.name("turn"), words = n.name("words"), done = n.name("done"), place = n.name("place");
    out->inputs.insert(out->inputs.begin(), {value(turn, kInt64), value(n.name("goes_on"), kBool), value(words, kInt64),
                                             value(done, kBool), value(place, kInt64)});
    const std::string pad = n.number(attribute("pad_token_id", 0), "pad"),
                      eos = n.number(attribute("eos_token_id", 0), "eos");
    const std::string scored = scores(n, turn, words, eos);
    const std::string best = n.add("ArgMax", {scored}, "best", {{"axis", whole(1)}, {"keepdims", whole(1)}});
    const std::string axis = n.numbers({1}, "axis");
    // Who ends has padding there, not the sign for it.
    const std::string now =
        n.add("Or", {done, n.add("Squeeze", {n.add("Equal", {best, eos}, "ends_1"), axis}, "ends")}, "done_now");
    const std::string word = n.add("Where", {n.add("Unsqueeze", {now, axis}, "done_1"), pad, best}, "word");
    const std::string all = n.add("ReduceMin", {n.cast(now, kInt32, "done_whole")}, "all", {{"keepdims", whole(0)}});
    const std::string more = n.add("Not", {n.cast(all, kBool, "all_done")}, "more");
    const std::map<std::string, Attribute> along{{"axis", whole(1)}};
    const std::string& mask = decoder_->inputs[kDecoderMask].name;
    const std::string mask_whole = n.cast(mask, kInt64, "mask_whole");
    const std::string grown = n.add(
        "Concat", {mask_whole, n.add("Expand", {n.number(1, "one"), n.add("Shape", {word}, "word_shape")}, "ones")},
        "mask_now", along);
    const std::string next[] = {word, place, grown};
    out->outputs = {value(more, kBool), value(n.add("Concat", {words, word}, "words_now", along), kInt64),
                    value(now, kBool), value(n.add("Add", {place, n.number(1, "step")}, "place_now"), kInt64)};
    for (size_t i = 0; i < kFirstPast; ++i) {
      const int32_t type = decoder_->inputs[i].type;
      out->outputs.push_back(value(n.cast(next[i], type, fmt::format("given_{}", i)), type));
    }
    for (size_t i = kFirstPast; i < decoder_->inputs.size(); ++i)
      out->outputs.push_back(decoder_->outputs[1 + i - kFirstPast]);
    return out;
  }

  // Of each word how well it would go on, where nothing speaks against it.
  std::string scores(Nodes& n, const std::string& turn, const std::string& words, const std::string& eos) const {
    const std::string lowest = n.real(std::numeric_limits<float>::lowest(), "lowest");
    std::string x = n.add("Gather", {n.cast(decoder_->outputs[0].name, kFloat, "logits"), n.number(-1, "last")},
                          "scores", {{"axis", whole(1)}});
    if (has(kPenalty)) {
      const std::map<std::string, Attribute> along{{"axis", whole(1)}};
      const std::string& penalty = node_.inputs[kPenalty];
      const std::string said = n.add("GatherElements", {x, words}, "said", along);
      const std::string below = n.add("Less", {said, n.real(0, "nought")}, "below");
      const std::string less = n.add(
          "Where", {below, n.add("Mul", {said, penalty}, "lower"), n.add("Div", {said, penalty}, "smaller")}, "less");
      x = n.add("ScatterElements", {x, words, less}, "penalised", along);
    }
    if (const int64_t run = attribute("no_repeat_ngram_size", 0); run > 0)
      x = n.add("NGramRepeatBlock", {words, x}, "unlike", {{"ngram_size", whole(run)}}, "com.microsoft");
    const std::string zero = n.number(0, "zero");
    const auto forbid = [&](const std::string& what, const std::string& where) {
      x = n.add("Where", {where, lowest, x}, what);
    };
    if (has(kVocabulary))
      forbid("in_vocabulary",
             n.add("Equal", {n.cast(node_.inputs[kVocabulary], kInt64, "vocabulary"), zero}, "not_in_it"));
    if (has(kFirstVocabulary)) {
      const std::string outside =
          n.add("Equal", {n.cast(node_.inputs[kFirstVocabulary], kInt64, "first_vocabulary"), zero}, "not_first");
      forbid("first", n.add("And", {outside, n.add("Equal", {turn, zero}, "is_first")}, "not_now"));
    }
    if (has(kLeast)) {
      const std::string least = n.add("Squeeze", {n.cast(node_.inputs[kLeast], kInt64, "least_1")}, "least");
      const std::string few = n.add("Less", {n.size(words, 1, "length"), least}, "few");
      const std::string all =
          n.add("Range", {zero, n.size(x, 1, "vocabulary_size"), n.number(1, "next_word")}, "all_words");
      forbid("goes_on_till_least", n.add("And", {n.add("Equal", {all, eos}, "is_end"), few}, "not_yet"));
    }
    return x;
  }

  // As long as was asked for. Behind what was written when all were done there is padding, where ONNX Runtime leaves whatever was
  // there.
  void end(Nodes& n, const std::string& words) const {
    const std::string most = n.name("most");
    const std::string missing = n.add("Sub", {most, n.size(words, 1, "made")}, "missing");
    const std::string pads = n.add(
        "Concat", {n.numbers({0, 0, 0}, "no_pads"), n.add("Unsqueeze", {missing, n.numbers({0}, "at_0")}, "missing_1")},
        "pads", {{"axis", whole(0)}});
    n.cast(n.add("Pad", {words, pads, n.name("pad")}, "padded"), kInt32, "sequences");
  }

  const Node& node_;
  const std::string prefix_;
  const Graph* decoder_ = nullptr;
};

}  // namespace

bool is_search_name(std::string_view full_name) { return full_name == "com.microsoft::GreedySearch"; }
bool is_search(const Node& node) { return is_search_name(node.full_name()); }

Result<std::vector<Node>> search_nodes(const Node& node, const std::string& prefix) {
  return Greedy(node, prefix).make();
}

}  // namespace arenascope::models::ir
