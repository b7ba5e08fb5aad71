// SPDX-License-Identifier: MIT
// Answers are judged by what would follow from them.
#include <arenascope/lesson/draft.h>
#include <arenascope/lesson/question.h>
#include <arenascope/lesson/stage.h>

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
  const Played p = play("! ask choice first(B)\n! option 1 one\n! option 2 two | Then A would live longer.\n");
  CHECK(judged(p, {"1", {}, {}}).right);
  CHECK(judged(p, {"2", {}, {}}).text == "Then A would live longer.");
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
  CHECK(wrongs("## A\n! graph\n! expect peak 2KiB\n{peak}.\n! ask number nodes\n! right Yes.\nHow many?\n") ==
        "x.md:8: peak is 3072 (3072 B), not 2KiB\n");
  // If a wrong answer names several tensors, each of them has to be wrong.
  CHECK(wrongs("## A\n! graph\n! ask node tensor(B)\n! wrong sources(B) It is read.\n! right Yes.\nWho?\n").empty());
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
}

}  // namespace
}  // namespace arenascope::lesson
