// SPDX-License-Identifier: GPL-3.0-or-later
// Faults reported by users, each with its regression test; most are in the tests of the affected part:
//
//  1  jobs, messages or searches of a tab show in another   document_test: a_search_continues_in_its_own_tab,
//     comparison_line_messages_and_search_text_stay_in_their_tab, closing_a_tab_ends_its_jobs; monkey_test
//  2  planning cannot be cancelled or exceeds its budget   document_test: planning_is_cancelled; replan_test:
//     a_model_is_replanned_within_its_budget
//  3  the marked row differs from the selection   window_test: the_selected_row_stays_the_selected_tensor
//  4  a searched plan is lost   replan_test: a_searched_plan_is_never_lost
//  5  keys do not reach the focused widget   window_test: space_presses_the_button_that_has_the_focus,
//     keys_do_the_same_wherever_the_focus_is, coming_to_a_table_by_tab_selects_nothing, every_tab_stop_is_visible
//  6  data races   debugger_test: values_are_not_read_while_re_planning,
//     a_breakpoint_set_while_paused_counts_in_that_run; a_renewed_session_keeps_no_selection_of_the_old_one
//  7  F11 after F10 does nothing   debugger_test: stepping_into_a_node_that_comes_next_runs_it
//  8  messages move the views, the window is larger than the screen   window_test:
//     messages_overlay_the_views_and_move_nothing, the_window_fits_the_screen
//  9  the graph is blank, clipped or unreadable   graph_test: expand_all_shows_the_whole_graph,
//     the_whole_graph_is_shown_and_navigation_targets_are_readable
// 10  a trace's blocks and times cannot be selected   a_block_of_a_snapshot_shows_its_facts_and_stack,
//     a_range_of_time_is_summed_up_without_steps
// 11  dynamic dimensions are 1   document_test: dynamic_sizes_are_assumed_reported_and_saved
// 12  NaN is reported for its neighbour, the dot marks the wrong plan   debugger_test: infinities_stop_a_live_run,
//     a_recording_is_walked_through_both_ways; the_dot_of_use_stays_on_the_plan_in_use
// 13  unlimited recordings, ignored files, untranslated text   window_test:
//     a_live_recording_keeps_its_newest_runs_within_the_bound, without_a_document_only_few_actions_are_enabled;
//     every_file_of_the_command_line_is_opened, standard_buttons_are_translated, the_document_being_opened_is_shown
// 14  a collapsed layer is treated as its first node   graph_test: a_layer_selection_has_steps_and_nodes
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QElapsedTimer>
#include <QFile>
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

#include <views/common/engine_errors.h>
#include <views/inspector/facts_delegate.h>
#include <views/inspector/inspector_view.h>

#include <array>
#include <cmath>

