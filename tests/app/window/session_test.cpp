// SPDX-License-Identifier: GPL-3.0-or-later
// The view of a document does not appear in other tabs, and is restored with the session of the window after a quit or a
// crash.
#include <QJsonArray>
#include <QLineEdit>
#include <QLockFile>
#include <QProcess>
#include <QTest>

#include <views/arena/arena_view.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/timeline/timeline_view.h>

#include "app/window/document/annotations.h"
#include "app/window/document/note_settings.h"
#include "app/window/panels/query_panel.h"
#include "app/window/panels/search_panel.h"
#include "app/window/start/window_session.h"
#include "sample_session.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class SessionTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QString recording(const char* name) {
    const QString path = folder_.filePath(QString::fromLatin1(name));
    return trace::save_recording(*test::sample_session()->snapshot(), path.toStdString()).ok() ? path : QString();
  }
  // It has one run.
  QString annotated(const char* name, const Annotations& annotations) {
    test::SampleOptions options;
    options.runs = 1;
    trace::Snapshot snapshot = *test::sample_session(options)->snapshot();
    snapshot.annotations.json = annotations.to_json();
    const QString path = folder_.filePath(QString::fromLatin1(name));
    return trace::save_recording(snapshot, path.toStdString()).ok() ? path : QString();
  }
  TablePanel::ViewState nodes() { return panels().table(PanelId::Nodes)->view_state(); }
  // Every choice of the views differs from its default.
  void choose() {
    panels().widgets().occupancy->set_scope(OccupancyScope::Kinds);
    panels().widgets().occupancy->set_show_plan_outline(true);
    panels().widgets().arena->set_colour(ArenaColour::Age);
    panels().widgets().arena->set_shown(ArenaMode::Spaces, {SpaceChoice::Of::All});
    panels().widgets().lifetimes->set_show_plan_outline(true);
    panels().widgets().timeline->pin_row("worker 1", true);
    panels().table(PanelId::Nodes)->findChild<QLineEdit*>()->setText("relu");
    panels().table(PanelId::Nodes)->table_view()->sortByColumn(2, Qt::DescendingOrder);
    panels().widgets().search->field()->setText("conv");
  }
  bool is_chosen() {
    return panels().widgets().occupancy->view_state() == OccupancyView::ViewState{OccupancyScope::Kinds, true} &&
           panels().widgets().arena->view_state() ==
               ArenaView::ViewState{ArenaMode::Spaces, {SpaceChoice::Of::All}, false, ArenaColour::Age} &&
           panels().widgets().lifetimes->view_state().plan_outline &&
           panels().widgets().timeline->view_state().pinned == std::set<std::string>{"worker 1"} &&
           nodes() == TablePanel::ViewState{"relu", 2, Qt::DescendingOrder} &&
           panels().widgets().search->field()->text() == u"conv";
  }
  bool is_default() {
    return panels().widgets().occupancy->view_state() == OccupancyView::ViewState() &&
           panels().widgets().arena->view_state() == ArenaView::ViewState() &&
           panels().widgets().lifetimes->view_state() == LifetimesView::ViewState() &&
           panels().widgets().timeline->view_state() == TimelineView::ViewState() && nodes().filter.isEmpty() &&
           panels().widgets().search->field()->text().isEmpty();
  }
  // As after a restart of the program: only the settings remain.
  void next_window() {
    window_.reset();
    window_ = std::make_unique<MainWindow>();
    window_->resize(1600, 900);
    window_->show();
  }
  void restore() {
    window_->shell().session->begin();
    window_->shell().session->restore();
  }
  static QString stored() { return Settings::value("session/documents").toString(); }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-session-test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void choices_do_not_appear_in_other_tabs() {
    open(recording("a.arenascope"));
    choose();
    QVERIFY(is_chosen());
    open(recording("b.arenascope"));
    QVERIFY(is_default());
    window_->documents()->show(0);
    QVERIFY(is_chosen());
    window_->documents()->show(1);
    QVERIFY(is_default());
  }

  void a_state_survives_storage() {
    QCOMPARE(ViewState::from_json(QJsonObject()), ViewState());
    ViewState state;
    state.axis = AxisMode::Time;
    state.range = AxisRange{12.5, 1e9};
    state.graph = {{1, 5}, GraphColour::Column, 3, "conv", 0.75, {12, -4}};
    state.flame = {trace::FlameWeight::NodeWait, false, true, {"main", "idle/x"}, "a"};
    state.occupancy = {OccupancyScope::CallSites, true};
    state.arena = {ArenaMode::Spaces, {SpaceChoice::Of::Allocator, 4'000'000'000}, true, ArenaColour::Time};
    state.lifetimes = {ArenaMode::Arena, {SpaceChoice::Of::All}, true};
    state.timeline = {{"worker 0", "x"}, TimelineColour::Duration};
    state.by_runs = true;
    state.graph.engine = LayoutEngine::Graphviz;
    state.tables[PanelId::Nodes] = {"relu", 4, Qt::DescendingOrder};
    state.search = "/a.b/";
    state.mark = TimeRangeSelection{5, 4'000'000'000'000};
    state.selected = NodeSelection{trace::GraphId(1), trace::TensorRef::leaf(LeafId(7))};
    QCOMPARE(ViewState::from_json(state.to_json()), state);
    // Values out of range have their defaults.
    QJsonObject damaged = state.to_json();
    damaged["axis"] = 77;
    damaged["range"] = QJsonArray{5, 1};
    damaged["arena"] = QJsonObject{{"mode", -3}, {"colour", 99}};
    const ViewState read = ViewState::from_json(damaged);
    QCOMPARE(read.axis, AxisMode::Step);
    QVERIFY(!read.range);
    QCOMPARE(read.arena, ArenaView::ViewState());
  }

  void documents_and_their_views_are_restored() {
    const QString a = recording("a.arenascope"), b = recording("b.arenascope");
    open(a);
    open(b);
    window_->shell().session->begin();
    choose();
    doc().axis()->set_mode(AxisMode::Time);
    const AxisRange all = doc().axis()->range();
    const AxisRange zoomed{all.lo + all.length() * 0.25, all.lo + all.length() * 0.5};
    doc().axis()->set_range(zoomed);
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(9)));
    window_->documents()->show(0);
    window_->shell().session->save();
    next_window();
    restore();
    QTRY_COMPARE_WITH_TIMEOUT(window_->documents()->size(), size_t{2}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window_->documents()->opening() == nullptr, kPatience);
    QCOMPARE(doc().spec(), a);
    QVERIFY(is_default());
    window_->documents()->show(1);
    QCOMPARE(doc().spec(), b);
    QTRY_VERIFY_WITH_TIMEOUT(is_chosen(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(doc().axis()->mode(), AxisMode::Time, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(doc().axis()->range(), zoomed, kPatience);
    QCOMPARE(doc().selection()->current(), Selection::node(doc().source()->graph_id(), NodeId(9)));
  }

  void annotations_survive_storage() {
    Annotations annotations;
    annotations.notes = {{3, 4e6, "here", -1, -1}, {5, 1e9, "a range\nof two lines", 8, 2e9}};
    annotations.view.axis = AxisMode::Time;
    annotations.view.search = "conv";
    QCOMPARE(Annotations::from_json(annotations.to_json()), std::optional(annotations));
    for (const char* bad : {"", "[]", "{", "null", "{\"notes\": 5, \"view\": []}"}) {
      const auto read = Annotations::from_json(bad);
      QVERIFY(!read || (read->notes.empty() && read->view == ViewState()));
    }
    QVERIFY(Annotations::from_json(R"({"notes":[{"text":"  "},{"text":"x","step":"y"},7]})")->notes.size() == 1);
  }

  void annotations_are_limited() {
    Annotations annotations;
    const PinnedNote note{3, 4e6, QString(10'000, u'x'), -1, -1};
    annotations.notes.assign(99, note);
    QVERIFY(Annotations::from_json(annotations.to_json()).has_value());
    annotations.notes.assign(200, note);
    QVERIFY(!Annotations::from_json(annotations.to_json()));
    const auto read = Annotations::from_json(R"({"notes":[{"text":"x","step":1e300,"time":-1e300,"time_end":2e15}]})");
    QCOMPARE(read->notes, (std::vector<PinnedNote>{{-1, -1, "x", -1, -1}}));
    ViewState state;
    state.search = QString(200'000, u'x');
    for (int i = 0; i < 20'000; ++i) {
      state.graph.expanded.insert(i);
      state.flame.zoomed << "f";
    }
    const ViewState limited = ViewState::from_json(state.to_json());
    QCOMPARE(limited.search.size(), qsizetype{100'000});
    QCOMPARE(limited.graph.expanded.size(), size_t{10'000});
    QCOMPARE(limited.flame.zoomed.size(), qsizetype{10'000});
  }

  // A number of runs is no number of nanoseconds.
  void a_range_of_runs_is_not_applied_to_one_run() {
    Annotations annotations;
    annotations.view.axis = AxisMode::Time;
    annotations.view.by_runs = true;
    annotations.view.range = AxisRange{3, 4};
    annotations.view.search = "conv";
    open(annotated("one.arenascope", annotations));
    QTRY_COMPARE_WITH_TIMEOUT(panels().widgets().search->field()->text(), QStringLiteral("conv"), kPatience);
    QCOMPARE(doc().axis()->mode(), AxisMode::Time);
    QVERIFY(!doc().axis()->frame().by_runs());
    QVERIFY(doc().axis()->range().length() > 1000);  // ns
  }

  void a_recording_starts_no_other_program() {
    Annotations annotations;
    annotations.view.graph.engine = LayoutEngine::Graphviz;
    annotations.view.graph.search = "conv";
    const auto read = Annotations::from_json(annotations.to_json());
    QCOMPARE(read->view.graph.engine, LayoutEngine::BuiltIn);
    QCOMPARE(read->view.graph.search, QStringLiteral("conv"));
  }

  // A colleague has other settings and the file alone.
  void a_recording_opens_as_it_was_saved() {
    open(recording("a.arenascope"));
    choose();
    doc().axis()->set_mode(AxisMode::Time);
    const AxisRange all = doc().axis()->limits();
    const AxisRange zoomed{all.lo + all.length() * 0.25, all.lo + all.length() * 0.5};
    doc().axis()->set_range(zoomed);
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(9)));
    doc().context().notes->pin_range({zoomed.lo, zoomed.lo + zoomed.length() / 2}, QStringLiteral("slow"));
    const std::vector<PinnedNote> notes = doc().context().notes->all();
    const QString shared = QFileInfo(doc().spec()).dir().filePath("shared.arenascope");
    panels().leave(doc());
    doc().save_recording(shared);
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().saver->busy() && QFileInfo::exists(shared), kPatience);
    next_window();
    Settings::clear();
    open(shared);
    QTRY_VERIFY_WITH_TIMEOUT(is_chosen(), kPatience);
    QCOMPARE(doc().axis()->mode(), AxisMode::Time);
    QVERIFY(std::abs(doc().axis()->range().lo - zoomed.lo) < 2 && std::abs(doc().axis()->range().hi - zoomed.hi) < 2);
    QCOMPARE(doc().selection()->current(), Selection::node(doc().source()->graph_id(), NodeId(9)));
    QCOMPARE(doc().context().notes->all(), notes);
    panels().show(PanelId::Notes);
    panels().table(PanelId::Notes)->refresh();
    QCOMPARE(panels().table(PanelId::Notes)->model()->rowCount(), 1);
    // Undo takes the last note back.
    const size_t before = doc().context().notes->all().size();
    window_->shell().undo->flush();
    doc().context().notes->pin(zoomed.middle(), QStringLiteral("second"), 1);
    window_->shell().undo->flush();
    window_->shell().undo->go(-1);
    QCOMPARE(doc().context().notes->all().size(), before);
  }

  void notes_of_a_recording_are_own_notes_once_edited() {
    Annotations annotations;
    annotations.notes = {{3, 4e6, "of the file", -1, -1}};
    annotations.view.search = "conv";
    const auto open_saved = [&] {
      next_window();
      open(annotated("noted.arenascope", annotations));
      QTRY_COMPARE_WITH_TIMEOUT(panels().widgets().search->field()->text(), QStringLiteral("conv"), kPatience);
    };
    open_saved();
    const QString path = doc().spec();
    QCOMPARE(doc().context().notes->all(), annotations.notes);
    QVERIFY(!remembered_notes(path));
    annotations.notes[0].text = "of the newer file";
    open_saved();
    QCOMPARE(doc().context().notes->all(), annotations.notes);
    doc().context().notes->set({});
    QVERIFY(remembered_notes(path) && remembered_notes(path)->empty());
    open_saved();
    QVERIFY(doc().context().notes->all().empty());
    doc().context().notes->pin(5, QStringLiteral("own"), 0);
    open_saved();
    QCOMPARE(doc().context().notes->all().size(), size_t{1});
    QCOMPARE(doc().context().notes->all()[0].text, QStringLiteral("own"));
  }

  // A missing file is reported and not opened again; the others are restored.
  void a_file_that_is_gone_is_left_out() {
    const QString a = recording("gone.arenascope"), b = recording("b.arenascope");
    open(a);
    open(b);
    window_->shell().session->begin();
    window_->shell().session->save();
    QVERIFY(QFile::remove(a));
    next_window();
    restore();
    QTRY_COMPARE_WITH_TIMEOUT(doc().spec(), b, kPatience);
    QCOMPARE(window_->documents()->size(), size_t{1});
    window_->shell().session->save();
    QVERIFY(!stored().contains("gone"));
    QVERIFY(stored().contains("b.arenascope"));
  }

  // A file whose opening ended the program is not opened again; an opened one and a normal quit are no reason.
  void a_file_that_ends_the_program_is_opened_once() {
    const QString a = recording("a.arenascope"), b = recording("b.arenascope");
    open(a);
    open(b);
    window_->shell().session->begin();
    window_->shell().session->save();
    QTRY_COMPARE_WITH_TIMEOUT(Settings::value("session/unfinished").toStringList(), QStringList(), kPatience);
    next_window();
    restore();
    QVERIFY(Settings::value("session/unfinished").toStringList().contains(a));
    next_window();  // as after a crash while it was read
    restore();
    QTRY_COMPARE_WITH_TIMEOUT(doc().spec(), b, kPatience);
    QVERIFY(doc().messages()->texts().join(u' ').contains(a));
    QTRY_COMPARE_WITH_TIMEOUT(Settings::value("session/unfinished").toStringList(), QStringList(), kPatience);
    QCOMPARE(window_->documents()->size(), size_t{1});
    window_->open(a);
    window_->close();
    QCOMPARE(Settings::value("session/unfinished").toStringList(), QStringList());
  }

  // Entries of documents that are not restored yet stay in the stored session, as they were.
  void the_stored_session_survives_its_restoration() {
    const QString a = recording("a.arenascope"), b = recording("b.arenascope"), c = recording("c.arenascope");
    open(a);
    choose();
    open(b);
    window_->shell().session->begin();
    window_->shell().session->save();
    const QString before = stored();
    next_window();
    restore();
    window_->shell().session->save();
    QCOMPARE(stored(), before);
    window_->open(c);  // does not end the restoration
    QTRY_COMPARE_WITH_TIMEOUT(window_->documents()->size(), size_t{3}, kPatience);
    QCOMPARE(doc().spec(), c);
    window_->documents()->close(0);
    window_->shell().session->save();
    QVERIFY(!stored().contains("a.arenascope"));
  }

  void choices_made_meanwhile_are_kept() {
    const QString a = recording("a.arenascope"), b = recording("b.arenascope");
    open(a);
    choose();
    open(b);
    window_->documents()->show(0);
    window_->shell().session->begin();
    window_->shell().session->save();
    next_window();
    restore();
    panels().widgets().search->field()->setText("meanwhile");
    QTRY_COMPARE_WITH_TIMEOUT(window_->documents()->size(), size_t{2}, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(panels().widgets().occupancy->view_state().scope, OccupancyScope::Kinds, kPatience);
    QCOMPARE(doc().spec(), a);
    QCOMPARE(panels().widgets().search->field()->text(), QStringLiteral("meanwhile"));
  }

  // A model that was opened to plan is not run, and an optimised one stays optimised.
  void the_form_of_a_model_is_restored() {
    RunSettings settings = window_->shell().preferences.run;
    settings.plan_only = settings.rewrite = settings.fuse = true;
    window_->documents()->open(QStringLiteral("zoo:squeezenet"), settings);
    QTRY_COMPARE_WITH_TIMEOUT(doc().spec(), QStringLiteral("zoo:squeezenet"), kPatience);
    window_->shell().session->begin();
    window_->shell().session->save();
    next_window();
    restore();
    QTRY_COMPARE_WITH_TIMEOUT(doc().spec(), QStringLiteral("zoo:squeezenet"), kPatience);
    QVERIFY(!doc().runner()->has_model());
    QCOMPARE(doc().runner()->settings(), settings);
  }

  // A file that is opened again, or a generation that begins, in a tab that is not current.
  void a_draft_survives_another_session() {
    open(recording("a.arenascope"));
    panels().widgets().search->field()->setText("conv");
    panels().widgets().query->editor()->set_sql("SELECT 1");
    panels().table(PanelId::Nodes)->findChild<QLineEdit*>()->setText("relu");
    open(recording("b.arenascope"));
    (*window_->documents())[0].show_session(test::sample_session(), "again");
    window_->documents()->show(0);
    QCOMPARE(panels().widgets().search->field()->text(), QStringLiteral("conv"));
    QCOMPARE(panels().widgets().query->editor()->toPlainText(), QStringLiteral("SELECT 1"));
    QCOMPARE(nodes().filter, QStringLiteral("relu"));
  }

  // Closing ends its tasks, whose reports reach observers of the session.
  void a_document_is_closed_before_it_is_complete() {
    window_->shell().session->begin();
    window_->open(QStringLiteral("zoo:squeezenet"));
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->session() != nullptr, kPatience);
    doc().jobs().findings.start(10);
    window_->documents()->close(0);
    QTest::qWait(100);
    QVERIFY(doc().empty());
    QCOMPARE(Settings::value("session/unfinished").toStringList(), QStringList());
  }

  // A selected span keeps the range, and another tab has its own.
  void the_range_of_spans_belongs_to_the_document() {
    const auto rows = [this] {
      panels().table(PanelId::Spans)->refresh();
      return panels().table(PanelId::Spans)->model()->rowCount();
    };
    const EventSelection span{{trace::TrackId(0), 0, 0}};
    open(recording("a.arenascope"));
    const int all = rows();
    open(recording("b.arenascope"));
    doc().selection()->select(span);
    QCOMPARE(rows(), all);
    window_->documents()->show(0);
    doc().selection()->select(TimeRangeSelection{0, 1});
    doc().selection()->select(span);
    QVERIFY(rows() < all);
    window_->documents()->show(1);
    QCOMPARE(rows(), all);
    window_->documents()->show(0);
    QVERIFY(rows() < all);
  }

  // A second program neither opens the documents of the first one nor replaces its session.
  void a_running_program_keeps_its_session() {
    open(recording("a.arenascope"));
    window_->shell().session->begin();
    window_->shell().session->save();
    const QString before = stored();
    window_.reset();
    QLockFile other(WindowSession::lock_path());
    QVERIFY(other.tryLock(0));
    next_window();
    restore();
    window_->shell().session->save();
    QVERIFY(window_->documents()->opening() == nullptr && doc().empty());
    QCOMPARE(stored(), before);
    other.unlock();
    next_window();
    restore();
    QTRY_VERIFY_WITH_TIMEOUT(doc().spec().endsWith("a.arenascope"), kPatience);
  }

  // The number of a program that crashed may be that of another program now.
  void another_program_with_the_same_number_is_no_owner() {
    window_.reset();
    QProcess sleep;
    sleep.start("sleep", {"60"});
    QVERIFY(sleep.waitForStarted());
    {
      QLockFile lock(WindowSession::lock_path());
      QVERIFY(lock.tryLock(0));
      QFile file(WindowSession::lock_path());
      QVERIFY(file.open(QIODevice::ReadOnly));
      QByteArrayList lines = file.readAll().split('\n');
      file.close();
      lines[0] = QByteArray::number(sleep.processId());
      lock.unlock();
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(lines.join('\n'));
    }
    next_window();
    const QString a = recording("a.arenascope");
    open(a);
    window_->shell().session->begin();
    window_->shell().session->save();
    QVERIFY(stored().contains(a));
    sleep.kill();
    sleep.waitForFinished();
  }
};

QTEST_MAIN(SessionTest)
#include "session_test.moc"
