// SPDX-License-Identifier: MIT
// The loop of a search: a decoder scores the next tokens, and a choice selects among them.
#pragma once
#include "engine/models/onnx/searches/subgraph_builder.h"

#include <memory>
#include <string>
#include <vector>

namespace arenascope::models::ir::search {

// A loop-carried value: its name and type in a body, and the name of its initial value outside.
struct State {
  ValueType now;
  std::string first;  // empty: a separate first iteration computes it
};

// The results of a choice in a body.
struct Chosen {
  std::string tokens;  // all so far, [rows, length]
  std::string token;   // the new ones, [rows, 1]
  std::string rows;    // the row that each continues; empty: its own
  std::string more;    // condition: another iteration follows
  std::vector<ValueType> states;
  std::vector<ValueType> left;  // scan outputs
};

class Choice {
 public:
  virtual ~Choice() = default;
  // `tokens` are the initial tokens of all rows and the first state, the call's now("tokens").
  virtual std::vector<State> begin(Nodes& n, const std::string& tokens) = 0;
  // `scores` are [rows, tokens].
  virtual Chosen choose(Nodes& n, Iteration iteration, const std::string& scores) = 0;
  // Computes the search's results from the final states and the stacked scan outputs.
  virtual void end(Nodes& n, const std::vector<std::string>& states, const std::vector<std::string>& left) = 0;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual Status read() = 0;
  // The initial tokens of all rows, and values that bodies read from outside.
  virtual std::string begin(Nodes& n) = 0;
  virtual std::vector<State> states() const = 0;
  virtual const Graph& graph() const = 0;
  virtual Bound bound() const { return {}; }  // loop-invariant inputs of its graph
  // The graph of a separate first iteration (null: none), its inputs, its outputs other than the states, and their readers.
  virtual const Graph* first() const { return nullptr; }
  virtual Bound bound_first() const { return {}; }
  virtual std::vector<std::string> kept_of_first() const { return {}; }
  virtual void after_first(Nodes&, const std::vector<std::string>& /*kept*/) {}
  virtual bool first_may_end() const { return true; }
  // The scores of all rows.
  virtual std::string of_rows(Nodes&, Iteration, const std::string& scores) { return scores; }
  // The inputs of the next iteration; `graph` is the one that this iteration ran.
  virtual std::vector<ValueType> next(Nodes& n, const Graph& graph, Iteration iteration, const Chosen& chosen) = 0;
};

// Its nodes.
std::vector<Node> loop_of(const Call& call, int64_t beams, Decoder& decoder, Choice& choice);

// Each text's row as often as it has beams.
std::string spread(Nodes& n, const Call& call, int64_t beams, const std::string& x, const std::string& result);

std::unique_ptr<Decoder> plain_decoder(const Call& call, int64_t beams);  // GPT-2's form
std::unique_ptr<Decoder> decoder_after_encoder(const Call& call, int64_t beams,
                                               bool takes_audio);  // T5; Whisper, whose input is audio
std::unique_ptr<Choice> greedy_choice(const Call& call);
std::unique_ptr<Choice> sampling_choice(const Call& call);
std::unique_ptr<Choice> beam_choice(const Call& call, int64_t beams, int64_t results);

}  // namespace arenascope::models::ir::search
