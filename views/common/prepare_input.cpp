// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/prepare_input.h>

namespace arenascope::views {

PrepareInput PrepareInput::comparison_input() const {
  const ComparisonSide& o = comparison->other;
  return {o.snapshot, nullptr, o.run, o.graph.get(), o.plan.get(), nullptr, comparison->frame(axis, snapshot->run(run)),
          pixels};
}

}  // namespace arenascope::views
