// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets of tables and objects follow and change the selection.
#include <views/tables/objects_view.h>
#include <views/tables/table_panel.h>

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QTest>

#include "rich_session.h"

using namespace arenascope;
using namespace arenascope::views;

namespace {

struct Fixture {
  SessionSource source;
  SelectionModel selection;
  SharedAxis axis{&source};
  Theme theme;
};

}  // namespace

class TablePanelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // An error message is not elided while the table has space for it.
  void a_long_text_takes_the_space_that_the_table_has() {
    const QString message =
        QStringLiteral("the pool of the context is full: 272 bytes are needed, 160 of 640 are free; ").repeated(2);
    auto table = std::make_shared<Table>();
    table->rows = 1;
    table->columns = {{"Severity", {}, [](size_t) { return QStringLiteral("error"); }},
                      {"Message", {}, [message](size_t) { return message; }}};
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    TablePanel panel(
        QStringLiteral("messages"), [table](const TableInput&) { return table; }, &source, &selection, &axis);
    panel.resize(500, 200);
    panel.show();
    panel.refresh();
    const auto wide = [&] { return panel.table_view()->columnWidth(1); };
    const int needed = panel.table_view()->fontMetrics().horizontalAdvance(message);
    QVERIFY(wide() < needed);
    panel.resize(needed + 400, 200);
    QTRY_VERIFY(wide() >= needed);
    panel.resize(500, 200);
    QTRY_VERIFY(wide() < needed);
    panel.table_view()->setColumnWidth(1, 77);  // set by the user
    panel.resize(needed + 400, 200);
    QTest::qWait(10);
    QCOMPARE(wide(), 77);
  }

  void a_panel_follows_and_changes_the_selection() {
    Fixture fixture;
    TablePanel panel("nodes", nodes_table, &fixture.source, &fixture.selection, &fixture.axis);
    panel.resize(900, 300);
    panel.show();
    fixture.source.set_session(test::rich_session());
    QTRY_VERIFY(panel.model()->rowCount() > 5);
    const trace::GraphId graph = fixture.source.graph_id();

    QTableView* view = panel.table_view();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(panel.model()->index(3, 1)).center());
    QCOMPARE(fixture.selection.current(), Selection::node(graph, NodeId(3)));
    fixture.selection.select(Selection::node(graph, NodeId(5)));
    QCOMPARE(view->currentIndex().row(), 5);

    // A range of steps keeps only its rows.
    const int all = panel.model()->rowCount();
    fixture.selection.select(StepRangeSelection{Step(2), Step(6)});
    QCOMPARE(panel.model()->rowCount(), 4);
    fixture.selection.clear();
    QCOMPARE(panel.model()->rowCount(), all);

    auto* filter = panel.findChild<QLineEdit*>();
    QTest::keyClicks(filter, "relu");
    QVERIFY(panel.model()->rowCount() < all && panel.model()->rowCount() > 0);
    filter->clear();

    view->selectRow(1);
    panel.copy();
    QVERIFY(QApplication::clipboard()->text().contains(QString::fromStdString(fixture.source.graph()->nodes[1].name)));
    const auto later = panel.model()->csv_maker();
    const QString csv = panel.model()->to_csv();
    panel.model()->set_text_filter("relu");  // the filter is applied to the table at the time of the request
    QCOMPARE(later(), csv);
  }

  void objects_are_bytes_that_can_be_clicked() {
    Fixture fixture;
    ObjectsView view(&fixture.source, &fixture.selection, &fixture.theme);
    view.resize(500, 200);
    view.show();
    fixture.source.set_session(test::rich_session());
    const QRect box = view.rect_of(0);
    QVERIFY(box.isValid());
    QCOMPARE(view.object_at(box.center()), 0);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, box.center());
    const auto* chosen = fixture.selection.current().get<NodeSelection>();
    QVERIFY(chosen != nullptr);
    QCOMPARE(fixture.source.graph()->nodes[chosen->tensor.index()].name, std::string("conv1"));
  }
};

QTEST_MAIN(TablePanelTest)
#include "table_panel_test.moc"
