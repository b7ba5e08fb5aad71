// SPDX-License-Identifier: MIT
// The loop of a search, of two parts: a decoder, which is given words and scores the next ones, and a choice among these.
#pragma once
#include "engine/models/onnx/searches/subgraph_builder.h"

#include <memory>
#include <string>
#include <vector>

namespace arenascope::models::ir::search {

// What goes from turn to turn: its name and type in a body, and what the first turn is given, as it is called outside.
struct State {
  ValueType now;
  std::string first;  // empty: the first turn, which is one of its own, makes it
};

// What a choice leaves in a body.
struct Chosen {
  std::string strings;  // all so far, [rows, length]
  std::string word;     // the new ones, [rows, 1]
  std::string rows;     // the row that each goes on from; empty: its own
  std::string more;     // whether it goes on
  std::vector<ValueType> states;
  std::vector<ValueType> left;  // by each turn
};

class Choice {
 public:
  virtual ~Choice() = default;
  // `words` are all rows' to begin with. The first state is they, as the call's now("words").
  virtual std::vector<State> begin(Nodes& n, const std::string& strings) = 0;
  // `scores` are [rows, words].
  virtual Chosen choose(Nodes& n, Turn turn, const std::string& scores) = 0;
  // From the states behind the last turn, and from what all turns left, the search's results.
  virtual void end(Nodes& n, const std::vector<std::string>& states, const std::vector<std::string>& left) = 0;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual Status read() = 0;
  // The words of all rows to begin with, and what else bodies read from outside.
  virtual std::string begin(Nodes& n) = 0;
  virtual std::vector<State> states() const = 0;
  virtual const Graph& graph() const = 0;
  virtual Bound bound() const { return {}; }  // what its graph reads that stays as it is
  // The graph of a first turn of its own, or none; what it leaves besides the states, and what becomes of that outside.
  virtual const Graph* first() const { return nullptr; }
  virtual Bound bound_first() const { return {}; }
  virtual std::vector<std::string> kept_of_first() const { return {}; }
  virtual void after_first(Nodes&, const std::vector<std::string>& /*kept*/) {}
  virtual bool first_may_end() const { return true; }
  // The scores of all rows.
  virtual std::string of_rows(Nodes&, Turn, const std::string& scores) { return scores; }
  // What the next turn is given; `graph` is the one that this turn ran.
  virtual std::vector<ValueType> next(Nodes& n, const Graph& graph, Turn turn, const Chosen& chosen) = 0;
};

// Its nodes.
std::vector<Node> loop_of(const Call& call, int64_t beams, Decoder& decoder, Choice& choice);

// Each text's row as often as it has beams.
std::string spread(Nodes& n, const Call& call, int64_t beams, const std::string& x, const std::string& result);

std::unique_ptr<Decoder> plain_decoder(const Call& call, int64_t beams);  // GPT-2's form
std::unique_ptr<Decoder> decoder_after_encoder(const Call& call, int64_t beams,
                                               bool hears);  // T5's; Whisper's, which hears
std::unique_ptr<Choice> greedy_choice(const Call& call);
std::unique_ptr<Choice> drawn_choice(const Call& call);
std::unique_ptr<Choice> beam_choice(const Call& call, int64_t beams, int64_t results);

}  // namespace arenascope::models::ir::search
