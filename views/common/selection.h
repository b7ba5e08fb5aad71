// SPDX-License-Identifier: GPL-3.0-or-later
// The selection, and the model through which all views share it. Hovering is not recorded; selections form a history
// with back and forward.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QObject>
#include <optional>
#include <variant>
#include <vector>

namespace arenascope::views {

struct NodeSelection {  // a node or leaf tensor of a graph
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

struct TimeRangeSelection {  // half-open; for traces of other programs, which have no steps
  Nanoseconds begin = 0, end = 0;
  bool operator==(const TimeRangeSelection&) const = default;
};

struct LayerSelection {  // the nodes of one layer of a graph
  trace::GraphId graph;
  std::string name;
  std::vector<NodeId> nodes;  // ascending
  bool operator==(const LayerSelection&) const = default;
};

struct AddressRangeSelection {  // offsets in the arena, half-open
  Bytes first = 0, last = 0;
  bool operator==(const AddressRangeSelection&) const = default;
};

struct AllocationSelection {  // an allocation whose owner is unknown
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

// The tensor that a selection refers to: the node itself, or the node of a selected span; invalid if it refers to none.
trace::TensorRef tensor_of(const Selection& selection, const trace::Snapshot& snapshot);

// True if the selection includes the tensor; a layer includes each of its nodes.
bool means(const Selection& selection, trace::TensorRef tensor, const trace::Snapshot& snapshot);
// True if the selection includes the slice, or the tensor stored in it.
bool means(const Selection& selection, const trace::SpaceAllocation& slice, const trace::Snapshot& snapshot);
// From the first step of a layer to the step after its last one; nullopt without a plan.
std::optional<StepRangeSelection> steps_of(const LayerSelection& layer, const trace::PlanInfo* plan);

// One per window; the views hold a pointer to it. Signals are emitted only on changes.
class SelectionModel : public QObject {
  Q_OBJECT
 public:
  explicit SelectionModel(QObject* parent = nullptr) : QObject(parent) {}

  const Selection& current() const { return current_; }
  const Selection& hovered() const { return hovered_; }
  bool can_go_back() const { return at_ > 0; }
  bool can_go_forward() const { return at_ + 1 < history_.size(); }

 public Q_SLOTS:
  void select(
      const arenascope::views::Selection& selection);  // an empty selection clears and does not change the history
  void hover(const arenascope::views::Selection& selection);
  void clear() { select({}); }
  void back();
  void forward();
  void forget();  // also clears the history; used when another session is opened

 Q_SIGNALS:
  void current_changed();
  void hovered_changed();
  void history_changed();

 private:
  void show(const Selection& selection);

  static constexpr size_t kHistory = 256;  // maximum number of entries; the oldest are dropped
  Selection current_, hovered_;
  std::vector<Selection> history_;
  size_t at_ = 0;
};

}  // namespace arenascope::views
