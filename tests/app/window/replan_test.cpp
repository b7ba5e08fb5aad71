// SPDX-License-Identifier: GPL-3.0-or-later
// Re-planning, findings and comparison in the real window, with mouse and keys, on a network's run and recording.
#include <arenascope/graph/builder.h>
#include <arenascope/graph/order.h>
#include <arenascope/models/model.h>
#include <arenascope/planner/csv.h>
#include <arenascope/planner/planner.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <arenascope/trace/recording.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include <algorithm>
#include <filesystem>
#include <set>

#include <views/arena/arena_view.h>
#include <views/findings/findings_view.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/planners/replan_panel.h>
#include <views/timeline/timeline_view.h>

#include "app/window/document/compare_loader.h"
#include "app/window/document/replanning.h"
#include "app/window/language/language.h"
#include "app/window/main_window.h"
#include "tests/test_data.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class ReplanTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  template <class View>
  View* view(PanelId id) {
    return static_cast<View*>(plot_view(id));
  }

  void press(const char* name) {
    panels().raise(PanelId::Planners);
    QTest::mouseClick(panels().widgets().replan->findChild<QToolButton*>(QString::fromLatin1(name)), Qt::LeftButton);
  }

  // The curve falls to the plan found, whose arena size is recomputed here from tensor ends and live bytes.
  static void check_curve(const SearchCurve& curve, const trace::PlanInfo& plan) {
    Bytes top = 0, most = 0;
    for (const trace::SliceInfo& s : plan.slices) top = std::max(top, s.offset + s.size);
    for (size_t step = 0; step < plan.order.size(); ++step) {
      std::map<Bytes, Bytes> live;  // ends by offset: in-place results have the bytes of their input
      for (const trace::SliceInfo& s : plan.slices)
        if (s.first.index() <= step && step < s.last.index())
          live[s.offset] = std::max(live[s.offset], s.offset + s.size);
      Bytes sum = 0, reached = 0;
      for (const auto& [low, high] : live)
        sum += std::max<Bytes>(high - std::max(low, reached), 0), reached = std::max(reached, high);
      most = std::max(most, sum);
    }
    const auto& points = curve.points();
    QVERIFY(!points.empty());
    for (size_t i = 0; i < points.size(); ++i) {
      QVERIFY(points[i].arena >= top && points[i].bound <= most);
      if (i > 0) QVERIFY(points[i].seconds >= points[i - 1].seconds && points[i].arena <= points[i - 1].arena);
    }
    QCOMPARE(points.back().arena, top);
    QVERIFY(points.back().bound == most || points.back().bound == 0);
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-desks-test"); }

  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void a_recording_is_replanned_over_the_previous_plan() {
    open_recording();
    ReplanPanel* panel = panels().widgets().replan;
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    const Bytes before = doc().source()->plan()->arena_bytes;
    panel->choose("none", "depth-first");
    press("plan");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    QVERIFY(doc().source()->shown_plan() != nullptr);
    QCOMPARE(doc().source()->plan()->planner, std::string("none"));
    QVERIFY(doc().source()->plan()->arena_bytes > before);
    QCOMPARE(doc().source()->ghost_plan()->arena_bytes, before);
    QVERIFY(panel->message().contains("more than before"));
    auto* arena = view<ArenaView>(PanelId::Arena);
    QTRY_VERIFY_WITH_TIMEOUT(arena->picture() && !arena->picture()->ghosts->empty(), kPatience);
    QVERIFY(arena->picture()->arena > before);
    auto* occupancy = view<OccupancyView>(PanelId::Occupancy);
    QTRY_VERIFY_WITH_TIMEOUT(occupancy->picture() && occupancy->picture()->ghost_arena == before, kPatience);
    panels().dock(PanelId::Lifetimes)->show();
    panels().dock(PanelId::Lifetimes)->raise();
    auto* lifetimes = view<LifetimesView>(PanelId::Lifetimes);
    QTRY_VERIFY_WITH_TIMEOUT(lifetimes->picture() && !lifetimes->picture()->ghosts->empty(), kPatience);
    // It is in the table of the recording, and undo leaves no overlay.
    panels().raise(PanelId::Planners);
    QTRY_COMPARE(panels().table(PanelId::Planners)->model()->rowCount(), 2);
    QTest::keyClick(window_.get(), Qt::Key_U, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(doc().source()->ghost_plan() == nullptr);
    QCOMPARE(doc().source()->plan()->arena_bytes, before);
  }

  // Re-planning a recording gives the plan of the model: concatenations are joined as well.
  void a_recording_is_replanned_as_its_model_is() {
    for (const char* name : {"squeezenet", "inception_v1"}) {
      const auto folder = test::data_folder() / "onnx" / "light" / name;
      if (test::data_folder().empty() || !std::filesystem::exists(folder))
        QSKIP("skipped: no onnx/light in ARENASCOPE_DATA or ../shared/data");
      auto model = models::open_model(folder.string());
      QVERIFY(model.ok());
      const auto file = std::filesystem::path(folder_.filePath("graph.arenascope").toStdString());
      {
        auto session = std::make_shared<trace::Session>();
        auto info = std::make_shared<trace::GraphInfo>(describe_graph(model->graph));
        info->id = trace::GraphId(0);
        session->describe(trace::Description(std::shared_ptr<const trace::GraphInfo>(info)));
        QVERIFY(trace::save_recording(*session->snapshot(), file).ok());
      }
      trace::Session recorded;
      QVERIFY(trace::read_recording(file, recorded).ok());
      const auto restored = restore_graph(*recorded.snapshot()->graphs.at(0));
      QVERIFY(restored.ok());
      for (const char* planner : {"greedy-by-size", "two-level"}) {
        const auto live = plan_memory(model->graph, planner, "depth-first", {}),
                   again = plan_memory(*restored, planner, "depth-first", {});
        QVERIFY(live.ok() && again.ok());
        QVERIFY(!live->joined.empty());
        QCOMPARE(again->joined.size(), live->joined.size());
        QCOMPARE(again->arena_bytes, live->arena_bytes);
        QCOMPARE(again->lower_bound, live->lower_bound);
      }
    }
  }

  void the_inspector_and_the_breakpoints_are_saved_as_tables() {
    open_recording();
    const auto saved = [&](PanelId id, QWidget* focus) {
      panels().dock(id)->show();
      panels().dock(id)->raise();
      const QString path = folder_.filePath(QString::fromLatin1(name_of(id)) + ".csv");
      window_->shell().ask_file = [&](bool, const QString&, const QString&) { return path; };
      focus->setFocus();
      window_->shell().actions->find("file.save_table")->trigger();
      if (!QTest::qWaitFor([&] { return !doc().jobs().saver->busy(); }, kPatience)) return QString();
      QFile file(path);
      return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(3)));
    const QString csv = saved(PanelId::Inspector, panels().widgets().inspector->tree());
    QVERIFY2(csv.startsWith("Section,Property,Value\n") &&
                 csv.contains(QString::fromStdString(doc().source()->graph()->nodes[3].name)),
             qPrintable(csv));
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::Op, "CONV", 0, true}, {Breakpoint::Kind::NaN, {}, 0, false}});
    BreakpointModel* model = panels().widgets().breakpoints->model();
    const QString list = saved(PanelId::Breakpoints, panels().widgets().breakpoints->list());
    QCOMPARE(list.count(u'\n'), 3);
    QVERIFY2(list.contains("every CONV,") && list.contains(",no\n"), qPrintable(list));
    window_->shell().actions->find("edit.copy_table")->trigger();
    QCOMPARE(QApplication::clipboard()->text(), list);
    // Results were not checked when it was recorded, and the NaN row says so; a live model can be checked.
    QVERIFY(model->index(1, 0).data(Qt::ToolTipRole).toString().contains("live run"));
    QVERIFY(model->index(1, 0).data().toString().contains("live run"));
    QVERIFY(model->index(0, 0).data(Qt::ToolTipRole).toString().isEmpty());
    model->set_values_known(true);
    QVERIFY(!model->index(1, 0).data().toString().contains("live run"));
    doc().debugger()->set_breakpoints({});
  }

  void a_model_replanned_by_the_tool_bar_overlays_the_previous_plan() {
    open("zoo:squeezenet");
    const Bytes before = doc().source()->plan()->arena_bytes;
    Q_EMIT window_->shell().playback->plan_requested("none", "depth-first");
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->plan() != nullptr && doc().source()->plan()->planner == "none", kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->ghost_plan() != nullptr, kPatience);
    QCOMPARE(doc().source()->ghost_plan()->arena_bytes, before);
    QVERIFY(doc().source()->shown_plan() == nullptr);  // it is in use
  }

  // The time limit must also apply to re-planning.
  void a_model_is_replanned_within_its_budget() {
    open("zoo:squeezenet");
    Preferences p = window_->shell().preferences;
    p.run.planner = "search";
    p.run.budget_seconds = 0.37;
    window_->apply_preferences(p);
    QTRY_COMPARE_WITH_TIMEOUT(doc().source()->plan()->budget_seconds, 0.37, 20'000);
  }

  void a_model_is_shown_as_written_unless_preferences_say_otherwise() {
    open("zoo:mobilenet_v2");
    const size_t written = doc().source()->graph()->nodes.size();
    Preferences p = window_->shell().preferences;
    p.run.rewrite = true;
    window_->apply_preferences(p);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->graph() != nullptr && doc().source()->graph()->nodes.size() < written,
                             kPatience);
    p.run.rewrite = false;
    window_->apply_preferences(p);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->graph() != nullptr && doc().source()->graph()->nodes.size() == written,
                             kPatience);
  }

  void all_combinations_fill_the_table_and_a_row_is_chosen() {
    open_recording();
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    PlanRequest request = doc().jobs().replanning.request();
    request.budget_seconds = 0.2;
    doc().jobs().replanning.set_request(request);
    press("plan_all");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    TablePanel* table = panels().table(PanelId::Planners);
    const int all = static_cast<int>(planner::all_planners().size() * all_orders().size());
    QTRY_VERIFY(table->model()->rowCount() >= all);
    QVERIFY(panels().widgets().replan->message().contains("smallest"));
    table->model()->sort(3, Qt::DescendingOrder);
    QTableView* rows = table->table_view();
    rows->scrollToTop();
    const QPoint at = rows->visualRect(table->model()->index(0, 1)).center();
    QTest::mouseClick(rows->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(rows->viewport(), Qt::LeftButton, {}, at);
    if (!doc().source()->shown_plan()) QTest::keyClick(rows, Qt::Key_Return);
    QVERIFY(doc().source()->shown_plan() != nullptr);
    QCOMPARE(QString::fromStdString(doc().source()->shown_plan()->planner),
             table->model()->index(0, 1).data().toString());
  }

  // A plan of a long search is in the table with its budget, whatever is planned afterwards.
  void a_searched_plan_is_never_lost() {
    open_recording();
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    PlanRequest request = doc().jobs().replanning.request();
    request.planner = "search";
    request.budget_seconds = 1.5;
    doc().jobs().replanning.plan(request);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    const trace::PlanId searched = doc().source()->shown_plan()->id;
    QCOMPARE(doc().source()->shown_plan()->budget_seconds, 1.5);
    request.budget_seconds = 0.1;
    doc().jobs().replanning.plan(request);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
    doc().jobs().replanning.set_request(request);
    press("plan_all");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, kPatience);
    doc().source()->show_plan(doc().source()->snapshot()->plans.front());
    TablePanel* table = panels().table(PanelId::Planners);
    panels().show(PanelId::Planners);
    table->refresh();
    QStringList budgets;
    bool there = false;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      there = there || table->model()->id_of(row) == static_cast<int64_t>(searched.index());
      const auto& plan = *doc().source()->snapshot()->plans[static_cast<size_t>(table->model()->id_of(row))];
      if (plan.planner != "search") QCOMPARE(plan.budget_seconds, 0.0);
      if (plan.planner == "search" && plan.id != searched && plan.id.index() > 0) QCOMPARE(plan.budget_seconds, 0.1);
      for (int c = 0; c < table->model()->columnCount(); ++c)
        if (table->model()->headerData(c, Qt::Horizontal).toString() == u"Budget")
          budgets << table->model()->index(row, c).data().toString();
    }
    QVERIFY(there);
    QVERIFY2(budgets.contains(u"1.50 s") || budgets.filter(u"1.5").size() == 1, qPrintable(budgets.join(u'|')));
  }

  void the_memory_limit_is_typed_and_dragged() {
    open_recording();
    const Bytes bound = doc().source()->plan()->lower_bound_bytes;
    QTest::keyClick(window_.get(), Qt::Key_U, Qt::ControlModifier);
    ReplanPanel* panel = panels().widgets().replan;
    auto* occupancy = view<OccupancyView>(PanelId::Occupancy);
    QVERIFY(panel->request().fit_under > 0);
    QCOMPARE(occupancy->fit_under(), panel->request().fit_under);
    auto* field = panel->findChild<QLineEdit*>("fit_under");
    field->selectAll();
    QTest::keyClicks(field, QString::number(bound + bound / 4));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(occupancy->fit_under(), bound + bound / 4);
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    panel->choose("search", "depth-first");
    press("plan");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    QVERIFY2(panel->message().contains("it fits"), qPrintable(panel->message()));
    QCOMPARE(doc().source()->plan()->capacity_bytes, bound + bound / 4);
    check_curve(*panel->curve(), *doc().source()->plan());
    // Dragging below the lower bound shows a message with the bound.
    occupancy->prepare_now();
    QWidget* plot = occupancy->plot();
    const QPoint from(plot->width() / 2, static_cast<int>(occupancy->fit_line_y()));
    const QPoint to(from.x(), static_cast<int>(occupancy->plot()->yAxis->coordToPixel(static_cast<double>(bound) / 2)));
    QTest::mousePress(plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(plot, (from + to) / 2);
    QTest::mouseMove(plot, to);
    QTest::mouseRelease(plot, Qt::LeftButton, {}, to);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
    QVERIFY2(panel->message().contains("lower bound"), qPrintable(panel->message()));
    QVERIFY(panel->request().fit_under < bound);
  }

  // If no plan fits, free changes are applied and further ones are suggested.
  void in_place_ops_make_a_plan_fit() {
    open_recording();
    ReplanPanel* panel = panels().widgets().replan;
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    PlanRequest request = doc().jobs().replanning.request();
    request.planner = "search";
    request.fit_under = doc().source()->plan()->lower_bound_bytes - 1;
    doc().jobs().replanning.plan(request);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    const trace::PlanInfo& plan = *doc().source()->shown_plan();
    const bool fits = plan.arena_bytes <= request.fit_under;
    QVERIFY2(panel->message().contains(fits ? u"It fits under" : u"it needs") ||
                 panel->message().contains(u"Neither in-place ops"),
             qPrintable(panel->message()));
  }

  // 1 − sigmoid(x): the first input of SUB is a leaf, so it cannot work in place, and there is one order.
  void fusion_is_suggested_if_only_it_fits() {
    auto context = Context::create({.mem_size = 1 << 16, .no_alloc = true});
    QVERIFY(context.ok());
    GraphBuilder b(*context);
    const Tensor x = b.input("x", {64, 64}), one = b.input("one", {64, 64});
    const Tensor gate = b.op(Op::Sub, {one, b.op(Op::Sigmoid, {x}, {}, "sigmoid")}, {}, "gate");
    b.output(gate);
    auto graph = context->new_graph(16);
    QVERIFY(graph.ok() && graph->expand(gate).ok());
    const auto plan = plan_memory(*graph, "search", "depth-first", {});
    QVERIFY(plan.ok());
    trace::Session session;
    auto described = std::make_shared<trace::GraphInfo>(describe_graph(*graph));
    described->id = trace::GraphId(0);
    session.describe(trace::Description(std::shared_ptr<const trace::GraphInfo>(described)));
    auto planned = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
    planned->id = trace::PlanId(0);
    planned->graph = described->id;
    session.describe(trace::Description(std::shared_ptr<const trace::PlanInfo>(planned)));
    const QString file = folder_.filePath("gate.arenascope");
    QVERIFY(trace::save_recording(*session.snapshot(), file.toStdString()).ok());
    open(file);
    ReplanPanel* panel = panels().widgets().replan;
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    PlanRequest request = doc().jobs().replanning.request();
    for (const Bytes bytes : {gate->byte_count(), gate->byte_count() - 1}) {
      request.fit_under = bytes;
      finished.clear();
      doc().jobs().replanning.plan(request);
      QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
      QVERIFY2(panel->message().contains(u"Neither in-place ops"), qPrintable(panel->message()));
      QCOMPARE(panel->message().contains(u"With fusion it would need 16"), bytes == gate->byte_count());
    }
  }

  void memory_is_planned_over_streams_and_banks_and_by_alignment() {
    open_recording();
    ReplanPanel* panel = panels().widgets().replan;
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    panels().raise(PanelId::Planners);
    panel->findChild<QSpinBox*>("streams")->setValue(2);
    press("plan");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    QCOMPARE(QString::fromStdString(doc().source()->shown_plan()->planner), QString("2 streams"));
    panel->findChild<QSpinBox*>("streams")->setValue(1);
    auto* banks = panel->findChild<QLineEdit*>("banks");
    banks->setText(QStringLiteral("fast=4K,slow"));
    Q_EMIT banks->editingFinished();
    press("plan");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
    QVERIFY(QString::fromStdString(doc().source()->shown_plan()->planner).contains(u"banks fast slow"));
    banks->setText(QStringLiteral("fast=x"));
    Q_EMIT banks->editingFinished();
    press("plan");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, kPatience);
    QVERIFY2(panel->message().contains(u"invalid bank"), qPrintable(panel->message()));
    banks->clear();
    Q_EMIT banks->editingFinished();
    auto* alignment = panel->findChild<QComboBox*>("alignment");
    alignment->setCurrentIndex(alignment->findText(QStringLiteral("512")));
    Q_EMIT alignment->activated(alignment->currentIndex());
    press("plan");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 4, kPatience);
    const trace::PlanInfo& plan = *doc().source()->shown_plan();
    QCOMPARE(plan.alignment, Bytes{512});
    for (const trace::SliceInfo& slice : plan.slices)
      if (!slice.part_of.valid()) QCOMPARE(slice.offset % 512, Bytes{0});
  }

  void accept_best_so_far_stops_a_long_search() {
    open("zoo:gpt2");
    ReplanPanel* panel = panels().widgets().replan;
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    PlanRequest request;
    request.order = "search";
    request.budget_seconds = 300;
    request.fit_under = 1;  // unreachable
    doc().jobs().replanning.plan(request);
    QElapsedTimer timer;
    timer.start();
    QTest::qWait(300);
    press("stop");
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    QVERIFY(timer.elapsed() < 30'000);
    QVERIFY(doc().source()->plan() != nullptr);
    QVERIFY(!panel->message().isEmpty());
  }

  void the_plan_shown_is_exported() {
    open_recording();
    const trace::PlanInfo plan = *doc().source()->plan();
    for (const char* name : {"plan.json", "plan.csv"}) {
      const QString path = folder_.filePath(name);
      window_->shell().ask_file = [&](bool, const QString&, const QString&) { return path; };
      QTest::keyClick(window_.get(), Qt::Key_E, Qt::ControlModifier | Qt::AltModifier);
      QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().saver->busy(), kPatience);
      QFile file(path);
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QByteArray text = file.readAll();
      if (path.endsWith("json")) {
        const QJsonObject json = QJsonDocument::fromJson(text).object();
        QCOMPARE(json["format"].toString(), QString("arenascope-plan"));
        QCOMPARE(static_cast<Bytes>(json["arena_bytes"].toDouble()), plan.arena_bytes);
      } else {
        const auto problem = planner::read_csv(std::string_view(text.constData(), static_cast<size_t>(text.size())));
        QVERIFY2(problem.ok(), problem.ok() ? "" : problem.error().message.c_str());
        // All except tensors that share bytes with another, at the offsets of the plan.
        QVERIFY(problem->size() <= plan.slices.size() && problem->size() * 2 > plan.slices.size());
        Bytes top = 0;
        std::set<std::pair<Bytes, Bytes>> ranges;
        for (const trace::SliceInfo& s : plan.slices) ranges.insert({s.offset, s.size});
        for (const auto& interval : problem->intervals) {
          QVERIFY(interval.fixed_offset && ranges.contains({*interval.fixed_offset, interval.size}));
          top = std::max(top, *interval.fixed_offset + interval.size);
        }
        QCOMPARE(top, plan.arena_bytes);
      }
    }
    doc().messages()->clear();
    window_->shell().ask_file = [](bool, const QString&, const QString&) {
      return QStringLiteral("/no/such/folder/plan.json");
    };
    window_->shell().actions->find("memory.export")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(doc().messages()->texts().size(), 1, kPatience);
  }

  void findings_of_a_recording_are_shown_as_what_ifs() {
    open_recording();
    FindingsView* findings = panels().widgets().findings;
    QTest::keyClick(window_.get(), Qt::Key_L, Qt::ControlModifier);
    QVERIFY(panels().dock(PanelId::Findings)->isVisible());
    QSignalSpy found(findings, &FindingsView::found);
    QTRY_VERIFY_WITH_TIMEOUT(found.count() > 0, kPatience);
    const Bytes arena = doc().source()->plan()->arena_bytes;
    int row = -1;
    for (int r = 0; r < findings->model()->rowCount() && row < 0; ++r)
      if (findings->what_if_button(r)) row = r;
    QVERIFY2(row >= 0, "nothing could be saved in the network");
    const Bytes saved = findings->model()->at(row)->saved;
    QTest::mouseClick(findings->what_if_button(row), Qt::LeftButton);
    QVERIFY(doc().source()->shown_plan() != nullptr);
    QCOMPARE(doc().source()->plan()->arena_bytes, arena - saved);
    QCOMPARE(doc().source()->ghost_plan()->arena_bytes, arena);
    QVERIFY(doc().messages()->texts().last().contains("What if"));
    QVERIFY(findings->model()->rowCount() > 0);  // findings remain while one is shown
    // The list as a table.
    const QString csv = folder_.filePath("findings.csv");
    window_->shell().ask_file = [&](bool, const QString&, const QString&) { return csv; };
    findings->findChild<QTableView*>()->setFocus();
    window_->shell().actions->find("file.save_table")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().saver->busy(), kPatience);
    QFile file(csv);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count('\n'), findings->model()->rowCount() + 1);
  }

  void comparing_shows_both_in_every_view() {
    open_recording();
    window_->compare_with("zoo:squeezenet");
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->comparison() != nullptr, kPatience);
    const ComparisonPtr c = doc().source()->comparison();
    QCOMPARE(c->match.matched_nodes(), doc().source()->graph()->nodes.size());
    auto* arena = view<ArenaView>(PanelId::Arena);
    QTRY_VERIFY_WITH_TIMEOUT(arena->picture() && arena->picture()->other_arena > 0, kPatience);
    auto* occupancy = view<OccupancyView>(PanelId::Occupancy);
    QTRY_VERIFY_WITH_TIMEOUT(occupancy->picture() && !occupancy->picture()->other.empty(), kPatience);
    QVERIFY(occupancy->picture()->other_peak > 0);
    TablePanel* nodes = panels().table(PanelId::Nodes);
    panels().dock(PanelId::Nodes)->raise();
    QTRY_VERIFY(nodes->model()->columnCount() > 14);
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(9)));
    QVERIFY(panels().widgets().inspector->text().contains("In B"));
    panels().dock(PanelId::Compare)->raise();
    QTRY_COMPARE(panels().table(PanelId::Compare)->model()->rowCount(),
                 static_cast<int>(doc().source()->graph()->nodes.size()));
    window_->shell().actions->find("compare.stop")->trigger();
    QVERIFY(doc().source()->comparison() == nullptr);
    QTRY_VERIFY(occupancy->picture()->other.empty());
  }

  void two_recordings_have_two_rows_in_the_timeline() {
    open_recording();
    auto* timeline = view<TimelineView>(PanelId::Timeline);
    QTRY_VERIFY_WITH_TIMEOUT(timeline->picture() && !timeline->picture()->rows.empty(), kPatience);
    const auto of_tracks = [&] {
      const auto& all = timeline->picture()->rows;
      return std::count_if(all.begin(), all.end(), [](const TimelineRow& row) { return row.track.valid(); });
    };
    const auto rows = of_tracks();
    const size_t shared = timeline->picture()->rows.size() - static_cast<size_t>(rows);  // of steps and of layers
    window_->compare_with(recording_);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->comparison() != nullptr, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(of_tracks(), 2 * rows, kPatience);
    QCOMPARE(timeline->picture()->rows.size(), static_cast<size_t>(2 * rows) + shared);
    ptrdiff_t theirs = 0;
    for (size_t r = 1; r < timeline->picture()->rows.size(); ++r) {
      const TimelineRow& row = timeline->picture()->rows[r];
      theirs += row.other;
      if (row.other) QVERIFY(!timeline->picture()->rows[r - 1].other);  // below ours
    }
    QCOMPARE(theirs, rows);
    // A click on a span of B selects the node of A.
    const TimelinePicture& p = *timeline->picture();
    for (size_t i = 0; i < p.spans->size(); ++i) {
      const Rect& rect = (*p.spans)[i];
      const TimelineItem& item = p.items[rect.tag];
      if (!item.other || item.cell.count != 1 || p.other->event(item.cell.span).kind() != trace::EventKind::Work)
        continue;
      const QPointF at(timeline->plot()->xAxis->coordToPixel((rect.x0 + rect.x1) / 2),
                       timeline->plot()->yAxis->coordToPixel((rect.y0 + rect.y1) / 2));
      if (!timeline->plot()->axisRect()->rect().contains(at.toPoint()) || timeline->pick(at).empty()) continue;
      QTest::mouseClick(timeline->plot(), Qt::LeftButton, {}, at.toPoint());
      QVERIFY(doc().selection()->current().get<NodeSelection>() != nullptr);
      return;
    }
    QFAIL("no span of theirs could be clicked");
  }

  void failed_comparisons_are_reported() {
    open_recording();
    for (const char* bad : {"/no/such/file", "zoo:no_such_network"}) {
      doc().messages()->clear();
      window_->compare_with(bad);
      QTRY_COMPARE_WITH_TIMEOUT(doc().messages()->texts().size(), 1, kPatience);
      QVERIFY(doc().source()->comparison() == nullptr);
      QVERIFY(!doc().jobs().comparing.busy());
    }
  }

  void holes_are_listed_with_their_causes() {
    open_recording();
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    doc().jobs().replanning.plan({"max-block", "depth-first", false, 0, 1});
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    panels().dock(PanelId::Holes)->show();
    panels().dock(PanelId::Holes)->raise();
    TablePanel* table = panels().table(PanelId::Holes);
    QTRY_VERIFY(table->model()->rowCount() > 0);
    QVERIFY(!table->model()->index(0, 4).data().toString().isEmpty());
    table->table_view()->setFocus();
    const QPoint at = table->table_view()->visualRect(table->model()->index(0, 0)).center();
    QTest::mouseClick(table->table_view()->viewport(), Qt::LeftButton, {}, at);
    QVERIFY(!doc().selection()->current().empty());
  }
};

QTEST_MAIN(ReplanTest)
#include "replan_test.moc"
