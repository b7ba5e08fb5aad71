// SPDX-License-Identifier: MIT
// Allocation call stacks of a PyTorch snapshot: {"frames": [{"name", "filename", "line"}, …]}, innermost first. Many
// entries have the same list, as a shared object or as copies.
#pragma once
#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/trace/import_builder.h"
#include "engine/trace/pickle.h"
#include "engine/trace/pytorch_snapshot.h"

namespace arenascope::trace {

class PytorchStacks {
 public:
  static constexpr int32_t kNone = PytorchSnapshot::kNoStack;
  explicit PytorchStacks(ImportBuilder& builder) : builder_(builder) {}

  int32_t of(const PickleValue& entry) {
    const PickleValue* frames = entry.get("frames");
    if (frames == nullptr || frames->type != PickleValue::List || frames->items.empty()) return kNone;
    const auto [known, fresh] = by_list_.try_emplace(frames, kNone);
    if (fresh) known->second = add(*frames);
    return known->second;
  }
  void took(int32_t stack, uint32_t allocation) {
    if (stack != kNone) stacks_[static_cast<size_t>(stack)].allocations.push_back(allocation);
  }
  // Call after the builder has described its names.
  void describe(Sink& sink) {
    for (StackInfo& stack : stacks_)
      if (!stack.allocations.empty()) sink.describe(std::move(stack));
  }

 private:
  static constexpr size_t kMaxFrames = 512;       // per stack; outermost frames are dropped
  static constexpr size_t kMaxNameLength = 1024;  // per name

  NameId name(std::string_view text) {
    return text.empty() || text == "??" ? NameId::none() : builder_.name(text.substr(0, kMaxNameLength));
  }
  int32_t add(const PickleValue& frames) {
    StackInfo stack;
    std::string key;
    for (const PickleValue* frame : frames.items) {
      if (stack.frames.size() == kMaxFrames) break;
      const int64_t line = frame->integer_of("line");
      stack.frames.push_back({name(frame->text_of("name")), name(frame->text_of("filename")),
                              line > 0 && line <= INT32_MAX ? static_cast<int32_t>(line) : 0});
      const StackFrame& f = stack.frames.back();
      key += fmt::format("{},{},{};", f.function.value, f.file.value, f.line);
    }
    const auto [known, fresh] = by_frames_.try_emplace(std::move(key), static_cast<int32_t>(stacks_.size()));
    if (fresh) stacks_.push_back(std::move(stack));
    return known->second;
  }

  ImportBuilder& builder_;
  std::unordered_map<const PickleValue*, int32_t> by_list_;
  std::unordered_map<std::string, int32_t> by_frames_;
  std::vector<StackInfo> stacks_;
};

}  // namespace arenascope::trace
