// SPDX-License-Identifier: MIT
// ONNX Runtime's NGramHashMapping and VarlenNGramHashMapping: hashes each token and the tokens before it to rows of
// n-gram embedding tables.
#include <fmt/format.h>
#include "engine/models/onnx/operators/packed_sequences.h"

#include <algorithm>
#include <limits>

namespace arenascope::models {
namespace {

constexpr int64_t kLongest = 64;         // length of a run of tokens: each is a few ops
constexpr int64_t kMaxHashes = 1 << 20;  // hashes per token

// Input indices of an operator; 99: it has no such input.
struct IndexTable {
  size_t past, offsets, eos, segments, past_segments;
};
constexpr IndexTable kPlain{3, 4, 5, 6, 99}, kPacked{4, 5, 6, 7, 8};

class NGrams {
 public:
  NGrams(OpCall& c, const IndexTable& indices) : c_(c), indices_(indices) {}

  bool read() {
    size_ = c_.attr_int("max_ngram_size", 0), heads_ = c_.attr_int("n_head_per_ngram", 0);
    if (size_ < 2 || size_ > kLongest || heads_ < 1 || heads_ > kMaxHashes / size_)
      return refused(fmt::format("{} hashes of n-grams of up to {} tokens are not supported", heads_, size_));
    before_ = size_ - 1;
    ids_ = c_.in(0), factors_ = c_.in(1), sizes_ = c_.in(2);
    if (!ids_ || !factors_ || !sizes_) return false;
    type_ = ids_.dtype();
    if ((type_ != DType::I32 && type_ != DType::I64) || factors_.dtype() != type_ || sizes_.dtype() != type_ ||
        factors_->rank() != 1 || factors_.sizes()[0] < size_ || !(sizes_.sizes() == Dims{before_ * heads_}))
      return refused(fmt::format("the factors {} and table sizes {} do not match n-grams of {} tokens",
                                 to_string(factors_.sizes()), to_string(sizes_.sizes()), size_));
    if (const auto known = c_.known(2);
        known && std::any_of(known->ints.begin(), known->ints.end(), [](int64_t v) { return v < 1; }))
      return refused("a table has no rows");
    const int64_t pad = c_.attr_int("pad_id", 0);
    if (!c_.has_attr("pad_id") || (type_ == DType::I32 && pad != static_cast<int32_t>(pad)))
      return refused("it has no token for what is missing");
    pad_ = c_.reshape(c_.constant(HostArray::scalar(pad, type_), ":pad"), {1}, ":pad_row");
    missing_ = pad_;
    if (c_.has(indices_.eos)) {
      const Tensor eos = c_.in(indices_.eos);
      if (!eos) return false;
      if (eos->rank() != 0 || eos.dtype() != type_)
        return refused(fmt::format("its end token must be a scalar of the ids' type, not {}", to_string(eos.sizes())));
      missing_ = c_.reshape(eos, {1}, ":eos");
    }
    resets_ = c_.has(indices_.eos) && c_.attr_int("reset_on_eos", 0) != 0;
    return c_.ok();
  }

  // Reads the history for `tokens` ids in total.
  bool read_history(const Sequences& of) {
    of_ = of;
    tokens_ = of.total();
    if (tokens_ > kMaxPlaces / size_ || of.count() > kMaxPlaces / (size_ * 8))
      return refused(fmt::format("n-grams of {} out of {} tokens exceed the limit of an index table", size_, tokens_));
    const Tensor flat = c_.reshape(ids_, {tokens_}, ":ids");
    has_past_ = c_.has(indices_.past);
    Tensor past = missing_;
    if (has_past_) past = earlier(indices_.past, type_, ":past");
    if (!past) return false;
    line_ = c_.op_with(Op::Concat, {past, flat}, AxisParams{0}, ":line");
    if (!c_.has(indices_.segments)) return !c_.has(indices_.past_segments) || refused("past segments require segments");
    const Tensor segments = c_.in(indices_.segments);
    if (!segments) return false;
    if (!(segments.sizes() == ids_.sizes()) || segments.dtype() != DType::I32)
      return refused(
          fmt::format("the segments {} do not match the ids {}", to_string(segments.sizes()), to_string(ids_.sizes())));
    segments_ = c_.reshape(segments, {tokens_}, ":segments");
    if (c_.has(indices_.past_segments)) {
      past = earlier(indices_.past_segments, DType::I32, ":past_segments");
      if (!past) return false;
      segments_ = c_.op_with(Op::Concat, {past, segments_}, AxisParams{0}, ":segment_line");
    }
    return c_.ok();
  }

