// SPDX-License-Identifier: MIT
// Answers are judged by what would follow from them.
#include <arenascope/graph/order.h>
#include <arenascope/lesson/draft.h>
#include <arenascope/lesson/question.h>
#include <arenascope/lesson/stage.h>

#include <algorithm>

#include <doctest/doctest.h>

namespace arenascope::lesson {
namespace {

struct Played {
  Lesson lesson;
  std::unique_ptr<Stage> stage;
  Scene scene;
};

Played play(const std::string& question, const char* verb = "graph") {
  Played out;
  auto lesson =
      parse("x.md",
            "title: T\ngraph:\n  A 1024\n  B 2048 <- A\n  C 1024 <- B\n  D 512 <- B, C\n  E 4096 <- D\n  out 0 <- E\n"
            "## A\n" +
                question + "! right Yes.\n");
  REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
  out.lesson = std::move(*lesson);
  out.stage = std::make_unique<Stage>(out.lesson);
  REQUIRE(out.stage->act({verb, {}, 0}).ok());
  out.scene = *out.stage->scene();
  return out;
}

Verdict judged(const Played& p, const Answer& answer) {
  auto verdict = judge(p.scene, *p.lesson.steps[0].question, answer);
  REQUIRE_MESSAGE(verdict.ok(), verdict.error().message);
  return *verdict;
}

TEST_CASE("check reports what a learner would stumble over") {
  const std::string header = "title: T\ngraph:\n  a 1310720\n  b 1310784 <- a\n  c 64 <- b\n";
  const auto problems = [&](const std::string& step) {
    const auto lesson = parse("x.md", header + step);
    REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
    std::string all;
    for (const Error& error : check(*lesson)) all += error.message + "\n";
    return all;
  };
  const std::string asks = "! ask number nodes\n! right Yes.\n";
  const std::pair<std::string, const char*> bad[] = {
      {"## A\n! graph\n! show arena\nSome text.\n## B\n" + asks + "How many?\n", "x.md:6: the step has no 'expect'"},
      {"## A\n! graph\n! expect nodes 3\n" + asks + "How many?\n", "x.md:6: the step shows no panel"},
      {"## A\n! graph\n! show barriers\n! expect nodes 3\n" + asks + "How many?\n", "'barriers' is empty"},
      {"## A\n! graph\n! show moves\n! expect nodes 3\n" + asks + "How many?\n",
       "'moves' is empty: GE's rules move no node"},
      {"## A\n! graph\n! show arena\n! expect bytes(a) *\n! expect bytes(b) *\n" + asks + "{bytes(a)}, {bytes(b)}?\n",
       "'bytes(a)' and 'bytes(b)' differ, and both are shown as 1.25 MiB"},
      {"## A\n! graph\n! show graph\n! expect nodes 3\n" + asks + "There are {nodes}. How many?\n",
       "which is the answer to its question"},
      {"## A\n! graph\n! show graph\n! expect nodes 3\n" + asks + "Four tensors. How many?\n", "'four tensors'"},
      {"## A\n! graph\n! show graph\n! expect nodes 3\n" + asks + "It is half as large. How many?\n", "'half'"},
      {"## A\n! graph\n! show graph\n! expect nodes 3\n! ask number nodes\n! read nodes\n! right Yes.\nHow many?\n",
       "is read from 'nodes', which the step does not show"},
  };
  for (const auto& [step, what] : bad) {
    CAPTURE(step);
    const std::string all = problems(step);
    CHECK_MESSAGE(all.find(what) != std::string::npos, all);
    CHECK_MESSAGE(std::count(all.begin(), all.end(), '\n') == 1, all);
  }
  CHECK(problems("## A\n! graph\n! show graph\n! expect nodes 3\n! expect bytes(a) / bytes(b) <1\n" + asks +
                 "Three nodes, and less than twice as much. How many?\n") == "");
}

TEST_CASE("an improvement that no finding has is an error") {
  const Played p = play("! ask number peak\n");
  for (const char* kind : {"rematerialise", "nothing"}) {
    const Status done = p.stage->act({"improve", {kind, "out"}, 0});
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().message.find(kind) != std::string::npos);
  }
}

TEST_CASE("nodes without a name are called as the panels call them") {
  const auto lesson = parse("x.md",
                            "title: T\ngradients: loss\ngraph:\n  x = input f32 4 4\n  w = weight f32 4 4\n"
                            "  h = MUL_MAT w x\n  r = RELU h\n  s = REDUCE_SUM r 0\n  loss = REDUCE_SUM s 1\n## A\n");
  REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
  Stage stage(*lesson);
  REQUIRE(stage.act({"graph", {}, 0}).ok());
  const auto scene = stage.scene();
  REQUIRE(scene.ok());
  const auto names = evaluate(*scene, "node_names");
  REQUIRE(names.ok());
  int unnamed = 0;
  for (const std::string& name : names->list) {
    CHECK(!name.empty());
    if (!name.starts_with("node ")) continue;
    ++unnamed;
    Question question;
    question.kind = QuestionKind::Node;
    question.fact = "node_names";
    const auto verdict = judge(*scene, question, {name, {}, {}});
    CHECK((verdict.ok() && verdict->right));
  }
  CHECK(unnamed > 0);
}

TEST_CASE("a reply to a wrong selection is about the question") {
  auto played = play("! ask node users(B)\n");
  auto verdict = judge(played.scene, *played.lesson.steps[0].question, {"E", {}, {}});
  REQUIRE(verdict.ok());
  CHECK(verdict->why == Verdict::Why::Reads);
  CHECK(verdict->names == std::vector<std::string>{"E", "D"});
  CHECK(verdict->text == "B");
  auto other = play("! ask node sources(D)\n");
  verdict = judge(other.scene, *other.lesson.steps[0].question, {"A", {}, {}});
  REQUIRE(verdict.ok());
  CHECK(verdict->why == Verdict::Why::NotRead);
}

TEST_CASE("numbers may be typed as tables show them") {
  auto played = play("! ask number bytes(B)\n");
  for (const char* text : {"2048", "0x800", "2 KiB", "2KiB"}) {
    const auto verdict = judge(played.scene, *played.lesson.steps[0].question, {text, {}, {}});
    CHECK_MESSAGE((verdict.ok() && verdict->right), text);
  }
}

TEST_CASE("the panels that show the answer follow from its fact") {
  const auto hidden = [](const std::string& question) {
    const auto lesson = parse("x.md", "title: T\n## A\n" + question + "! right Yes.\nHow much?\n");
    REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
    return panels_with_answer(*lesson->steps[0].question);
  };
  CHECK(hidden("! ask number peak\n") == std::set<std::string>{"headline", "inspector", "occupancy", "planners"});
  CHECK(hidden("! ask number peak\n! read occupancy\n") == std::set<std::string>{"headline", "inspector", "planners"});
  CHECK(hidden("! ask number object_offset(b) - object_offset(a)\n") == std::set<std::string>{"objects"});
  CHECK(hidden("! ask node at_peak\n").empty());  // is found in the panels
  for (const FactInfo& fact : facts())
    if (fact.name != std::string_view("tensor")) CHECK_MESSAGE(fact.shown_in != nullptr, fact.name);
}

TEST_CASE("a too small answer names the buffer that does not fit") {
  const Played p = play("! ask number peak\n! wrong without_reuse Without reuse.\n");
  CHECK(judged(p, {"4608", {}, {}}).right);
  CHECK(judged(p, {"4.5 KiB", {}, {}}).right);
  const Verdict small = judged(p, {"4000", {}, {}});
  CHECK(small.why == Verdict::Why::TooSmall);
  CHECK(small.step == 4);
  CHECK(small.names == std::vector<std::string>{"E", "D"});
  CHECK(small.bytes == 4608);
  CHECK(judged(p, {"5000", {}, {}}).why == Verdict::Why::TooLarge);
  CHECK(judged(p, {"5000", {}, {}}).bytes == 392);
  CHECK(judged(p, {"8704", {}, {}}).text == "Without reuse.");
  CHECK(judged(p, {"many", {}, {}}).why == Verdict::Why::NoNumber);
}

TEST_CASE("the correct option is the one of the fact") {
  const Played p = play("! ask choice first(B)\n! option 2 two\n! option 3 three | Then A would live longer.\n");
  CHECK(judged(p, {"2", {}, {}}).right);
  CHECK(judged(p, {"3", {}, {}}).text == "Then A would live longer.");
}

TEST_CASE("a reply names the clicked object") {
  const Played p = play("! ask node at_peak\n");
  CHECK(judged(p, {"D", {}, {}}).right);
  const Verdict wrong = judged(p, {"B", {}, {}});
  CHECK(wrong.why == Verdict::Why::Clicked);
  CHECK(wrong.bytes == 2048);
  CHECK(wrong.first == 1);
  CHECK(wrong.last == 3);
}

TEST_CASE("tensors are placed without overlap") {
  const Played p = play("! ask place bound of A B C D E\n");
  const auto best = solution(p.scene, *p.lesson.steps[0].question);
  REQUIRE(best.ok());
  CHECK(judged(p, *best).right);
  const auto fits = judge_place(p.scene, {{"A", 0}}, {"C", 0});
  CHECK(fits->right);
  const auto collides = judge_place(p.scene, {{"A", 0}}, {"B", 512});
  CHECK(collides->why == Verdict::Why::Collides);
  CHECK(collides->names == std::vector<std::string>{"B", "A"});
  CHECK(collides->bytes == 512);
  CHECK(collides->first == 1);
  CHECK(collides->last == 1);
  CHECK(judge_place(p.scene, {}, {"A", 7})->why == Verdict::Why::Misaligned);
  const Verdict wide = judged(p, {"", {}, {{"A", 0}, {"B", 1024}, {"C", 4096}, {"D", 5120}, {"E", 0}}});
  CHECK(wide.why == Verdict::Why::Arena);
  CHECK(wide.bytes == 5632);
  CHECK(judged(p, {"", {}, {{"A", 0}}}).why == Verdict::Why::Missing);
}

TEST_CASE("an order that reads before it computes is wrong") {
  const Played p = play("! ask order node_names of A B C D E out\n");
  CHECK(judged(p, {"", {"A", "B", "C", "D", "E", "out"}, {}}).right);
  const Verdict wrong = judged(p, {"", {"A", "C", "B", "D", "E", "out"}, {}});
  CHECK(wrong.why == Verdict::Why::NotBefore);
  CHECK(wrong.names == std::vector<std::string>{"C", "B"});
}

TEST_CASE("an order is played up to the node whose input does not exist yet") {
  const Played p = play("! ask order node_names of A B C D E out\n");
  const auto wrong = play_order(p.scene, *p.lesson.steps[0].question, {"", {"A", "B", "D", "C", "E", "out"}, {}});
  REQUIRE(wrong.ok());
  CHECK(wrong->given.nodes == std::vector<std::string>{"A", "B"});
  CHECK(wrong->given.live == std::vector<Bytes>{1024, 3072});
  CHECK(wrong->node == "D");
  CHECK(wrong->missing == "C");
  CHECK(wrong->better.live.empty());
  CHECK_FALSE(
      play_order(play("! ask number peak\n").scene, *play("! ask number peak\n").lesson.steps[0].question, {}).ok());
}

TEST_CASE("an order is judged by its peak") {
  auto lesson =
      parse("x.md",
            "title: T\ngraph:\n  x 64\n  l 1024 <- x\n  r 1024 <- x\n  a 64 <- l\n  b 64 <- r\n  out 64 <- a, b\n"
            "## A\n! ask order bound_of(depth-first) of x l r a b out\n! right Yes.\n");
  REQUIRE(lesson.ok());
  Stage stage(*lesson);
  REQUIRE(stage.act({"graph", {}, 0}).ok());
  const Scene scene = *stage.scene();
  const Question& q = *lesson->steps[0].question;
  CHECK(judge(scene, q, {"", {"x", "l", "a", "r", "b", "out"}, {}})->right);
  const Verdict wide = *judge(scene, q, {"", {"x", "l", "r", "a", "b", "out"}, {}});
  CHECK(wide.why == Verdict::Why::HigherPeak);
  CHECK(wide.bytes > 2048);
  const auto played = play_order(scene, q, {"", {"x", "l", "r", "a", "b", "out"}, {}});
  REQUIRE(played.ok());
  CHECK(played->node.empty());
  CHECK(played->given.peak() == wide.bytes);
  CHECK(played->better.live.size() == 6);
  CHECK(played->better.peak() <= played->limit);
  CHECK(judge(scene, q, *solution(scene, q))->right);
}

TEST_CASE("a failed expectation is reported once, with the actual value") {
  const auto wrongs = [](const std::string& steps) {
    const auto lesson = parse("x.md", "title: T\ngraph:\n  A 1024\n  B 2048 <- A\n  C 1024 <- B\n" + steps);
    REQUIRE_MESSAGE(lesson.ok(), (lesson.ok() ? "" : lesson.error().message));
    std::string all;
    for (const Error& error : check(*lesson)) all += error.message + "\n";
    return all;
  };
  CHECK(
      wrongs(
          "## A\n! graph\n! expect peak 2KiB\n! show graph\n{peak}.\n! ask number nodes\n! right Yes.\nHow many?\n") ==
      "x.md:8: peak is 3072 (3072 B), not 2KiB\n");
  // If a wrong answer names several tensors, each of them has to be wrong.
  CHECK(
      wrongs("## A\n! graph\n! show graph\n! ask node tensor(B)\n! wrong sources(B) It is read.\n! right Yes.\nWho?\n")
          .empty());
  CHECK(wrongs("## A\n! graph\n! ask node tensor(B)\n! wrong live(B) It lives.\n! right Yes.\nWho?\n")
            .find("is not wrong") != std::string::npos);
  CHECK(wrongs("## A\n! graph\n! ask place bytes(B) of A B\n! right Yes.\nPlace.\n").find("takes 3072") !=
        std::string::npos);
  // A file that cannot be opened is reported where it should be opened, not at each later step.
  const std::string none = wrongs(
      "## A\n! open nowhere.onnx\n! select A\n! expect nodes 3\n{nodes}.\n## B\n! select B\n"
      "! ask number nodes\n! right Yes.\nHow many?\n");
  CHECK(std::ranges::count(none, '\n') == 1);
  CHECK(none.starts_with("x.md:7: "));
}

TEST_CASE("a generated draft is a valid lesson") {
  const Played p = play("! ask number peak\n");
  const auto text = draft(p.scene, "zoo:mul_mat", "Run 3");
  REQUIRE(text.ok());
  const auto lesson = parse("draft.md", *text);
  REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
  auto model = parse("x.md", "title: T\n## A\n! open zoo:mul_mat\n");
  Stage stage(*model);
  REQUIRE(stage.act({"open", {"zoo:mul_mat"}, 0}).ok());
  const auto of_model = parse("draft.md", *draft(*stage.scene(), "zoo:mul_mat", "Run"));
  REQUIRE_MESSAGE(of_model.ok(), of_model.error().message);
  for (const Error& error : check(*of_model)) FAIL(error.message);
  CHECK_FALSE(draft(p.scene, "lesson:/x.md", "T").ok());  // could not be opened without that lesson
  REQUIRE(stage.act({"program", {"leak"}, 0}).ok());
  const auto of_program = parse("draft.md", *draft(*stage.scene(), "program:leak", "leak"));
  REQUIRE_MESSAGE(of_program.ok(), of_program.error().message);
  for (const Error& error : check(*of_program)) FAIL(error.message);
}

TEST_CASE("the same question about a generated graph is judged by the engine") {
  const auto question = [](const std::string& ask) {
    const auto lesson = parse("x.md", "title: T\n## A\n! ask " + ask + "\n! right Yes.\nHow much?\n");
    REQUIRE_MESSAGE(lesson.ok(), (lesson ? "" : lesson.error().message));
    return *lesson->steps[0].question;
  };
  for (const char* ask : {"place bound of A B", "number peak", "order node_names of A B",
                          "order bound_of(search) of A B", "rule bound"}) {
    CAPTURE(ask);
    const Question own = question(ask);
    REQUIRE(can_generate(own));
    std::set<std::string> different;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      const auto task = generate_task(own, seed);
      REQUIRE_MESSAGE(task.ok(), (task ? "" : task.error().message));
      const auto again = generate_task(own, seed);
      REQUIRE(again.ok());
      std::string text;
      for (size_t i = 0; i < task->graph.size(); ++i) {
        CHECK(task->graph[i].bytes == again->graph[i].bytes);
        CHECK(task->graph[i].sources == again->graph[i].sources);
        text += plain(Value{Value::Kind::Number, static_cast<double>(task->graph[i].bytes), Unit::None, {}, {}}) + " ";
      }
      different.insert(text);
      const auto answer = solution(task->scene, task->question);
      REQUIRE(answer.ok());
      CHECK(judge(task->scene, task->question, *answer)->right);
      if (own.kind == QuestionKind::Order)
        CHECK_FALSE(judge(task->scene, task->question, Answer{{}, task->question.names, {}})->right);
      if (own.kind == QuestionKind::Number) CHECK_FALSE(judge(task->scene, task->question, Answer{"1", {}, {}})->right);
    }
    CHECK(different.size() > 15);
  }
  std::vector<std::string> facts{"peak", "bound", "arena", "without_reuse", "node_names"};
  for (const OrderInfo& order : all_orders()) facts.push_back("bound_of(" + std::string(order.name) + ")");
  for (const std::string kind : {"number", "place", "order", "rule"})
    for (const std::string& fact : facts) {
      if (fact == "node_names" && kind != "order") continue;
      const Question own = question(kind + " " + fact + (kind == "place" || kind == "order" ? " of A B" : ""));
      CAPTURE(kind);
      CAPTURE(fact);
      if (can_generate(own)) CHECK(generate_task(own, 1).ok());
    }
  CHECK(can_generate(question("number without_reuse")));
  CHECK_FALSE(can_generate(question("place without_reuse of A B")));  // any placement is correct
  CHECK_FALSE(can_generate(question("order peak of A B")));           // the order of the graph is correct
  CHECK_FALSE(can_generate(question("number bytes(A)")));
  CHECK_FALSE(can_generate(question("node at_peak")));
  CHECK_FALSE(generate_task(question("number bytes(A)"), 1).ok());
}