#include "app/window/language/pseudo_locale.h"
#include "app/window/style/plain_style.h"
#include "sample_session.h"
#ifdef ARENASCOPE_HAS_ONNX
#include "tests/engine/models/onnx_maker.h"
#endif
#include "tests/sanitized.h"
#include "tests/test_data.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class FaultsTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QString inspector_text() { return panels().widgets().inspector->text(); }
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

  // A click on a block of a PyTorch snapshot blanked the inspector, and its allocation site was not shown.
  void a_block_of_a_snapshot_shows_its_facts_and_stack() {
    const auto file = test::data_folder() / "traces/pytorch_cuda_snapshot_small.pickle";
    if (test::data_folder().empty() || !std::filesystem::exists(file)) QSKIP("no traces in ARENASCOPE_DATA");
    window_->open(QString::fromStdString(file.string()));
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->snapshot()->event_count > 0 && !doc().runner()->opening().running(),
                             kPatience);
    panels().show(PanelId::Blocks);
    TablePanel* blocks = panels().table(PanelId::Blocks);
    QTRY_VERIFY_WITH_TIMEOUT(blocks->model()->rowCount() > 0, kPatience);
    bool stack = false;
    for (int row = 0; row < std::min(blocks->model()->rowCount(), 30); ++row) {
      const QRect cell = blocks->table_view()->visualRect(blocks->model()->index(row, 1));
      if (!blocks->table_view()->viewport()->rect().contains(cell.center())) break;
      QTest::mouseClick(blocks->table_view()->viewport(), Qt::LeftButton, {}, cell.center());
      QVERIFY2(!doc().selection()->current().empty() && inspector_text().size() > 40, qPrintable(inspector_text()));
      stack = stack || (inspector_text().contains("Allocated by") && inspector_text().contains(".py:"));
    }
    QVERIFY2(stack, qPrintable(inspector_text()));
  }

  // A time range of a trace without steps selected nothing and had no sums.
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
    PlotView* plot = plot_view(PanelId::Timeline);
    plot->prepare_now();
    const QRect area = plot->plot()->axisRect()->rect();
    const QPoint from(area.left() + area.width() / 4, area.center().y()), to(area.center());
    QTest::mousePress(plot->plot(), Qt::LeftButton, Qt::ShiftModifier, from);
    QTest::mouseMove(plot->plot(), to);
    QTest::mouseRelease(plot->plot(), Qt::LeftButton, Qt::ShiftModifier, to);
    QVERIFY(doc().selection()->current().get<TimeRangeSelection>() != nullptr);
    QTRY_VERIFY2(inspector_text().contains("By thread or queue") && inspector_text().contains("store"),
                 qPrintable(inspector_text()));
  }

  // Two marks measured steps only, so traces without steps could be measured with the mouse only.
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
    QTRY_VERIFY2(inspector_text().contains("9.70"), qPrintable(inspector_text()));
  }

  // Address ranges could be selected only by a row of the Holes table.
  void addresses_are_selected_with_the_mouse() {
    open(recording("addresses.arenascope", 2));
    PlotView* arena = plot_view(PanelId::Arena);
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
    QTRY_VERIFY2(inspector_text().contains("Addresses"), qPrintable(inspector_text()));
  }

  // Search used the graph if there was one, so timeline spans could not be searched.
  void the_timeline_is_searched_if_there_is_a_graph() {
    open(recording("search.arenascope", 2));
    QVERIFY(doc().source()->graph() != nullptr);
    panels().show(PanelId::Timeline);
    window_->shell().actions->find("edit.find_view")->trigger();
    TablePanel* spans = panels().table(PanelId::Timeline);
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

#ifdef ARENASCOPE_HAS_ONNX
  // An arena that could not be allocated ended the program: the recorder was destroyed before the pool it observed.
  void a_model_that_exceeds_the_memory_is_an_error_and_other_tabs_stay() {
    open(recording("kept.arenascope", 1));
    models::test::OnnxMaker model;
    constexpr int64_t kSize = 120'000;  // two results of 58 GB are live at once
    model.input("a", {kSize, 1}).input("b", {1, kSize}).input("c", {kSize, 1});
    model.node("MatMul", {"a", "b"}, {"d"}).node("MatMul", {"c", "b"}, {"e"});
    model.node("Mul", {"d", "e"}, {"f"}).node("ReduceMax", {"f"}, {"g"}).output("g");
    const QString path = folder_.filePath("huge.onnx");
    const auto bytes = model.bytes();
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(reinterpret_cast<const char*>(bytes.data()), qint64(bytes.size())), qint64(bytes.size()));
    file.close();
    for (int time = 0; time < 3; ++time) {
      doc().messages()->clear();
      window_->open(path);
      QTRY_VERIFY_WITH_TIMEOUT(window_->documents()->opening() == nullptr, kPatience);
      QTRY_VERIFY_WITH_TIMEOUT(!doc().messages()->all().empty(), kPatience);
      const QString text = doc().messages()->texts().join(u' ');
      QVERIFY2(text.contains("arena") && text.contains("plan only"), qPrintable(text));
    }
    window_->documents()->show(0);  // the model is in a tab of its own, for planning
    QVERIFY(doc().source()->snapshot()->event_count > 0);
  }
