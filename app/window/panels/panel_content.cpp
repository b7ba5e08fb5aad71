// SPDX-License-Identifier: GPL-3.0-or-later
#include "panel_content.h"

#include <algorithm>
#include <iterator>

namespace arenascope::app {

namespace {

struct PanelNeed {
  PanelId id;
  const char* name;
  bool (*is_met)(const DocumentContent& content);
};

using C = const DocumentContent&;

constexpr PanelNeed kNeeds[] = {
    {PanelId::Graph, "graph", [](C c) { return c.graph; }},
    // Without a history the memory has no curve, and the arena map is of a single moment.
    {PanelId::Occupancy, "occupancy", [](C c) { return c.plan || (c.memory && c.history); }},
    {PanelId::Arena, "arena", [](C c) { return c.plan || c.addresses; }},
    {PanelId::Lifetimes, "lifetimes", [](C c) { return c.plan || (c.addresses && c.history); }},
    {PanelId::Timeline, "timeline", [](C c) { return c.spans || c.counters || c.role.runnable; }},
    {PanelId::Inspector, "inspector", [](C) { return true; }},
    {PanelId::Lesson, "lesson", [](C) { return true; }},
    {PanelId::Nodes, "nodes", [](C c) { return c.graph; }},
    {PanelId::Ops, "ops", [](C c) { return c.graph; }},
    {PanelId::Layers, "layers", [](C c) { return c.graph; }},
    {PanelId::Objects, "objects", [](C c) { return c.objects; }},
    {PanelId::Bytes, "bytes", [](C c) { return c.graph || c.objects; }},
    {PanelId::Settings, "settings", [](C c) { return c.role.runnable; }},
    {PanelId::Compare, "compare", [](C c) { return c.role.compared; }},
    {PanelId::Text, "text", [](C c) { return c.role.runnable; }},
    {PanelId::Training, "training", [](C c) { return c.role.runnable; }},
    {PanelId::CallSites, "callsites", [](C c) { return c.stacks && c.addresses; }},
    {PanelId::Flame, "flame", [](C c) { return c.frames; }},
    {PanelId::Blocks, "blocks", [](C c) { return c.plan || c.addresses; }},
    {PanelId::Allocators, "allocators", [](C c) { return c.memory; }},
    {PanelId::Laboratory, "laboratory", [](C c) { return c.role.replayable && c.history; }},
    {PanelId::Pools, "pools", [](C c) { return c.pools; }},
    {PanelId::Planners, "planners", [](C c) { return c.plan || c.plannable; }},
    {PanelId::Reuse, "reuse", [](C c) { return c.plan; }},
    {PanelId::Moves, "moves", [](C c) { return c.graph && c.plan; }},
    {PanelId::Holes, "holes", [](C c) { return c.plan || c.segments; }},
    {PanelId::Findings, "findings", [](C c) { return c.plan || c.plannable || c.memory; }},
    {PanelId::Barriers, "barriers", [](C c) { return c.barriers; }},
    {PanelId::Roofline, "roofline", [](C c) { return c.operations; }},
    {PanelId::Durations, "durations", [](C c) { return c.spans; }},
    {PanelId::Spans, "spans", [](C c) { return c.spans; }},
    {PanelId::Counters, "counters", [](C c) { return c.counters; }},
    {PanelId::Tuning, "tuning", [](C c) { return c.tunings; }},
    {PanelId::Breakpoints, "breakpoints", [](C c) { return c.steps; }},
    {PanelId::Problems, "problems", [](C c) { return c.problems; }},
    {PanelId::Notes, "notes", [](C) { return true; }},
    {PanelId::Query, "query", [](C) { return true; }},
    {PanelId::Search, "search", [](C) { return true; }},
};

static_assert(has_row_per_panel(kNeeds));

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

bool has_content(PanelId panel, const DocumentContent& content) {
  return !content.open || content.role.lesson || kNeeds[index_of(panel)].is_met(content);
}

const char* name_of(PanelId id) { return kNeeds[index_of(id)].name; }

std::optional<PanelId> panel_named(std::string_view name) {
  const auto* const need = std::ranges::find_if(kNeeds, [&](const PanelNeed& each) { return name == each.name; });
  return need == std::end(kNeeds) ? std::nullopt : std::optional(need->id);
}

}  // namespace arenascope::app
