// SPDX-License-Identifier: MIT
// Facts describe the current graph, plan, run and memory; expected values were counted manually.
#include <arenascope/lesson/programs.h>
#include <arenascope/lesson/stage.h>

#include <cstdlib>

#include <doctest/doctest.h>

namespace arenascope::lesson {
namespace {

// The value of a fact as an expectation would have it, or what went wrong.
std::string fact(Stage& stage, const std::string& expression) {
  auto scene = stage.scene(tensors_read_by(expression));
  if (!scene) return scene.error().message;
  auto value = evaluate(*scene, expression);
  return value ? plain(*value) : value.error().message;
}

constexpr const char* kBuffers =
    "title: T\ngraph:\n  A 1024\n  B 2048 <- A\n  C 1024 <- B\n  D 512 <- B, C\n  E 4096 <- D\n  out 0 <- E\n## A\n! "
    "graph\n";

TEST_CASE("the five buffers of the introductory example") {
  const auto lesson = parse("x.md", kBuffers);
  REQUIRE(lesson.ok());
  Stage stage(*lesson);
  REQUIRE(stage.act({"graph", {}, 0}).ok());
  const std::pair<const char*, const char*> facts[] = {{"peak", "4608"},
                                                       {"bound", "4608"},
                                                       {"without_reuse", "8704"},
                                                       {"at_peak", "E,D"},
                                                       {"peak_step", "5"},
                                                       {"first(B)", "2"},
                                                       {"last(B)", "4"},
                                                       {"uses(B)", "2"},
                                                       {"users(B)", "C,D"},
                                                       {"op(B)", "BUFFER"},
                                                       {"dtype(B)", "u8"},
                                                       {"nodes", "6"},
                                                       {"bytes(D) + bytes(E)", "4608"},
                                                       {"arena(two-level,depth-first)", "4608"},
                                                       {"arena(max-block,depth-first)", "6656"},
                                                       {"step_of(B)", "2"},
                                                       {"live(3)", "B,C"},
                                                       {"live(C)", "B,C"},
                                                       {"live_bytes(3)", "3072"}};
  for (const auto& [expression, value] : facts) CHECK_MESSAGE(fact(stage, expression) == value, expression);
  CHECK(fact(stage, "live(0)").find("expected a step or a node, found '0'") != std::string::npos);
  for (const char* step : {"1", "6", "peak"}) CHECK_MESSAGE(stage.act({"step", {step}, 0}).ok(), step);
  for (const char* step : {"0", "7", "-1", "next"})
    CHECK(stage.act({"step", {step}, 0}).error().message ==
          std::string("unknown step ") + step + ": expected 1 to 6, or peak");
  REQUIRE(stage.act({"plan", {"two-level", "depth-first"}, 0}).ok());
  CHECK(fact(stage, "planned_tensors - count_at(1)") == "4");  // blocks after the first level
  CHECK(fact(stage, "reused_at(1)") == "C");
  CHECK(fact(stage, "blocks") == "2");  // and after the second
  CHECK(fact(stage, "level(B)") == "2");
  CHECK(fact(stage, "waste") == "0");
  CHECK(fact(stage, "bytes(Z)").find("'Z'") != std::string::npos);
  CHECK(fact(stage, "last_arriver(B)").find("nothing has run") != std::string::npos);
}

TEST_CASE("a matmul that is run") {
  const auto lesson = parse("x.md",
                            "title: T\nsettings: threads=2\ngraph:\n  a = input f32 4 2 : 2 8 5 1 4 2 8 6\n"
                            "  b = input f32 3 2 : 10 5 9 9 5 4\n  result = MUL_MAT a b\n## A\n! graph\n");
  REQUIRE(lesson.ok());
  Stage stage(*lesson);
  const auto done = stage.act({"graph", {}, 0});
  REQUIRE_MESSAGE(done.ok(), done.error().message);
  CHECK(fact(stage, "value(result,0)") == "60");
  CHECK(fact(stage, "value(result,11)") == "64");
  CHECK(fact(stage, "shape(result)") == "3 × 4");
  CHECK(fact(stage, "stride(result,0)") == "16");
  CHECK(fact(stage, "leaf_names") == "a,b");
  CHECK(fact(stage, "runs") == "1");
  REQUIRE(stage.act({"run", {}, 0}).ok());
  CHECK(fact(stage, "runs") == "2");
  CHECK_FALSE(stage.act({"select", {"none"}, 0}).ok());
}

TEST_CASE("8-bit and 4-bit blocks restore values within half a quantisation step") {
  const auto lesson = parse(
      "x.md",
      "title: T\ngraph:\n  x = input f32 1 256\n  q8 = weight q8_0 1 256 : of x\n  q4 = weight q4_k 1 256 : of x\n"
      "  y8 = CAST q8 f32\n  y4 = CAST q4 f32\n  lost = SUB x y8\n## A\n! graph\n");
  REQUIRE_MESSAGE(lesson.ok(), lesson.error().message);
  Stage stage(*lesson);
  const auto done = stage.act({"graph", {}, 0});
  REQUIRE_MESSAGE(done.ok(), done.error().message);
  CHECK(fact(stage, "bytes(q8)") == "272");
  CHECK(fact(stage, "bytes(q4)") == "144");
  auto scene = stage.scene({"x", "y8", "y4"});
  REQUIRE(scene.ok());
  CHECK(evaluate(*scene, "largest_error(x,y8)")->number < 1.125 / 127 / 2 * 1.02);
  const double error = evaluate(*scene, "largest_error(x,y4)")->number;
  CHECK(error < 2.25 / 15 / 2 * 1.1);
  CHECK(error > 0.01);
}

TEST_CASE("an invalid graph is an error with its line") {
  for (const char* line : {"y = SOFT_MAX x 7", "y = SOFT_MAX x -1", "y = RESHAPE x 5", "y = RELU", "y = CLAMP x",
                           "y = CONV x", "y = MUL_MAT x", "y = nothing x", "y = PERMUTE x 3 3", "y = SLICE x 0 5 9",
                           "y = input f99 2", "y = input q8_0 5"}) {
    const auto lesson = parse("x.md", std::string("title: T\ngraph:\n  x = input f32 2 4\n  ") + line + "\n## A\n");
    if (!lesson) continue;  // refused as it was read
    const auto model = lesson_model(*lesson);
    CAPTURE(line);
    REQUIRE_FALSE(model.ok());
    CHECK_MESSAGE(model.error().message.find("x.md:4:") != std::string::npos, model.error().message);
  }
}

TEST_CASE("values match their expectations") {
  const Value third{Value::Kind::Number, 1.0 / 3, Unit::None, {}, {}};
  CHECK(matches(third, "0.33"));
  CHECK(matches(third, "0.333"));
  CHECK_FALSE(matches(third, "0.34"));
  CHECK(matches(third, ">0"));
  CHECK_FALSE(matches(third, "<0.2"));
  const Value mib{Value::Kind::Number, 2097152, Unit::Bytes, {}, {}};
  CHECK(matches(mib, "2MiB"));
  CHECK(matches(mib, "2097152"));
  CHECK_FALSE(matches(mib, "2"));
  CHECK(shown(mib) == "2 MiB");
  CHECK(shown(mib, true) == "2097152");
  const auto bytes = [](double n) { return shown({Value::Kind::Number, n, Unit::Bytes, {}, {}}); };
  CHECK(bytes(4608) == "4608 B");
  CHECK(bytes(65536) == "64 KiB");
  CHECK(bytes(65537) == "65537 B");
  CHECK(bytes(131073) == "128.00 KiB");
  const Value list{Value::Kind::List, 0, Unit::None, {}, {"a", "b"}};
  CHECK(matches(list, "a,b"));
  CHECK_FALSE(matches(list, "b,a"));
}

TEST_CASE("generation: the prompt in one run, then one run per new token but the last") {
  const auto lesson = parse("x.md", "title: T\nsettings: threads=1\n## A\n");
  REQUIRE(lesson.ok());
  Stage stage(*lesson);
  CHECK_FALSE(stage.act({"generate", {"2", "1,0"}, 0}).ok());  // nothing is open
  REQUIRE(stage.act({"open", {"zoo:nano_gpt"}, 0}).ok());
  CHECK_FALSE(stage.act({"generate", {"none", "1,0"}, 0}).ok());
  CHECK_FALSE(stage.act({"generate", {"2", "1,x"}, 0}).ok());
  CHECK_FALSE(stage.act({"generate", {"1", "7"}, 0}).ok());   // there are three tokens
  CHECK_FALSE(stage.act({"generate", {"12", "1"}, 0}).ok());  // more than the model sees
  const auto done = stage.act({"generate", {"4", "1,0,2"}, 0});
  REQUIRE_MESSAGE(done.ok(), done.error().message);
  CHECK(fact(stage, "runs") == "4");
  // Keys and values of three layers, rows of 48 numbers: seven places, of which six hold a token.
  CHECK(fact(stage, "most_active(kv_cache)") == std::to_string(2 * 3 * 48 * 4 * 7));
  CHECK(fact(stage, "counter(filled_of_the_KV_cache)") == std::to_string(2 * 3 * 48 * 4 * 6));
}

TEST_CASE("the blocks of a program are called by their tensors") {
  for (const char* program : {"buckets", "holes", "one_kind", "kinds", "pool_reuse", "cache_doubling", "cache_pages",
                              "own_blocks", "unchecked_view", "freed_at_once", "freed_later", "leak", "fragmented"}) {
    CAPTURE(program);
    const auto session = run_program(program);
    REQUIRE_MESSAGE(session.ok(), session.error().message);
    const auto snapshot = (*session)->snapshot();
    const auto slices = snapshot->space_slices_in(snapshot->time.begin, snapshot->time.end + 1, 1000);
    CHECK_FALSE(slices.empty());
    for (const trace::SpaceAllocation& slice : slices) {
      const trace::TensorInfo* tensor = snapshot->tensor(slice.graph, slice.tensor);
      REQUIRE(tensor != nullptr);
      CHECK_FALSE(tensor->name.empty());
    }
  }
}

TEST_CASE("the pool of a device is not called that of the processor") {
  const auto session = run_program("pool_reuse");
  REQUIRE_MESSAGE(session.ok(), session.error().message);
  const auto snapshot = (*session)->snapshot();
  REQUIRE(snapshot->allocators.size() == 1);
  CHECK(snapshot->allocators[0].name == "simulated:0 workspace");
}

TEST_CASE("every example program runs and shows its fault") {
  for (const Program& program : programs()) {
    CAPTURE(program.name);
    const auto session = run_program(program.name);
    REQUIRE_MESSAGE(session.ok(), session.error().message);
    const auto snapshot = (*session)->snapshot();
    CHECK((snapshot->event_count > 0 || !snapshot->contexts.empty()));
    CHECK(snapshot->lost == 0);
  }
  const auto play = [](const char* program, const char* expression) {
    const auto lesson = parse("x.md", "title: T\n## A\n");
    Stage stage(*lesson);
    const auto done = stage.act({"program", {program}, 0});
    return done ? fact(stage, expression) : done.error().message;
  };
  CHECK(play("leak", "never_freed(default)") == "8");
  CHECK(play("leak", "never_freed(workspace)") == "0");
  CHECK(play("fragmented", "most_reserved(workspace)") == "524288");
  CHECK(play("slow_thread", "latest_thread") == "thread 2");
  CHECK(play("needless_copy", "op(tidy)") == "CONT");
  CHECK(play("lost_in_place", "in_place_of(active)") == "scaled");
  CHECK(play("lost_in_place", "in_place_of(shifted)") == "none");
  CHECK(play("kept_alive", "never_freed") == "0");
  CHECK(play("pool_waste", "most_reserved(workspace)") == "524288");
  CHECK(play("pool_reuse", "most_reserved(workspace)") == "524288");
  CHECK(play("objects_full", "problems") == "1");
  // libtensor's weaknesses: each one reproduced, then fixed.
  CHECK(play("own_blocks", "reservations(workspace)") == "20");
  CHECK(play("one_arena", "reservations(workspace)") == "1");
  CHECK(play("one_arena", "most_reserved(workspace)") == "90112");
  CHECK(play("one_arena", "counter(overwritten)") == "0");
  CHECK(play("one_arena", "planned_tensors") == "20");  // the slices are drawn
  CHECK(play("one_arena", "arena") == "90112");
  CHECK(play("one_kind", "most_active(kv_cache)") == "0");
  CHECK(play("kinds", "most_active(kv_cache)") == "98304");
  CHECK(play("unchecked_view", "counter(overwritten)") == "16384");
  CHECK(play("unchecked_view", "problems") == "0");
  CHECK(play("bounds", "counter(overwritten)") == "0");
  CHECK(play("bounds", "problems") == "1");
  CHECK(play("owner_gone", "never_freed") == "1");
  CHECK(play("kept_alive", "frees") == "1");
  CHECK(play("freed_at_once", "counter(overwritten)") == "65536");
  CHECK(play("freed_at_once", "highest(deferred)") == "0");
  CHECK(play("freed_later", "counter(overwritten)") == "0");
  CHECK(play("freed_later", "highest(deferred)") == "65536");
  CHECK(play("freed_later", "counter(deferred)") == "0");
  CHECK(play("freed_later", "counter(reused)") == "65536");
  CHECK(play("freed_later", "never_freed") == "0");
  CHECK(play("freed_later", "counter(nothing)").find("'nothing'") != std::string::npos);
  // Tasks that one thread had not begun were stolen by the other one.
  CHECK(play("held_up", "pieces(active)") == "8");
  CHECK(play("held_up", "tasks(active)") == "2");
  const int taken = std::atoi(play("held_up", "taken_over(active)").c_str());
  CHECK(taken >= 1);
  CHECK(taken <= 3);
  CHECK(play("nothing", "problems").find("unknown program") != std::string::npos);
}

}  // namespace
}  // namespace arenascope::lesson
