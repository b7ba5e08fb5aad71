// SPDX-License-Identifier: GPL-3.0-or-later
#include "panel_content.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace arenascope::app {

namespace {

struct PanelNeed {
  std::string_view panel;
  bool (*is_met)(const DocumentContent& content);
};

using C = const DocumentContent&;

constexpr PanelNeed kNeeds[] = {
    {"graph", [](C c) { return c.graph; }},
    // Without a history the memory has no curve, and the arena map is of a single moment.
    {"occupancy", [](C c) { return c.plan || (c.memory && c.history); }},
    {"arena", [](C c) { return c.plan || c.addresses; }},
    {"lifetimes", [](C c) { return c.plan || (c.addresses && c.history); }},
    {"timeline", [](C c) { return c.spans || c.counters || c.role.runnable; }},
    {"inspector", [](C) { return true; }},
    {"lesson", [](C) { return true; }},
    {"nodes", [](C c) { return c.graph; }},
    {"ops", [](C c) { return c.graph; }},
    {"layers", [](C c) { return c.graph; }},
    {"objects", [](C c) { return c.objects; }},
    {"bytes", [](C c) { return c.graph || c.objects; }},
    {"settings", [](C c) { return c.role.runnable; }},
    {"compare", [](C c) { return c.role.compared; }},
    {"text", [](C c) { return c.role.runnable; }},
    {"training", [](C c) { return c.role.runnable; }},
    {"callsites", [](C c) { return c.stacks && c.addresses; }},
    {"flame", [](C c) { return c.frames; }},
    {"blocks", [](C c) { return c.plan || c.addresses; }},
    {"allocators", [](C c) { return c.memory; }},
    {"laboratory", [](C c) { return c.role.replayable && c.history; }},
    {"pools", [](C c) { return c.pools; }},
    {"planners", [](C c) { return c.plan || c.plannable; }},
    {"reuse", [](C c) { return c.plan; }},
    {"moves", [](C c) { return c.graph && c.plan; }},
    {"holes", [](C c) { return c.plan || c.segments; }},
    {"findings", [](C c) { return c.plan || c.plannable || c.memory; }},
    {"barriers", [](C c) { return c.barriers; }},
    {"spans", [](C c) { return c.spans; }},
    {"counters", [](C c) { return c.counters; }},
    {"tuning", [](C c) { return c.tunings; }},
    {"breakpoints", [](C c) { return c.steps; }},
    {"problems", [](C c) { return c.problems; }},
    {"query", [](C) { return true; }},
    {"search", [](C) { return true; }},
};

constexpr auto kPanels = [] {
  std::array<std::string_view, std::size(kNeeds)> ids;
  std::ranges::transform(kNeeds, ids.begin(), &PanelNeed::panel);
  return ids;
}();

}  // namespace

LayoutKind layout_kind_of(const DocumentContent& c) {
  if (!c.open || c.graph || c.role.runnable || c.role.attached || c.role.lesson) return LayoutKind::Model;
  if (c.memory && (!c.spans || (c.addresses && c.mostly_memory))) return LayoutKind::Memory;
  if (c.spans) return LayoutKind::Trace;
  if (c.plan) return LayoutKind::Plan;
  return c.counters ? LayoutKind::Trace : LayoutKind::Model;
}

const char* name_of(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::Memory: return "memory";
    case LayoutKind::Trace: return "trace";
    case LayoutKind::Plan: return "plan";
    case LayoutKind::Model: break;
  }
  return "model";
}

const char* default_layout_of(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::Memory: return "memory";
    case LayoutKind::Trace: return "time";
    case LayoutKind::Plan: return "plan";
    case LayoutKind::Model: break;
  }
  return "default";
}

bool has_content(std::string_view panel, const DocumentContent& content) {
  const auto* const need = std::ranges::find(kNeeds, panel, &PanelNeed::panel);
  if (need == std::end(kNeeds)) return false;
  return !content.open || content.role.lesson || need->is_met(content);
}

std::span<const std::string_view> panels_with_needs() { return kPanels; }

}  // namespace arenascope::app
