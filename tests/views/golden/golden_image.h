// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the golden image tests: sizes, creation of views by name, an object pool.
#pragma once
#include <sample_session.h>
#include <views/arena/arena_view.h>
#include <views/graph/graph_view.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/tables/objects_view.h>
#include <views/timeline/timeline_view.h>

#include <functional>
#include <memory>
#include <string>

namespace arenascope::test {

constexpr QSize kSize(640, 320);
constexpr QSize kGrid(80, 40);

inline std::unique_ptr<QWidget> make_view(const QString& name, const views::ViewContext& c) {
  if (name == "occupancy") return std::make_unique<views::OccupancyView>(c, nullptr);
  if (name == "arena") return std::make_unique<views::ArenaView>(c, nullptr);
  if (name == "lifetimes") return std::make_unique<views::LifetimesView>(c, nullptr);
  if (name == "timeline") return std::make_unique<views::TimelineView>(c, nullptr);
  if (name == "objects") return std::make_unique<views::ObjectsView>(c.source, c.selection, c.theme);
  return std::make_unique<views::GraphView>(c.source, c.selection, c.axis, c.theme);
}

// Sixty consecutive objects, the last one a graph.
inline void describe_objects(trace::Session& session, const std::function<std::string(int)>& name_of) {
  trace::ContextInfo context;
  context.id = trace::ContextId(0);
  context.name = "graph";
  context.mem_size = 64 * 400;
  for (int i = 0; i < 60; ++i) {
    trace::ObjectInfo object;
    object.header_offset = i * 400;
    object.header_size = 32;
    object.offset = i * 400 + 32;
    object.size = 368;
    object.type = i == 59 ? "graph" : "tensor";
    object.next = i < 59 ? i + 1 : -1;
    object.name = name_of(i);
    context.objects.push_back(object);
  }
  context.used_mem = 60 * 400;
  session.describe(std::make_shared<const trace::ContextInfo>(context));
}

}  // namespace arenascope::test
