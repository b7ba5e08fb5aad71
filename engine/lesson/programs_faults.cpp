// SPDX-License-Identifier: MIT
// Five programs, each with one fault: a leak, a pool in pieces, one slow thread, a copy that need not be, and a result
// that could have taken over its input's bytes.
#include <arenascope/lesson/stage.h>
#include <arenascope/runtime/barrier.h>

#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "engine/lesson/program_kit.h"

namespace arenascope::lesson {
namespace {

// Each request keeps its logits "for later".
Status leak(trace::Recorder& recorder) {
  Room room(recorder);
  ARENASCOPE_TRY(room.allocate("weights", MemoryKind::Persistent, 256 * KiB));
  for (int request = 0; request < 8; ++request) {
    ARENASCOPE_TRY(room.allocate("activations", MemoryKind::Workspace, 64 * KiB));
    ARENASCOPE_TRY(room.allocate(fmt::format("logits {}", request), MemoryKind::Default, 16 * KiB));
    room.free("activations");
  }
  return {};
}

// Small tensors that live and die in turns leave holes of their own size.
Status fragmented(trace::Recorder& recorder) {
  Room room(recorder);
  const auto allocator = std::make_shared<SegmentAllocator>(256 * KiB);
  ARENASCOPE_TRY(room.use(MemoryKind::Workspace, allocator));
  for (int i = 0; i < 16; ++i)
    ARENASCOPE_TRY(room.allocate(fmt::format("small {}", i), MemoryKind::Workspace, 16 * KiB));
  for (int i = 0; i < 16; i += 2) room.free(fmt::format("small {}", i));
  room.problem(fmt::format("32768 bytes are asked for: {} are free, the largest piece has {}", allocator->free_bytes(),
                           allocator->largest_free()),
               trace::ProblemKind::Fragmentation);
  return room.allocate("large", MemoryKind::Workspace, 32 * KiB);
}

// A triangle of numbers, whose rows are dealt out as if all were of one length: the last thread has most of them.
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
    {"leak", "a program that keeps what it does not need", leak},
    {"fragmented", "a pool whose free bytes lie in pieces", fragmented},
    {"slow_thread", "threads of which one has most of the work", slow_thread},
    {"needless_copy", "a network that copies what lies in order already", needless_copy},
    {"lost_in_place", "a chain of which one link needs bytes of its own", lost_in_place},
};

}  // namespace

std::span<const Program> fault_programs() { return kFaultsPrograms; }

}  // namespace arenascope::lesson
