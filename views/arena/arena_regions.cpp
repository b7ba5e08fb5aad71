// SPDX-License-Identifier: GPL-3.0-or-later
#include "arena_regions.h"

#include <views/common/figure.h>

#include <arenascope/base/layer_name.h>

#include <QCoreApplication>
#include <algorithm>

namespace arenascope::views {

namespace {
struct ArenaRegionTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::ArenaView)
};
}  // namespace

void add_regions(HeaderContent& h, const trace::GraphInfo* graph) {
  if (graph == nullptr) return;
  const bool nested = std::any_of(graph->nodes.begin(), graph->nodes.end(),
                                  [](const trace::TensorInfo& n) { return !layer_around(n.layer).empty(); });
  if (nested) h.facts << ArenaRegionTexts::tr("loops and branches in this plan");
  if (const auto waits = static_cast<int>(graph->waits); waits > 0)
    h.add(with_count(ArenaRegionTexts::tr("%n deferred operator(s)", nullptr, waits),
                     "graph." + std::to_string(graph->id.value) + ".waits", waits));
  if (graph->continuation_of.valid()) h.facts << ArenaRegionTexts::tr("planned with shapes from the preceding run");
}

}  // namespace arenascope::views
