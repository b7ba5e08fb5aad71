// SPDX-License-Identifier: MIT
#include "engine/models/onnx/search_nodes.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include "engine/models/onnx/searches/search_loop.h"

namespace arenascope::models::ir {
namespace {

using namespace search;

enum class Way { Greedy, Draw, Beams };
struct Entry {
  const char* name;
  Way way;
  size_t results;  // that ONNX Runtime makes on a CPU
};
constexpr Entry kSearches[] = {{"com.microsoft::GreedySearch", Way::Greedy, 1},
                               {"com.microsoft::Sampling", Way::Draw, 1},
                               {"com.microsoft::BeamSearch", Way::Beams, 3},
                               {"com.microsoft::WhisperBeamSearch", Way::Beams, 3}};
constexpr int64_t kMaxBeams = 128, kMaxTokens = 4096;  // as ONNX Runtime has them
constexpr size_t kMax = 1, kBeams = 3, kResults = 4, kProcessor = 11;
constexpr size_t kCounts[] = {kMax, kBeams, kResults, kProcessor};  // beam searches: all; others: the first one
constexpr size_t kTemperature = 14;                                 // Whisper's
constexpr Sources kOfBeams{0, 1, 2, 6, 7, 8, 9, kNone, kTemperature};
constexpr Sources kOfOne{0, 1, 2, 3, 4, 5, 6, 7, kNone};

const Entry* entry_of(std::string_view full_name) {
  const auto* found =
      std::find_if(std::begin(kSearches), std::end(kSearches), [&](const Entry& e) { return full_name == e.name; });
  return found == std::end(kSearches) ? nullptr : found;
}

Status check(const Call& call, const Entry& entry) {
  const Node& node = call.node;
  if (!call.has(call.sources.ids) || !call.has(call.sources.most))
    return Error{"it lacks input token ids or a maximum length"};
  for (const size_t i : search_counts(node))
    if (call.has(i) && !call.known(i)) return Error{fmt::format("'{}' is not one integer", call.source(i))};
  if (const int64_t most = call.known(kMax).value_or(0); most < 1 || most > kMaxTokens)
    return Error{fmt::format("its maximum length is {} tokens: 1 to {} are supported", most, kMaxTokens)};
  for (size_t i = entry.results; i < node.outputs.size(); ++i)
    if (!node.outputs[i].empty())
      return Error{fmt::format("it does not compute the output '{}' on a CPU", node.outputs[i])};
  if (node.outputs.empty()) return Error{"it has no outputs: expected at least one"};
  const int64_t tokens = call.attribute("vocab_size", -1);
  const Graph* decoder = call.graph("decoder");
  if (!decoder || decoder->outputs.empty() || decoder->outputs[0].sizes.empty()) return {};
  const int64_t scored = decoder->outputs[0].sizes.back();
  if (tokens > 0 && scored > 0 && scored != tokens)
    return Error{fmt::format("its vocab_size is {}, and its decoder scores {} tokens", tokens, scored)};
  const int64_t keep = call.attribute("min_tokens_to_keep", 0);
  if (keep < 0 || (scored > 0 && keep >= scored))
    return Error{fmt::format("its min_tokens_to_keep is {}: expected at least 0 and fewer than the vocabulary", keep)};
  return {};
}

// Sizes that no later check would reject because they broadcast. `alone`: a decoder without an encoder, which continues the given tokens.
Status check_sizes(const Call& call, const SizesOf& sizes, bool alone, bool takes_audio) {
  const Sources& from = call.sources;
  const auto size_mismatch = [&](size_t source, const Dims& size) {
    return Error{fmt::format("input '{}' is {}", call.source(source), to_string(size))};
  };
  const auto given = [&](size_t source) { return call.has(source) ? sizes(source) : nullptr; };
  const Dims* ids = given(from.ids);
  if (ids && ids->rank() != (takes_audio ? 3 : 2)) return size_mismatch(from.ids, *ids);
  if (const int64_t most = call.known(kMax).value_or(0); ids && alone && most < (*ids)[1])
    return Error{fmt::format("it has {} input tokens, its maximum length is {}", (*ids)[1], most)};
  for (const size_t i : {from.least, from.penalty, from.temperature})
    if (const Dims* size = given(i); size && element_count(*size) != 1) return size_mismatch(i, *size);
  if (const Dims* size = given(from.vocabulary); size && size->rank() != 1)
    return size_mismatch(from.vocabulary, *size);
  if (const Dims* size = given(from.first_vocabulary); size && (size->rank() != 2 || (ids && (*size)[0] != (*ids)[0])))
    return size_mismatch(from.first_vocabulary, *size);
  if (const Dims* size = takes_audio ? nullptr : given(from.mask); size && ids && !(*size == *ids))
    return size_mismatch(from.mask, *size);
  return {};
}

Result<std::unique_ptr<Choice>> choice_of(const Call& call, Way way, int64_t& beams) {
  if (way != Way::Beams) {
    if (call.attribute("model_type", 0) != 0)
      return Error{"an encoder-decoder model is not supported: expected model_type 0"};
    return way == Way::Draw ? sampling_choice(call) : greedy_choice(call);
  }
  beams = call.known(kBeams).value_or(0);
  const int64_t results = call.known(kResults).value_or(0);
  if (beams < 1 || beams > kMaxBeams)
    return Error{fmt::format("it has {} beams: 1 to {} are supported", beams, kMaxBeams)};
  if (results < 1 || results > beams) return Error{fmt::format("{} results of {} beams", results, beams)};
  return beam_choice(call, beams, results);
}

}  // namespace

bool is_search_name(std::string_view full_name) { return entry_of(full_name) != nullptr; }
bool is_search(const Node& node) { return is_search_name(node.full_name()); }

std::span<const size_t> search_counts(const Node& node) {
  const Entry* entry = entry_of(node.full_name());
  if (!entry) return {};
  return std::span<const size_t>(kCounts).first(entry->way == Way::Beams ? std::size(kCounts) : 1);
}

Result<std::vector<Node>> search_nodes(const Node& node, const std::string& prefix, const Known& known,
                                       const SizesOf& sizes) {
  const Entry* entry = entry_of(node.full_name());
  if (!entry) return Error{"it is not a search operator"};
  Call call{node, known, prefix, entry->way == Way::Beams ? kOfBeams : kOfOne};
  if (auto ok = check(call, *entry); !ok) return ok.error();
  int64_t beams = 1;
  auto choice = choice_of(call, entry->way, beams);
  if (!choice) return choice.error();
  const bool must_hear = node.op == "WhisperBeamSearch";
  const int64_t type = call.attribute("model_type", must_hear ? 2 : 0);
  if (type < (must_hear ? 2 : 0) || type > 2)
    return Error{fmt::format("its model_type is {}: expected {} to 2", type, must_hear ? 2 : 0)};
  if (auto ok = check_sizes(call, sizes, type == 0, type == 2); !ok) return ok.error();
  call.times = type == 2 && call.known(kProcessor).value_or(0) == 1;
  if (call.times && call.attribute("beginning_timestamp_token_id", -1) < 0)
    return Error{"its logits_processor needs beginning_timestamp_token_id"};
  const auto decoder = type == 0 ? plain_decoder(call, beams) : decoder_after_encoder(call, beams, type == 2);
  if (auto ok = decoder->read(); !ok) return ok.error();
  return loop_of(call, beams, *decoder, **choice);
}

}  // namespace arenascope::models::ir
