// SPDX-License-Identifier: MIT
#include <arenascope/lesson/lesson.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "engine/lesson/parse_graph.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr Verb kVerbs[] = {
    {"open", 1, 1, "opens a model or a recording (a file in the lesson's folder or zoo:NAME) and runs it once"},
    {"graph", 0, 0, "opens the lesson's own graph and runs it once if it can be run"},
    {"program", 1, 1, "runs one of the built-in allocator programs and opens its recording"},
    {"generate", 2, 2,
     "generates tokens with the open language model: their number, and the prompt's token ids such as 2,0,1"},
    {"show", 1, 4, "shows these panels next to the lesson, from top to bottom, and no others"},
    {"lens", 1, 6, "shows an experiment in the panel bytes: its name, then parameters NAME=VALUE with + for a space"},
    {"select", 1, 1, "selects a tensor by name"},
    {"clear", 0, 0, "clears the selection"},
    {"step", 1, 1, "moves the playhead to a step number, or to the peak"},
    {"axis", 1, 1, "selects the x axis: step or time"},
    {"all", 0, 0, "shows the whole axis"},
    {"plan", 2, 2, "shows the plan of another planner and order"},
    {"improve", 2, 2, "shows the plan of the finding of this kind that saves most for a tensor"},
    {"plan_all", 0, 0, "tries every planner with every order"},
    {"frontier", 0, 0, "computes the frontier of memory versus operations and shows it in the panel training"},
    {"run", 0, 0, "runs the model again"},
    {"node", 0, 0, "runs the next node and pauses"},
    {"stop", 0, 0, "ends a paused run"},
    {"expand", 0, 0, "expands all layers of the graph"},
};

constexpr std::pair<const char*, QuestionKind> kKinds[] = {
    {"choice", QuestionKind::Choice}, {"number", QuestionKind::Number},   {"node", QuestionKind::Node},
    {"block", QuestionKind::Block},   {"barrier", QuestionKind::Barrier}, {"place", QuestionKind::Place},
    {"order", QuestionKind::Order},   {"rule", QuestionKind::Rule}};

// A single pass over the lines, and one over the texts of the steps. Goes on after an error.
class Parser {
 public:
  Parser(const std::string& file, std::string_view text) : lines_(split_lines(text)) {
    lesson_.file = file;
    const std::string name = std::filesystem::path(file).filename().string();
    lesson_.id = name.substr(0, name.find('.'));
  }

  Result<Lesson> parse() {
    for (line_ = 1; line_ <= static_cast<int>(lines_.size()); ++line_)
      keep(take(lines_[static_cast<size_t>(line_ - 1)]));
    line_ = 1;
    if (lesson_.title.empty()) keep(fail("a lesson needs a title"));
    if (lesson_.steps.empty()) keep(fail("a lesson needs a step"));
    for (LessonStep& step : lesson_.steps) {
      step.text = trimmed(step.text);
      check(step);
    }
    if (!problems_.empty()) return Error{join(problems_, "\n")};
    return std::move(lesson_);
  }

 private:
  void keep(const Status& status) {
    if (!status) problems_.push_back(status.error().message);
  }

  Error fail(const std::string& what) const { return error_at(lesson_, line_, what); }

  Status take(std::string_view line) {
    if (in_graph_ && (line.starts_with(' ') || line.starts_with('\t'))) {
      auto parsed = parse_graph_line(line, lesson_.graph);
      if (!parsed) return fail(parsed.error().message);
      parsed->line = line_;
      lesson_.graph.push_back(std::move(*parsed));
      return {};
    }
    in_graph_ = false;
    if (line.starts_with("## ")) {
      lesson_.steps.push_back({trimmed(line.substr(3)), {}, {}, {}, {}, line_});
      bad_question_ = false;
      return {};
    }
    if (lesson_.steps.empty()) return take_header(line);
    if (line.starts_with("! ")) return take_order(line.substr(2));
    lesson_.steps.back().text += std::string(line) + "\n";
    return {};
  }

  Status take_header(std::string_view line) {
    if (trimmed(line).empty()) return {};
    const size_t colon = line.find(':');
    const std::string key(line.substr(0, colon)), value = colon == line.npos ? "" : trimmed(line.substr(colon + 1));
    if (colon == line.npos) return fail(fmt::format("expected KEY: VALUE before the first step, found '{}'", line));
    if (key == "title")
      lesson_.title = value;
    else if (key == "summary")
      lesson_.summary = value;
    else if (key == "needs")
      lesson_.needs = split(value, ", ");
    else if (key == "see also")
      lesson_.see_also = split(value, ", ");
    else if (key == "hide")
      lesson_.hidden_panels = split(value, ", ");
    else if (key == "gradients")
      lesson_.loss = value;
    else if (key == "settings")
      return take_settings(value);
    else if (key == "graph")
      in_graph_ = true;
    else
      return fail(fmt::format("expected a key of a lesson, found '{}'", key));
    return {};
  }

