// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window, once: the menus, the command palette and the list of keys are made from this registry.
// To add one: a line in the file of its menu, file_actions.cpp and so on.
#pragma once
#include <QAction>
#include <QKeySequence>
#include <QMenu>
#include <QObject>
#include <QStringList>

#include <functional>
#include <map>
#include <utility>
#include <vector>

class QMainWindow;

namespace arenascope::app {

enum class Menu : uint8_t { File, Edit, View, Graph, Memory, Run, Compare, Lessons, Help };
inline constexpr int kMenus = 9;

class ActionRegistry : public QObject {
  Q_OBJECT
 public:
  struct Entry {
    const char* id;  // "run.step", stable: settings and tests name actions by it
    Menu menu;
    const char* text;  // English, marked with QT_TRANSLATE_NOOP(`context`, …)
    const char* tip;   // null: none
    QAction* action;
    const char* context = "Actions";
  };

  explicit ActionRegistry(QMainWindow* window);

  // `keys` may hold several ways to press it. The first is shown.
  QAction* add(const char* id, Menu menu, const char* text, const QList<QKeySequence>& keys, std::function<void()> run,
               const char* tip = nullptr);
  // Whether an action can be used now; asked by update(). Without one it always can.
  void when(const QStringList& ids, const std::function<bool()>& possible);
  void update();
  void separator(Menu menu);
  QMenu* submenu(Menu menu, const char* text);
  // Into a submenu; its text is of another context.
  QAction* add_to(QMenu* menu, Menu of, const char* id, const char* context, const char* text,
                  std::function<void()> run);
  QMenu* menu(Menu menu) const { return menus_[static_cast<size_t>(menu)]; }

  const std::vector<Entry>& all() const { return entries_; }
  QAction* find(const QString& id) const;  // null: none
  static QString menu_name(Menu menu);
  void retranslate();
  // What it does has become another thing: Play is Pause while it plays. Both as add() takes them.
  void rename(const QString& id, const char* text, const char* tip);

 private:
  static void write(const Entry& entry);

  QMainWindow* window_;
  std::vector<QMenu*> menus_;
  std::vector<Entry> entries_;
  std::vector<std::pair<QMenu*, const char*>> submenus_;
  std::vector<std::pair<QAction*, std::function<bool()>>> possible_;
};

// Text and tip of Play, which is Pause while it plays.
std::pair<const char*, const char*> play_words(bool playing);

}  // namespace arenascope::app
