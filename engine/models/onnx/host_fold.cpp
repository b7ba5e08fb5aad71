// SPDX-License-Identifier: MIT
// Computes small operators while a model is opened, so that shapes that a file calculates become numbers.
#include <algorithm>

#include "host_fold_parts.h"

namespace arenascope::models {
namespace {

const folding::Table& folds() {
  static const folding::Table table = [] {
    folding::Table t;
    folding::add_arithmetic(t);
    folding::add_movement(t);
    return t;
  }();
  return table;
}

}  // namespace

Result<SliceRange> slice_range(int64_t size, int64_t start, int64_t end, int64_t step) {
  if (step == 0) return Error{"a slice's step is 0"};
  step = std::clamp<int64_t>(step, -(int64_t{1} << 62), int64_t{1} << 62);
  if (start < 0) start += size;
  if (end < 0 && end >= -size)
    end += size;
  else if (end < 0)
    end = step > 0 ? 0 : -1;
  start =
      step > 0 ? std::clamp<int64_t>(start, 0, size) : std::clamp<int64_t>(start, 0, std::max<int64_t>(size - 1, 0));
  end = step > 0 ? std::clamp<int64_t>(end, 0, size) : std::clamp<int64_t>(end, -1, size - 1);
  int64_t count = 0;
  if (step > 0 && end > start) count = (end - start - 1) / step + 1;
  if (step < 0 && size > 0 && start > end) count = (start - end - 1) / -step + 1;
  return SliceRange{start, step, count};
}

bool can_fold(std::string_view op) { return folds().count(op) != 0; }

Result<std::vector<HostArray>> fold(const FoldCall& call) {
  const auto found = folds().find(call.op);
  if (found == folds().end()) return Error{fmt::format("{} cannot be folded", call.op)};
  auto result = found->second(call);
  if (!result) return Error{fmt::format("{}: {}", call.op, result.error().message)};
  return result;
}

}  // namespace arenascope::models
