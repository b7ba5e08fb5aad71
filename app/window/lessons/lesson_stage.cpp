// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_stage.h"

#include <QDockWidget>
#include <QLabel>

#include <algorithm>

#include "app/window/shell.h"
#include "app/window/style/motion.h"

namespace arenascope::app {
namespace {

constexpr int kNarrowestLesson = 380, kWidestLesson = 560;  // width of the lesson in logical pixels

bool contains(const std::vector<PanelId>& panels, PanelId id) { return std::ranges::find(panels, id) != panels.end(); }

}  // namespace

int LessonStage::lesson_width(int window) { return std::clamp(window * 34 / 100, kNarrowestLesson, kWidestLesson); }

void LessonStage::begin() {
  if (open()) return;
  open_ = true;
  shell_.layouts->hold();
}

void LessonStage::end() {
  if (!open()) return;
  open_ = false;
  show_titles(false);
  shown_.clear();
  requested_.clear();
  shell_.layouts->release();
}

void LessonStage::show(const std::vector<PanelId>& panels) {
  requested_ = panels;
  update();
}

void LessonStage::leave_out(const std::vector<PanelId>& panels) {
  if (panels == left_out_) return;
  left_out_ = panels;
  if (open()) update();
}

// A panel that is already in place keeps its size.
void LessonStage::update() {
  std::vector<PanelId> panels;
  for (const PanelId id : requested_)
    if (!contains(left_out_, id)) panels.push_back(id);
  if (panels.empty() && !requested_.empty()) panels.push_back(requested_.front());
  const bool only_these = std::ranges::all_of(panel_kinds(), [&](const PanelDescriptor& kind) {
    return shell_.panels->dock(kind.id)->isHidden() != (contains(panels, kind.id) || kind.id == PanelId::Lesson);
  });
  if (panels == shown_ && only_these) return;
  show_titles(false);
  shown_ = panels;
  std::set<PanelId> stage(panels.begin(), panels.end());
  stage.insert(PanelId::Lesson);
  shell_.panels->set_stage(std::move(stage));
  shell_.window->setUpdatesEnabled(false);
  shell_.window->setAnimated(false);
  arrange();
  shell_.window->setAnimated(wants_motion());
  show_titles(true);
  resize();
  shell_.window->setUpdatesEnabled(true);
}

void LessonStage::arrange() {
  QMainWindow* window = shell_.window;
  const auto dock = [&](PanelId id) { return shell_.panels->dock(id); };
  for (const PanelDescriptor& kind : panel_kinds()) {
    QDockWidget* each = dock(kind.id);
    window->removeDockWidget(each);
    each->setFloating(false);
  }
  QDockWidget* lesson = dock(PanelId::Lesson);
  window->addDockWidget(Qt::TopDockWidgetArea, lesson);
  lesson->show();
  QDockWidget* last = nullptr;
  for (const PanelId id : shown_) {
    if (last == nullptr)
      window->splitDockWidget(lesson, dock(id), Qt::Horizontal);
    else
      window->splitDockWidget(last, dock(id), Qt::Vertical);
    last = dock(id);
    last->show();
  }
  QDockWidget* tabs = last != nullptr ? last : lesson;
  for (const PanelDescriptor& kind : panel_kinds()) {
    const PanelId id = kind.id;
    if (id == PanelId::Lesson || contains(shown_, id)) continue;
    window->tabifyDockWidget(tabs, dock(id));
    dock(id)->hide();
  }
  if (last != nullptr) last->raise();
}

// A plot is twice as high as a table.
void LessonStage::resize() {
  if (shown_.empty()) return;
  const auto dock = [&](PanelId id) { return shell_.panels->dock(id); };
  const int width = shell_.window->width(), side = lesson_width(width);
  shell_.window->resizeDocks({dock(PanelId::Lesson), dock(shown_.front())}, {side, width - side}, Qt::Horizontal);
  QList<QDockWidget*> docks;
  QList<int> heights;
  for (const PanelId id : shown_) {
    docks << dock(id);
    heights << shell_.window->height() * (panel_kind(id).group == PanelGroup::None ? 2 : 1);
  }
  shell_.window->resizeDocks(docks, heights, Qt::Vertical);
}

// Plots show their names; a table has one in its tab, which it does not have here.
void LessonStage::show_titles(bool on) {
  for (const PanelId id : shown_) {
    QDockWidget* dock = shell_.panels->dock(id);
    if (panel_kind(id).group == PanelGroup::None) continue;
    if (auto* label = qobject_cast<QLabel*>(dock->titleBarWidget()); label != nullptr && !on) {
      auto* none = new QWidget(dock);
      none->setFixedHeight(1);
      dock->setTitleBarWidget(none);
      delete label;
    } else if (on && dock->titleBarWidget() != nullptr) {
      delete dock->titleBarWidget();
      auto* title = new QLabel(dock->windowTitle(), dock);
      title->setObjectName(QStringLiteral("stage_title"));
      title->setContentsMargins(6, 4, 6, 2);
      QFont font = title->font();
      font.setBold(true);
      title->setFont(font);
      dock->setTitleBarWidget(title);
    }
  }
}

}  // namespace arenascope::app
