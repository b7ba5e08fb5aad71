// SPDX-License-Identifier: MIT
// Invalid planner inputs are rejected with one error; valid ones are unchanged after writing and reading.
#include <arenascope/planner/check.h>
#include <arenascope/planner/csv.h>
#include <arenascope/planner/explain.h>
#include <arenascope/planner/planner.h>
#include <doctest/doctest.h>

#include "random_problem.h"

using namespace arenascope;
using namespace arenascope::planner;

namespace {

std::string refusal(std::string_view csv) {
  const Result<Problem> p = read_csv(csv);
  return p.ok() ? "" : p.error().message;
}

bool says(std::string_view csv, std::string_view what) {
  const std::string message = refusal(csv);
  INFO(message);
  CHECK(message.find('\n') == std::string::npos);
  return message.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("columns may have any order and any of their names") {
  const Result<Problem> p = read_csv("size,end,buffer_id,start,alignment,gaps,offset,hint\n8,4,x,1,16,2-3@0:4,32,7\n");
  REQUIRE_MESSAGE(p.ok(), p.error().message);
  const Interval& v = p->intervals[0];
  CHECK(p->ids[0] == "x");
  CHECK(v.lower == 1);
  CHECK(v.upper == 5);  // `end` is inclusive
  CHECK(v.size == 8);
  CHECK(v.alignment == 16);
  CHECK(v.fixed_offset == 32);
  CHECK(v.gaps == std::vector<Gap>{{2, 4, 0, 4}});
}

TEST_CASE("malformed files are errors that name the line") {
  CHECK(says("", "empty"));
  CHECK(says("id,lower,upper\n", "column 'size' is missing"));
  CHECK(says("id,lower,upper,size,colour\n", "unknown column 'colour'"));
  CHECK(says("id,lower,begin,upper,size\n", "twice"));
  CHECK(says("id,lower,upper,size\na,1,2\n", "line 2: expected 4 fields as in the header, found 3"));
  CHECK(says("id,lower,upper,size\na,1,2,3,4\n", "line 2: expected 4 fields as in the header, found 5"));
  CHECK(says("id,lower,upper,size\na,1,2,3\nb,1,zwei,3\n", "line 3: upper: expected a 64-bit integer, found 'zwei'"));
  CHECK(says("id,lower,upper,size\na,1,2,99999999999999999999\n", "line 2: size"));
  CHECK(says("id,lower,upper,size\n,1,2,3\n", "found an empty field"));
  CHECK(says("id,lower,upper,size\na,1,2,0\n", "Buffer a has 0 bytes"));
  CHECK(says("id,lower,upper,size\na,1,2,-5\n", "Buffer a has -5 bytes"));
  CHECK(says("id,lower,upper,size\na,2,2,5\n", "empty lifetime [2, 2)"));
  CHECK(says("id,lower,upper,size\na,1,2,5\na,3,4,5\n", "Two buffers are named a"));
  CHECK(says("id,lower,upper,size,alignment\na,1,2,5,0\n", "alignment: expected a positive integer, found '0'"));
  CHECK(says("id,lower,upper,size,gaps\na,1,9,5,3\n", "found '3'"));
  CHECK(says("id,lower,upper,size,gaps\na,1,9,5,3-4 2-3\n", "out of order"));
  CHECK(says("id,lower,upper,size,gaps\na,1,9,5,3-4@2:9\n", "has only 5 bytes"));
  CHECK(
      says("id,lower,upper,size\na,1,2,9223372036854775807\nb,1,2,9223372036854775807\n", "add up to more than 2^62"));
  CHECK(
      says("id,lower,upper,size\na,1,2,4611686018427387904\nb,5,6,4611686018427387904\n", "add up to more than 2^62"));
  CHECK(says("id,lower,upper,size,offset\na,1,5,8,0\nb,4,9,8,4\n", "Buffers a and b are fixed to overlapping bytes"));
  CHECK(says("id,lower,upper,size,offset\na,1,5,8,-8\n", "outside any arena"));
  CHECK(says("id,lower,upper,size,alignment,offset\na,1,5,8,16,8\n", "not a multiple of its alignment"));
}

TEST_CASE("random bytes are an error or parsed, never a crash") {
  test::Random random(1);
  const std::string good = "id,lower,upper,size,alignment,gaps,offset\na,1,9,64,32,2-4,64\nb,3,7,128,1,,\nc,5,6,1,,,\n";
  int read = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text = good;
    for (int64_t m = test::pick(random, 1, 4); m > 0; --m) {
      const auto at = static_cast<size_t>(test::pick(random, 0, static_cast<int64_t>(text.size()) - 1));
      switch (test::pick(random, 0, 3)) {
        case 0: text[at] = static_cast<char>(test::pick(random, 0, 255)); break;
        case 1: text.erase(at, static_cast<size_t>(test::pick(random, 1, 5))); break;
        case 2: text.insert(at, 1, "0123456789,-@:\n"[test::pick(random, 0, 14)]); break;
        default: text.insert(at, text.substr(0, static_cast<size_t>(test::pick(random, 0, 20)))); break;
      }
      if (text.empty()) break;
    }
    const Result<Problem> p = read_csv(text);
    if (!p.ok()) {
      CHECK(!p.error().message.empty());
      continue;
    }
    ++read;
    const Result<Plan> plan = find_planner("greedy-by-size")->plan(*p, {});
    if (plan.ok()) CHECK(check(*p, *plan).ok());
  }
  CHECK(read > 300);
}

TEST_CASE("written files can be read") {
  test::Random random(2);
  for (int k = 0; k < 200; ++k) {
    Problem p = test::random_problem(random, 12, 20, 100, {.alignments = true, .gaps = true, .fixed = true});
    for (size_t i = 0; i < p.size(); ++i) p.ids.push_back("t" + std::to_string(i));
    const Result<Problem> q = read_csv(write_csv(p));
    REQUIRE_MESSAGE(q.ok(), q.error().message);
    REQUIRE(q->size() == p.size());
    for (size_t i = 0; i < p.size(); ++i) {
      CHECK(q->ids[i] == p.ids[i]);
      CHECK(q->intervals[i].lower == p.intervals[i].lower);
      CHECK(q->intervals[i].upper == p.intervals[i].upper);
      CHECK(q->intervals[i].size == p.intervals[i].size);
      CHECK(q->intervals[i].fixed_offset == p.intervals[i].fixed_offset);
      CHECK(q->alignment_of(i) == p.alignment_of(i));
      CHECK(q->intervals[i].gaps.size() == p.intervals[i].gaps.size());
    }
    // A plan, read back as fixed offsets, is its own only plan.
    const Plan plan = *find_planner("first-fit-by-size")->plan(p, {});
    const Result<Problem> fixed = read_csv(write_csv(p, &plan));
    REQUIRE_MESSAGE(fixed.ok(), fixed.error().message);
    CHECK(find_planner("greedy-by-size")->plan(*fixed, {})->offsets == plan.offsets);
  }
}

// Tensor names of a model may be any text.
TEST_CASE("names with commas, quotes and line breaks are written and read") {
  Problem p;
  p.alignment = 1;
  for (const char* id : {"view(1, 2)", "say \"x\"", "\"", "two\nlines", "=1+1,2", "'quoted", "x,", ",", "a\"b,c"}) {
    p.ids.emplace_back(id);
    p.intervals.push_back({0, 1, 8});
  }
  const Result<Problem> q = read_csv(write_csv(p));
  REQUIRE_MESSAGE(q.ok(), (q.ok() ? "" : q.error().message));
  CHECK(q->ids == p.ids);
  // Fields that are quoted without need; the line of an error counts those in quotes.
  CHECK(read_csv("id, lower,upper,size\n \"a\", 0,1,8\n")->ids == std::vector<std::string>{"a"});
  CHECK(read_csv("id,lower,upper,size\n\"a\nb\",0,1,8\nc,0,1,x\n")
            .error()
            .message.starts_with("line 4: size: expected a 64-bit integer, found 'x'"));
  CHECK(read_csv("id,lower,upper,size\n\" \",0,1,8\n").error().message ==
        "line 2: id: expected a name, found an empty field");
  CHECK(!read_csv("id,lower,upper,size\n\"a,0,1,8\nb,0,1,8\n").ok());
  CHECK(says("lower,upper,size,id\n0,1,8,\"a\n0,1,8,b\n", "line 2: id: expected a closing quote"));
  CHECK(says("id,lower,upper,size\n\"a,0,1,8\n\"b,0,1,8\n", "line 2: id: expected a closing quote"));
}

TEST_CASE("contradictory attachments are errors") {
  Problem p;
  p.alignment = 1;
  p.intervals = {{0, 4, 8}, {0, 4, 8}, {2, 6, 16}};
  p.attachments = {{0, 2, 0}, {1, 2, 4}};
  Result<Plan> plan = find_planner("search")->plan(p, {});
  REQUIRE(!plan.ok());
  CHECK(plan.error().message == "Buffers #0 and #1 are attached to the same bytes and live at the same time.");
  p.attachments = {{0, 2, 12}};
  CHECK(find_planner("search")->plan(p, {}).error().message.find("is not inside") != std::string::npos);
  p.attachments = {{0, 1, 0}, {1, 0, 0}};
  CHECK(find_planner("search")->plan(p, {}).error().message.find("attached to itself") != std::string::npos);
  p.attachments = {{0, 7, 0}};
  CHECK(!find_planner("none")->plan(p, {}).ok());
}

TEST_CASE("the checker finds faults in a plan") {
  Problem p;
  p.alignment = 8;
  p.intervals = {{0, 4, 16}, {2, 6, 16}, {4, 8, 16}};
  Plan plan;
  plan.arena_bytes = 32;
  plan.offsets = {0, 16, 0};
  CHECK(check(p, plan).ok());
  plan.offsets = {0, 8, 0};
  CHECK(check(p, plan).error().message ==
        "Buffers #0 (bytes 0 to 16) and #1 (bytes 8 to 24) overlap while both live at step 3.");
  plan.offsets = {0, 24, 0};
  CHECK(check(p, plan).error().message.find("leaves the arena") != std::string::npos);
  plan.offsets = {0, 16, 4};
  CHECK(check(p, plan).error().message.find("alignment") != std::string::npos);
  plan.offsets = {0, 16};
  CHECK(!check(p, plan).ok());
  p.in_place = {{0, 1, 0}};
  plan.offsets = {0, 0, 16};
  CHECK(check(p, plan).ok());
  plan.offsets = {0, 8, 24};
  CHECK(!check(p, plan).ok());
}

TEST_CASE("reasons why a buffer cannot reuse another's bytes") {
  Problem p;
  p.alignment = 8;
  p.ids = {"a", "b", "c", "d"};
  p.intervals = {{0, 4, 16}, {2, 6, 16}, {4, 8, 32}, {9, 10, 8}};
  Plan plan;
  plan.arena_bytes = 64;
  plan.offsets = {0, 16, 32, 0};
  CHECK(explain_placement(p, plan, 1, 0) ==
        "b lives from step 3 to 6 and a from step 1 to 4: at step 3 both need those bytes.");
  CHECK(explain_placement(p, plan, 2, 0) ==
        "c and a are never alive together, but b (bytes 16 to 32) is in the way at step 5.");
  CHECK(explain_placement(p, plan, 3, 1).find("could be placed where b is") != std::string::npos);
  CHECK(find_peak(p).live_bytes == 48);
  CHECK(find_peak(p).buffers == std::vector<int32_t>{2, 1});
  const std::vector<Hole> holes = holes_at(p, plan, 5);
  REQUIRE(holes.size() == 1);
  CHECK(holes[0].size == 16);
  CHECK(holes[0].above == 1);
  CHECK(find_interval(p, "c").value() == 2);
  CHECK(!find_interval(p, "e").ok());
}