  Status take_settings(const std::string& value) {
    for (const std::string& token : split(value, " ")) {
      const size_t equals = token.find('=');
      const std::string key = token.substr(0, equals), what = equals == token.npos ? "" : token.substr(equals + 1);
      Settings& s = lesson_.settings;
      const std::map<std::string, std::string*> texts{{"planner", &s.planner},   {"order", &s.order},
                                                      {"strategy", &s.strategy}, {"backend", &s.backend},
                                                      {"tuning", &s.tuning},     {"host", &s.host}};
      const std::map<std::string, bool*> switches{{"fuse", &s.fuse}, {"in_place", &s.in_place}};
      if (const auto text = texts.find(key); text != texts.end() && !what.empty()) {
        *text->second = what;
      } else if (const auto at = switches.find(key); at != switches.end() && (what == "on" || what == "off")) {
        *at->second = what == "on";
      } else if (const auto n = parse_integer(what); key == "threads" && n && *n >= 1 && *n <= 64) {
        s.threads = static_cast<int>(*n);
      } else {
        return fail(fmt::format("unknown setting '{}'", token));
      }
    }
    return {};
  }

  Result<Action> action(const std::vector<std::string>& tokens) {
    const auto verb = std::ranges::find_if(kVerbs, [&](const Verb& v) { return tokens.front() == v.name; });
    if (verb == std::end(kVerbs)) return fail(fmt::format("unknown action '{}'", tokens.front()));
    const int given = static_cast<int>(tokens.size()) - 1;
    if (given < verb->min_arguments || given > verb->max_arguments)
      return fail(
          verb->min_arguments == verb->max_arguments
              ? fmt::format("'{}' takes {} argument(s)", verb->name, verb->min_arguments)
              : fmt::format("'{}' takes {} to {} arguments", verb->name, verb->min_arguments, verb->max_arguments));
    if (tokens.front() == "graph" && lesson_.graph.empty()) return fail("the lesson has no graph of its own");
    return Action{tokens.front(), {tokens.begin() + 1, tokens.end()}, line_};
  }

  Status take_order(std::string_view rest) {
    const std::vector<std::string> tokens = split(rest, " ");
    if (tokens.empty()) return fail("an action without a verb");
    LessonStep& step = lesson_.steps.back();
    const std::string& verb = tokens.front();
    if (verb == "expect") {
      if (tokens.size() < 3) return fail("'expect' requires a fact and a value");
      const std::string fact = join({tokens.begin() + 1, tokens.end() - 1}, " ");
      if (auto known = check_expression(fact); !known) return fail(known.error().message);
      step.expects.push_back({fact, tokens.back(), line_});
      return {};
    }
    if (verb == "ask") return take_question(tokens);
    static constexpr std::array<std::string_view, 6> kOfQuestions{"option", "hint", "wrong", "right", "then", "read"};
    if (std::ranges::find(kOfQuestions, verb) != kOfQuestions.end()) return take_part(verb, rest, tokens);
    auto made = action(tokens);
    if (!made) return made.error();
    step.actions.push_back(std::move(*made));
    return {};
  }

  // ! ask KIND FACT [of NAME …]
  Status take_question(const std::vector<std::string>& tokens) {
    LessonStep& step = lesson_.steps.back();
    if (step.question) return fail("a step can have one question only");
    bad_question_ = true;  // until it is read
    const auto kind =
        std::ranges::find_if(kKinds, [&](const auto& k) { return tokens.size() > 1 && tokens[1] == k.first; });
    if (kind == std::end(kKinds))
      return fail("'ask' requires one of choice, number, node, block, barrier, place, order or rule");
    Question question;
    question.kind = kind->second;
    question.line = line_;
    const auto of = std::find(tokens.begin() + 2, tokens.end(), "of");
    question.fact = join({tokens.begin() + 2, of}, " ");
    if (of != tokens.end()) question.names.assign(of + 1, tokens.end());
    if (question.fact.empty()) return fail("'ask' requires the fact that determines the answer");
    if (auto known = check_expression(question.fact); !known) return fail(known.error().message);
    const bool names = question.kind == QuestionKind::Place || question.kind == QuestionKind::Order;
    if (names != !question.names.empty())
      return fail(names ? "this question requires 'of' and the names of tensors"
                        : "'of' with names requires place or order");
    step.question = std::move(question);
    bad_question_ = false;
    return {};
  }

