// SPDX-License-Identifier: MIT
// Token generation: keys and values are in a cache of kind KVCache that the graph writes in place, so
// that each token costs one run of a graph that was prepared once. Only positions, rows, a mask and the token's id
// change. Several texts share one cache, by blocks.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arenascope/generate/block_table.h>
#include <arenascope/memory/memory_kind.h>
#include <arenascope/run/runner.h>
#include <arenascope/trace/recorder.h>

namespace arenascope {

struct GeneratorOptions {
  RunnerOptions run;          // how graphs are compiled and run; a recorder gets both graphs, and how the cache fills
  int64_t max_at_once = 192;  // tokens of a prompt that go through the graph together
  DType cache_type = DType::F32;  // f32, f16 or q8_0
  int64_t block = 32;             // rows of the cache that a text is given at a time
};

class Generator {
 public:
  // `spec` as models::open_model() takes it. Errors: a file that cannot be read, a model that is not a language model or
  // cannot be run, a type that no cache has.
  static Result<std::unique_ptr<Generator>> open(const std::string& spec, const GeneratorOptions& options);
  ~Generator();

  const std::string& name() const { return name_; }
  int64_t vocabulary() const { return vocabulary_; }
  int64_t context() const { return context_; }    // tokens that the model can see; 0: no limit of its own
  int64_t capacity() const { return capacity_; }  // tokens that the cache holds; default: the context
  // Before the first feed(). Errors: less than one token, more than `texts` contexts (in whole blocks
  // where there are several), tokens are in the cache.
  Status set_capacity(int64_t tokens, int64_t texts = 1);

  // Text 0 always exists. Creates a text with the same beginning as `text`: whole blocks are shared, the few tokens after
  // them are processed again.
  Result<TextId> fork(TextId text = 0);
  void end(TextId text);
  int64_t position(TextId text = 0) const { return table_.tokens(text); }  // its tokens in the cache
  const std::vector<int32_t>& tokens(TextId text = 0) const { return texts_.at(text); }
  const BlockTable& table() const { return table_; }
  // The cache row of the next token's keys and values; -1: the cache is full.
  int64_t next_row(TextId text = 0) const { return table_.next_row(text); }

  // Appends tokens to the text. Returns the logits of the next token, [vocabulary], valid until the next call. Errors: a
  // token outside the vocabulary, more tokens than the cache has rows, errors of a run.
  Result<std::span<const float>> feed(std::span<const int32_t> tokens, TextId text = 0);
  // One token to each of several texts, all in one run: [texts, vocabulary]. Errors as above.
  struct Next {
    TextId text;
    int32_t token;
  };
  Result<std::span<const float>> step(std::span<const Next> next);
  // Drops the tokens between the first `kept` ones and the second half of the context; that half is
  // processed again at its new positions. Returns the logits of the next token.
  Result<std::span<const float>> shift(int64_t kept, TextId text = 0);

  // Prepares what feed() of one token needs, so that the first one takes no longer than the others.
  Status prepare();
  // Nanoseconds that runs and the copying in and out of them took so far, and of these the runs alone; preparing a
  // graph is not counted.
  Nanoseconds busy() const { return busy_; }
  Nanoseconds running() const { return running_; }
  // That preparing graphs took, with the packing of their weights.
  Nanoseconds preparing() const { return preparing_; }
  // Peak bytes so far, by kind. The graphs for prompts and for single tokens do not exist at the same time.
  std::map<MemoryKind, Bytes> peak_bytes();
  // Persistent bytes of packed weights, which are copies of the file's.
  Bytes packed_bytes();
  // The currently prepared graph, for inspection; null before the first feed().
  Runner* runner() { return runner_.get(); }

 private:
  Generator() : table_(0, 1) {}
  Status prepare_for(int64_t tokens, int64_t requested_rows);
  Status check(std::span<const int32_t> tokens) const;
  // One token of a run: its text and position; text -1 is padding to the size of the graph.
  struct Fed {
    TextId text;
    int64_t position;
    int32_t token;
  };
  void fill_mask(std::vector<float>& mask, std::span<const Fed> fed, int64_t window);
  Status run(std::span<const Fed> fed, std::span<const int64_t> requested_rows);
  void note_peaks();
  void note_filled(int64_t left);

  std::string spec_, name_;
  GeneratorOptions options_;
  int64_t context_ = 0, vocabulary_ = 0, window_ = 0, capacity_ = 0;
  int64_t at_once_ = 0, requested_rows_ = 0;  // tokens that the prepared graph takes, and rows of logits that it gives
  std::unique_ptr<Runner> runner_;            // prepared for at_once_ tokens
  bool has_local_mask_ = false, has_positions_ = false;
  std::map<std::string, Storage> cache_;
  BlockTable table_;
  std::map<TextId, std::vector<int32_t>> texts_;
  std::map<MemoryKind, Bytes> peaks_;
  Bytes packed_ = 0;
  std::vector<float> mask_, local_mask_, logits_;
  trace::ThreadRing* filled_ring_ = nullptr;  // of a recorder: what of the cache holds a token
  trace::CounterId filled_;
  Nanoseconds busy_ = 0, running_ = 0, preparing_ = 0;
};

}  // namespace arenascope
