// SPDX-License-Identifier: GPL-3.0-or-later
// Registry of all actions of the window: menus, command palette and shortcut list are created from it. To add one,
// add a line in the file of its menu, such as file_actions.cpp.
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
    const char* id;  // such as "run.step"; stable: used by settings and tests
    Menu menu;
    const char* text;  // English, marked with QT_TRANSLATE_NOOP(`context`, …)
    const char* tip;   // null: none
    QAction* action;
    const char* context = "Actions";
  };

  explicit ActionRegistry(QMainWindow* window);

  // `keys` may contain several shortcuts; the first one is shown.
  QAction* add(const char* id, Menu menu, const char* text, const QList<QKeySequence>& keys, std::function<void()> run,
               const char* tip = nullptr);
  // Condition under which an action is enabled, evaluated by update(); by default always.
  void when(const QStringList& ids, const std::function<bool()>& possible);
  void update();
  void separator(Menu menu);
  QMenu* submenu(Menu menu, const char* text);
  // Adds an action to a submenu; its text is in another context.
  QAction* add_to(QMenu* menu, Menu of, const char* id, const char* context, const char* text,
                  std::function<void()> run);
  QMenu* menu(Menu menu) const { return menus_[static_cast<size_t>(menu)]; }

  const std::vector<Entry>& all() const { return entries_; }
  QAction* find(const QString& id) const;  // null: none
  static QString menu_name(Menu menu);
  void retranslate();
  // Changes text and tip of an action, such as Play to Pause. Both as for add().
  void rename(const QString& id, const char* text, const char* tip);

 private:
  static void write(const Entry& entry);

  QMainWindow* window_;
  std::vector<QMenu*> menus_;
  std::vector<Entry> entries_;
  std::vector<std::pair<QMenu*, const char*>> submenus_;
  std::vector<std::pair<QAction*, std::function<bool()>>> possible_;
};

// Text and tip of the Play action, which is Pause while playing.
std::pair<const char*, const char*> play_texts(bool playing);

}  // namespace arenascope::app
