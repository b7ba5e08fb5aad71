// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the facts of the inspector: titles, sections, rows and links. The content for each kind of selection is in
// its own file next to this one.
#pragma once
#include <views/common/format.h>
#include <views/inspector/inspector_facts.h>
#include <QCoreApplication>

namespace arenascope::views::inspector {

using trace::TensorInfo;
using trace::TensorRef;

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Inspector)
};

inline constexpr size_t kMaxLinks = 40;

inline QString to_text(const std::string& s) { return QString::fromStdString(s); }

// A value with what belongs to it.
struct FactValue {
  explicit FactValue(FigureText shown, Selection target = {}) : text(std::move(shown)), link(std::move(target)) {}
  explicit FactValue(const QString& shown) : text(plain_text(shown)) {}
  explicit FactValue(const Figure& figure) : text(with_figures(QStringLiteral("%1"), {figure})) {}

  FigureText text;
  Selection link = {};
  QString note = {};
  std::optional<FactBar> bar = std::nullopt;
};

class FactsBuilder {
 public:
  using Kind = InspectorFact::Kind;

  explicit FactsBuilder(const InspectorInput& input) : in(input) {}
  // Values are FactValue, or QString, FigureText or Figure. Empty values add nothing.
  template <class Text>
  void title(const Text& text) {
    add({}, FactValue(text), Kind::Title);
  }
  template <class Text, class Below>
  void title(const Text& text, const Below& below) {
    title(text);
    add({}, FactValue(below), Kind::Subtitle);
  }
  void section(const QString& text) { section_ = text; }
  template <class Value>
  void row(const QString& key, const Value& value) {
    add(key, FactValue(value), Kind::Row);
  }
  template <class Text>
  void line(const Text& text) {
    add({}, FactValue(text), Kind::Line);
  }
  std::vector<InspectorFact> take_facts() { return std::move(facts_); }

  // The name of a tensor, which a click selects.
  FactValue link(TensorRef ref) const {
    const TensorInfo* tensor = info(ref);
    if (tensor == nullptr) return FactValue(QStringLiteral("?"));
    return FactValue(name_text(tensor->name.empty() ? DisplayNames::node(ref) : to_text(tensor->name)),
                     NodeSelection{in.graph->id, ref});
  }
  FactValue link_with_facts(TensorRef ref) const {
    FactValue value = link(ref);
    if (const TensorInfo* tensor = info(ref))
      value.note = QStringLiteral("%1 %2 · %3")
                       .arg(to_text(tensor->op), format_shape(tensor->shape), format_bytes(tensor->bytes));
    return value;
  }
  FactValue block_link(BlockId block) const {
    if (!block.valid()) return FactValue(QString());
    return FactValue(plain_text(QString::number(block.value)), BlockSelection{in.plan->id, block});
  }
  const TensorInfo* info(TensorRef ref) const {
    if (in.graph == nullptr || !ref.valid()) return nullptr;
    const auto& list = ref.is_leaf() ? in.graph->leafs : in.graph->nodes;
    return ref.index() < list.size() ? &list[ref.index()] : nullptr;
  }
  template <class List>
  void links(const QString& heading, const List& list) {
    if (list.empty()) return;
    section(heading + QStringLiteral(" (%1)").arg(list.size()));
    size_t shown = 0;
    for (TensorRef ref : list) {
      if (shown++ == kMaxLinks) {
        line(Texts::tr("and %n more", nullptr, static_cast<int>(list.size() - kMaxLinks)));
        break;
      }
      line(link_with_facts(ref));
    }
  }
  const InspectorInput& in;

 private:
  void add(const QString& key, const FactValue& value, Kind kind) {
    if (value.text.empty()) return;
    facts_.push_back({section_, key, value.text.text, value.text.figures, value.text.names, kind, value.note,
                      value.link, value.bar});
  }
  std::vector<InspectorFact> facts_;
  QString section_;
};

QString range_text(Bytes offset, Bytes size);  // "[0x40, +1.0 KiB)"

void tensor_facts(FactsBuilder& facts, TensorRef ref);
void summary(FactsBuilder& facts);  // no selection
// Selections with more than one tensor.
void steps_facts(FactsBuilder& facts, const StepRangeSelection& range);
void time_facts(FactsBuilder& facts, const TimeRangeSelection& range);
void layer_facts(FactsBuilder& facts, const LayerSelection& layer);
void addresses_facts(FactsBuilder& facts, const AddressRangeSelection& range);
// The memory location of a tensor, and the source of that information.
void location(FactsBuilder& facts, TensorRef ref);
// The storage of a tensor, its block, and the other tensors in the block.
void storage_section(FactsBuilder& facts, TensorRef ref);
// An allocation whose owner is unknown, such as one of another program.
void allocation_facts(FactsBuilder& facts, const AllocationSelection& allocation);
// Bar chart of the times of all nodes with the same op.
void op_histogram(FactsBuilder& facts, NodeId node);
// The call stack of an allocation, identified by its number in Alloc events, if the trace has stacks.
void stack_section(FactsBuilder& facts, uint32_t allocation);

}  // namespace arenascope::views::inspector
