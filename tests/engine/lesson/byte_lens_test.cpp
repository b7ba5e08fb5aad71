// SPDX-License-Identifier: MIT
// The byte lens: frames of the experiments, computed by the engine for the given sizes. Expected values were counted
// manually.
#include <arenascope/lesson/byte_lens.h>
#include <arenascope/lesson/stage.h>

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

namespace arenascope::lesson {
namespace {

std::vector<LensFrame> frames_of(const char* experiment, const LensInput& input = {}) {
  auto frames = run_lens(experiment, input);
  REQUIRE_MESSAGE(frames.ok(), (frames ? "" : frames.error().message));
  return *frames;
}

std::string error_of(const char* experiment, const LensInput& input) {
  const auto frames = run_lens(experiment, input);
  return frames ? "" : frames.error().message;
}

double value(const LensFrame& frame, const char* name) {
  const auto found = frame.values.find(name);
  return found == frame.values.end() ? NAN : found->second;
}

std::vector<int64_t> values(const std::vector<LensFrame>& frames, const char* name) {
  std::vector<int64_t> out;
  for (size_t i = 1; i < frames.size(); ++i) out.push_back(static_cast<int64_t>(value(frames[i], name)));
  return out;
}

const LensCell& current(const LensStrip& strip) {
  for (const LensCell& cell : strip.cells)
    if (cell.current) return cell;
  FAIL("no cell is current");
  return strip.cells.front();
}

int64_t bytes_of(const LensStrip& strip, CellKind kind) {
  int64_t sum = 0;
  for (const LensCell& cell : strip.cells) sum += cell.kind == kind ? cell.length : 0;
  return sum;
}

using List = std::vector<int64_t>;

TEST_CASE("every experiment runs with its defaults, and its cells are disjoint and inside their strip") {
  for (const LensExperiment& lens : lens_experiments()) {
    CAPTURE(lens.name);
    const auto frames = frames_of(lens.name);
    CHECK(frames.size() > 2);
    CHECK(frames.front().event == LensEvent::Start);
    for (const LensFrame& frame : frames)
      for (const LensStrip& strip : frame.strips) {
        CAPTURE(strip.title);
        int64_t end = 0;
        for (const LensCell& cell : strip.cells) {
          CHECK(cell.begin >= end);
          CHECK(cell.length > 0);
          CHECK(cell.next < static_cast<int32_t>(strip.cells.size()));
          end = cell.begin + cell.length;
        }
        CHECK(end <= strip.length);
      }
  }
}

TEST_CASE("elements of a tensor and its views are at the bytes that the strides give") {
  CHECK(values(frames_of("tensor", {{"shape", "2 3"}, {"view", ""}}), "byte") == List{0, 4, 8, 12, 16, 20});
  CHECK(values(frames_of("tensor", {{"shape", "2 3"}, {"view", "PERMUTE 1 0"}}), "byte") == List{0, 12, 4, 16, 8, 20});
  CHECK(values(frames_of("tensor", {{"shape", "4 2"}, {"view", "SLICE 1 1 2"}}), "byte") == List{4, 12, 20, 28});
  CHECK(values(frames_of("tensor", {{"shape", "2 2"}, {"view", "CONT"}}), "byte") == List{0, 4, 8, 12});
  CHECK(values(frames_of("strides", {{"shape", "2 3"}, {"strides", "0 1"}, {"storage", "3"}}), "byte") ==
        List{0, 4, 8, 0, 4, 8});
  CHECK(values(frames_of("strides", {{"shape", "3"}, {"strides", "-1"}, {"offset", "2"}, {"storage", "3"}}), "byte") ==
        List{8, 4, 0});
  CHECK(error_of("strides", {{"storage", "4"}}) == "element [2, 0] is at byte 16, outside the storage of 16 bytes");
  CHECK(error_of("tensor", {{"shape", "0"}}).find("expected an integer from 1") != std::string::npos);
  CHECK(error_of("tensor", {{"view", "FLY"}}) != "");
}

TEST_CASE("a view is one op of the tensor, and its parameters are checked before anything is built") {
  const auto error_of_view = [](const char* view) { return error_of("tensor", {{"view", view}}); };
  CHECK(error_of_view("input f32 3") == "view: expected an op with the tensor as its input, found 'input f32 3'");
  CHECK(error_of_view("RELU; b = FILL f32 4") ==
        "view: expected an op with the tensor as its input, found 'RELU; b = FILL f32 4'");
  CHECK(error_of("tensor", {{"type", "f32 4; b = input f32"}}).starts_with("type: expected f32"));
  CHECK(error_of("tensor", {{"shape", "256 256"}}) == "expected 1 to 256 elements, found 65536");
  CHECK(error_of("tensor", {{"shape", "256 256 256 256 256 256 256 256"}}).starts_with("expected 1 to 256 elements"));
  CHECK(error_of("strides", {{"shape", "256 256 256 256 256 256 256 256"}, {"strides", "0 0 0 0 0 0 0 0"}})
            .starts_with("expected 1 to 256 elements"));
  CHECK(error_of("tensor", {{"shape", "1 16"}, {"view", "EXPAND 4096 16"}}) ==
        "expected 1 to 256 elements, found 65536");
  std::string lines = "x = input f32 4";
  for (int i = 0; i < 2000; ++i) lines += "; y" + std::to_string(i) + " = RELU x";
  CHECK(error_of("walk", {{"graph", lines}}) == "graph: expected at most 64 lines, found 2001");
  CHECK(error_of("walk", {{"graph", "x = input f32 1048576 9; y = input f32 1048576 9; z = ADD x y"}})
            .ends_with("at most 16 million elements together"));
}

TEST_CASE("the scale of a quantised block may be a subnormal float16, and saturates") {
  for (const char* type : {"q8_0", "q4_0", "q4_k"}) {
    CAPTURE(type);
    const auto small = frames_of("block", {{"type", type}, {"values", "0.001"}});
    CHECK(std::abs(value(small.back(), "error")) < 0.0001);
    const auto large = frames_of("block", {{"type", type}, {"values", "1e7"}});
    CHECK(std::isfinite(value(large.back(), "restored")));
    CHECK(value(large.back(), "restored") > 400000);
  }
}

TEST_CASE("a quantised block is decoded bit by bit to what the engine's cast restores") {
  for (const char* type : {"q8_0", "q4_0"}) {
    CAPTURE(type);
    const auto frames = frames_of("block", {{"type", type}, {"values", "-2 0.3 1.9 0.7 -1.1"}});
    CHECK(frames.size() == 34);  // the start, the scale, 32 integers
    // All integers are multiples of one scale.
    const bool four = std::string(type) == "q4_0";
    double scale = 0;
    for (size_t i = 2; i < frames.size(); ++i) {
      const double integer = value(frames[i], "integer") - (four ? 8 : 0), restored = value(frames[i], "restored");
      if (integer == 0) {
        CHECK(restored == 0);
        continue;
      }
      if (scale == 0) scale = restored / integer;
      CHECK(restored == doctest::Approx(scale * integer).epsilon(1e-6));
      CHECK(std::abs(value(frames[i], "error")) <= std::abs(scale) * (four ? 1.01 : 0.51));
    }
    CHECK(frames[1].strips[1].length == 16);
    CHECK(current(frames[2].strips[0]).length == (four ? 4 : 8));
  }
  const auto k = frames_of("block", {{"type", "q4_k"}});
  CHECK(k.size() == 1 + 2 + 12 + 256);
  CHECK(k.front().strips[0].length == 144 * 8);
  CHECK(error_of("block", {{"type", "f32"}}) == "type: expected q4_0, q8_0, q4_k, found 'f32'");
  CHECK(error_of("block", {{"values", "x"}}) != "");
}

TEST_CASE("objects of a pool have headers and padding, and a pool can be full") {
  const auto frames = frames_of("pool", {{"pool", "4096"}, {"tensors", "4 2; 3 2"}});
  const LensStrip& pool = frames.back().strips[0];
  CHECK(pool.length == 4096);
  CHECK(values(frames, "objects") == List{1, 2, 3, 4});
  CHECK(value(frames[1], "header") == 32);
  CHECK(bytes_of(pool, CellKind::Header) == 4 * 32);
  CHECK(bytes_of(frames_of("pool", {{"no alloc", "yes"}, {"work buffer", "0"}}).back().strips[0], CellKind::Data) == 0);
  // Each header points to the next one.
  CHECK(pool.cells[static_cast<size_t>(pool.cells.front().next)].kind == CellKind::Header);
  const auto full = frames_of("pool", {{"pool", "512"}});
  CHECK(full.back().event == LensEvent::Full);
  CHECK(full.back().arguments[0].find("512") != std::string::npos);
}

TEST_CASE("a graph is collected tensor by tensor, and its counts fall to zero") {
  const LensInput twice{{"graph", "x = input f32 4; y = RELU x; z = ADD y y"}};
  const auto frames = frames_of("walk", twice);
  REQUIRE(frames.size() == 4);
  CHECK(frames[1].arguments[0] == "x");
  CHECK(frames[2].arguments[0] == "y");
  CHECK(frames[3].arguments[0] == "z");
  CHECK(frames[3].strips[2].cells.size() == 3);  // slots of the hash set
  CHECK(frames[3].strips[3].cells[1].label == "y: 2");
  CHECK(frames[2].strips[3].cells[1].label == "y: 0");
  const auto uses = frames_of("uses", twice);
  REQUIRE(uses.size() == 3);
  CHECK(uses[1].arguments == std::vector<std::string>{"y", "x"});
  CHECK(uses[2].arguments == std::vector<std::string>{"z", "y"});
  CHECK(error_of("walk", {{"graph", "A 100"}}) != "");
  CHECK(error_of("walk", {{"graph", "x = input f32 4; y = FLY x"}}).find("graph:2") != std::string::npos);
}

TEST_CASE("padding, bump and reset") {
  const auto aligned = frames_of("alignment", {{"sizes", "1000 700 512"}, {"alignment", "512"}});
  CHECK(values(aligned, "offset") == List{0, 1024, 2048});
  CHECK(value(aligned.back(), "padding") == 24 + 324);
  CHECK(value(frames_of("alignment", {{"sizes", "1000 700"}, {"alignment", "1"}}).back(), "padding") == 0);
  const auto bumped = frames_of("bump", {{"capacity", "2048"}, {"requests", "1000 700 900 reset 512"}});
  REQUIRE(bumped.size() == 6);
  CHECK(value(bumped[2], "offset") == 1024);
  CHECK(bumped[3].event == LensEvent::Full);
  CHECK(bumped[4].event == LensEvent::Reset);
  CHECK(bumped[4].strips[0].cells.empty());
  CHECK(value(bumped[5], "offset") == 0);
  CHECK(value(bumped[5], "used") == 512);
}

TEST_CASE("a freed block waits in its bucket, and no other size can use it") {
  const auto frames = frames_of("buckets", {{"requests", "a=24 b=40 -a c=20 -b d=70"}});
  CHECK(frames[1].arguments == std::vector<std::string>{"a", "24", "32"});
  CHECK(frames[4].event == LensEvent::Reused);
  CHECK(value(frames[5], "cached") == 64);
  CHECK(frames[6].event == LensEvent::Allocated);
  CHECK(value(frames[6], "reserved") == 32 + 64 + 128);
  CHECK(bytes_of(frames[1].strips[0], CellKind::Padding) == 8);
  std::string resets;
  for (int i = 0; i < 65; ++i) resets += "reset ";
  CHECK(error_of("bump", {{"requests", resets}}) == "requests: expected 0 to 64 entries, found 65");
  CHECK(error_of("bump", {{"requests", "all"}}) == "requests: expected 1 … 1073741824, reset, found 'all'");
  CHECK(error_of("buckets", {{"requests", "-a"}}) == "requests: expected NAME=BYTES, -NAME, found '-a'");
}

TEST_CASE("a block that a stream still uses is deferred, and reused after the stream has passed") {
  const auto frames = frames_of("streams");
  CHECK(frames[5].event == LensEvent::DeferredFree);
  CHECK(value(frames[5], "deferred") == 4096);
  CHECK(value(frames[6], "offset") == 4096);  // y next to x
  CHECK(frames[8].event == LensEvent::Reused);
  CHECK(value(frames[8], "offset") == 0);  // z in the bytes of x
  const auto alone = frames_of("streams", {{"operations", "allocate x 4096; use x compute; free x; allocate y 4096"}});
  CHECK(alone[3].event == LensEvent::Freed);
  CHECK(alone[4].event == LensEvent::Reused);
  CHECK(error_of("streams", {{"operations", "free x"}}).find("'free x'") != std::string::npos);
  const auto segments = frames_of("streams", {{"operations", "allocate x 12288; allocate y 12288; allocate z 2048"}});
  CHECK(value(segments[1], "offset") == 0);
  CHECK(value(segments[2], "offset") == 16384);
  // Both segments have a hole of the same size: the addresses of the segments decide.
  CHECK((value(segments[3], "offset") == 12288 || value(segments[3], "offset") == 16384 + 12288));
  CHECK(current(segments[2].strips[0]).begin == 16384);
}

TEST_CASE("storages hold references to their block, which is freed with the last one") {
  const auto frames = frames_of("storage");
  CHECK(values(frames, "references") == List{1, 2, 3, 3, 0, 1, 0, 0, 0});
  CHECK(values(frames, "blocks") == List{1, 1, 1, 1, 1, 2, 2, 2, 1});
  CHECK(frames[3].strips[3].cells[0].begin == 24);  // c, a slice of b
  CHECK(frames[4].event == LensEvent::Full);        // d, beyond the end of b
  CHECK(frames[5].event == LensEvent::Dropped);
  CHECK(frames[6].event == LensEvent::Borrowed);
  CHECK(frames[7].event == LensEvent::NoBytes);
  CHECK(frames[9].event == LensEvent::BlockFreed);
  const auto empty = frames_of("storage", {{"operations", "allocate e 0; drop e"}});
  CHECK(empty[2].event == LensEvent::Dropped);
  CHECK(error_of("storage", {{"operations", "drop a"}}).find("'drop a'") != std::string::npos);
}

TEST_CASE("threads share rows and the work buffer, and meet at a barrier") {
  const auto tasks = frames_of("tasks", {{"rows", "11"}, {"threads", "4"}, {"work bytes", "80"}});
  CHECK(values(tasks, "rows") == List{3, 3, 3, 2});
  CHECK(values(tasks, "first") == List{0, 3, 6, 9});
  CHECK(value(tasks.back(), "work") == 4 * 128);
  const auto met = frames_of("barrier", {{"threads", "3"}, {"order of arrival", "2 0 1; 0 1 2"}});
  REQUIRE(met.size() == 1 + 2 * 4);
  CHECK(values(met, "arrived") == List{1, 2, 3, 3, 1, 2, 3, 3});
  CHECK(values(met, "generation") == List{1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(met[1].strips[0].cells[2].label == "2: 1");
  CHECK(error_of("barrier", {{"order of arrival", "0 0 1"}}).find("once") != std::string::npos);
}

TEST_CASE("the frame before the first operation has every strip") {
  for (const LensExperiment& lens : lens_experiments()) {
    CAPTURE(lens.name);
    const auto frames = frames_of(lens.name);
    REQUIRE_FALSE(frames.front().strips.empty());
    for (const LensStrip& later : frames.back().strips) {
      CAPTURE(later.title);
      const auto start = std::ranges::find(frames.front().strips, later.title, &LensStrip::title);
      REQUIRE(start != frames.front().strips.end());
      CHECK((later.length == 0 || start->length > 0));
    }
  }
}

TEST_CASE("a device's buffer is padded, and its image has groups of channels side by side") {
  const auto buffer = frames_of("acquire", {{"shape", "1 5 5 3"}});
  CHECK(values(buffer, "bytes") == List{300, 800, 1040, 1088});
  CHECK(bytes_of(buffer.back().strips[0], CellKind::Data) == 300);
  CHECK(values(frames_of("acquire", {{"shape", "1 5 5 8"}}), "bytes") == List{800, 800, 1040, 1088});
  const auto image = frames_of("image", {{"shape", "1 5 5 9"}});
  CHECK(values(image, "width") == List{5, 10, 15});
  CHECK(values(image, "height") == List{5, 5, 5});
  CHECK(image.back().strips.size() == 5);
  CHECK(error_of("image", {{"shape", "5 5"}}) == "shape: expected 4 to 4 entries, found 2");
}

TEST_CASE("a mask rounds up to a power of two") {
  CHECK(values(frames_of("pad", {{"x", "51"}, {"n", "16"}}), "value") == List{66, -16, 64});
  CHECK(values(frames_of("pad", {{"x", "64"}, {"n", "16"}}), "value") == List{79, -16, 64});
  CHECK(error_of("pad", {{"n", "12"}}) == "n: expected 1, 2, 4, 8, …, found '12'");
}

TEST_CASE("the number of elements is checked for overflow, zero and negative sizes") {
  const auto frames = frames_of("numel", {{"shape", "2097152 2097152 2097152"}});
  CHECK(frames.back().event == LensEvent::Refused);
  CHECK(value(frames[2], "elements") == 4398046511104.0);
  const auto zero = frames_of("numel", {{"shape", "4 0 3"}});
  CHECK(values(zero, "elements") == List{4, 0, 0});
  CHECK(frames_of("numel", {{"shape", "4 -1"}}).back().event == LensEvent::Refused);
}

TEST_CASE("a pool's free list is sorted by size, and the smallest sufficient buffer is taken") {
  const auto frames = frames_of("freelist");
  CHECK(values(frames, "free") == List{0, 0, 0, 1, 2, 3, 2, 2, 2, 3, 0});
  const LensStrip& list = frames[6].strips[0];
  REQUIRE(list.cells.size() == 3);
  CHECK(list.cells[0].label == "1024");
  CHECK(list.cells[2].label == "4096");
  CHECK(frames[7].event == LensEvent::FoundBuffer);
  CHECK(frames[7].arguments[3] == "2048");
  CHECK(frames[8].event == LensEvent::NewBuffer);  // separate, although larger ones are free
  CHECK(value(frames[9], "static") == 512);
  CHECK(frames[10].event == LensEvent::Recycled);
  CHECK(frames[11].arguments[0] == "5632");
  CHECK(value(frames[11], "reserved") == 2048 + 900);
  CHECK(error_of("freelist", {{"operations", "drop a"}}).find("'drop a'") != std::string::npos);
}

TEST_CASE("a free image is reused if it is wide and high enough") {
  const auto frames = frames_of("imagepool");
  CHECK(values(frames, "images") == List{1, 2, 2, 2, 2, 3});
  CHECK(frames[5].event == LensEvent::FoundImage);
  CHECK(frames[5].arguments == std::vector<std::string>{"c", "10", "5", "15", "5"});
  CHECK(value(frames[5], "wasted") == 25);
  CHECK(frames[6].event == LensEvent::NewImage);  // neither 5 × 20 nor an image in use
  CHECK(error_of("imagepool", {{"operations", "drop a"}}).find("'drop a'") != std::string::npos);
}

TEST_CASE("nodes acquire their buffers when a network is resized, and free them after the last reader") {
  const auto frames = frames_of("resize");
  std::vector<std::string> acquired, recycled;
  for (const LensFrame& frame : frames) {
    if (frame.event == LensEvent::NewBuffer || frame.event == LensEvent::FoundBuffer)
      acquired.push_back(frame.arguments[0] + " " + frame.arguments[2]);
    if (frame.event == LensEvent::Recycled) recycled.push_back(frame.arguments[0]);
  }
  CHECK(acquired ==
        std::vector<std::string>{"w static", "x separate", "h dynamic", "r dynamic", "s dynamic", "o separate"});
  CHECK(recycled == std::vector<std::string>{"h", "r", "s"});
  CHECK(value(frames.back(), "dynamic") == 512 + 3 * 256);
  CHECK(value(frames.back(), "static") == 512);
}

TEST_CASE("the runtime of a device lives as long as a backend refers to it") {
  const auto frames = frames_of("owners");
  CHECK(values(frames, "runtime") == List{1, 2, 2, 3, 3, 2, 1, 0, 0});
  CHECK(values(frames, "device") == List{1, 2, 2, 3, 3, 2, 2, 0, 0});
  CHECK(values(frames, "kernels") == List{0, 0, 1, 1, 1, 1, 1, 0, 0});
  CHECK(frames[5].event == LensEvent::Cached);
  CHECK(frames[7].event == LensEvent::Kept);
  CHECK(frames[9].event == LensEvent::Destroyed);
  CHECK(error_of("owners", {{"operations", "backend a"}}).find("'backend a'") != std::string::npos);
}

TEST_CASE("block planners assign blocks, shrink them and align them") {
  const auto most = frames_of("ranges", {{"planner", "max-block"}});
  CHECK(value(most.back(), "blocks") == 3);
  CHECK(value(most.back(), "range") == 4096);
  CHECK(value(most.back(), "arena") == 6656);
  CHECK(value(most[7 - 1], "bytes") == 3 * 4096);
  const auto doubling = frames_of("ranges", {{"planner", "binary-block"}});
  CHECK(value(doubling.back(), "ranges") == 3);
  CHECK(doubling[1].arguments[0] == "1024, 2048, 4096");
  CHECK(value(doubling.back(), "arena") == 7680);
  const auto odd = frames_of("ranges", {{"graph", "A 700; B 900 <- A; out 0 <- B"}, {"alignment", "512"}});
  CHECK(value(odd.back(), "arena") == 1024 + 900);
  CHECK(bytes_of(odd.back().strips.back(), CellKind::Padding) == 1024 - 700);
  CHECK(error_of("ranges", {{"planner", "search"}}) == "planner: expected max-block, binary-block, found 'search'");
}

TEST_CASE("an order decides lifetimes: the example of GE's article") {
  const auto left = frames_of("order", {{"order", "depth-first"}});
  const auto right = frames_of("order", {{"order", "reverse-depth-first"}});
  // The article counts from one and includes the last step: B lives in [2, 6], A in [1, 3]; then B in [5, 6], A in [1, 5].
  CHECK(value(left.back(), "B") == 5);
  CHECK(value(left.back(), "A") == 3);
  CHECK(value(right.back(), "B") == 2);
  CHECK(value(right.back(), "A") == 5);
  CHECK(value(left.back(), "peak") == 3 * 2048);
  CHECK(value(right.back(), "peak") == 1024 + 2 * 2048);
  // A variable stays alive anyway: GE moves B to just before its reader.
  const LensInput variable{
      {"graph", "A = weight f32 16 16; B = RELU A; C = RELU A; D = RELU C; E = REDUCE_SUM D 0; F = MUL B E"},
      {"order", "ge"}};
  CHECK(value(frames_of("order", variable).back(), "B") == 2);
  CHECK(error_of("order", {{"order", "any"}}).starts_with("order: expected depth-first"));
}

TEST_CASE("whole networks are planned, and moved nodes lower the peak of a large model") {
  const auto two = frames_of("networks", {{"networks", "squeezenet mobilenet_v2"}});
  REQUIRE(two.size() == 3);
  CHECK(value(two.back(), "networks") == 2);
  CHECK(value(two.back(), "two-level") >= value(two.back(), "bound"));
  CHECK(value(two.back(), "none") > 2 * value(two.back(), "two-level"));
  CHECK(error_of("networks", {{"networks", "no_such"}}).starts_with("networks: "));
  const auto moved = frames_of("moves", {{"tokens", "512"}});
  REQUIRE(moved.size() == 3);
  CHECK(value(moved.back(), "percent") > 50);
  CHECK(value(moved[1], "copies") > value(moved[1], "peak") / 2);
  CHECK(value(moved.back(), "copies") < value(moved[1], "copies") / 10);
}

TEST_CASE("a scratch buffer takes data while it is set, and is put aside and set again") {
  const auto frames = frames_of("scratch");
  CHECK(values(frames, "scratch") == List{0, 0, 128, 128, 128, 128, 256, 256, 256});
  CHECK(frames[3].event == LensEvent::InScratch);
  CHECK(frames[4].event == LensEvent::ScratchSaved);
  CHECK(frames[5].event == LensEvent::Object);
  CHECK(bytes_of(frames.back().strips[0], CellKind::Data) == 32 + 12 + 8);  // a, params and d
  CHECK(frames_of("scratch", {{"scratch", "64"}}).back().event == LensEvent::Full);
}

TEST_CASE("the size of a pool is estimated and suffices") {
  const auto frames = frames_of("size");
  CHECK(value(frames[1], "summand") == 32);
  CHECK(value(frames[2], "summand") == 24);
  CHECK(value(frames.back(), "estimate") == value(frames[5], "estimate"));
  CHECK(value(frames.back(), "spare") > 0);
  CHECK(frames.back().event == LensEvent::Object);
}

TEST_CASE("the description of a tensor is shown field by field, with its flags") {
  const auto frames = frames_of("fields", {{"flags", "parameter output"}});
  CHECK(value(frames.back(), "flags") == 6);
  const auto flags = std::ranges::find_if(
      frames, [](const LensFrame& f) { return f.event == LensEvent::Field && f.arguments[0] == "flags"; });
  REQUIRE(flags != frames.end());
  CHECK(flags->arguments[3] == "6 (output | parameter)");
  CHECK(current(flags->strips[0]).length == 4);
  CHECK(error_of("fields", {{"flags", "large"}}).find("'large'") != std::string::npos);
}

TEST_CASE("a refused input is described for other languages") {
  const auto problem_of = [](const char* experiment, const LensInput& input) {
    LensProblem problem;
    const auto frames = run_lens(experiment, input, &problem);
    REQUIRE_FALSE(frames.ok());
    CHECK(problem.message == frames.error().message);
    return problem;
  };
  using Kind = LensProblem::Kind;
  const LensProblem integer = problem_of("pool", {{"pool", "many"}});
  CHECK(integer.kind == Kind::Integer);
  CHECK(integer.parameter == "pool");
  CHECK(integer.arguments == std::vector<std::string>{"64", "1048576", "many"});
  CHECK(problem_of("image", {{"shape", "5 5"}}).kind == Kind::Count);
  const LensProblem syntax = problem_of("freelist", {{"operations", "acquire a 64; fly"}});
  CHECK(syntax.kind == Kind::Expected);
  CHECK(syntax.arguments[1] == "fly");
  CHECK(problem_of("walk", {{"graph", "x = input f32 4; y = FLY x"}}).kind == Kind::Other);
}

TEST_CASE("a lesson shows an experiment and claims its values") {
  const auto lesson = parse("x.md",
                            "title: T\nsee also: a.cpp\ngraph:\n  A 1024\n  out 0 <- A\n## A\n! graph\n! show bytes\n"
                            "! lens bump capacity=2048 requests=1000+700\n! expect frames 2\n! expect lens(used) 1724\n"
                            "! expect lens(offset,1) 0\nIt has {frames} slices.\n## B\n! show bytes\n"
                            "! expect lens(used) 1724\n! ask number "
                            "lens(used)\n! right Yes.\nHow many bytes are used?\n");
  REQUIRE_MESSAGE(lesson.ok(), (lesson ? "" : lesson.error().message));
  const auto failures = check(*lesson);
  CHECK_MESSAGE(failures.empty(), (failures.empty() ? "" : failures.front().message));
  const auto without = parse("x.md",
                             "title: T\nsee also: a.cpp\ngraph:\n  A 1024\n  out 0 <- A\n## A\n! graph\n"
                             "! show bytes\n! expect nodes 2\n! ask number nodes\n! right Yes.\nHow many?\n");
  REQUIRE(without.ok());
  REQUIRE(check(*without).size() == 1);
  CHECK(check(*without).front().message.find("no experiment is shown") != std::string::npos);
  CHECK(run_lens("fly", {}).error().message.find("tensor, strides, block") != std::string::npos);
  CHECK(error_of("bump", {{"colour", "1"}}) == "the experiment 'bump' has no parameter 'colour'");
}

}  // namespace
}  // namespace arenascope::lesson
