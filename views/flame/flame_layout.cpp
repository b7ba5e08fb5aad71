// SPDX-License-Identifier: GPL-3.0-or-later
#include "flame_layout.h"

#include <views/common/csv_line.h>

#include <algorithm>
#include <cctype>

namespace arenascope::views {

using trace::FlameFrame;
using trace::FlameTree;

namespace {

constexpr double kNarrowest = 1;  // pixels of a box of its own

std::vector<uint32_t> ancestors_of(const FlameTree& tree, uint32_t frame) {
  std::vector<uint32_t> path{frame};
  while (path.back() != 0) path.push_back(tree.frames[path.back()].parent);
  std::reverse(path.begin(), path.end());
  return path;
}

// The children of a box, from its left edge; its own weight is the space that they leave.
void add_children(const FlameTree& tree, const FlameBox& box, double row_height, std::vector<FlameBox>& out) {
  const FlameFrame& frame = tree.frames[box.frame];
  if (frame.total <= 0) return;
  double x = box.rect.left();
  const double y = box.rect.top() + row_height, per_weight = box.rect.width() / frame.total;
  double narrow = 0;
  for (uint32_t i = 0; i < frame.children; ++i) {
    const uint32_t child = frame.first_child + i;
    const double width = tree.frames[child].total * per_weight;
    if (width >= kNarrowest) {
      out.push_back({child, 1, QRectF(x, y, width, row_height)});
      x += width;
      continue;
    }
    for (uint32_t j = i; j < frame.children; ++j) narrow += tree.frames[frame.first_child + j].total * per_weight;
    if (narrow >= kNarrowest) out.push_back({child, frame.children - i, QRectF(x, y, narrow, row_height)});
    return;
  }
}

std::string folded_to_lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

template <class Visit>
void visit_below(const FlameTree& tree, uint32_t from, Visit visit) {
  std::vector<uint32_t> open{from};
  while (!open.empty()) {
    const uint32_t frame = open.back();
    open.pop_back();
    visit(frame);
    const FlameFrame& f = tree.frames[frame];
    for (uint32_t i = f.children; i-- > 0;) open.push_back(f.first_child + i);
  }
}

}  // namespace

FlameLayout lay_out_flame(const FlameTree& tree, uint32_t zoomed, const FlameShape& shape) {
  FlameLayout out;
  if (tree.frames.empty()) return out;
  double y = 0;
  for (const uint32_t frame : ancestors_of(tree, zoomed)) {
    out.boxes.push_back({frame, 1, QRectF(0, y, shape.width, shape.row_height)});
    y += shape.row_height;
  }
  for (size_t i = out.boxes.size() - 1; i < out.boxes.size(); ++i)
    if (const FlameBox box = out.boxes[i]; box.frames == 1) add_children(tree, box, shape.row_height, out.boxes);
  const double bottom = out.boxes.back().rect.bottom();
  out.rows = static_cast<int>(std::lround(bottom / shape.row_height));
  if (!shape.icicle)
    for (FlameBox& box : out.boxes) box.rect.moveTop(bottom - box.rect.bottom());
  return out;
}

FlameMatch match_frames(const FlameTree& tree, const QString& text) {
  FlameMatch out;
  const std::string needle = folded_to_lower(text.trimmed().toStdString());
  if (needle.empty() || tree.empty()) return out;
  std::vector<bool> names(tree.names.size());
  std::transform(tree.names.begin(), tree.names.end(), names.begin(),
                 [&](const std::string& name) { return folded_to_lower(name).find(needle) != std::string::npos; });
  out.matched.resize(tree.frames.size());
  std::vector<bool> within(tree.frames.size());  // a matched frame
  double sum = 0;
  for (uint32_t i = 1; i < tree.frames.size(); ++i) {
    const FlameFrame& frame = tree.frames[i];
    out.matched[i] = names[frame.name];
    out.frames += out.matched[i] ? 1 : 0;
    if (out.matched[i] && !within[frame.parent]) sum += frame.total;
    within[i] = out.matched[i] || within[frame.parent];
  }
  out.share = sum / tree.root().total;
  return out;
}

QStringList path_of(const FlameTree& tree, uint32_t frame) {
  QStringList path;
  for (; frame != 0; frame = tree.frames[frame].parent)
    path.prepend(QString::fromStdString(tree.name(tree.frames[frame])));
  return path;
}

uint32_t frame_on_path(const FlameTree& tree, const QStringList& path) {
  uint32_t frame = 0;
  for (const QString& name : path) {
    const std::string text = name.toStdString();
    const auto children = tree.children(tree.frames[frame]);
    const auto found = std::ranges::find_if(children, [&](const FlameFrame& f) { return tree.name(f) == text; });
    if (found == children.end()) break;
    frame = tree.frames[frame].first_child + static_cast<uint32_t>(found - children.begin());
  }
  return frame;
}

QString folded_stacks(const FlameTree& tree, uint32_t from) {
  QString out;
  visit_below(tree, from, [&](uint32_t frame) {
    const double self = tree.frames[frame].self;
    if (self <= 0) return;
    QStringList path = path_of(tree, frame);
    for (QString& name : path) name.replace(u';', u',').replace(u'\n', u' ');
    out += QStringLiteral("%1 %2\n").arg(path.join(u';'), QString::number(self, 'f', 0));
  });
  return out;
}

QString flame_csv(const FlameTree& tree, uint32_t from) {
  constexpr const char* kUnits[] = {"B", "ns", "FLOP"};
  const QString unit = QLatin1String(kUnits[static_cast<size_t>(tree.unit)]);
  QString out = csv_line({QStringLiteral("path"), QStringLiteral("self (%1)").arg(unit),
                          QStringLiteral("total (%1)").arg(unit), QStringLiteral("count")});
  visit_below(tree, from, [&](uint32_t frame) {
    const FlameFrame& f = tree.frames[frame];
    out += csv_line({path_of(tree, frame).join(u';'), QString::number(f.self, 'f', 0), QString::number(f.total, 'f', 0),
                     QString::number(f.count)});
  });
  return out;
}

}  // namespace arenascope::views
