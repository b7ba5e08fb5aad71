// SPDX-License-Identifier: MIT
// A lesson as a value, read from a Markdown file (docs/how-to/write-a-lesson.md):
//
//   title: Reuse in two levels
//   summary: Place five buffers manually.
//   needs: lifetimes                  prerequisite lessons
//   see also: engine/planner/two_level.cpp
//   settings: threads=2 fuse=off      settings of its runs
//   hide: findings                    panels hidden while a question is open
//   gradients: loss                   its graph is a training step: the weights' gradients of that node
//   graph:
//     A 1024                          a buffer: name, bytes
//     B 2048 <- A                     and the buffers that it reads
//     y = MUL_MAT w x                 or a node that is computed (lesson_graph.h)
//
//   ## The lower bound                the title of a step
//   ! graph                           the actions of the window on entering it, in order
//   ! expect bound 4608               a claim of the text, by the name of a fact (facts.h)
//   The bound is {bound}.             Markdown; a figure in braces is computed
//
//   ## How many?
//   ! ask number blocks               a question, judged by the same facts (question.h)
//   ! read blocks                  this panel stays in sight, although it shows the answer
//   ! wrong nodes That many would be needed without sharing.
//   ! hint Which of them are of one size?
//   ! right Yes.
//   ! then show lifetimes             done once it is answered
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::lesson {

struct Action {
  std::string verb;  // one of verbs()
  std::vector<std::string> arguments;
  int line = 0;
  bool operator==(const Action& o) const { return verb == o.verb && arguments == o.arguments; }
};

struct Expectation {
  std::string fact;   // an expression, see facts.h
  std::string value;  // a number with or without unit, a word, a list "a,b"; "*": any value; ">N", "<N"
  int line = 0;
  bool operator==(const Expectation& o) const { return fact == o.fact && value == o.value; }
};

enum class QuestionKind : uint8_t { Choice, Number, Node, Block, Barrier, Place, Order, Rule };

struct Option {
  std::string value;  // what the fact would be if this were right
  std::string text;
  std::string why;  // what would follow if it were so
};

struct WrongAnswer {
  std::string fact;  // an answer of this value is explained by the text
  std::string text;
};

struct Question {
  QuestionKind kind = QuestionKind::Choice;
  std::string fact;                // what decides
  std::vector<std::string> names;  // Place, Order: tensors, in the order in which they are offered
  std::vector<std::string> read;   // panels from which the answer is to be read, although they show it
  std::vector<Option> options;     // Choice
  std::vector<WrongAnswer> wrong;
  std::vector<std::string> hints;
  std::string right;
  std::vector<Action> then;
  int line = 0;
};

struct LessonStep {
  std::string title;
  std::string text;  // Markdown, with figures in braces
  std::vector<Action> actions;
  std::vector<Expectation> expects;
  std::optional<Question> question;
  int line = 0;
};

// A line of `graph:`.
struct GraphLine {
  std::string name;
  Bytes bytes = 0;                     // of a buffer, which has no op
  std::vector<std::string> sources;    // earlier names
  std::string op;                      // "" for a buffer; "input", "weight", or an op's name
  std::vector<std::string> arguments;  // of the op, after its sources: sizes, axes, a type
  std::vector<double> values;          // of a given tensor
  std::string values_of;               // or those of this one, in this one's type
  int line = 0;
};

// Run settings. Unspecified ones have these defaults, never the user's.
struct Settings {
  int threads = 2;
  bool fuse = false, in_place = false;
  std::string planner = "two-level", order = "depth-first", strategy = "planned", backend = "cpu";
  std::string tuning;  // of a device's kernels: none, fast, normal, wide, heavy; empty: default of the device
  std::string host;    // with a device: ops that stay on the host nevertheless, "SOFT_MAX,RELU"
  bool operator==(const Settings&) const = default;
};

struct Lesson {
  std::string id;    // the file's name before the language
  std::string file;  // for messages
  std::string title, summary;
  std::vector<std::string> needs, see_also;
  std::vector<std::string> hidden_panels;  // hidden while a question is open
  Settings settings;
  std::string loss;              // a node of its graph; "": nothing is trained
  std::vector<GraphLine> graph;  // empty: it has none
  std::vector<LessonStep> steps;

  bool computes() const { return !graph.empty() && !graph.front().op.empty(); }  // its graph can be run
};

struct Verb {
  const char* name;
  int min_arguments = 0, max_arguments = 0;
  const char* description;
};
std::span<const Verb> verbs();

// `file` is named in messages; the id is its name up to the first dot. Errors: a malformed line, an unknown verb, fact or
// op, a digit in a text outside of figures and of names in backticks, a figure without an expectation; all of them are
// reported, one per line, each with file and line.
Result<Lesson> parse(const std::string& file, std::string_view text);

// A text cut at its figures.
struct TextPart {
  std::string text;
  bool figure = false;  // `text` is an expression
  bool bare = false;    // {=…}: without its unit
};
std::vector<TextPart> parts_of(std::string_view text);

// "FILE:LINE: WHAT"; as it is, if it begins with the file.
Error error_at(const Lesson& lesson, int line, const std::string& what);

}  // namespace arenascope::lesson
