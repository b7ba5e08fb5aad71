// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/flame_text.h>

#include <views/common/format.h>
#include <views/common/layer_nodes.h>

#include <algorithm>

namespace arenascope::views {

using trace::FlameKind;
using trace::FlameUnit;
using trace::FlameWeight;

QString FlameText::weight(FlameWeight weight) {
  switch (weight) {
    case FlameWeight::LiveAtPeak: return tr("Live bytes at the peak");
    case FlameWeight::Allocated: return tr("Allocated bytes");
    case FlameWeight::SpanTime: return tr("Time of spans");
    case FlameWeight::NodeTime: return tr("Time of nodes");
    case FlameWeight::NodeWait: return tr("Barrier waits");
    case FlameWeight::NodeFlops: return tr("Floating-point operations");
  }
  return {};
}

QString FlameText::value(double value, FlameUnit unit) {
  switch (unit) {
    case FlameUnit::Bytes: return format_bytes(static_cast<Bytes>(value));
    case FlameUnit::Nanoseconds: return format_ns(static_cast<Nanoseconds>(value));
    case FlameUnit::Flops: break;
  }
  constexpr const char* kPrefixes[] = {"", "K", "M", "G", "T", "P"};
  size_t prefix = 0;
  for (; value >= 1000 && prefix + 1 < std::size(kPrefixes); ++prefix) value /= 1000;
  const int digits = prefix == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return QStringLiteral("%1 %2FLOP").arg(QString::number(value, 'f', digits), QLatin1String(kPrefixes[prefix]));
}

QString FlameText::count(int64_t count, FlameKind kind) {
  const auto n = static_cast<int>(std::min<int64_t>(count, INT32_MAX));
  switch (kind) {
    case FlameKind::Function:
    case FlameKind::NoStack: return tr("%n allocation(s)", nullptr, n);
    case FlameKind::Span: return tr("%n span(s)", nullptr, n);
    default: return tr("%n node(s)", nullptr, n);
  }
}

QString FlameText::name(const trace::FlameTree& tree, uint32_t frame) {
  const trace::FlameFrame& f = tree.frames[frame];
  if (f.kind == FlameKind::All) return tr("all");
  if (f.kind == FlameKind::NoStack) return tr("no call stack");
  return QString::fromStdString(tree.name(f));
}

std::optional<FlameWeight> preferred_weight(const trace::Snapshot& snapshot) {
  const std::vector<FlameWeight> all = trace::flame_weights(snapshot);
  for (const FlameWeight weight : {FlameWeight::LiveAtPeak, FlameWeight::NodeTime, FlameWeight::SpanTime})
    if (std::ranges::find(all, weight) != all.end()) return weight;
  return all.empty() ? std::nullopt : std::optional(all.front());
}

Selection selection_of(const trace::Snapshot& snapshot, const trace::FlameTree& tree, uint32_t frame) {
  const trace::FlameFrame& f = tree.frames[frame];
  if (const auto* span = std::get_if<trace::SpanRef>(&f.origin)) return EventSelection{*span};
  if (const auto* ref = std::get_if<trace::EventRef>(&f.origin)) {
    const trace::Event& e = snapshot.event(*ref);
    const trace::AllocatorInfo* allocator = snapshot.allocator(e.allocator());
    const trace::DeviceId device = allocator == nullptr ? trace::DeviceId::none() : allocator->device;
    return AllocationSelection{device, static_cast<uint64_t>(e.a), e.time};
  }
  const auto* of = std::get_if<trace::FlameOfGraph>(&f.origin);
  if (of == nullptr) return {};
  if (of->node.valid()) return Selection::node(of->graph, of->node);
  const trace::GraphInfo* graph = snapshot.graph(of->graph);
  if (graph == nullptr || f.kind != FlameKind::Layer) return {};
  const std::string layer = tree.layer(f);
  return LayerSelection{of->graph, layer, nodes_in_layer(*graph, layer)};
}

bool is_selected(const trace::Snapshot& snapshot, const trace::FlameTree& tree, uint32_t frame,
                 const Selection& selection) {
  const trace::FlameFrame& f = tree.frames[frame];
  const auto* layer = selection.get<LayerSelection>();
  if (f.kind != FlameKind::Layer && layer == nullptr) return selection_of(snapshot, tree, frame) == selection;
  const auto* of = std::get_if<trace::FlameOfGraph>(&f.origin);
  return f.kind == FlameKind::Layer && layer != nullptr && of != nullptr && layer->graph == of->graph &&
         layer->name == tree.layer(f);
}

}  // namespace arenascope::views
