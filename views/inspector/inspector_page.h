// SPDX-License-Identifier: GPL-3.0-or-later
// Builds a page of the inspector: titles, sections, rows and links, both as HTML and as facts for a table. The content
// for each kind of selection is in its own file next to this one.
#pragma once
#include <views/common/format.h>
#include <views/inspector/inspector_text.h>
#include <QCoreApplication>

namespace arenascope::views::inspector {

using trace::TensorInfo;
using trace::TensorRef;

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Inspector)
};

inline constexpr size_t kMaxLinks = 40;

inline QString safe(const std::string& s) { return QString::fromStdString(s).toHtmlEscaped(); }

class Page {
 public:
  Page(const InspectorInput& input, const ThemeColours& colours) : in(input), colours_(colours) {
    html_ = QStringLiteral(
                "<style>body{color:%1} td{padding:1px 8px 1px 0;} .k{color:%2;} a{color:%3;text-decoration:none;}"
                " h2{font-size:large;margin:0;} h3{font-size:small;color:%2;margin:10px 0 2px 0;}</style>")
                .arg(colours.text.name(), colours.dim_text.name(),
                     (colours.dark ? colours.category(4) : colours.category(0)).name());
  }
  void title(const FigureText& text, const FigureText& below) {
    title(text.text, below.text);
    const size_t first = rows_.size() - (below.text.isEmpty() ? 1 : 2);
    rows_[first].figures = text.figures, rows_[first].names = text.names;
    if (!below.text.isEmpty()) rows_.back().figures = below.figures, rows_.back().names = below.names;
  }
  void title(const QString& text, const QString& below = {}) {
    rows_.push_back({{}, {}, text, {}, {}});
    if (!below.isEmpty()) rows_.push_back({{}, {}, below, {}, {}});
    html_ += QStringLiteral("<h2>%1</h2>").arg(text);
    if (!below.isEmpty()) html_ += QStringLiteral("<div class='k'>%1</div>").arg(below);
  }
  void section(const QString& text) {
    section_ = text;
    close();
    html_ += QStringLiteral("<h3>%1</h3>").arg(text);
  }
  void row(const QString& key, const QString& value) {
    if (value.isEmpty()) return;
    rows_.push_back({section_, key, value, {}, {}});
    if (!open_) html_ += QStringLiteral("<table cellspacing='0' cellpadding='0'>");
    open_ = true;
    html_ += QStringLiteral("<tr><td class='k'>%1</td><td>%2</td></tr>").arg(key, value);
  }
  void row(const QString& key, FigureText value) {
    if (value.text.isEmpty()) return;
    row(key, value.text);
    rows_.back().figures = std::move(value.figures);
    rows_.back().names = std::move(value.names);
  }
  void row(const QString& key, const Figure& figure) { row(key, with_figures(QStringLiteral("%1"), {figure})); }
  void line(const FigureText& text) {
    line(text.text);
    rows_.back().figures = text.figures;
    rows_.back().names = text.names;
  }
  void line(const QString& text) {
    rows_.push_back({section_, {}, text, {}, {}});
    close();
    html_ += QStringLiteral("<div>%1</div>").arg(text);
  }
  QString finish() {
    close();
    return html_;
  }

  // The facts so far; values may contain HTML tags.
  std::vector<InspectorFact> take_facts() { return std::move(rows_); }

  QString link(TensorRef ref) const {
    const TensorInfo* tensor = info(ref);
    if (tensor == nullptr) return QStringLiteral("?");
    const QString name = tensor->name.empty() ? DisplayNames::node(ref) : safe(tensor->name);
    return QStringLiteral("<a href='%1:%2'>%3</a>").arg(ref.is_leaf() ? "leaf" : "node").arg(ref.index()).arg(name);
  }
  QString link_with_facts(TensorRef ref) const {
    const TensorInfo* tensor = info(ref);
    if (tensor == nullptr) return QStringLiteral("?");
    return link(ref) + QStringLiteral(" <span class='k'>%1 %2 · %3</span>")
                           .arg(safe(tensor->op), format_shape(tensor->shape), format_bytes(tensor->bytes));
  }
  QString block_link(BlockId block) const {
    return block.valid() ? QStringLiteral("<a href='block:%1'>%1</a>").arg(block.value) : QString();
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
  void close() {
    if (open_) html_ += QStringLiteral("</table>");
    open_ = false;
  }
  const ThemeColours& colours_;
  QString html_;
  std::vector<InspectorFact> rows_;
  QString section_;
  bool open_ = false;
};

QString range_text(Bytes offset, Bytes size);  // "[0x40, +1.0 KiB)"

void tensor_page(Page& page, TensorRef ref);
void summary(Page& page);  // no selection
// Pages of selections with more than one tensor.
void steps_page(Page& page, const StepRangeSelection& range);
void time_page(Page& page, const TimeRangeSelection& range);
void layer_page(Page& page, const LayerSelection& layer);
void addresses_page(Page& page, const AddressRangeSelection& range);
// The memory location of a tensor, and the source of that information.
void location(Page& page, TensorRef ref);
// The storage of a tensor, its block, and the other tensors in the block.
void storage_section(Page& page, TensorRef ref);
// An allocation whose owner is unknown, such as one of another program.
void allocation_page(Page& page, const AllocationSelection& allocation);
// Bar chart of the times of all nodes with the same op.
void op_histogram(Page& page, NodeId node);
// The call stack of an allocation, identified by its number in Alloc events, if the trace has stacks.
void stack_section(Page& page, uint32_t allocation);

}  // namespace arenascope::views::inspector
