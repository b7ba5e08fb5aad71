// SPDX-License-Identifier: MIT
// Object pools: with tensor data, descriptions only, too small, in the caller's buffer, with a separate scratch buffer.
#include <arenascope/graph/graph.h>

#include <array>

#include <fmt/format.h>

#include "engine/lesson/program_context.h"

namespace arenascope::lesson {
namespace {

// Two matrices and their matmul; afterwards the pool is described under `name`.
Status build(trace::Recorder& recorder, const ContextParams& params, const char* name, bool scratch = false) {
  auto context = Context::create(params);
  if (!context) return context.error();
  RecordedContext recorded(recorder);
  if (scratch) {
    auto storage = Storage::allocate(*recorded, {}, MemoryKind::Workspace, 4096);
    if (!storage) return storage.error();
    context->set_scratch({*storage, 0});
  }
  const auto describe = [&](const Status& status) {
    trace::ContextInfo info = describe_context(*context);
    info.name = name;
    recorder.describe(std::move(info));
    if (!status) recorded.problem(status.error().message);
    return Status();
  };
  auto a = context->new_tensor(DType::F32, {4, 2}, "a");
  if (!a) return describe(a.error());
  auto b = context->new_tensor(DType::F32, {3, 2}, "b");
  if (!b) return describe(b.error());
  const Tensor sources[] = {*a, *b};
  auto result = context->apply(Op::MulMat, sources, {}, "result");
  if (!result) return describe(result.error());
  auto graph = context->new_graph(4);
  if (!graph) return describe(graph.error());
  if (auto done = graph->expand(*result); !done) return describe(done.error());
  auto work = context->new_work_buffer(256);
  return describe(work ? Status() : Status(work.error()));
}

Status objects(trace::Recorder& recorder) { return build(recorder, {.mem_size = 4096}, "objects"); }
Status objects_no_alloc(trace::Recorder& recorder) {
  return build(recorder, {.mem_size = 4096, .no_alloc = true}, "objects_no_alloc");
}
Status objects_full(trace::Recorder& recorder) { return build(recorder, {.mem_size = 640}, "objects_full"); }
Status objects_scratch(trace::Recorder& recorder) {
  return build(recorder, {.mem_size = 4096}, "objects_scratch", true);
}
Status objects_own(trace::Recorder& recorder) {
  alignas(64) std::array<std::byte, 4096> buffer;
  return build(recorder, {.mem_size = buffer.size(), .mem_buffer = buffer.data()}, "objects_own");
}

constexpr Program kObjectsPrograms[] = {
    {"objects", "a pool that includes the tensor data", objects},
    {"objects_no_alloc", "an object pool without data", objects_no_alloc},
    {"objects_full", "an object pool that is too small", objects_full},
    {"objects_scratch", "an object pool and a separate scratch buffer", objects_scratch},
    {"objects_own", "a pool in the caller's buffer", objects_own},
};

}  // namespace

std::span<const Program> object_programs() { return kObjectsPrograms; }

}  // namespace arenascope::lesson
