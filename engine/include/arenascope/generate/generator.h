// SPDX-License-Identifier: MIT
// A language model that goes on: its keys and values lie in a cache of kind KVCache which the graph writes in place, so
// that each token costs one run of a graph that was prepared once. Only positions, a mask and the token's id change.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arenascope/memory/memory_kind.h>
#include <arenascope/run/runner.h>

namespace arenascope {

struct GeneratorOptions {
  RunnerOptions run;          // how graphs are compiled and run; of a recorder both graphs are written
  int64_t most_at_once = 64;  // tokens of a prompt that go through the graph together
};

class Generator {
 public:
  // `spec` as models::open_model() takes it. Errors: a file that cannot be read, a model that is no language model or
  // cannot be run.
  static Result<std::unique_ptr<Generator>> open(const std::string& spec, const GeneratorOptions& options);
  ~Generator();

  const std::string& name() const { return name_; }
  int64_t vocabulary() const { return vocabulary_; }
  int64_t context() const { return context_; }    // tokens that the model can see; 0: no limit of its own
  int64_t capacity() const { return capacity_; }  // tokens that the cache holds: the context unless told
  // Before the first feed(). Errors: less than one token, more than the context, tokens are in the cache.
  Status set_capacity(int64_t tokens);
  int64_t position() const { return position_; }  // tokens in the cache

  // Puts tokens behind those in the cache; the logits of what comes next, [vocabulary], valid until the next call.
  // Errors: a token outside the vocabulary, more than the cache holds, what a run reports.
  Result<std::span<const float>> feed(std::span<const int32_t> tokens);
  // Prepares what feed() of one token needs, so that the first one takes no longer than the others.
  Status prepare();
  // Nanoseconds that runs and the copying in and out of them took so far; preparing a graph is not counted.
  Nanoseconds busy() const { return busy_; }
  // Of everything so far, by kind. Graphs for a prompt and for single tokens do not exist at the same time.
  std::map<MemoryKind, Bytes> peak_bytes();
  // The graph that is prepared now, for who wants to look into it; null before the first feed().
  Runner* runner() { return runner_.get(); }

 private:
  Generator() = default;
  Status prepare_for(int64_t tokens);
  Status feed_part(std::span<const int32_t> tokens);
  void note_peaks();

  std::string spec_, name_;
  GeneratorOptions options_;
  int64_t context_ = 0, vocabulary_ = 0, capacity_ = 0, position_ = 0;
  int64_t at_once_ = 0;             // tokens that the prepared graph takes
  std::unique_ptr<Runner> runner_;  // prepared for at_once_ tokens
  std::map<std::string, Storage> cache_;
  std::map<MemoryKind, Bytes> peaks_;
  std::vector<float> mask_;
  std::vector<float> logits_;
  Nanoseconds busy_ = 0;
};

}  // namespace arenascope