#endif

  // Opening could not be cancelled while weights, traces or plans were being made.
  void opening_is_cancelled_at_once() {
    const QString path = folder_.filePath("large.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[");
    for (int i = 0; i < 400'000; ++i)
      file.write(QStringLiteral("%1{\"ph\":\"X\",\"pid\":1,\"tid\":%2,\"ts\":%3,\"dur\":2,\"name\":\"span %4\"}")
                     .arg(i == 0 ? "" : ",")
                     .arg(i % 8)
                     .arg(i)
                     .arg(i % 1000)
                     .toUtf8());
    file.write("]");
    file.close();
    open(recording("before.arenascope", 1));
    const double limit = test::kSanitized ? 10 : 1;  // 0.2 s on an idle machine
    for (const QString& spec : {path, QStringLiteral("zoo:vgg19")})
      for (const int after : {20, 150, 400}) {
        window_->open(spec);
        QTest::qWait(after);
        QElapsedTimer timer;
        timer.start();
        window_->documents()->cancel_opening();
        QTRY_VERIFY_WITH_TIMEOUT(window_->documents()->opening() == nullptr, kPatience);
        const double seconds = double(timer.nsecsElapsed()) / 1e9;
        qInfo("%s, cancelled after %d ms: %.3f s", qPrintable(spec), after, seconds);
        QVERIFY2(seconds < limit, qPrintable(QStringLiteral("%1: %2 s").arg(spec).arg(seconds)));
        while (window_->documents()->size() > 1) window_->documents()->close(window_->documents()->size() - 1);
      }
  }

  // The last line of a multi-line message was clipped.
  void a_long_message_is_shown_completely() {
    window_->resize(700, 600);
    QString sentence;
    for (int i = 0; i < 40; ++i) sentence += QStringLiteral("words %1 ").arg(i);
    doc().messages()->post(MessageKind::Error, sentence);
    QTRY_VERIFY(window_->message_bar()->isVisible());
    for (const QLabel* label : window_->message_bar()->findChildren<QLabel*>())
      if (label->wordWrap()) QVERIFY(label->height() >= label->heightForWidth(label->width()));
  }

  // The graph can be coloured by each column of the Nodes table, with undo.
  void every_column_of_nodes_colours_the_graph() {
    open(recording("columns.arenascope", 2));
    auto* graph = panels().widgets().graph;
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
    panels().show(PanelId::Nodes);
    TablePanel* nodes = panels().table(PanelId::Nodes);
    QTRY_VERIFY_WITH_TIMEOUT(nodes->model()->rowCount() > 0, kPatience);
    for (const char* fixed : {"Op", "Mean time", "Bytes", "Block"}) titles.insert(fixed);
    QCOMPARE(titles.size(), nodes->model()->columnCount());
    window_->shell().undo->flush();
    window_->shell().undo->go(-1);
    QCOMPARE(graph->colours()->colour(), GraphColour::State);
    window_->shell().undo->go(1);
    QCOMPARE(graph->colours()->colour(), GraphColour::Column);
  }

  // Column titles had no padding, unlike cells.
  void column_titles_have_padding() {
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
      bool has_text = false;
      for (int x = 6; x < width - 8; ++x) has_text = has_text || seen.pixel(x, y) != ground;
      QVERIFY(has_text);
      for (int x = 0; x < 6; ++x) {
        const int at = side == Qt::AlignLeft ? x : width - 2 - x;
        for (int row = y - 3; row < y + 3; ++row) QCOMPARE(seen.pixel(at, row), ground);
      }
    }
  }

  // Changing the layout, opening a file or pinning a note blocked on disk writes of 20 ms or more.
  void settings_are_written_in_the_background() {
    Settings::flush();
    QLockFile slow(QSettings().fileName() + QStringLiteral(".lock"));  // blocks all writers
    QVERIFY(slow.lock());
    QElapsedTimer clock;
    clock.start();
    window_->shell().layouts->apply("memory");
    remember_recent_file("zoo:squeezenet");
    QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(window_->shell().layouts->current(), QStringLiteral("memory"));
    QCOMPARE(recent_files(), QStringList{"zoo:squeezenet"});
    slow.unlock();
    Settings::flush();
    QCOMPARE(QSettings().value("kinds/model_layout").toString(), QStringLiteral("memory"));
  }

  // In the dark theme unchecked boxes were invisible.
  void an_unchecked_box_is_visible() {
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

  // The status at the right end covered menus with long titles during a job.
  void menus_have_space_next_to_a_job() {
    window_->resize(1024, 640);
    open(recording("menus.arenascope", 2));
    set_language(kPseudoLocale);
    Task planning(&doc().jobs().tasks);
    const TaskRun run = planning.begin(QStringLiteral("[Pláññîñg…···]"));
    run.progress(0.1);
    const auto* bar = window_->findChild<QWidget*>("job")->findChild<QProgressBar*>();
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
    for (QAction* action : window_->menuBar()->actions()) {
      const QRect menu = window_->menuBar()->actionGeometry(action);
      QVERIFY2(!menu.isEmpty() && menu.right() < window_->menuBar()->cornerWidget()->x(), qPrintable(action->text()));
    }
  }

  // Two of nineteen columns were visible next to a larger empty curve.
  void the_table_of_plans_has_the_most_space() {
    open(recording("room.arenascope", 2));
    for (const int width : {1024, 1366, 1920}) {
      window_->resize(width, 700);
      panels().raise(PanelId::Planners);
      TablePanel* plans = panels().table(PanelId::Planners);
      QTRY_VERIFY2(
          plans->isVisible() && plans->width() >= std::max(panels().dock(PanelId::Planners)->width() * 4 / 10, 400),
          qPrintable(QString::number(plans->width())));
    }
  }

  // Chinese text was misaligned with numbers, since it uses another font.
  void a_row_of_the_inspector_has_one_baseline() {
    set_language("zh_CN");
    open(recording("baseline.arenascope", 2));
    QTreeView* tree = panels().widgets().inspector->tree();
    panels().widgets().inspector->show_now();
    const auto baseline = [&](const QModelIndex& index) {
      FactsDelegate::Cell cell;
      static_cast<const FactsDelegate*>(tree->itemDelegate())->lay_out(cell, index, tree->font(), 400);
      const QTextLine line = cell.layout.lineAt(0);
      return line.y() + line.ascent();
    };
    int rows = 0;
    for (QModelIndex at = tree->model()->index(0, 0); at.isValid(); at = tree->indexBelow(at)) {
      if (at.siblingAtColumn(1).data().toString().isEmpty()) continue;
      QVERIFY(std::abs(baseline(at) - baseline(at.siblingAtColumn(1))) < 0.6);
      ++rows;
    }
    QVERIFY(rows > 5);
  }

  // The dot that marks the plan in use was on the shown plan.
  void the_dot_of_use_stays_on_the_plan_in_use() {
    open(recording("plans.arenascope", 2));
    QTest::qWait(500);  // history entries are recorded with a delay
    PlanRequest request = doc().jobs().replanning.request();
    request.planner = "none";
    doc().jobs().replanning.plan(request);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->shown_plan() != nullptr, kPatience);
    panels().show(PanelId::Planners);
    TablePanel* plans = panels().table(PanelId::Planners);
    QTRY_VERIFY(!doc().jobs().replanning.busy());
    const trace::PlanId used = doc().source()->ghost_plan()->id, shown = doc().source()->shown_plan()->id;
    const auto mark = [&](trace::PlanId id) {
      for (int row = 0; row < plans->model()->rowCount(); ++row)
        if (plans->model()->id_of(row) == static_cast<int64_t>(id.index()))
          return plans->model()->index(row, 0).data().toString();
      return QString();
    };
    QTRY_COMPARE(mark(shown), QStringLiteral("○"));
    QCOMPARE(mark(used), QStringLiteral("●"));
    // The note about a plan is removed when the plan is undone.
    QTest::qWait(500);
    window_->shell().messages().note(QStringLiteral("This plan is shown."));
    QVERIFY(window_->shell().undo->can_go(-1));
    window_->shell().undo->go(-1);
    QVERIFY2(doc().messages()->texts().isEmpty(), qPrintable(doc().messages()->texts().join(u'|')));
  }

  // A selection of the previous session pointed into the new one.
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

  // The third file of a command line was ignored.
  void every_file_of_the_command_line_is_opened() {
    const QStringList files{recording("a.arenascope", 1), recording("b.arenascope", 2), recording("c.arenascope", 3)};
    window_->open_all(files);
    QTRY_COMPARE_WITH_TIMEOUT(window_->documents()->size(), size_t{3}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window_->documents()->opening() == nullptr, kPatience);
    for (size_t i = 0; i < 3; ++i) QCOMPARE((*window_->documents())[i].spec(), files[static_cast<qsizetype>(i)]);
  }

  // "No document is open" was shown while a document was being opened.
  void the_document_being_opened_is_shown() {
    auto* doing = window_->findChild<QLabel*>("doing");
    QVERIFY(doing != nullptr && !doing->text().contains("squeezenet"));
    QString said, corner;
    const auto connection = connect(window_->documents(), &Documents::tasks_changed, this, [&] {
      const auto* now = window_->findChild<QWidget*>("welcome")->findChild<QLabel*>("doing");
      if (now != nullptr && now->isVisible() && now->text().contains("squeezenet")) said = now->text();
      for (const QLabel* label : window_->menuBar()->cornerWidget()->findChildren<QLabel*>())
        if (label->text().startsWith("opening")) corner = label->text();
    });
    open("zoo:squeezenet");
    disconnect(connection);
    QVERIFY(!said.isEmpty() && !corner.isEmpty());
  }

  // Qt's standard buttons stayed English in a Chinese window.
  void standard_buttons_are_translated() {
    set_language("zh_CN");
    QDialogButtonBox box(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::Close |
                         QDialogButtonBox::Apply | QDialogButtonBox::Open);
    for (const QAbstractButton* button : box.buttons()) {
      const QString text = button->text();
      QVERIFY2(std::any_of(text.begin(), text.end(), [](QChar c) { return c.unicode() >= 0x4e00; }), qPrintable(text));
    }
  }

  // Errors of the engine stayed English in a Chinese window.
  void errors_of_the_engine_are_translated() {
    const QString error = QStringLiteral("a.csv: line 3: size: expected a 64-bit integer, found 'x: 100 %1'");
    QCOMPARE(engine_error_text(error), error);
    set_language("zh_CN");
    QCOMPARE(engine_error_text(error), QStringLiteral("a.csv：第 3 行：size：应为 64 位整数，实际为“x: 100 %1”"));
    QCOMPARE(engine_error_text(QStringLiteral("net has no input 'a'; it has 'b'.")),
             QStringLiteral("net 没有输入“a”；有：'b'。"));
    QCOMPARE(engine_error_text(QStringLiteral("b.gguf: the tensor 'w': shape [2,-1] has the negative size -1")),
             QStringLiteral("b.gguf：张量“w”：形状 [2,-1] 含负的大小 -1"));
    QCOMPARE(engine_error_text(QStringLiteral("an unknown message")), QStringLiteral("an unknown message"));
    QCOMPARE(engine_error_text(QStringLiteral("missing tensor 'it is empty'")),
             QStringLiteral("缺少张量“it is empty”"));  // a name is kept
    QString hostile;                                    // a name in a file may contain separators
    for (int i = 0; i < 300; ++i) hostile += QStringLiteral("n: ");
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(engine_error_text(hostile), hostile);
    QVERIFY(timer.elapsed() < 1000);
    Messages messages;
    messages.fail(QStringLiteral("a.onnx: it is empty"));
    QCOMPARE(messages.texts(), QStringList(QStringLiteral("a.onnx：文件为空")));
    messages.remove(QStringLiteral("a.onnx: it is empty"));
    QVERIFY(messages.texts().isEmpty());
  }
};

QTEST_MAIN(FaultsTest)
#include "faults_test.moc"
