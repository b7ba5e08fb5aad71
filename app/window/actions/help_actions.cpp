// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/plot_view.h>

#include "app/window/dialogs/dialogs.h"
#include "app/window/events/ui_watch.h"
#include "app/window/shell.h"
#include "command_palette.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

namespace {

void show_frame_times(Shell& shell, bool on) {
  delete shell.frames;
  if (!on) return;
  shell.frames = new FrameOverlay(shell.window);
  for (const PanelDescriptor& kind : panel_kinds())
    if (PlotView* view = shell.panels->parts(kind.id).plot)
      QObject::connect(view, &PlotView::painted, shell.frames,
                       [frames = shell.frames.data(), view] { frames->frame(view->last_frame_ms()); });
  shell.frames->show();
}

}  // namespace

void add_help_actions(Shell& shell) {
  auto& a = *shell.actions;
  a.add("help.manual", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&Manual"), {K(Qt::Key_F1)},
        [&shell] { show_manual(shell.window); });
  a.add("help.palette", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&Command Palette…"),
        {K(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}, [&shell] { shell.palette->open(); });
  a.add("help.keys", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&Keys…"),
        {K(Qt::Key_Question), K(Qt::SHIFT | Qt::Key_Question)}, [&shell] { show_keys(shell); });
  a.add("help.messages", Menu::Help, QT_TRANSLATE_NOOP("Actions", "Message &Log…"), {},
        [&shell] { show_message_log(shell); });
  QAction* overlay = a.add(
      "help.frames", Menu::Help, QT_TRANSLATE_NOOP("Actions", "Show &Frame Times"), {},
      [&shell] { show_frame_times(shell, shell.actions->find(QStringLiteral("help.frames"))->isChecked()); },
      QT_TRANSLATE_NOOP("Actions", "Frames per second and the longest time the window was busy"));
  overlay->setCheckable(true);
  a.separator(Menu::Help);
  a.add("help.about", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&About Arenascope"), {},
        [&shell] { show_about(shell.window); });
}

}  // namespace arenascope::app