  // [tokens, hashes]
  Tensor hashes(const char* suffix) {
    const Tensor strings = taken(line_, windows(false), {tokens_, size_}, ":words");
    const Tensor parts = segments_ ? taken(segments_, windows(true), {tokens_, size_}, ":parts") : Tensor();
    Tensor mix, hidden;
    std::vector<Tensor> all;
    for (int64_t k = 0; k < size_ && c_.ok(); ++k) {
      const std::string at = fmt::format(":back_{}", k);
      const auto column = [&](const Tensor& x, int64_t i, const char* what) {
        return c_.slice(x, 1, i, i + 1, 1, (at + what).c_str());
      };
      Tensor word = column(strings, k, "_word");
      const auto hide = [&](const Tensor& where, const char* what) {
        hidden = hidden ? c_.op(Op::Or, {hidden, where}, (at + what).c_str()) : where;
      };
      if (k > 0 && resets_) hide(c_.op(Op::Equal, {word, missing_}, (at + "_ends").c_str()), "_ended");
      if (k > 0 && parts) {
        const Tensor alike =
            c_.op(Op::Equal, {column(parts, k, "_part"), column(parts, k - 1, "_next")}, (at + "_alike").c_str());
        hide(c_.op(Op::Not, {alike}, (at + "_differs").c_str()), "_parted");
      }
      if (hidden) word = c_.op(Op::Where, {hidden, missing_, word}, (at + "_seen").c_str());
      const Tensor factor = c_.slice(factors_, 0, k, k + 1, 1, (at + "_factor").c_str());
      const Tensor product = c_.op(Op::Mul, {word, factor}, (at + "_product").c_str());
      mix = mix ? c_.op(Op::BitXor, {mix, product}, (at + "_mix").c_str()) : product;
      if (k == 0) continue;
      const Tensor rows = c_.slice(sizes_, 0, (k - 1) * heads_, k * heads_, 1, (at + "_rows").c_str());
      all.push_back(c_.op(Op::Mod, {mix, rows}, (at + "_hashes").c_str()));
    }
    if (!c_.ok()) return {};
    const bool moves = c_.has(indices_.offsets);
    Tensor out = all.size() == 1 ? all[0] : c_.op_list(Op::Concat, std::span<const Tensor>(all), AxisParams{1}, ":all");
    if (!moves) return c_.op(Op::Copy, {out}, suffix);
    const Tensor offsets = c_.in(indices_.offsets);
    if (!offsets) return {};
    if (!(offsets.sizes() == sizes_.sizes())) {
      c_.fail(fmt::format("the offsets {} do not match {} tables", to_string(offsets.sizes()), before_ * heads_));
      return {};
    }
    return c_.op(Op::Add, {out, offsets}, suffix);
  }

  // The last tokens of each sequence, or segments, for the next call.
  Tensor last(bool of_segments, const char* suffix) {
    std::vector<int64_t> at;
    for (int64_t s = 0; s < of_.count(); ++s)
      for (int64_t j = 0; j < before_; ++j) at.push_back(place(s, of_.length(s) - before_ + j, of_segments));
    return taken(of_segments ? segments_ : line_, std::move(at), {of_.count(), before_}, suffix);
  }

  // The last tokens up to each of the first tokens, as states.
  Tensor updates(size_t counts, int64_t capacity) {
    std::vector<int64_t> at;
    for (int64_t s = 0; s < of_.count(); ++s)
      for (int64_t slot = 0; slot < capacity; ++slot)
        for (int64_t j = 0; j < before_; ++j)
          at.push_back(place(s, std::min(slot, of_.length(s) - 1) + 1 - before_ + j, false));
    const Tensor all = taken(line_, std::move(at), {of_.count(), capacity, before_}, ":states");
    const Tensor here = c_.reshape(captured(c_, counts, of_, capacity), {of_.count(), capacity, 1}, ":here");
    return c_.op(Op::Where, {here, all, pad_}, ":updates");
  }

  bool has_segments() const { return static_cast<bool>(segments_); }
  int64_t heads() const { return before_ * heads_; }

 private:
  bool refused(std::string why) {
    c_.fail(std::move(why));
    return false;
  }

