// SPDX-License-Identifier: GPL-3.0-or-later
// The menu Compare.
#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

namespace {

void compare_with_file(const Shell& shell) {
  const QString path = shell.ask_file(false, Shell::tr("Compare with a recording or a model"),
                                      Shell::tr("Recordings and models (*.arenascope *.pftrace *.perfetto-trace *.json "
                                                "*.pickle *.onnx *.gguf);;All files (*)"));
  if (!path.isEmpty()) shell.document().comparing()->load(path, shell.preferences.run);
}

// The file in the next tab, as it stands there.
void compare_with_tab(const Shell& shell) {
  Documents& all = *shell.documents;
  for (size_t i = 1; i < all.size(); ++i) {
    Document& other = all[(all.index() + i) % all.size()];
    if (!other.source()->session()) continue;
    other.source()->refresh();
    return shell.document().compare_with(
        std::make_shared<const Other>(Other::of(other.source()->snapshot(), other.title())));
  }
  shell.messages().note(Shell::tr("Open the file to compare with in another tab first."));
}

void compare_with_now(const Shell& shell) {
  Other now = Other::of(shell.document().source()->snapshot(), Shell::tr("%1 before").arg(shell.document().title()));
  shell.document().compare_with(std::make_shared<const Other>(std::move(now)));
}

}  // namespace

void add_compare_actions(Shell& shell) {
  auto& a = *shell.actions;
  a.add(
      "compare.file", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "Compare with &File…"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_M)}, [&shell] { compare_with_file(shell); },
      QT_TRANSLATE_NOOP("Actions", "A recording as it is, or a model as it would be planned"));
  a.add("compare.tab", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "Compare with the Next &Tab"), {},
        [&shell] { compare_with_tab(shell); });
  a.add(
      "compare.keep", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "Compare with the State of &Now"), {},
      [&shell] { compare_with_now(shell); },
      QT_TRANSLATE_NOOP("Actions", "What runs from now on is compared with what ran so far"));
  a.add("compare.stop", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "&Stop Comparing"), {},
        [&shell] { shell.document().compare_with(nullptr); });
}

}  // namespace arenascope::app
