// SPDX-License-Identifier: GPL-3.0-or-later
// All text of the window in the pseudo-locale: longer, with accents and brackets. Text without brackets is not
// translatable, text wider than its widget is clipped. Also checks that every focusable widget has an accessible
// name.
#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

#include <views/arena/arena_view.h>

#include "app/window/language/pseudo_locale.h"
#include "sample_session.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

namespace {

// Names, numbers, keys and symbols are not translated.
bool is_word(const QString& text) {
  static const QRegularExpression letters(QStringLiteral("[A-Za-z]{3,}"));
  return letters.match(text).hasMatch();
}

}  // namespace

class UiTextTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QStringList data_;  // text from data, planners and files

  void complain(QStringList* wrong, const QWidget* where, const QString& text) const {
    if (text.isEmpty() || !is_word(text) || text.contains(u'[')) return;
    for (const QString& word : data_)
      if (text.contains(word)) return;
    *wrong << QStringLiteral("%1 %2: “%3”")
                  .arg(QString::fromLatin1(where->metaObject()->className()), where->objectName(), text);
  }

  // The line edit of a spin box or combo box is named by its owner, a field by its buddy label.
  static bool has_name(const QWidget* w, const QWidget* root) {
    if (qobject_cast<const QAbstractSpinBox*>(w->parentWidget()) != nullptr ||
        qobject_cast<const QComboBox*>(w->parentWidget()) != nullptr || !w->accessibleName().isEmpty() ||
        w->inherits("QTabBar"))
      return true;
    if (const auto* button = qobject_cast<const QAbstractButton*>(w); button != nullptr && !button->text().isEmpty())
      return true;
    if (const auto* label = qobject_cast<const QLabel*>(w); label != nullptr && !label->text().isEmpty()) return true;
    for (const QLabel* label : root->findChildren<QLabel*>())
      if (label->buddy() == w) return true;
    return false;
  }

  // All visible focusable widgets.
  static void check_names(const QWidget* root) {
    QStringList nameless;
    for (const QWidget* w : root->findChildren<QWidget*>()) {
      if (w->objectName().startsWith(u"qt_") || w->inherits("QHeaderView")) continue;
      const bool seen = w->isVisible() && w->width() > 1 && !w->visibleRegion().isEmpty();
      if (seen && (w->focusPolicy() & Qt::TabFocus) != 0 && !has_name(w, root))
        nameless << QStringLiteral("%1 %2 in %3")
                        .arg(QString::fromLatin1(w->metaObject()->className()), w->objectName(),
                             QString::fromLatin1(w->parentWidget()->metaObject()->className()));
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(QStringLiteral("without a name:\n") + nameless.join(u'\n')));
  }

  void check(const QWidget* root) const {
    QStringList untranslated, cut;
    for (const QWidget* w : root->findChildren<QWidget*>()) {
      if (!w->isVisibleTo(root) || w->objectName().startsWith(u"qt_")) continue;
      if (w->inherits("QTabBar") || w->inherits("QHeaderView")) continue;  // checked below
      if (w->inherits("QPushButton") && qobject_cast<const QDialogButtonBox*>(w->parentWidget()) != nullptr)
        continue;  // Qt's own strings
      QString text;
      bool may_wrap = false;
      if (const auto* label = qobject_cast<const QLabel*>(w))
        text = label->text(), may_wrap = label->wordWrap();
      else if (const auto* button = qobject_cast<const QAbstractButton*>(w))
        text = button->text();
      if (const auto* line = qobject_cast<const QLineEdit*>(w)) complain(&untranslated, w, line->placeholderText());
      complain(&untranslated, w, text);
      complain(&untranslated, w, w->toolTip());
      if (!w->inherits("QDockWidgetTitleButton")) complain(&untranslated, w, w->accessibleName());
      const bool seen = w->isVisible() && w->width() > 1 && !w->visibleRegion().isEmpty();
      if (seen && !text.isEmpty() && !may_wrap && w->width() + 1 < w->minimumSizeHint().width())
        cut << QStringLiteral("%1 “%2”: %3 of %4 pixels")
                   .arg(QString::fromLatin1(w->metaObject()->className()), text)
                   .arg(w->width())
                   .arg(w->minimumSizeHint().width());
    }
    untranslated.removeDuplicates();
    QVERIFY2(untranslated.isEmpty(), qPrintable(QStringLiteral("not translatable:\n") + untranslated.join(u'\n')));
    QVERIFY2(cut.isEmpty(), qPrintable(QStringLiteral("cut:\n") + cut.join(u'\n')));
    check_names(root);
  }

 private Q_SLOTS:
  void initTestCase() {
    set_up("arenascope-ui-text");
    make_window(kPseudoLocale);
    doc().show_session(test::sample_session(), "sample");
    data_ = {"CONV", "PERMUTE", "sample", "cpu", "eager", "planned", "English", "PNG", "QCustomPlot"};
    for (const auto& node : doc().source()->graph()->nodes)
      data_ << QString::fromStdString(node.name) << QString::fromStdString(node.op);
    data_.removeAll(QString());
    data_.removeDuplicates();
    QTRY_VERIFY_WITH_TIMEOUT(panels().widgets().graph->canvas()->scene().ready(), kPatience);
  }
  void cleanupTestCase() { window_.reset(); }

  void menus() {
    for (const auto& entry : window_->shell().actions->all()) {
      QVERIFY2(entry.action->text().contains(u'['), entry.id);
      QVERIFY2(!is_word(entry.action->toolTip()) || entry.action->toolTip().contains(u'['), entry.id);
    }
    for (const QAction* menu : window_->menuBar()->actions()) {
      QVERIFY2(menu->text().contains(u'['), qPrintable(menu->text()));
      for (const QAction* action : menu->menu()->actions())
        QVERIFY2(action->isSeparator() || action->text().isEmpty() || action->text().contains(u'[') ||
                     data_.contains(action->text()),
                 qPrintable(action->text()));
    }
  }

  // Each mnemonic of a menu is used once.
  void mnemonics() {
    set_language("en");
    QTest::qWait(20);
    QStringList twice;
    for (const QAction* menu : window_->menuBar()->actions()) {
      QMap<QChar, QString> letters;
      for (const QAction* action : menu->menu()->actions()) {
        const QString text = QString(action->text()).replace(QStringLiteral("&&"), QString());
        const qsizetype at = text.indexOf(u'&');
        if (at < 0 || at + 1 >= text.size() || action->menu() == nullptr ? at < 0 : false) continue;
        const QChar letter = text[at + 1].toLower();
        if (letters.contains(letter)) twice << text + QStringLiteral(" / ") + letters[letter];
        letters[letter] = text;
      }
    }
    set_language(kPseudoLocale);
    QTest::qWait(20);
    QVERIFY2(twice.isEmpty(), qPrintable(twice.join(u'\n')));
  }

  void all_panels_data() {
    QTest::addColumn<PanelId>("panel");
    for (const PanelDescriptor& kind : panel_kinds()) QTest::newRow(name_of(kind.id)) << kind.id;
  }
  void all_panels() {
    QFETCH(PanelId, panel);
    QDockWidget* dock = panels().dock(panel);
    panels().raise(panel);
    QTest::qWait(60);
    QVERIFY2(dock->windowTitle().contains(u'['), qPrintable(dock->windowTitle()));
    check(dock->widget());
    for (const QTableView* view : dock->findChildren<QTableView*>()) {
      const QAbstractItemModel* model = view->model();
      for (int c = 0; view->isVisible() && c < model->columnCount(); ++c) {
        const QString title = model->headerData(c, Qt::Horizontal).toString();
        QVERIFY2(!is_word(title) || title.contains(u'['), qPrintable(title));
      }
    }
  }

  void drawn_headers() {
    for (const PanelId id : {PanelId::Occupancy, PanelId::Arena, PanelId::Lifetimes, PanelId::Timeline}) {
      PlotView* view = plot_view(id);
      panels().dock(id)->raise();
      view->prepare_now();
      QVERIFY2(view->header().title.contains(u'['), name_of(id));
      for (const LegendChip& chip : view->header().legend)
        QVERIFY2(!is_word(chip.text) || chip.text.contains(u'['), qPrintable(chip.text));
    }
  }

  void whole_window() { check(window_.get()); }

  void dialogs() {
    for (const char* id : {"edit.preferences", "help.keys", "help.about", "help.manual", "file.attach", "file.zoo",
                           "view.layout_save", "view.note"}) {
      window_->shell().actions->find(QString::fromLatin1(id))->trigger();
      QTest::qWait(60);
      int seen = 0;
      for (QDialog* dialog : window_->findChildren<QDialog*>()) {
        if (!dialog->isVisible()) continue;
        ++seen;
        QVERIFY2(dialog->windowTitle().contains(u'['), id);
        check_names(dialog);
        const QString which = QString::fromLatin1(id);
        if (which != u"file.zoo" && which != u"help.about" && !which.startsWith(u"view.")) check(dialog);
        dialog->close();
      }
      QVERIFY2(seen == 1, id);
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
  }
};

QTEST_MAIN(UiTextTest)
#include "ui_text_test.moc"