  Tensor earlier(size_t i, DType type, const char* suffix) {
    const Tensor past = c_.in(i);
    if (!past) return {};
    if (!(past.sizes() == Dims{of_.count(), before_}) || past.dtype() != type) {
      c_.fail(fmt::format("the past {} does not match {} sequences and n-grams of {} tokens", to_string(past.sizes()),
                          of_.count(), size_));
      return {};
    }
    return c_.reshape(past, {of_.count() * before_}, suffix);
  }

  // The index of token t of a sequence in the concatenated sequences; a negative t is in the past.
  int64_t place(int64_t sequence, int64_t t, bool of_segments) const {
    if (of_segments) {
      const bool past = c_.has(indices_.past_segments);
      const int64_t first = past ? of_.count() * before_ : 0;
      if (t >= 0 || !past) return first + of_.start(sequence) + std::max<int64_t>(t, 0);
      return sequence * before_ + before_ + t;
    }
    const int64_t first = has_past_ ? of_.count() * before_ : 1;
    if (t >= 0) return first + of_.start(sequence) + t;
    return has_past_ ? sequence * before_ + before_ + t : 0;
  }

  std::vector<int64_t> windows(bool of_segments) const {
    std::vector<int64_t> at;
    at.reserve(static_cast<size_t>(tokens_ * size_));
    for (int64_t s = 0; s < of_.count(); ++s)
      for (int64_t t = 0; t < of_.length(s); ++t)
        for (int64_t k = 0; k < size_; ++k) at.push_back(place(s, t - k, of_segments));
    return at;
  }

  Tensor taken(const Tensor& line, std::vector<int64_t> at, const Dims& sizes, const char* suffix) {
    const Tensor table = index_table(c_, std::move(at), sizes, fmt::format("{}_at", suffix).c_str());
    return c_.op_with(Op::Gather, {line, table}, AxisParams{0}, suffix);
  }

  OpCall& c_;
  const IndexTable& indices_;
  int64_t size_ = 0, heads_ = 0, before_ = 0, tokens_ = 0;
  bool resets_ = false, has_past_ = false;
  DType type_ = DType::I64;
  Sequences of_;
  Tensor ids_, factors_, sizes_, pad_, missing_, line_, segments_;
};

void ngram_hashes(OpCall& c) {
  NGrams grams(c, kPlain);
  if (!grams.read()) return;
  const Dims s = c.sizes(0);
  if (s.rank() != 2 || s[0] > kMaxPlaces || s[1] > kMaxPlaces / std::max<int64_t>(s[0], 1))
    return c.fail(
        fmt::format("its ids have the shape {}: expected [B, S] with at most {} ids", to_string(s), kMaxPlaces));
  if (!grams.read_history(equal_sequences(s[0], s[1]))) return;
  c.out(0, c.reshape(grams.hashes(":hashes"), {s[0], s[1], grams.heads()}));
  if (c.has_output(1)) c.out(1, grams.last(false, ":present"));
}

void packed_ngram_hashes(OpCall& c) {
  NGrams grams(c, kPacked);
  if (!grams.read()) return;
  const Dims s = c.sizes(0);
  if (s.rank() != 1 || s[0] > kMaxPlaces)
    return c.fail(
        fmt::format("its ids have the shape {}: expected one dimension of at most {}", to_string(s), kMaxPlaces));
  const auto of = packed_sequences(c, 3, s[0], false);
  if (!of || !grams.read_history(*of)) return;
  const int64_t capacity = capture_capacity(c, 9, of->count());
  if (capacity < 0) return;
  c.out(0, grams.hashes(""));
  if (c.has_output(1)) c.out(1, grams.last(false, ":present"));
  if (c.has_output(2)) {
    if (!grams.has_segments()) return c.fail("the output of present segments requires segments");
    c.out(2, grams.last(true, ":present_segments"));
  }
  if (c.has_output(3)) {
    if (capacity == 0) return c.fail("it captures states, but its capacity for them is 0");
    c.out(3, grams.updates(9, capacity));
  }
}

constexpr HandlerEntry kContribNGrams[] = {
    {"com.microsoft::NGramHashMapping", ngram_hashes},
    {"com.microsoft::VarlenNGramHashMapping", packed_ngram_hashes},
};

}  // namespace

std::span<const HandlerEntry> contrib_ngram_hash_handlers() { return kContribNGrams; }

}  // namespace arenascope::models
