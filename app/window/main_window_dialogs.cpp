// SPDX-License-Identifier: GPL-3.0-or-later
// The window's few dialogs. None of them is modal: what is open can be looked at meanwhile.
#include <arenascope/graph/order.h>
#include <arenascope/models/zoo.h>
#include <arenascope/planner/planner.h>
#include <arenascope/runtime/thread_pool.h>

#include <views/common/plot_view.h>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFormLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <arenascope/run/backends.h>
#include "autosave.h"
#include "language.h"
#include "main_window.h"

namespace arenascope::app {

using namespace views;

namespace {

QDialog* make_dialog(QWidget* parent, const char* name, const QString& title) {
  // One of each kind at a time.
  for (QDialog* old : parent->findChildren<QDialog*>(QString::fromLatin1(name))) old->deleteLater();
  auto* dialog = new QDialog(parent);
  dialog->setObjectName(QString::fromLatin1(name));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  return dialog;
}

}  // namespace

void MainWindow::show_about() {
  QDialog* dialog = make_dialog(this, "about", tr("About Arenascope"));
  auto* column = new QVBoxLayout(dialog);
  auto* icon = new QLabel(dialog);
  icon->setPixmap(windowIcon().pixmap(64, 64));
  auto* text = new QLabel(
      tr("<h2>Arenascope %1</h2><p>Open a model, run it on the CPU, OpenCL or CUDA, and watch how it lives in "
         "memory.</p>"
         "<p>The window is free software under the GNU General Public License, version 3 or later; the engine inside "
         "is "
         "under the MIT licence.</p><p>Built with Qt %2 and QCustomPlot. Graphs are laid out by Graphviz.</p>")
          .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())),
      dialog);
  text->setWordWrap(true);
  text->setMinimumWidth(420);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  column->addWidget(icon, 0, Qt::AlignHCenter);
  column->addWidget(text);
  column->addWidget(buttons);
  dialog->show();
}

void MainWindow::show_keys() {
  QDialog* dialog = make_dialog(this, "keys", tr("Keys"));
  auto* column = new QVBoxLayout(dialog);
  auto* filter = new QLineEdit(dialog);
  filter->setPlaceholderText(tr("Filter"));
  filter->setAccessibleName(tr("Filter"));
  filter->setClearButtonEnabled(true);
  auto* table = new QTableWidget(0, 3, dialog);
  table->setHorizontalHeaderLabels({tr("Menu"), tr("Action"), tr("Keys")});
  table->verticalHeader()->hide();
  table->setAccessibleName(tr("Keys"));
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setShowGrid(false);
  table->setAlternatingRowColors(true);
  for (const auto& entry : actions_->all()) {
    QStringList keys;
    for (const QKeySequence& key : entry.action->shortcuts()) keys << key.toString(QKeySequence::NativeText);
    keys.removeDuplicates();
    const int row = table->rowCount();
    table->insertRow(row);
    table->setItem(row, 0, new QTableWidgetItem(ActionRegistry::menu_name(entry.menu)));
    table->setItem(row, 1, new QTableWidgetItem(entry.action->text().remove(u'&')));
    table->setItem(row, 2, new QTableWidgetItem(keys.join(QStringLiteral(", "))));
  }
  table->resizeColumnsToContents();
  table->horizontalHeader()->setStretchLastSection(true);
  connect(filter, &QLineEdit::textChanged, table, [table](const QString& text) {
    for (int row = 0; row < table->rowCount(); ++row) {
      bool hit = false;
      for (int c = 0; c < 3; ++c) hit = hit || table->item(row, c)->text().contains(text, Qt::CaseInsensitive);
      table->setRowHidden(row, !hit);
    }
  });
  column->addWidget(filter);
  column->addWidget(table);
  dialog->resize(560, 620);
  dialog->show();
}

