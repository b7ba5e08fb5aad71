// SPDX-License-Identifier: MIT
// Lessons are read whole or refused with file and line.
#include <arenascope/lesson/lesson.h>
#include <arenascope/lesson/stage.h>

#include <random>

#include <doctest/doctest.h>

namespace arenascope::lesson {
namespace {

constexpr const char* kSmall =
    "title: T\nsummary: S\nneeds: one, two\nsee also: engine/a.cpp\nsettings: threads=4 fuse=on planner=none\ngraph:\n"
    "  a 64\n  b 128 <- a\n  c 64 <- a, b\n\n"
    "## One\n! graph\n! select b\n! expect bytes(b) 128\nText *here*: {bytes(b)}.\n\n"
    "## Two\n! ask choice peak\n! expect peak 192\n! option 192 Both {peak} | no\n! option 64 One | It would be too "
    "small.\n"
    "! hint Look.\n! right Yes.\n! then clear\nHow much?\n";

TEST_CASE("a lesson is parsed") {
  const auto lesson = parse("folder/x.en.md", kSmall);
  REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
  CHECK(lesson->id == "x");
  CHECK(lesson->title == "T");
  CHECK(lesson->needs == std::vector<std::string>{"one", "two"});
  CHECK(lesson->settings.threads == 4);
  CHECK(lesson->settings.fuse);
  CHECK(lesson->settings.planner == "none");
  REQUIRE(lesson->graph.size() == 3);
  CHECK(lesson->graph[2].sources == std::vector<std::string>{"a", "b"});
  REQUIRE(lesson->steps.size() == 2);
  CHECK(lesson->steps[0].actions == std::vector<Action>{{"graph", {}, 0}, {"select", {"b"}, 0}});
  CHECK(lesson->steps[0].text == "Text *here*: {bytes(b)}.");
  REQUIRE(lesson->steps[1].question);
  const Question& q = *lesson->steps[1].question;
  CHECK(q.fact == "peak");
  REQUIRE(q.options.size() == 2);
  CHECK(q.options[1].why == "It would be too small.");
  CHECK(q.hints.size() == 1);
  CHECK(q.then.size() == 1);
}

TEST_CASE("a wrong answer may contain an expression") {
  const auto lesson = parse("x.md",
                            "title: T\nhide: findings, problems\n## A\n! ask number nodes\n! wrong leafs + nodes All.\n"
                            "! right Yes.\nHow many?\n");
  REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
  const Question& q = *lesson->steps[0].question;
  REQUIRE(q.wrong.size() == 1);
  CHECK(q.wrong[0].fact == "leafs + nodes");
  CHECK(q.wrong[0].text == "All.");
  CHECK(lesson->hidden_panels == std::vector<std::string>{"findings", "problems"});
}

TEST_CASE("a step repeats the actions it depends on") {
  const auto lesson =
      parse("x.md",
            "title: T\ngraph:\n  a 64\n  b 64 <- a\n"
            "## A\n! graph\n! show arena\n! axis step\n"
            "## B\n! plan none depth-first\n! select a\n## C\n! select b\n"
            "## D\n! program leak\n! all\n## E\n! show timeline\n## F\n! open zoo:nano_gpt\n! generate 2 "
            "1,0\n## G\n! show text\n## H\n! graph\n");
  REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
  const auto verbs_of = [&](size_t step) {
    std::string out;
    for (const Action& action : entering(*lesson, step)) out += action.verb + " ";
    return out;
  };
  CHECK(verbs_of(0) == "graph clear show axis ");  // nothing that another lesson selected is left
  CHECK(verbs_of(1) == "graph axis show plan select ");
  CHECK(verbs_of(2) == "graph plan axis show select ");
  CHECK(verbs_of(3) == "program axis show clear all ");
  CHECK(verbs_of(4) == "program axis clear show all ");
  CHECK(verbs_of(6) == "open generate axis clear show all ");
  CHECK(verbs_of(7) == "graph axis show clear all ");
}

TEST_CASE("computed nodes have ops, values and sizes") {
  const auto lesson =
      parse("x.md",
            "title: T\ngraph:\n  w = weight f32 2 2 : 1 2 3 4\n  x = input f32 1 2\n  q = weight f32 2 2 : of w\n"
            "  y = MUL_MAT w x\n  v = RESHAPE y 2\n## A\n");
  REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
  CHECK(lesson->computes());
  CHECK(lesson->graph[0].values == std::vector<double>{1, 2, 3, 4});
  CHECK(lesson->graph[2].values_of == "w");
  CHECK(lesson->graph[3].sources == std::vector<std::string>{"w", "x"});
  CHECK(lesson->graph[4].arguments == std::vector<std::string>{"2"});
}

TEST_CASE("errors name file and line") {
  const std::pair<const char*, const char*> bad[] = {
      {"", "title"},
      {"title: T\n", "step"},
      {"title: T\nstray\n## A\n", "x.md:2:"},
      {"title: T\nsettings: threads=none\n## A\n", "threads=none"},
      {"title: T\n## A\n! fly away\n", "x.md:3: unknown action 'fly'"},
      {"title: T\n## A\n! open\n", "takes 1"},
      {"title: T\n## A\n! show\n", "takes 1 to 4"},
      {"title: T\n## A\n! graph\n", "no graph"},
      {"title: T\ngraph:\n  a sixty\n## A\n", "x.md:3:"},
      {"title: T\ngraph:\n  a 64 <- b\n## A\n", "'b'"},
      {"title: T\ngraph:\n  a 64\n  a 64\n## A\n", "twice"},
      {"title: T\ngraph:\n  a 64\n  b = RELU a\n## A\n", "not both"},
      {"title: T\n## A\n! expect peek 3\n", "unknown fact 'peek'"},
      {"title: T\n## A\n! expect bytes 3\n", "takes 1"},
      {"title: T\n## A\nThere are 3 of them.\n", "'3'"},
      {"title: T\n## A\nThere are {nodes} of them.\n", "without expecting it"},
      {"title: T\n## A\n! ask what nodes\n", "'ask' requires"},
      {"title: T\n## A\n! hint Here.\n", "belongs to a question"},
      {"title: T\n## A\n! ask choice nodes\n! right Yes.\n", "requires options"},
      {"title: T\n## A\n! ask number nodes\n", "'right'"},
      {"title: T\n## A\n! ask order run_order\n! right Yes.\n", "'of'"},
  };
  for (const auto& [text, what] : bad) {
    CAPTURE(text);
    const auto lesson = parse("x.md", text);
    REQUIRE_FALSE(lesson.ok());
    CHECK_MESSAGE(lesson.error().message.find(what) != std::string::npos, lesson.error().message);
  }
  CHECK(parse("x.md", "title: T\n## A\nNames as `F10` and [there](a.md#2) may have digits.\n").ok());
}

TEST_CASE("all errors of a file are reported, each with its line") {
  const auto lesson = parse("x.md",
                            "title: T\n## A\n! fly away\n! expect peek 3\nSome text.\nThere are 3 of them, {nodes}.\n"
                            "## B\n! ask what nodes\n! hint Not reported as well.\n! right Yes.\n");
  REQUIRE_FALSE(lesson.ok());
  const std::string& all = lesson.error().message;
  for (const char* what : {"x.md:3: unknown action 'fly'", "x.md:4: unknown fact 'peek'", "x.md:6: '3'",
                           "x.md:6: the step \"A\" shows {nodes}", "x.md:8: 'ask' requires"})
    CHECK_MESSAGE(all.find(what) != std::string::npos, all);
  CHECK(std::count(all.begin(), all.end(), '\n') == 4);
}

TEST_CASE("random text is parsed or an error") {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string text = kSmall;
    for (int k = 0; k < 4; ++k) text[random() % text.size()] = static_cast<char>(random() % 128);
    (void)parse("x.md", text);
  }
}

TEST_CASE("a text is split at its figures") {
  const auto parts = parts_of("At {peak} and {=bytes(b) + 1}.");
  REQUIRE(parts.size() == 5);
  CHECK(parts[1].figure);
  CHECK(parts[1].text == "peak");
  CHECK(parts[3].bare);
  CHECK(parts[3].text == "bytes(b) + 1");
  CHECK(parts_of("open {here").size() == 1);
}

}  // namespace
}  // namespace arenascope::lesson
