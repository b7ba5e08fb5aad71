// SPDX-License-Identifier: GPL-3.0-or-later
// Faults that users met in the window, each with the test that it failed; most are told by the tests of their part:
//
//  1  what is begun, compared, said or searched in a tab shows in another   document_test: a_search_goes_on_in_its_own_tab,
//     comparison_line_messages_and_search_text_stay_in_their_tab, closing_a_tab_ends_its_jobs; monkey_test
//  2  planning is not cancelled, and takes longer than it may   document_test: planning_is_cancelled; desks_test:
//     a_model_is_replanned_within_the_budget_it_is_given
//  3  another row is marked than what is selected   window_test: the_selected_row_stays_the_selected_tensor
//  4  a searched plan is lost   desks_test: a_searched_plan_is_never_lost
//  5  keys that are not those of what has the focus   window_test: space_presses_the_button_that_has_the_focus,
//     keys_do_the_same_wherever_the_focus_is, coming_to_a_table_by_tab_selects_nothing, every_stop_of_tab_is_seen
//  6  two threads at one thing   debugger_test: values_are_not_read_while_it_is_planned_anew,
//     a_breakpoint_set_while_paused_counts_in_that_run; a_renewed_session_keeps_no_selection_of_the_old_one
//  7  F11 behind F10 does nothing   debugger_test: stepping_into_a_node_that_comes_next_runs_it
//  8  messages move the views, the window is larger than the screen   window_test:
//     messages_lie_over_the_views_and_move_nothing, the_window_fits_the_screen
//  9  a blank graph, one that is cut off, one that cannot be read   graph_test: all_layers_opened_are_seen_at_once,
//     all_of_the_graph_is_shown_and_where_one_is_led_can_be_read
// 10  a trace's blocks and times cannot be selected   a_block_of_a_snapshot_tells_itself_and_its_stack,
//     a_range_of_time_is_summed_up_without_steps
// 11  sizes that a file leaves open are 1   document_test: sizes_left_open_are_assumed_said_and_remembered
// 12  a NaN is told of its neighbour, the dot of the wrong plan   debugger_test: infinities_stop_a_live_run,
//     a_recording_is_walked_through_both_ways; the_dot_of_use_stays_on_the_plan_in_use
// 13  recordings without bound, files left out, words not translated   window_test:
//     a_live_recording_keeps_its_newest_runs_within_the_bound, with_nothing_open_only_what_opens_and_helps_can_be_used;
//     every_file_of_the_command_line_is_opened, standard_buttons_speak_the_language, what_is_being_opened_is_said
// 14  a closed layer is its first node   graph_test: a_layer_is_a_thing_with_steps_and_nodes
#include <QAbstractTextDocumentLayout>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLockFile>
#include <QMenuBar>
#include <QProgressBar>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>

#include <views/inspector/inspector_view.h>

#include <array>
#include <cmath>