void MainWindow::show_preferences() {
  QDialog* dialog = make_dialog(this, "preferences", tr("Preferences"));
  auto* form = new QFormLayout(dialog);
  auto combo = [&](const QList<std::pair<QString, QVariant>>& choices, const QVariant& now) {
    auto* box = new QComboBox(dialog);
    for (const auto& [text, value] : choices) box->addItem(text, value);
    box->setCurrentIndex(std::max(0, box->findData(now)));
    return box;
  };
  QList<std::pair<QString, QVariant>> backends;
  for (const BackendStatus& status : list_backends())
    if (status.missing.empty())
      backends.push_back(
          {QString::fromStdString(status.backend) + QStringLiteral(" – ") + QString::fromStdString(status.description),
           QString::fromStdString(status.backend)});
  auto* backend = combo(backends, preferences_.run.backend);
  auto* threads = new QSpinBox(dialog);
  threads->setRange(0, 1024);
  threads->setSpecialValueText(tr("as many as processors (%1)").arg(usable_processors()));
  threads->setValue(preferences_.run.threads);
  auto names = [](auto list) {
    QList<std::pair<QString, QVariant>> result;
    for (const auto& name : list) result.push_back({name, name});
    return result;
  };
  QStringList planners, orders;
  for (const planner::Planner* p : planner::all_planners())
    planners << QString::fromUtf8(p->name().data(), static_cast<qsizetype>(p->name().size()));
  for (const OrderInfo& o : all_orders()) orders << QString::fromUtf8(o.name);
  auto* planner = combo(names(planners), preferences_.run.planner);
  auto* order = combo(names(orders), preferences_.run.order);
  auto* strategy = combo({{tr("planned: one arena"), "planned"},
                          {tr("eager: allocated and given back one by one"), "eager"},
                          {tr("none: nothing is given back before the end"), "none"}},
                         preferences_.run.strategy);
  auto* budget = new QDoubleSpinBox(dialog);
  budget->setRange(0.01, 600);
  budget->setSuffix(tr(" s"));
  budget->setValue(preferences_.run.budget_seconds);
  auto* language = combo(
      {{tr("of the system"), QString()}, {QStringLiteral("English"), "en"}, {QStringLiteral("简体中文"), "zh_CN"}},
      preferences_.language);
  auto* theme =
      combo({{tr("of the system"), 0}, {tr("light"), 1}, {tr("dark"), 2}}, static_cast<int>(preferences_.theme));
  form->addRow(tr("&Backend"), backend);
  form->addRow(tr("&Threads"), threads);
  form->addRow(tr("&Planner"), planner);
  form->addRow(tr("&Order"), order);
  form->addRow(tr("Planning takes at &most"), budget);
  form->addRow(tr("Memory &strategy"), strategy);
  auto* fuse = new QCheckBox(tr("F&use chains of ops into one node each"), dialog);
  fuse->setChecked(preferences_.run.fuse);
  fuse->setToolTip(tr(
      "Faster, and with less memory; what lies inside of a node is then not seen. The inspector lists what it holds."));
  form->addRow(QString(), fuse);
  auto* autosave = new QCheckBox(tr("Keep what is recorded in a &file while it runs"), dialog);
  autosave->setChecked(preferences_.run.autosave);
  autosave->setToolTip(
      tr("After a crash or a kill it is under File ▸ Recover a Recording. It goes when the file is closed."));
  form->addRow(QString(), autosave);
  form->addRow(tr("&Language"), language);
  form->addRow(tr("T&heme"), theme);
  auto* buttons =
      new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Apply | QDialogButtonBox::Cancel, dialog);
  form->addRow(buttons);
  auto apply = [=, this] {
    Preferences p;
    p.run.backend = backend->currentData().toString();
    p.run.threads = threads->value();
    p.run.planner = planner->currentData().toString();
    p.run.order = order->currentData().toString();
    p.run.strategy = strategy->currentData().toString();
    p.run.budget_seconds = budget->value();
    p.run.fuse = fuse->isChecked();
    p.run.autosave = autosave->isChecked();
    p.language = language->currentData().toString();
    p.theme = static_cast<ThemeMode>(theme->currentData().toInt());
    apply_preferences(p);
  };
  connect(buttons, &QDialogButtonBox::accepted, dialog, [dialog, apply] {
    apply();
    dialog->close();
  });
  connect(buttons->button(QDialogButtonBox::Apply), &QPushButton::clicked, dialog, apply);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  dialog->show();
}

void MainWindow::show_manual() {
  QDialog* dialog = make_dialog(this, "manual", tr("Arenascope Manual"));
  auto* column = new QVBoxLayout(dialog);
  auto* find = new QLineEdit(dialog);
  find->setPlaceholderText(tr("Find in the manual"));
  find->setClearButtonEnabled(true);
  find->setAccessibleName(tr("Find in the manual"));
  auto* text = new QTextBrowser(dialog);
  text->setOpenExternalLinks(true);
  text->setSearchPaths({QStringLiteral(":/")});  // its pictures
  text->setAccessibleName(tr("Arenascope Manual"));
  QFile file(QLocale().language() == QLocale::Chinese ? QStringLiteral(":/manual.zh_CN.md")
                                                      : QStringLiteral(":/manual.md"));
  if (file.open(QIODevice::ReadOnly)) text->setMarkdown(QString::fromUtf8(file.readAll()));
  connect(find, &QLineEdit::returnPressed, text, [find, text] {
    if (text->find(find->text())) return;
    text->moveCursor(QTextCursor::Start);  // from the top again
    text->find(find->text());
  });
  column->addWidget(find);
  column->addWidget(text);
  dialog->resize(780, 680);
  dialog->show();
  text->setFocus();
}

void MainWindow::show_frame_times(bool on) {
  delete frames_;
  frames_ = nullptr;
  if (!on) return;
  frames_ = new FrameOverlay(watch_, this);
  for (PlotView* view : std::as_const(plots_))
    connect(view, &PlotView::painted, frames_, [this, view] { frames_->frame(view->last_frame_ms()); });
  frames_->show();
}

// After a crash or a kill: what was recorded is there, and said so once.
void MainWindow::offer_left_behind() {
  const QStringList files = left_behind();
  if (files.isEmpty()) return;
  messages_->say(MessageKind::Warning,
                 tr("Arenascope ended while it recorded. What it had is under File ▸ Recover a Recording: %n file(s).",
                    nullptr, static_cast<int>(files.size())));
}

void MainWindow::show_zoo() {
  QDialog* dialog = make_dialog(this, "zoo", tr("Open a Built-in Model"));
  auto* column = new QVBoxLayout(dialog);
  auto* list = new QListWidget(dialog);
  for (const auto& entry : models::zoo()) {
    auto* item = new QListWidgetItem(
        QString::fromUtf8(entry.name) + QStringLiteral("  –  ") + QString::fromUtf8(entry.description), list);
    item->setData(Qt::UserRole, QStringLiteral("zoo:") + QString::fromUtf8(entry.name));
  }
  list->setCurrentRow(0);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, dialog);
  auto open_it = [this, list, dialog] {
    if (list->currentItem() != nullptr) open(list->currentItem()->data(Qt::UserRole).toString());
    dialog->close();
  };
  connect(buttons, &QDialogButtonBox::accepted, dialog, open_it);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  connect(list, &QListWidget::itemActivated, dialog, open_it);
  column->addWidget(list);
  column->addWidget(buttons);
  dialog->resize(520, 420);
  dialog->show();
}

}  // namespace arenascope::app
