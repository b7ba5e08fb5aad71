// SPDX-License-Identifier: GPL-3.0-or-later
// What is selected, and the one model through which all views share it. Hovering is light and leaves no trace;
// selecting goes into a history that can be walked back and forth.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QObject>
#include <optional>
#include <variant>
#include <vector>

namespace arenascope::views {

struct NodeSelection {  // a node or a leaf of a graph
  trace::GraphId graph;
  trace::TensorRef tensor;
  bool operator==(const NodeSelection&) const = default;
};

struct BlockSelection {
  trace::PlanId plan;
  BlockId block;
  bool operator==(const BlockSelection&) const = default;
};

struct EventSelection {  // a span of the timeline
  trace::SpanRef span;
  bool operator==(const EventSelection&) const = default;
};

struct StepRangeSelection {  // half-open
  Step first, last;
  bool operator==(const StepRangeSelection&) const = default;
};

struct TimeRangeSelection {  // half-open; of what has no steps, another program's trace
  Nanoseconds begin = 0, end = 0;
  bool operator==(const TimeRangeSelection&) const = default;
};

struct LayerSelection {  // the nodes that a graph names as one
  trace::GraphId graph;
  std::string name;
  std::vector<NodeId> nodes;  // ascending
  bool operator==(const LayerSelection&) const = default;
};

struct AddressRangeSelection {  // offsets in the arena, half-open
  Bytes first = 0, last = 0;
  bool operator==(const AddressRangeSelection&) const = default;
};

struct AllocationSelection {  // what was handed out at an address, and nobody told whose it is
  trace::DeviceId device;
  uint64_t address = 0;
  Nanoseconds begin = 0;
  bool operator==(const AllocationSelection&) const = default;
};

struct Selection {
  using What = std::variant<std::monostate, NodeSelection, BlockSelection, EventSelection, StepRangeSelection,
                            AddressRangeSelection, TimeRangeSelection, LayerSelection, AllocationSelection>;
  What what;

  Selection() = default;
  template <class T>
  requires std::is_constructible_v<What, T> Selection(T w) : what(std::move(w)) {}
  static Selection node(trace::GraphId graph, NodeId id) { return NodeSelection{graph, trace::TensorRef::node(id)}; }

  bool empty() const { return what.index() == 0; }
  template <class T>
  const T* get() const {
    return std::get_if<T>(&what);
  }
  bool operator==(const Selection&) const = default;
};

// The tensor that a selection means, where it means one: the node itself, or the node of a selected span.
trace::TensorRef tensor_of(const Selection& selection, const trace::Snapshot& snapshot);

// Whether a selection means the tensor among others: that of a layer is each of its nodes.
bool means(const Selection& selection, trace::TensorRef tensor, const trace::Snapshot& snapshot);
// The tensor that a slice holds, or the slice itself.
bool means(const Selection& selection, const trace::SpaceSlice& slice, const trace::Snapshot& snapshot);
// From the first step in which a layer computes to behind its last one; none without a plan.
std::optional<StepRangeSelection> steps_of(const LayerSelection& layer, const trace::PlanInfo* plan);

// One per window; the views hold a pointer to it. Signals come only when something changed.
class SelectionModel : public QObject {
  Q_OBJECT
 public:
  explicit SelectionModel(QObject* parent = nullptr) : QObject(parent) {}

  const Selection& current() const { return current_; }
  const Selection& hovered() const { return hovered_; }
  bool can_go_back() const { return at_ > 0; }
  bool can_go_forward() const { return at_ + 1 < history_.size(); }

 public Q_SLOTS:
  void select(const arenascope::views::Selection& selection);  // an empty one clears, and leaves the history alone
  void hover(const arenascope::views::Selection& selection);
  void clear() { select({}); }
  void back();
  void forward();
  void forget();  // everything, the history too: another session was opened

 Q_SIGNALS:
  void current_changed();
  void hovered_changed();
  void history_changed();

 private:
  void show(const Selection& selection);

  static constexpr size_t kHistory = 256;  // the oldest go first
  Selection current_, hovered_;
  std::vector<Selection> history_;
  size_t at_ = 0;
};

}  // namespace arenascope::views
