// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions.h"

#include <QCoreApplication>
#include <QMainWindow>
#include <QMenuBar>

namespace arenascope::app {
namespace {
constexpr const char* kMenuNames[kMenus] = {
    QT_TRANSLATE_NOOP("Actions", "&File"),    QT_TRANSLATE_NOOP("Actions", "&Edit"),
    QT_TRANSLATE_NOOP("Actions", "&View"),    QT_TRANSLATE_NOOP("Actions", "&Graph"),
    QT_TRANSLATE_NOOP("Actions", "&Memory"),  QT_TRANSLATE_NOOP("Actions", "&Run"),
    QT_TRANSLATE_NOOP("Actions", "&Compare"), QT_TRANSLATE_NOOP("Actions", "&Lessons"),
    QT_TRANSLATE_NOOP("Actions", "&Help")};

QString translated(const char* text) { return QCoreApplication::translate("Actions", text); }
}  // namespace

ActionRegistry::ActionRegistry(QMainWindow* window) : QObject(window), window_(window) {
  for (const char* name : kMenuNames) menus_.push_back(window->menuBar()->addMenu(translated(name)));
}

QString ActionRegistry::menu_name(Menu menu) { return translated(kMenuNames[static_cast<size_t>(menu)]).remove(u'&'); }

QAction* ActionRegistry::add(const char* id, Menu menu, const char* text, const QList<QKeySequence>& keys,
                             std::function<void()> run, const char* tip) {
  auto* action = new QAction(window_);
  action->setObjectName(QString::fromLatin1(id));
  action->setShortcuts(keys);
  connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
  this->menu(menu)->addAction(action);
  window_->addAction(action);
  entries_.push_back({id, menu, text, tip, action});
  return action;
}

QAction* ActionRegistry::add_to(QMenu* menu, Menu of, const char* id, const char* context, const char* text,
                                std::function<void()> run) {
  QAction* action = add(id, of, text, {}, std::move(run));
  this->menu(of)->removeAction(action);
  menu->addAction(action);
  entries_.back().context = context;
  return action;
}

void ActionRegistry::when(const QStringList& ids, const std::function<bool()>& possible) {
  for (const QString& id : ids) possible_.push_back({find(id), possible});
}

void ActionRegistry::update() {
  for (const auto& [action, possible] : possible_) action->setEnabled(possible());
}

void ActionRegistry::separator(Menu menu) { this->menu(menu)->addSeparator(); }

QMenu* ActionRegistry::submenu(Menu menu, const char* text) {
  QMenu* sub = this->menu(menu)->addMenu(translated(text));
  submenus_.push_back({sub, text});
  return sub;
}

QAction* ActionRegistry::find(const QString& id) const {
  for (const Entry& entry : entries_)
    if (id == QLatin1String(entry.id)) return entry.action;
  return nullptr;
}

void ActionRegistry::retranslate() {
  for (int i = 0; i < kMenus; ++i) menus_[static_cast<size_t>(i)]->setTitle(translated(kMenuNames[i]));
  for (auto& [menu, text] : submenus_) menu->setTitle(translated(text));
  for (const Entry& entry : entries_) write(entry);
}

void ActionRegistry::write(const Entry& entry) {
  entry.action->setText(QCoreApplication::translate(entry.context, entry.text));
  QString tip = entry.tip ? translated(entry.tip) : entry.action->text().remove(u'&').remove(QStringLiteral("…"));
  const QKeySequence key = entry.action->shortcut();
  if (!key.isEmpty()) tip += QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText));
  entry.action->setToolTip(tip);
  entry.action->setStatusTip(tip);
}

void ActionRegistry::rename(const QString& id, const char* text, const char* tip) {
  for (Entry& entry : entries_) {
    if (id != QLatin1String(entry.id)) continue;
    entry.text = text;
    entry.tip = tip;
    write(entry);
  }
}

}  // namespace arenascope::app