TEST_CASE("a rule is judged by its arena, and compared with all planners") {
  const Played p = play("! ask rule bound\n! hint Large ones first.\n");
  CHECK(judged(p, {"sort -size; fit tightest", {}, {}}).right);
  const Verdict wrong = judged(p, {"sort first", {}, {}});
  CHECK(wrong.why == Verdict::Why::Arena);
  CHECK(wrong.bytes > wrong.limit);
  CHECK(wrong.limit == 4608);
  const Verdict bad = judged(p, {"sort weight", {}, {}});
  CHECK(bad.why == Verdict::Why::BadRule);
  CHECK(bad.text.find("position 6") != std::string::npos);
  const auto all = compare_rule(p.scene, "sort first");
  REQUIRE(all.ok());
  CHECK(all->front().arena == 4608);
  CHECK(all->back().arena == 8704);
  CHECK(
      std::ranges::any_of(*all, [&](const PlannedArena& a) { return a.planner == "rule" && a.arena == wrong.bytes; }));
  CHECK_FALSE(compare_rule(p.scene, "sort").ok());
  const auto answer = solution(p.scene, *p.lesson.steps[0].question);
  REQUIRE(answer.ok());
  CHECK(judged(p, *answer).right);
}

TEST_CASE("a collision names the shared bytes") {
  const Played p = play("! ask place bound of A B\n");
  const auto verdict = judge_place(p.scene, {{"A", 512}}, {"B", 1024});
  REQUIRE(verdict.ok());
  CHECK(verdict->why == Verdict::Why::Collides);
  CHECK(verdict->offset == 1024);
  CHECK(verdict->bytes == 512);
}

}  // namespace
}  // namespace arenascope::lesson