#include "app/window/made_up_language.h"
#include "app/window/plain_style.h"
#include "sample_session.h"
#include "tests/test_data.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class FaultsTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QString told() { return panels().find<InspectorView>("inspector")->text(); }
  QString recording(const char* name, int runs) {
    test::SampleOptions options;
    options.runs = runs;
    const QString path = folder_.filePath(QString::fromLatin1(name));
    return trace::save_recording(*test::sample_session(options)->snapshot(), path.toStdString()).ok() ? path
                                                                                                      : QString();
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-faults-test"); }
  void init() { make_window(); }
  void cleanup() {
    window_.reset();
    set_language("en");
  }

  // A click on a block of a PyTorch snapshot blanked the inspector, and who took it was never told.
  void a_block_of_a_snapshot_tells_itself_and_its_stack() {
    const auto file = test::data_folder() / "traces/pytorch_cuda_snapshot_small.pickle";
    if (test::data_folder().empty() || !std::filesystem::exists(file)) QSKIP("no traces in ARENASCOPE_DATA");
    window_->open(QString::fromStdString(file.string()));
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->snapshot()->event_count > 0 && doc().progress().isEmpty(), kPatience);
    panels().show("blocks");
    TablePanel* blocks = panels().table("blocks");
    QTRY_VERIFY_WITH_TIMEOUT(blocks->model()->rowCount() > 0, kPatience);
    bool stack = false;
    for (int row = 0; row < std::min(blocks->model()->rowCount(), 30); ++row) {
      const QRect cell = blocks->table_view()->visualRect(blocks->model()->index(row, 1));
      if (!blocks->table_view()->viewport()->rect().contains(cell.center())) break;
      QTest::mouseClick(blocks->table_view()->viewport(), Qt::LeftButton, {}, cell.center());
      QVERIFY2(!doc().selection()->current().empty() && told().size() > 40, qPrintable(told()));
      stack = stack || (told().contains("Taken by") && told().contains(".py:"));
    }
    QVERIFY2(stack, qPrintable(told()));
  }

  // A range of a trace without steps selected nothing, and there were no sums over one.
  void a_range_of_time_is_summed_up_without_steps() {
    auto session = std::make_shared<trace::Session>();
    for (int t = 0; t < 2; ++t) {
      session->describe(trace::ThreadInfo{trace::TrackId(t), "thread " + std::to_string(t)});
      session->describe(trace::NameInfo{trace::NameId(t), t == 0 ? "load" : "store"});
      for (int i = 0; i < 200; ++i)
        session->events(trace::TrackId(t), std::array{trace::slice(i * 1000, i * 1000 + 700, trace::NameId(t), 0)});
    }
    doc().show_session(session, "spans");
    QTRY_VERIFY(doc().axis()->has_time() && doc().axis()->steps() == 0);
    PlotView* plot = plot_view("timeline");
    plot->prepare_now();
    const QRect area = plot->plot()->axisRect()->rect();
    const QPoint from(area.left() + area.width() / 4, area.center().y()), to(area.center());
    QTest::mousePress(plot->plot(), Qt::LeftButton, Qt::ShiftModifier, from);
    QTest::mouseMove(plot->plot(), to);
    QTest::mouseRelease(plot->plot(), Qt::LeftButton, Qt::ShiftModifier, to);
    QVERIFY(doc().selection()->current().get<TimeRangeSelection>() != nullptr);
    QTRY_VERIFY2(told().contains("By thread or queue") && told().contains("store"), qPrintable(told()));
  }

  // Two marks measured steps alone: a trace without any could be measured with the mouse only.
  void two_marks_measure_a_trace_without_steps() {
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::ThreadInfo{trace::TrackId(0), "thread"});
    session->describe(trace::NameInfo{trace::NameId(0), "load"});
    for (int i = 0; i < 20; ++i)
      session->events(trace::TrackId(0), std::array{trace::slice(i * 1000, i * 1000 + 700, trace::NameId(0), 0)});
    doc().show_session(session, "spans");
    QTRY_VERIFY(doc().axis()->has_time() && doc().axis()->steps() == 0);
    const auto spans = doc().source()->snapshot()->spans_exact(trace::TrackId(0), 0, 20'000, 100);
    QCOMPARE(spans.size(), size_t{20});
    ActionRegistry& actions = *window_->shell().actions;
    doc().selection()->select(EventSelection{spans[12]});
    actions.find("view.range_begin")->trigger();
    doc().selection()->select(EventSelection{spans[3]});
    actions.find("view.range_end")->trigger();
    const auto* range = doc().selection()->current().get<TimeRangeSelection>();
    QVERIFY(range != nullptr);
    QCOMPARE(*range, (TimeRangeSelection{3'000, 12'700}));
    QTRY_VERIFY2(told().contains("9.70"), qPrintable(told()));
  }

  // Addresses could be selected by a row of the table of holes alone.
  void addresses_are_selected_with_the_mouse() {
    open(recording("addresses.arenascope", 2));
    PlotView* arena = plot_view("arena");
    arena->prepare_now();
    const QRect area = arena->plot()->axisRect()->rect();
    const QPoint from(area.left() + area.width() / 3, area.bottom() - area.height() / 4), to(area.center());
    QTest::mousePress(arena->plot(), Qt::LeftButton, Qt::ControlModifier, from);
    QTest::mouseMove(arena->plot(), area.center() + QPoint(0, 9));
    QTest::mouseMove(arena->plot(), to);
    QTest::mouseRelease(arena->plot(), Qt::LeftButton, Qt::ControlModifier, to);
    const auto* range = doc().selection()->current().get<AddressRangeSelection>();
    QVERIFY(range != nullptr);
    const double low = arena->plot()->yAxis->pixelToCoord(from.y()), high = arena->plot()->yAxis->pixelToCoord(to.y());
    QCOMPARE(range->first, static_cast<Bytes>(std::floor(low)));
    QCOMPARE(range->last, static_cast<Bytes>(std::ceil(high)));
    QTRY_VERIFY2(told().contains("Addresses"), qPrintable(told()));
  }

  // A search went to the graph wherever there was one: spans of the timeline could not be searched beside it.
  void the_timeline_is_searched_beside_a_graph() {
    open(recording("search.arenascope", 2));
    QVERIFY(doc().source()->graph() != nullptr);
    panels().show("timeline");
    window_->shell().actions->find("edit.find")->trigger();
    TablePanel* spans = panels().table("timeline");
    auto* field = spans->findChild<QLineEdit*>();
    QVERIFY(spans->isVisible() && field->hasFocus());
    QTRY_VERIFY_WITH_TIMEOUT(spans->model()->rowCount() > 0, kPatience);
    const int all = spans->model()->rowCount();
    QTest::keyClicks(field, "conv_a");
    QTRY_VERIFY(spans->model()->rowCount() > 1 && spans->model()->rowCount() < all && !spans->model()->pending());
    QTest::keyClick(field, Qt::Key_Return);
    const Selection first = doc().selection()->current();
    QCOMPARE(first, spans->model()->selection_of(0));
    QVERIFY(!first.empty());
    window_->shell().actions->find("edit.find_next")->trigger();
    QCOMPARE(doc().selection()->current(), spans->model()->selection_of(1));
    window_->shell().actions->find("edit.find_previous")->trigger();
    QCOMPARE(doc().selection()->current(), first);
  }

  // Of a message with several lines the last was cut off.
  void a_long_message_is_shown_whole() {
    window_->resize(700, 600);
    QString sentence;
    for (int i = 0; i < 40; ++i) sentence += QStringLiteral("words %1 ").arg(i);
    doc().messages()->say(MessageKind::Error, sentence);
    QTRY_VERIFY(window_->message_bar()->isVisible());
    for (const QLabel* label : window_->message_bar()->findChildren<QLabel*>())
      if (label->wordWrap()) QVERIFY(label->height() >= label->heightForWidth(label->width()));
  }

  // The graph is coloured by each column of the table of nodes, back and forth with what is undone.
  void every_column_of_nodes_colours_the_graph() {
    open(recording("columns.arenascope", 2));
    auto* graph = panels().find<GraphView>("graph");
    QTRY_VERIFY(graph->canvas()->scene().ready());
    QSet<QString> titles;
    window_->shell().undo->flush();
    do {
      window_->shell().actions->find("graph.colour_column")->trigger();
      const QString title = graph->canvas()->scene().legend_title;
      QVERIFY(!title.isEmpty() && !graph->canvas()->scene().legend.empty());
      if (titles.contains(title)) break;
      titles.insert(title);
    } while (titles.size() < 100);
    panels().show("nodes");
    TablePanel* nodes = panels().table("nodes");
    QTRY_VERIFY_WITH_TIMEOUT(nodes->model()->rowCount() > 0, kPatience);
    for (const char* fixed : {"Op", "Mean time", "Bytes", "Block"}) titles.insert(fixed);
    QCOMPARE(titles.size(), nodes->model()->columnCount());
    window_->shell().undo->flush();
    window_->shell().undo->go(-1);
    QCOMPARE(graph->colours()->colour(), GraphColour::State);
    window_->shell().undo->go(1);
    QCOMPARE(graph->colours()->colour(), GraphColour::Column);
  }

  // Titles of columns stood at the very edge, beside cells that have air.
  void titles_of_columns_have_air() {
    QStandardItemModel model(1, 1);
    model.setHorizontalHeaderLabels({QStringLiteral("HHHH")});
    QTableView table;
    PlainStyle style;
    table.setModel(&model);
    table.horizontalHeader()->setStyle(&style);
    table.resize(300, 100);
    for (const Qt::Alignment side : {Qt::AlignLeft, Qt::AlignRight}) {
      table.horizontalHeader()->setDefaultAlignment(side | Qt::AlignVCenter);
      const QImage seen = table.horizontalHeader()->grab().toImage();
      const int width = table.columnWidth(0), y = seen.height() / 2;
      const QRgb ground = seen.pixel(width / 2, 2);
      bool told = false;
      for (int x = 6; x < width - 8; ++x) told = told || seen.pixel(x, y) != ground;
      QVERIFY(told);
      for (int x = 0; x < 6; ++x) {
        const int at = side == Qt::AlignLeft ? x : width - 2 - x;
        for (int row = y - 3; row < y + 3; ++row) QCOMPARE(seen.pixel(at, row), ground);
      }
    }
  }

  // Each layout that was chosen, file that was opened and note that was pinned waited for the disk: 20 ms, or as long as it took.
  void what_is_remembered_is_written_beside_the_window() {
    Settings::flush();
    QLockFile slow(QSettings().fileName() + QStringLiteral(".lock"));  // nobody can write it
    QVERIFY(slow.lock());
    QElapsedTimer clock;
    clock.start();
    window_->shell().layouts->apply("memory");
    remember_recent_file("zoo:squeezenet");
    QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(Layouts::last(), QStringLiteral("memory"));
    QCOMPARE(recent_files(), QStringList{"zoo:squeezenet"});
    slow.unlock();
    Settings::flush();
    QCOMPARE(QSettings().value("window/layout").toString(), QStringLiteral("memory"));
  }

  // In the dark a box that was not ticked could not be seen.
  void a_box_that_is_not_ticked_is_seen() {
    for (const ThemeMode mode : {ThemeMode::Dark, ThemeMode::Contrast}) {
      window_->theme()->set_mode(mode);
      QCheckBox box;
      box.setPalette(window_->theme()->palette());
      box.resize(60, 30);
      const QImage seen = box.grab().toImage();
      const int ground = QColor(seen.pixel(50, 15)).lightness();
      int most = 0;
      for (int x = 0; x < 20; ++x) most = std::max(most, std::abs(QColor(seen.pixel(x, 15)).lightness() - ground));
      QVERIFY2(most >= 60, qPrintable(QStringLiteral("theme %1: %2").arg(static_cast<int>(mode)).arg(most)));
    }
  }

  // What is told beside the menus lay over the last of them while there was a job, where words are long.
  void menus_have_room_beside_a_job() {
    window_->resize(1024, 640);
    open(recording("menus.arenascope", 2));
    set_language(kMadeUpLanguage);
    Q_EMIT doc().runner()->progress(QStringLiteral("[Pláññîñg…···]"), 0.1);
    const auto* bar = window_->findChild<QWidget*>("job")->findChild<QProgressBar*>();
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
    for (QAction* action : window_->menuBar()->actions()) {
      const QRect menu = window_->menuBar()->actionGeometry(action);
      QVERIFY2(!menu.isEmpty() && menu.right() < window_->menuBar()->cornerWidget()->x(), qPrintable(action->text()));
    }
    Q_EMIT doc().runner()->progress({});
  }

  // Two of nineteen columns were in sight, beside an empty curve that was larger.
  void the_table_of_plans_has_the_most_room() {
    open(recording("room.arenascope", 2));
    for (const int width : {1024, 1366, 1920}) {
      window_->resize(width, 700);
      panels().raise("planners");
      TablePanel* plans = panels().table("planners");
      QTRY_VERIFY2(plans->isVisible() && plans->width() >= std::max(panels().dock("planners")->width() * 4 / 10, 400),
                   qPrintable(QString::number(plans->width())));
    }
  }

  // Chinese letters stood lower than the figures beside them, as they come from another font.
  void what_stands_in_a_row_of_the_inspector_has_one_baseline() {
    set_language("zh_CN");
    open(recording("baseline.arenascope", 2));
    const QTextDocument& text = *panels().find<InspectorView>("inspector")->findChild<QTextBrowser*>()->document();
    const auto baseline = [&](const QTextTableCell& cell) {
      const QTextBlock block = cell.firstCursorPosition().block();
      const QTextLine line = block.layout()->lineAt(0);
      return text.documentLayout()->blockBoundingRect(block).top() + line.y() + line.ascent();
    };
    int rows = 0;
    for (QTextFrame* frame : text.rootFrame()->childFrames()) {
      const auto* table = qobject_cast<QTextTable*>(frame);
      for (int r = 0; table != nullptr && r < table->rows(); ++r, ++rows)
        QVERIFY(std::abs(baseline(table->cellAt(r, 0)) - baseline(table->cellAt(r, 1))) < 0.6);
    }
    QVERIFY(rows > 5);
  }

  // The dot of the plan in use stood on the plan that was shown in its place.
  void the_dot_of_use_stays_on_the_plan_in_use() {
    open(recording("plans.arenascope", 2));
    QTest::qWait(500);  // what can be gone back to is noted a moment behind
    ReplanWish wish = doc().replanning()->wish();
    wish.planner = "none";
    doc().replanning()->plan(wish);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->shown_plan() != nullptr, kPatience);
    panels().show("planners");
    TablePanel* plans = panels().table("planners");
    QTRY_VERIFY(!doc().replanning()->busy());
    const trace::PlanId used = doc().source()->ghost_plan()->id, shown = doc().source()->shown_plan()->id;
    const auto mark = [&](trace::PlanId id) {
      for (int row = 0; row < plans->model()->rowCount(); ++row)
        if (plans->model()->id_of(row) == static_cast<int64_t>(id.index()))
          return plans->model()->index(row, 0).data().toString();
      return QString();
    };
    QTRY_COMPARE(mark(shown), QStringLiteral("○"));
    QCOMPARE(mark(used), QStringLiteral("●"));
    // What was said of the plan goes with it when that is undone.
    QTest::qWait(500);
    window_->shell().messages().note(QStringLiteral("This plan is shown."));
    QVERIFY(window_->shell().undo->can_go(-1));
    window_->shell().undo->go(-1);
    QVERIFY2(doc().messages()->sentences().isEmpty(), qPrintable(doc().messages()->sentences().join(u'|')));
  }

  // What was selected in a session pointed into the one that came in its place.
  void a_renewed_session_keeps_no_selection_of_the_old_one() {
    const QString path = recording("renewed.arenascope", 2);
    open(path);
    for (const int node : {3, 7}) doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(node)));
    QVERIFY(doc().selection()->can_go_back());
    const auto before = doc().source()->session();
    window_->open(path);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->session() != before, kPatience);
    QVERIFY(doc().selection()->current().empty());
    QVERIFY(!doc().selection()->can_go_back());
  }

  // The third file of a command line was left out without a word.
  void every_file_of_the_command_line_is_opened() {
    const QStringList files{recording("a.arenascope", 1), recording("b.arenascope", 2), recording("c.arenascope", 3)};
    window_->open_all(files);
    QTRY_COMPARE_WITH_TIMEOUT(window_->documents()->size(), size_t{3}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window_->documents()->opening() == nullptr, kPatience);
    for (size_t i = 0; i < 3; ++i) QCOMPARE((*window_->documents())[i].spec(), files[static_cast<qsizetype>(i)]);
  }

  // "Nothing is open" stood there while something was being opened.
  void what_is_being_opened_is_said() {
    auto* doing = window_->findChild<QLabel*>("doing");
    QVERIFY(doing != nullptr && !doing->text().contains("squeezenet"));
    QString said, corner;
    const auto connection = connect(window_->documents(), &Documents::progress_changed, this, [&] {
      const auto* now = window_->findChild<QWidget*>("welcome")->findChild<QLabel*>("doing");
      if (now != nullptr && now->isVisible() && now->text().contains("squeezenet")) said = now->text();
      for (const QLabel* label : window_->menuBar()->cornerWidget()->findChildren<QLabel*>())
        if (label->text().startsWith("opening")) corner = label->text();
    });
    open("zoo:squeezenet");
    disconnect(connection);
    QVERIFY(!said.isEmpty() && !corner.isEmpty());
  }

  // Buttons that Qt names stayed English in a Chinese window.
  void standard_buttons_speak_the_language() {
    set_language("zh_CN");
    QDialogButtonBox box(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::Close |
                         QDialogButtonBox::Apply | QDialogButtonBox::Open);
    for (const QAbstractButton* button : box.buttons()) {
      const QString text = button->text();
      QVERIFY2(std::any_of(text.begin(), text.end(), [](QChar c) { return c.unicode() >= 0x4e00; }), qPrintable(text));
    }
  }
};

QTEST_MAIN(FaultsTest)
#include "faults_test.moc"