  Status take_part(const std::string& part, std::string_view rest, const std::vector<std::string>& tokens) {
    LessonStep& step = lesson_.steps.back();
    if (!step.question) return bad_question_ ? Status() : fail(fmt::format("'{}' belongs to a question", part));
    Question& q = *step.question;
    const std::string text = trimmed(rest.substr(part.size()));
    if (text.empty()) return fail(fmt::format("'{}' requires text", part));
    if (part == "then") {
      auto made = action({tokens.begin() + 1, tokens.end()});
      if (!made) return made.error();
      q.then.push_back(std::move(*made));
    } else if (part == "read") {
      q.read.insert(q.read.end(), tokens.begin() + 1, tokens.end());
    } else if (part == "hint") {
      q.hints.push_back(text);
    } else if (part == "right") {
      q.right = text;
    } else {
      size_t space = text.find(' ');
      const auto operator_follows = [&] {  // of an expression: "FACT + FACT Text"
        return part == "wrong" && space != text.npos && space + 2 < text.size() && text[space + 2] == ' ' &&
               std::string_view("+-*/").find(text[space + 1]) != std::string_view::npos;
      };
      while (operator_follows()) space = text.find(' ', space + 3);
      if (space == text.npos) return fail(fmt::format("'{}' requires a value and text", part));
      const std::string value = text.substr(0, space), said = trimmed(std::string_view(text).substr(space));
      if (part == "wrong") {
        if (auto known = check_expression(value); !known) return fail(known.error().message);
        q.wrong.push_back({value, said});
      } else {
        const size_t bar = said.find(" | ");
        q.options.push_back(
            {value, trimmed(said.substr(0, bar)), bar == said.npos ? "" : trimmed(said.substr(bar + 3))});
      }
    }
    return {};
  }

  // The line of a step that contains a part of its text.
  int line_of(const LessonStep& step, const std::string& part) const {
    for (size_t line = static_cast<size_t>(step.line); line <= lines_.size(); ++line) {
      const std::string_view text = lines_[line - 1];
      if (line > static_cast<size_t>(step.line) && text.starts_with("## ")) break;
      if (!text.starts_with("! expect ") && text.find(part) != text.npos) return static_cast<int>(line);
    }
    return step.line;
  }

  // Checks the texts of a step: numbers in them must be expected figures or parts of names.
  void check(const LessonStep& step) {
    line_ = step.line;
    std::vector<std::string> texts{step.title, step.text};
    if (step.question) {
      const Question& q = *step.question;
      line_ = q.line;
      texts.insert(texts.end(), q.hints.begin(), q.hints.end());
      for (const WrongAnswer& w : q.wrong) texts.push_back(w.text);
      for (const Option& o : q.options) texts.insert(texts.end(), {o.text, o.why});
      texts.push_back(q.right);
      if ((q.kind == QuestionKind::Choice) != !q.options.empty())
        keep(fail(q.kind == QuestionKind::Choice ? "a choice question requires options"
                                                 : "only choice questions have options"));
      if (q.right.empty()) keep(fail("a question requires a 'right' line: the reply to the right answer"));
    }
    for (const std::string& text : texts)
      for (const TextPart& part : parts_of(text)) {
        if (!part.figure) {
          const std::string digits = stray_digits(part.text);
          if (digits.empty()) continue;
          line_ = line_of(step, digits);
          keep(fail(fmt::format("'{}' is an unchecked number in the text of \"{}\"", digits, step.title)));
        } else if (std::ranges::none_of(step.expects, [&](const Expectation& e) { return e.fact == part.text; })) {
          line_ = line_of(step, part.text);
          keep(fail(fmt::format("the step \"{}\" shows {{{}}} without expecting it", step.title, part.text)));
        }
      }
  }

  Lesson lesson_;
  std::vector<std::string_view> lines_;
  int line_ = 1;
  bool in_graph_ = false;
  bool bad_question_ = false;  // the current step has a bad question: its parts are not reported as well
  std::vector<std::string> problems_;
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

Result<Lesson> parse(const std::string& file, std::string_view text) { return Parser(file, text).parse(); }

Error error_at(const Lesson& lesson, int line, const std::string& what) {
  if (what.starts_with(lesson.file + ":")) return Error{what};  // the error already contains the position
  return Error{fmt::format("{}:{}: {}", lesson.file, line, what)};
}

std::vector<TextPart> parts_of(std::string_view text) {
  std::vector<TextPart> parts;
  while (!text.empty()) {
    const size_t open = text.find('{');
    const size_t close = open == text.npos ? text.npos : text.find('}', open);
    if (close == text.npos) {
      parts.push_back({std::string(text)});
      break;
    }
    if (open > 0) parts.push_back({std::string(text.substr(0, open))});
    std::string_view inside = text.substr(open + 1, close - open - 1);
    const bool bare = inside.starts_with('=');
    if (bare) inside.remove_prefix(1);
    parts.push_back({trimmed(inside), true, bare});
    text.remove_prefix(close + 1);
  }
  return parts;
}

}  // namespace arenascope::lesson
