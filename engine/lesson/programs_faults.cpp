// SPDX-License-Identifier: MIT
// Five programs with one fault each: a leak, a fragmented pool, one slow thread, an unnecessary copy, and a result that
// could have been computed in place.
#include <arenascope/lesson/stage.h>
#include <arenascope/runtime/barrier.h>

#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "engine/lesson/program_context.h"

namespace arenascope::lesson {
namespace {

// Each request keeps its logits "for later".
Status leak(trace::Recorder& recorder) {
  std::vector<std::string> names = numbered("logits ", 8);
  names.insert(names.end(), {"weights", "activations"});
  RecordedContext context(recorder, names);
  ARENASCOPE_TRY(context.allocate("weights", MemoryKind::Persistent, 256 * KiB));
  for (int request = 0; request < 8; ++request) {
    ARENASCOPE_TRY(context.allocate("activations", MemoryKind::Workspace, 64 * KiB));
    ARENASCOPE_TRY(context.allocate(fmt::format("logits {}", request), MemoryKind::Default, 16 * KiB));
    context.free("activations");
  }
  return {};
}

// Small tensors with alternating lifetimes leave holes of their own size.
Status fragmented(trace::Recorder& recorder) {
  std::vector<std::string> names = numbered("small ", 16);
  names.push_back("large");
  RecordedContext context(recorder, names);
  const auto allocator = std::make_shared<SegmentAllocator>(256 * KiB);
  ARENASCOPE_TRY(context.use(MemoryKind::Workspace, allocator));
  for (int i = 0; i < 16; ++i)
    ARENASCOPE_TRY(context.allocate(fmt::format("small {}", i), MemoryKind::Workspace, 16 * KiB));
  for (int i = 0; i < 16; i += 2) context.free(fmt::format("small {}", i));
  context.problem(fmt::format("cannot allocate 32768 bytes: {} are free, but the largest free block has {}",
                              allocator->free_bytes(), allocator->largest_free()),
                  trace::ProblemKind::Fragmentation);
  return context.allocate("large", MemoryKind::Workspace, 32 * KiB);
}

// A triangular matrix whose rows are distributed as if all had the same length: the last thread gets most of the
// elements.
Status slow_thread(trace::Recorder& recorder) {
  constexpr int kThreads = 3, kRows = 3 * 64, kRounds = 8;
  trace::GraphInfo graph;
  graph.model = "triangle";
  trace::TensorInfo node;
  node.name = "triangle";
  node.op = "REDUCE_SUM";
  node.dtype = "f32";
  node.shape = {kRows};
  node.strides = {4};
  node.bytes = 4 * kRows;
  node.tasks = kThreads;
  node.flags = trace::kOutput;
  graph.nodes.push_back(node);
  trace::RunInfo info;
  info.graph = recorder.describe(std::move(graph));
  info.threads = kThreads;
  info.backend = "cpu";
  info.begin = recorder.now();
  std::vector<trace::ThreadRing*> rings;
  for (int i = 0; i < kThreads; ++i) rings.push_back(recorder.register_thread(fmt::format("thread {}", i)));
  const trace::RunId run = recorder.begin_run(info);
  Barrier barrier(kThreads, 0);
  std::vector<double> sums(kRows);
  const auto work = [&](int ith) {
    for (int round = 0; round < kRounds; ++round) {
      const Nanoseconds begin = recorder.now();
      for (int row = ith * kRows / kThreads; row < (ith + 1) * kRows / kThreads; ++row) {
        double sum = 0;
        for (int i = 0; i < row * row / 64 * row; ++i) sum += std::sqrt(static_cast<double>(i));
        sums[static_cast<size_t>(row)] = sum;
      }
      const Nanoseconds arrive = recorder.now();
      const uint32_t generation = barrier.generation(ith);
      barrier.meet(ith);
      rings[static_cast<size_t>(ith)]->record(trace::work(run, NodeId(0), begin, arrive));
      rings[static_cast<size_t>(ith)]->record(trace::wait(run, NodeId(0), arrive, recorder.now(), generation));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  }
  recorder.end_run(run);
  return {};
}

Status run_graph(trace::Recorder& recorder, const char* text) {
  auto lesson = parse("program.md", text);
  if (!lesson) return lesson.error();
  auto model = lesson_model(*lesson);
  if (!model) return model.error();
  RunnerOptions options = runner_options(lesson->settings);
  options.recorder = &recorder;
  auto runner = Runner::open(std::move(*model), options);
  if (!runner) return runner.error();
  auto ran = (*runner)->run();
  return ran ? Status() : Status(ran.error());
}

Status needless_copy(trace::Recorder& recorder) {
  return run_graph(recorder,
                   "title: A copy\n"
                   "graph:\n"
                   "  x = input f32 64 256\n"
                   "  w1 = weight f32 256 256\n"
                   "  w2 = weight f32 64 256\n"
                   "  hidden = MUL_MAT w1 x\n"
                   "  active = RELU hidden\n"
                   "  tidy = CONT active\n"
                   "  logits = MUL_MAT w2 tidy\n"
                   "## A step\n");
}

Status lost_in_place(trace::Recorder& recorder) {
  return run_graph(recorder,
                   "title: In place\n"
                   "settings: in_place=on\n"
                   "graph:\n"
                   "  x = input f32 64 256\n"
                   "  w = weight f32 256 256\n"
                   "  product = MUL_MAT w x\n"
                   "  scaled = SCALE product 0.5\n"
                   "  active = RELU scaled\n"
                   "  shifted = SCALE active 0.25\n"
                   "  check = REDUCE_SUM active 1\n"
                   "  result = ADD shifted check\n"
                   "## A step\n");
}

constexpr Program kFaultsPrograms[] = {
    {"leak", "a program that leaks memory", leak},
    {"fragmented", "a pool with fragmented free memory", fragmented},
    {"slow_thread", "threads with most of the work in one of them", slow_thread},
    {"needless_copy", "a network that copies a contiguous tensor", needless_copy},
    {"lost_in_place", "a chain of ops of which one cannot run in place", lost_in_place},
};

}  // namespace

std::span<const Program> fault_programs() { return kFaultsPrograms; }

}  // namespace arenascope::lesson
