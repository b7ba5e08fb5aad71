// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare menu.
#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

namespace {

void compare_with_file(const Shell& shell) {
  const QString path = shell.ask_file(false, Shell::tr("Compare with a recording or a model"),
                                      Shell::tr("Recordings and models (*.arenascope *.pftrace *.perfetto-trace *.json "
                                                "*.pickle *.onnx *.gguf);;All files (*)"));
  if (!path.isEmpty()) shell.document().jobs().comparing.load(path, shell.preferences.run);
}

// Compares with the file in the next tab in its current state.
void compare_with_tab(const Shell& shell) {
  Documents& all = *shell.documents;
  for (size_t i = 1; i < all.size(); ++i) {
    Document& other = all[(all.index() + i) % all.size()];
    if (!other.source()->session()) continue;
    other.source()->refresh();
    return shell.document().compare_with(
        std::make_shared<const ComparisonSide>(ComparisonSide::of(other.source()->snapshot(), other.title())));
  }
  shell.messages().note(Shell::tr("First open the file to compare with in another tab."));
}

void compare_with_now(const Shell& shell) {
  ComparisonSide now =
      ComparisonSide::of(shell.document().source()->snapshot(), Shell::tr("%1 before").arg(shell.document().title()));
  shell.document().compare_with(std::make_shared<const ComparisonSide>(std::move(now)));
}

}  // namespace

void add_compare_actions(Shell& shell) {
  auto& a = *shell.actions;
  a.add(
      "compare.file", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "Compare with &File…"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_M)}, [&shell] { compare_with_file(shell); },
      QT_TRANSLATE_NOOP("Actions", "A recording, or a model with its plan"));
  a.add("compare.tab", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "Compare with the Next &Tab"), {},
        [&shell] { compare_with_tab(shell); });
  a.add(
      "compare.keep", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "Compare with the &Current State"), {},
      [&shell] { compare_with_now(shell); },
      QT_TRANSLATE_NOOP("Actions", "Compare the following runs with the runs so far"));
  a.add("compare.stop", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "&Stop Comparing"), {},
        [&shell] { shell.document().compare_with(nullptr); });
}

}  // namespace arenascope::app
