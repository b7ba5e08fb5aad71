// SPDX-License-Identifier: GPL-3.0-or-later
// The query panel: completion, results that drive the selection, errors, cancelling, history, library and chart.
#include <views/common/format.h>
#include <QAbstractItemView>
#include <QCompleter>
#include <QMenu>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>

#include "app/query/library.h"
#include "app/window/panels/query_panel.h"
#include "app/window/panels/query_table.h"
#include "app/window/panels/sql_completion.h"
#include "tests/views/sample_session.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class QueryTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QueryPanel* panel() const { return panels().widgets().query; }
  QueryPanel* shown() {
    window_->shell().actions->find("edit.query")->trigger();
    return panel();
  }
  QueryPanel* with_sample() {
    doc().show_session(test::sample_session(), "sample");
    return shown();
  }
  void wait() { QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().queries.busy(), kPatience); }
  void query(const QString& sql) {
    panel()->run_sql(sql);
    wait();
    panel()->table()->refresh();
  }
  QString cell(int row, int column) const { return panel()->table()->model()->index(row, column).data().toString(); }
  int rows() const { return panel()->table()->model()->rowCount(); }
  static QStringList completions(const QString& sql) {
    return completions_at(SqlSchema::of_recordings(), sql, static_cast<int>(sql.size())).names;
  }
  static QStringList texts_of(QMenu* menu) {
    Q_EMIT menu->aboutToShow();
    QStringList texts;
    for (const QAction* action : menu->actions())
      if (!action->isSeparator()) texts << action->text();
    return texts;
  }
  static void choose(QMenu* menu, const QString& text) {
    Q_EMIT menu->aboutToShow();
    for (QAction* action : menu->actions())
      if (action->text() == text) return action->trigger();
    QFAIL(qPrintable(text));
  }

 private Q_SLOTS:
  void initTestCase() {
    set_up("arenascope-query-test");
    qputenv("XDG_CONFIG_HOME", folder_.filePath("config").toUtf8());
  }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void names_are_completed() {
    QVERIFY(completions("SELECT * FROM sp") == (QStringList{"spans", "spaces"}));
    QVERIFY(completions("SELECT n.op FROM nodes n JOIN runs r ON r.gr") == QStringList{"graph"});
    QVERIFY(completions("SELECT nodes.med") == QStringList{"median_ns"});
    QVERIFY(completions("SELECT su").contains("sum"));
    QVERIFY(completions("sel").contains("SELECT"));
    const QString used = "SELECT  FROM barriers";
    const QStringList columns = completions_at(SqlSchema::of_recordings(), used, 7).names;
    QCOMPARE(columns.mid(0, 3), (QStringList{"run", "node", "first_arrival_ns"}));
    QVERIFY(completions("SELECT 'no").isEmpty());
    QVERIFY(completions("-- no").isEmpty());
    QVERIFY(completions("SELECT 'a' || na").contains("nth_value") == completions("na").contains("nth_value"));
    QVERIFY(completions("SELECT x.").isEmpty());
  }

  void a_name_is_inserted_by_return_in_the_list() {
    SqlEditor* editor = with_sample()->editor();
    editor->setFocus();
    QTest::keyClicks(editor, "SELECT * FROM barr");
    QCOMPARE(editor->completions(), QStringList{"barriers"});
    QTest::keyClick(editor->completer()->popup(), Qt::Key_Down);
    QTest::keyClick(editor->completer()->popup(), Qt::Key_Return);
    QCOMPARE(editor->toPlainText(), QStringLiteral("SELECT * FROM barriers"));
    QVERIFY(editor->completions().isEmpty());
  }

  // W, S and T zoom and switch the axis elsewhere; Escape closes the list.
  void keys_of_the_editor_are_no_shortcuts() {
    SqlEditor* editor = with_sample()->editor();
    editor->setFocus();
    const bool by_time = doc().axis()->mode() == AxisMode::Time;
    QTest::keyClicks(editor, "t w sp");
    QCOMPARE(editor->toPlainText(), QStringLiteral("t w sp"));
    QCOMPARE(doc().axis()->mode() == AxisMode::Time, by_time);
    QVERIFY(!editor->completions().isEmpty());
    QTest::keyClick(editor->completer()->popup(), Qt::Key_Escape);
    QVERIFY(editor->completions().isEmpty());
  }

  void rows_select_what_they_identify() {
    with_sample();
    query("SELECT id, op FROM nodes ORDER BY id");
    const auto& graph = *doc().source()->snapshot()->graphs[0];
    QCOMPARE(rows(), static_cast<int>(graph.nodes.size()));
    QTableView* view = panel()->table()->table_view();
    QTRY_VERIFY(view->isVisible());
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(view->model()->index(2, 1)).center());
    QVERIFY(doc().selection()->current() == Selection::node(graph.id, NodeId(2)));
    // Rows follow the selection of other views.
    doc().selection()->select(Selection::node(graph.id, NodeId(4)));
    QCOMPARE(view->selectionModel()->selectedRows().front().row(), 4);
    query("SELECT id, begin_ns FROM spans LIMIT 5");
    QVERIFY(panel()->table()->model()->selection_of(1).get<EventSelection>() != nullptr);
    query("SELECT count(*) FROM spans");
    QVERIFY(panel()->table()->model()->selection_of(0).empty());
  }

  void cells_have_units_and_the_csv_is_exact() {
    with_sample();
    query(
        "SELECT 1536 AS arena_bytes, 2500 AS duration_ns, 1234567 AS number, NULL AS none, 'a,b' AS text, 0.25 AS "
        "part");
    QCOMPARE(cell(0, 0), format_bytes(1536));
    QCOMPARE(cell(0, 1), format_ns(2500));
    QCOMPARE(cell(0, 2), format_count(1234567));
    QCOMPARE(cell(0, 3), QString());
    QCOMPARE(panel()->csv_maker()(),
             QStringLiteral("arena_bytes,duration_ns,number,none,text,part\n1536,2500,1234567,,\"a,b\",0.25\n"));
    query("SELECT 9007199254740993 AS number UNION ALL SELECT NULL ORDER BY 1");
    QVERIFY(panel()->csv_maker()().contains("9007199254740993"));
    panel()->table()->table_view()->sortByColumn(0, Qt::DescendingOrder);
    QCOMPARE(cell(1, 0), QString());  // a missing value is the smallest
  }

  // Times since 1970 in nanoseconds are so large that adding 1 does not change them.
  void a_chart_of_equal_large_values_is_painted() {
    with_sample();
    query("SELECT 1700000000000000000 AS time_ns, 1 AS bytes UNION ALL SELECT 1700000000000000000, 2");
    panel()->chart_form()->setCurrentIndex(static_cast<int>(ChartForm::Line));
    panel()->chart()->set_result(doc().jobs().queries.result(), {ChartForm::Line, 0, 1});
    QImage image(400, 300, QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&image);
    panel()->chart()->paint(&painter, image.size());
    QVERIFY(panel()->chart()->row_at({0, 0}) < 2);
  }

  void errors_are_shown_at_their_position_and_results_are_kept() {
    with_sample();
    query("SELECT op FROM nodes");
    const int before = rows();
    query("SELECT op, nme FROM nodes");
    QVERIFY(panel()->status()->text().contains("no such column: nme"));
    const auto marks = panel()->editor()->extraSelections();
    QCOMPARE(marks.size(), 1);
    QCOMPARE(marks[0].cursor.selectedText(), QStringLiteral("nme"));
    QCOMPARE(rows(), before);
    panel()->editor()->setFocus();
    QTest::keyClicks(panel()->editor(), " ");
    QVERIFY(panel()->editor()->extraSelections().isEmpty());
    query("ATTACH 'a.db' AS a");
    QVERIFY(panel()->status()->text().contains("not authorized"));
    query("SELECT 1; SELECT 2");
    QVERIFY(panel()->status()->text().contains("expected one statement"));
  }

  // The text, the undo history, the position in the history and the error belong to the document.
  void tabs_do_not_share_the_editor() {
    with_sample();
    query("SELECT op FROM nodes");
    SqlEditor* editor = panel()->editor();
    editor->set_sql("draft");
    QTest::keyClick(editor, Qt::Key_Up, Qt::ControlModifier);
    query("SELECT nme FROM nodes");
    QCOMPARE(editor->extraSelections().size(), 1);
    open(QStringLiteral("zoo:mul_mat"));
    QVERIFY(editor->toPlainText().isEmpty() && editor->extraSelections().isEmpty());
    QVERIFY(!editor->document()->isUndoAvailable());
    QTest::keyClick(editor, Qt::Key_Down, Qt::ControlModifier);
    QVERIFY(editor->toPlainText().isEmpty());
    window_->documents()->show(0);
    QCOMPARE(editor->toPlainText(), QStringLiteral("SELECT nme FROM nodes"));
    QCOMPARE(editor->extraSelections().size(), 1);
  }

  void pasted_text_is_an_edit() {
    SqlEditor* editor = with_sample()->editor();
    const QSignalSpy edited(editor, &SqlEditor::edited);
    editor->set_sql("SELECT 1");
    QCOMPARE(edited.size(), 0);
    editor->selectAll();
    editor->cut();
    editor->paste();
    QCOMPARE(edited.size(), 2);
  }

  void a_running_query_is_cancelled() {
    with_sample();
    panel()->run_sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
    QVERIFY(doc().jobs().queries.busy());
    QVERIFY(panel()->stop_button()->isEnabled());
    const std::vector<Task*> running = doc().jobs().tasks.running();
    QVERIFY(std::ranges::find(running, &doc().jobs().queries.task()) != running.end());
    QTest::mouseClick(panel()->stop_button(), Qt::LeftButton);
    wait();
    QCOMPARE(panel()->status()->text(), QStringLiteral("Stopped."));
    QVERIFY(!panel()->stop_button()->isEnabled());
    // A new query replaces a running one, and closing the document ends it.
    panel()->run_sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
    query("SELECT 5 AS five");
    QCOMPARE(cell(0, 0), QStringLiteral("5"));
    panel()->run_sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
    window_->shell().actions->find("file.close")->trigger();
    QVERIFY(doc().jobs().queries.result() == nullptr);
  }

  void another_session_discards_the_result() {
    with_sample();
    query("SELECT op FROM nodes");
    QVERIFY(rows() > 0);
    doc().show_session(test::sample_session({.blocks = 2}), "other");
    QVERIFY(doc().jobs().queries.result() == nullptr);
    panel()->table()->refresh();
    QCOMPARE(rows(), 0);
  }

  void large_results_are_cut_off_and_it_is_stated() {
    with_sample();
    query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000) SELECT i FROM n");
    QCOMPARE(panel()->table()->model()->table()->rows, QueryJob::kMaxRows);
    QVERIFY(panel()->status()->text().contains(format_count(static_cast<int64_t>(QueryJob::kMaxRows))));
  }

  void the_history_is_remembered() {
    with_sample();
    query("SELECT 1");
    query("SELECT 2");
    query("SELECT 1");
    QCOMPARE(QueryPanel::history(), (QStringList{"SELECT 1", "SELECT 2"}));
    SqlEditor* editor = panel()->editor();
    editor->set_sql("draft");
    QTest::keyClick(editor, Qt::Key_Up, Qt::ControlModifier);
    QCOMPARE(editor->toPlainText(), QStringLiteral("SELECT 1"));
    QTest::keyClick(editor, Qt::Key_Up, Qt::ControlModifier);
    QTest::keyClick(editor, Qt::Key_Up, Qt::ControlModifier);
    QCOMPARE(editor->toPlainText(), QStringLiteral("SELECT 2"));
    QTest::keyClick(editor, Qt::Key_Down, Qt::ControlModifier);
    QTest::keyClick(editor, Qt::Key_Down, Qt::ControlModifier);
    QCOMPARE(editor->toPlainText(), QStringLiteral("draft"));
    choose(panel()->history_button()->menu(), "SELECT 2");
    QCOMPARE(editor->toPlainText(), QStringLiteral("SELECT 2"));
    QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
    wait();
    QCOMPARE(QueryPanel::history().front(), QStringLiteral("SELECT 2"));
  }

  void the_library_has_built_in_queries_and_those_of_the_folder() {
    with_sample();
    QMenu* library = panel()->library_button()->menu();
    for (const query::NamedQuery& named : query::named_queries()) {
      QVERIFY2(texts_of(library).contains(QString::fromLatin1(named.name)), named.name);
      choose(library, QString::fromLatin1(named.name));
      wait();
      QVERIFY2(doc().jobs().queries.problem().isEmpty(), named.name);
    }
    panel()->editor()->set_sql("-- two\nSELECT 2 AS number");
    QVERIFY(!panel()->store_as("not a name"));
    QVERIFY(panel()->status()->text().contains("not a name"));
    QVERIFY(panel()->store_as("own-one"));
    QVERIFY(QFile::exists(folder_.filePath("config/arenascope/queries/own-one.sql")));
    panel()->editor()->set_sql({});
    choose(library, "own-one");
    wait();
    panel()->table()->refresh();
    QCOMPARE(cell(0, 0), QStringLiteral("2"));
  }

  void a_chart_of_the_result() {
    with_sample();
    query("SELECT op, count(*) AS nodes, sum(bytes) AS bytes FROM nodes GROUP BY op ORDER BY 3 DESC");
    QueryChart* chart = panel()->chart();
    QVERIFY(chart->choice() == (ChartChoice{ChartForm::Bars, 0, 2}));
    QVERIFY(chart->summary().startsWith(cell(0, 0) + QStringLiteral(": ") + cell(0, 2)));
    QTRY_VERIFY(chart->isVisible());
    QCOMPARE(chart->row_at({chart->width() / 2.0, 12}), 0);
    const QColor work = window_->shell().theme->colours()[Role::Work];
    const auto coloured = [&] {  // pixels in the first bar
      const QImage image = chart->grab().toImage();
      int count = 0;
      for (int x = 0; x < image.width(); ++x)
        count += image.pixelColor(x, 12 * image.height() / chart->height()) == work ? 4 : 0;
      return count > image.width();
    };
    QTRY_VERIFY(coloured());

    query("SELECT name, median_ns FROM nodes WHERE median_ns IS NOT NULL ORDER BY 2 DESC");
    QTest::mouseClick(chart, Qt::LeftButton, {}, {chart->width() / 2, 12});
    const auto* node = doc().selection()->current().get<NodeSelection>();
    QVERIFY(node != nullptr);
    QCOMPARE(QString::fromStdString(doc().source()->snapshot()->tensor(node->graph, node->tensor)->name), cell(0, 0));

    query("SELECT time_ns, allocated_bytes FROM memory");
    QVERIFY(chart->choice() == (ChartChoice{ChartForm::Line, 0, 1}));
    panel()->chart_form()->setCurrentIndex(static_cast<int>(ChartForm::None));
    Q_EMIT panel()->chart_form()->activated(0);
    QVERIFY(chart->choice() == ChartChoice());
    query("SELECT 'a' AS text");
    QVERIFY(chart->choice() == ChartChoice());
    QVERIFY(!chart->isVisible());  // the table has its space
  }

  void each_document_has_its_own_query() {
    open_recording();
    const size_t first = window_->documents()->index();
    shown();
    query("SELECT count(*) AS n FROM nodes");
    const QString count = cell(0, 0);
    open("zoo:mul_mat");
    QCOMPARE(panel()->editor()->toPlainText(), QString());
    query("SELECT count(*) AS n FROM nodes");
    QVERIFY(cell(0, 0) != count);
    window_->documents()->show(first);
    QCOMPARE(panel()->editor()->toPlainText(), QStringLiteral("SELECT count(*) AS n FROM nodes"));
    panel()->table()->refresh();
    QCOMPARE(cell(0, 0), count);
  }
};

QTEST_MAIN(QueryTest)
#include "query_test.moc"
