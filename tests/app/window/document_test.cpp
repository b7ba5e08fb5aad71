// SPDX-License-Identifier: GPL-3.0-or-later
// Documents are independent: searches, comparisons, messages and breakpoints of one tab do not appear in others, and
// jobs complete in the tab where they were started.
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileInfo>
#include <QInputDialog>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <QThread>
#include <QToolButton>

#include <views/common/background.h>
#include <views/common/format.h>
#include <views/inspector/inspector_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/planners/replan_panel.h>

#include <random>

#include "app/window/document/autosave.h"
#include "app/window/document/note_settings.h"
#include "app/window/panels/search_panel.h"
#include "sample_session.h"
#include "tests/engine/models/gguf_maker.h"
#include "tests/engine/trace/sample_executorch.h"
#include "tests/test_data.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class DocumentTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  // Buffers of another tool: a large search space whose optimum is not found at once.
  QString buffers(const char* name, unsigned seed) {
    const QString path = folder_.filePath(QString::fromLatin1(name));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return {};
    std::mt19937 random(seed);
    file.write("id,lower,upper,size\n");
    for (int i = 0; i < 400; ++i) {
      const int lower = static_cast<int>(random() % 100), length = 2 + static_cast<int>(random() % 30);
      file.write(
          QStringLiteral("b%1,%2,%3,%4\n").arg(i).arg(lower).arg(lower + length).arg(64 + random() % 100'000).toUtf8());
    }
    return path;
  }
  // Two files of buffers; the first one is current.
  void open_two() {
    for (const QString& path : {buffers("d.csv", 3), buffers("j.csv", 4)}) {
      window_->open(path);
      QTRY_VERIFY_WITH_TIMEOUT(doc().spec() == path && doc().axis()->steps() > 0, kPatience);
    }
    QCOMPARE(window_->documents()->size(), size_t{2});
    window_->documents()->show(0);
  }
  Document& at(size_t i) { return (*window_->documents())[i]; }
  PlanRequest request(double seconds) {
    PlanRequest w;
    w.planner = "search";
    w.order = "depth-first";
    w.budget_seconds = seconds;
    w.fit_under = 1;  // unreachable: the whole budget is used
    return w;
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-document-test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void a_search_continues_in_its_own_tab() {
    open_two();
    const auto plans_of_other = at(1).source()->snapshot()->plans.size();
    const Bytes other_arena = at(1).source()->plan()->arena_bytes;
    QSignalSpy finished(&at(0).jobs().replanning, &Replanning::finished);
    QElapsedTimer timer;
    timer.start();
    at(0).jobs().replanning.plan(request(3));
    QTest::qWait(300);
    window_->documents()->show(1);
    auto* panel = panels().widgets().replan;
    QVERIFY(!doc().jobs().replanning.busy());
    QVERIFY(panel->message().isEmpty());  // no plan was made here
    QVERIFY(panel->curve()->points().empty());
    QVERIFY(panel->findChild<QToolButton*>("plan")->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    QVERIFY2(
        timer.elapsed() > 2'000 || at(0).source()->plan()->arena_bytes == at(0).source()->plan()->lower_bound_bytes,
        "the search ended with the tab");
    QCOMPARE(at(1).source()->snapshot()->plans.size(), plans_of_other);
    QCOMPARE(at(1).source()->plan()->arena_bytes, other_arena);
    QVERIFY(at(1).source()->shown_plan() == nullptr);
    QVERIFY(at(0).source()->shown_plan() != nullptr);
    window_->documents()->show(0);
    QVERIFY(panel->message().contains("search"));
    QVERIFY(!panel->curve()->points().empty());
    QCOMPARE(static_cast<int>(at(0).source()->shown_plan()->graph.index()),
             static_cast<int>(at(0).source()->graph_id().index()));
  }

  void comparison_line_messages_and_search_text_stay_in_their_tab() {
    open_two();
    Document& first = doc();
    first.compare_with(
        std::make_shared<const ComparisonSide>(ComparisonSide::of(test::sample_session()->snapshot(), "sample")));
    first.jobs().replanning.set_fit_under(123'456);
    first.messages()->fail("Something went wrong here.");
    first.debugger()->set_breakpoints({{Breakpoint::Kind::Name, "b1*", 0, true}});
    auto* search = panels().widgets().graph->findChild<QLineEdit*>();
    search->setText("b17");
    auto* filter = panels().table(PanelId::Nodes)->findChild<QLineEdit*>();
    filter->setText("b2");
    first.axis()->frame_steps(Step(3), Step(40));
    first.selection()->select(Selection::node(first.source()->graph_id(), NodeId(5)));
    const AxisRange range = first.axis()->range();
    const size_t said = first.messages()->all().size();

    window_->documents()->show(1);
    QVERIFY(doc().source()->comparison() == nullptr);
    QCOMPARE(doc().jobs().replanning.request().fit_under, Bytes{0});
    QCOMPARE(static_cast<OccupancyView*>(plot_view(PanelId::Occupancy))->fit_under(), Bytes{0});
    QCOMPARE(panels().widgets().replan->request().fit_under, Bytes{0});
    Q_EMIT first.failed("An error of this document.");
    QVERIFY(first.messages()->texts().contains("An error of this document."));
    QVERIFY(doc().messages()->texts().isEmpty());
    QVERIFY(!window_->message_bar()->isVisible());
    QVERIFY(doc().debugger()->breakpoints().empty());
    QCOMPARE(panels().widgets().breakpoints->model()->rowCount(), 0);
    QVERIFY(search->text().isEmpty());
    QVERIFY(filter->text().isEmpty());
    QVERIFY(doc().selection()->current().empty());
    QVERIFY(!doc().selection()->can_go_back());

    window_->documents()->show(0);
    QVERIFY(doc().source()->comparison() != nullptr);
    QCOMPARE(static_cast<OccupancyView*>(plot_view(PanelId::Occupancy))->fit_under(), Bytes{123'456});
    QCOMPARE(doc().messages()->all().size(), said + 1);
    QTRY_VERIFY(window_->message_bar()->isVisible());
    QCOMPARE(panels().widgets().breakpoints->model()->rowCount(), 1);
    QCOMPARE(search->text(), QString("b17"));
    QCOMPARE(filter->text(), QString("b2"));
    QCOMPARE(doc().axis()->range(), range);
    QVERIFY(!doc().selection()->current().empty());
  }

  void undo_applies_to_the_current_tab() {
    open_two();
    QTest::qWait(500);
    at(0).axis()->frame_steps(Step(3), Step(40));
    QTest::qWait(500);
    window_->documents()->show(1);
    QTest::qWait(500);
    const AxisRange other = doc().axis()->range();
    QVERIFY(!window_->shell().undo->can_go(-1));
    window_->documents()->show(0);
    QVERIFY(window_->shell().undo->can_go(-1));
    window_->shell().undo->go(-1);
    QCOMPARE(doc().axis()->range(), doc().axis()->limits());
    QCOMPARE(at(1).axis()->range(), other);
  }

  void undo_of_a_later_change_keeps_a_note_of_a_run() {
    open(QStringLiteral("zoo:squeezenet"));
    ViewUndo& undo = *window_->shell().undo;
    const auto zoom = [&](int last) {
      doc().axis()->frame_steps(Step(3), Step(last));
      undo.flush();
    };
    zoom(40);
    zoom(30);
    doc().runner()->run(true);
    QTRY_COMPARE_WITH_TIMEOUT(doc().runner()->state(), RunState::Running, kPatience);
    doc().context().notes->pin(9.5, QStringLiteral("during the run"), 0.1);
    undo.flush();
    doc().runner()->stop();
    QTRY_COMPARE_WITH_TIMEOUT(doc().runner()->state(), RunState::Ready, kPatience);
    const std::vector<PinnedNote> notes = doc().context().notes->all();
    QCOMPARE(notes.size(), size_t{1});
    zoom(20);
    undo.go(-1);
    QCOMPARE(doc().context().notes->all(), notes);
    undo.go(1);
    QCOMPARE(doc().context().notes->all(), notes);
    while (undo.can_go(-1)) undo.go(-1);
    QVERIFY(doc().context().notes->all().empty());
    while (undo.can_go(1)) undo.go(1);
    QCOMPARE(doc().context().notes->all(), notes);
  }

  void closing_a_tab_ends_its_jobs() {
    open_two();
    QElapsedTimer timer;
    timer.start();
    at(0).jobs().replanning.plan(request(60));
    at(0).jobs().findings.start(60);
    QTest::qWait(200);
    timer.start();
    window_->documents()->close(0);
    QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(window_->documents()->size(), size_t{1});
    QTRY_COMPARE_WITH_TIMEOUT(background_pool()->activeThreadCount(), 0, 10'000);
    QVERIFY(doc().source()->shown_plan() == nullptr);
  }

  // A text detector with four dynamic dimensions must not be opened as 1×16×1×1.
  void dynamic_sizes_are_assumed_reported_and_saved() {
    const auto detector = test::data_folder() / "models" / "ocr_ppocrv4" / "ch_PP-OCRv4_det_infer.onnx";
    if (!std::filesystem::exists(detector)) QSKIP("no ocr_ppocrv4 in ARENASCOPE_DATA or ../shared/data");
    const QString spec = QString::fromStdString(detector.string());
    open(spec);
    const auto sizes = doc().runner()->input_sizes();
    QVERIFY(sizes.size() >= 2);
    for (const InputSize& size : sizes) QVERIFY(size.assumed);
    // The message lists the sizes the model was opened with, not ones.
    QVERIFY(std::count_if(sizes.begin(), sizes.end(), [](const InputSize& size) { return size.size > 1; }) >= 2);
    QVERIFY(doc().source()->plan()->arena_bytes > 1'000'000);
    QVERIFY(!doc().messages()->all().empty());
    const Message said = doc().messages()->all().front();
    QCOMPARE(said.kind, MessageKind::Warning);
    QVERIFY(said.text.contains(sizes[0].label));
    QCOMPARE(said.action, QString("file.sizes"));

    // The dialog lists them; entered values are saved for the file and applied at once.
    window_->shell().actions->find(said.action)->trigger();
    QDialog* dialog = nullptr;
    QTRY_VERIFY((dialog = window_->findChild<QDialog*>("sizes")) != nullptr);
    const auto boxes = dialog->findChildren<QSpinBox*>();
    QCOMPARE(boxes.size(), qsizetype(sizes.size()));
    for (QSpinBox* box : boxes)
      if (box->value() > 1) box->setValue(64);
    const Bytes before = doc().source()->plan()->arena_bytes;
    dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().runner()->input_sizes().empty() && !doc().runner()->input_sizes().front().assumed,
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
    QVERIFY(doc().source()->plan()->arena_bytes < before);
    QVERIFY(doc().messages()->all().empty());
    QCOMPARE(remembered_sizes(spec).size(), sizes.size());
  }

  // Jobs of more than a second have a progress bar with the remaining time and a Cancel button.
  void a_long_job_has_a_bar_and_is_cancelled() {
    open_two();
    auto* bar = window_->findChild<QWidget*>("job")->findChild<QProgressBar*>();
    auto* cancel = window_->findChild<QToolButton*>("cancel_job");
    QVERIFY(bar != nullptr && cancel != nullptr);
    QVERIFY(!bar->isVisible() && !cancel->isVisible());
    Task reading(&doc().jobs().tasks);
    TaskRun run = reading.begin("Reading something…");
    run.progress(0.1);
    QVERIFY(!bar->isVisible());  // hidden for less than a second
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), 5'000);
    QVERIFY(cancel->isVisible());
    QCOMPARE(bar->value(), 100);  // 10 % of 1,000
    QVERIFY2(bar->text().contains("left"), qPrintable(bar->text()));
    window_->documents()->show(1);
    QTRY_VERIFY(!bar->isVisible());  // it belongs to the other document
    window_->documents()->show(0);
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), 5'000);
    run.finish();
    QTRY_VERIFY(!bar->isVisible() && !cancel->isVisible());
    doc().jobs().replanning.plan(request(30));
    QVERIFY(doc().jobs().replanning.busy());
    cancel->click();
    QVERIFY(!doc().jobs().replanning.busy());
    QVERIFY(doc().source()->shown_plan() == nullptr);
    QTRY_COMPARE_WITH_TIMEOUT(background_pool()->activeThreadCount(), 0, 10'000);
  }

  void a_file_is_saved_in_the_background_and_can_be_cancelled() {
    doc().show_session(test::sample_session(), "sample");
    std::atomic<bool> begun{false}, go_on{false};
    const auto slow = [&](const Saver::Progress& progress) -> Status {
      begun = true;
      while (progress(0.25))
        if (go_on) return {};
      return Error{"stopped"};
    };
    auto* bar = window_->findChild<QWidget*>("job")->findChild<QProgressBar*>();
    doc().jobs().saver->save("/tmp/slow.arenascope", slow, QStringLiteral("written"));
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
    QVERIFY(begun && doc().jobs().saver->busy());
    QCOMPARE(bar->value(), 250);
    // A second one waits for its turn, and cancelling the first does not cancel it.
    doc().jobs().saver->save(
        "/tmp/other.arenascope", [](const Saver::Progress&) { return Status(); }, "other written");
    QCOMPARE(doc().jobs().saver->waiting(), size_t{1});
    window_->findChild<QToolButton*>("cancel_job")->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().saver->busy(), kPatience);
    const QString said = doc().messages()->texts().join(u'|');
    QVERIFY2(said.contains("Saving /tmp/slow.arenascope was cancelled"), qPrintable(said));
    QVERIFY2(said.contains("other written"), qPrintable(said));
    go_on = true;
    doc().jobs().saver->save("/tmp/slow.arenascope", slow, QStringLiteral("written"));
    QTRY_COMPARE_WITH_TIMEOUT(doc().messages()->texts().last(), QStringLiteral("written"), kPatience);
    // Cancelled saving leaves no partial file.
    const auto many = test::span_session(100'000)->snapshot();
    const QString path = folder_.filePath("half.arenascope");
    double last = 0;
    QVERIFY(!trace::save_recording(*many, path.toStdString(), [&](double share) { return (last = share) < 0.5; }).ok());
    QVERIFY(last >= 0.5 && last < 0.9);
    QVERIFY(!QFile::exists(path));
  }

  // Files that wait when a document is closed are written too.
  void files_that_wait_are_written_when_the_document_is_closed() {
    doc().show_session(test::sample_session(), "sample");
    std::atomic<bool> go_on{false};
    std::atomic<int> written{0};
    for (int i = 0; i < 3; ++i)
      doc().jobs().saver->save(QStringLiteral("/tmp/%1").arg(i),
                               [&](const Saver::Progress&) -> Status {
                                 while (!go_on) QThread::msleep(1);
                                 return ++written == 2 ? Status(Error{"the disk is full"}) : Status();
                               },
                               {});
    window_->documents()->close(0);
    go_on = true;
    QTRY_COMPARE_WITH_TIMEOUT(written.load(), 3, kPatience);
    // An error of a job remains in the log after its document is closed.
    QTRY_COMPARE_WITH_TIMEOUT(window_->documents()->log()->unread(MessageKind::Error), 1, kPatience);
    QVERIFY(window_->documents()->log()->all().back().sentence.contains("the disk is full"));
  }

  void the_message_log_is_bounded_and_keeps_errors() {
    MessageLog log;
    log.add(MessageKind::Error, {}, "the disk is full");
    for (size_t i = 0; i < 2 * MessageLog::kMaxEntries; ++i) log.add(MessageKind::Note, {}, QString::number(i));
    QCOMPARE(log.all().size(), MessageLog::kMaxEntries);
    QCOMPARE(log.all().front().sentence, QStringLiteral("the disk is full"));
    QCOMPARE(log.all().back().sentence, QString::number(2 * MessageLog::kMaxEntries - 1));
    QCOMPARE(log.dropped(), static_cast<int>(MessageLog::kMaxEntries) + 1);
    for (size_t i = 0; i < MessageLog::kMaxEntries; ++i) log.add(MessageKind::Error, {}, QString::number(i));
    QCOMPARE(log.all().size(), MessageLog::kMaxEntries);
    QCOMPARE(log.all().front().sentence, QStringLiteral("0"));
  }

  // With two jobs at a time the button ends the one that is written beside it.
  void cancelling_ends_the_job_that_is_shown() {
    open_two();
    std::atomic<bool> go_on{false};
    doc().jobs().saver->save(
        "/tmp/slow.arenascope",
        [&](const Saver::Progress& progress) -> Status {
          while (progress(0.25))
            if (go_on) return {};
          return Error{"stopped"};
        },
        "slow written");
    doc().jobs().replanning.plan(request(30));
    QCOMPARE(window_->documents()->tasks().front(), &doc().jobs().replanning.task());
    auto* cancel = window_->findChild<QToolButton*>("cancel_job");
    QVERIFY(doc().jobs().replanning.busy());
    cancel->click();
    QVERIFY(!doc().jobs().replanning.busy());
    QVERIFY(doc().jobs().saver->busy());
    QCOMPARE(window_->documents()->tasks().front(), &doc().jobs().saver->task());
    go_on = true;
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().saver->busy(), kPatience);
    // The note may be replaced by a later one; the log has all.
    const auto logged = [this] {
      QStringList sentences;
      for (const auto& entry : window_->documents()->log()->all()) sentences << entry.sentence;
      return sentences.join(u'|');
    };
    QVERIFY2(QTest::qWaitFor([&] { return logged().contains("slow written"); }), qPrintable(logged()));
    QTRY_COMPARE_WITH_TIMEOUT(background_pool()->activeThreadCount(), 0, 10'000);
  }

  // Tasks of all documents are listed, and each row cancels its own.
  void the_list_of_tasks_cancels_the_task_of_each_row() {
    open_two();
    Task first(&at(0).jobs().tasks), second(&at(1).jobs().tasks), third(&at(1).jobs().tasks);
    const TaskRun runs[] = {first.begin("First…"), second.begin("Second…"), third.begin("Third…")};
    runs[1].progress(0.25);
    auto* more = window_->findChild<QToolButton*>("task_list_button");
    QTRY_VERIFY_WITH_TIMEOUT(more->isVisible(), kPatience);
    QTRY_VERIFY2(more->text().contains(u'3'), qPrintable(more->text()));  // without tasks of the views
    more->click();
    auto* list = window_->findChild<QFrame*>("task_list");
    QVERIFY(list->isVisible());
    const auto texts = [list] {
      QStringList out;
      for (const QLabel* label : list->findChildren<QLabel*>())
        if (label->isVisible()) out << label->text();
      return out;
    };
    QCOMPARE(texts(), QStringList({"First… (d.csv)", "Second… (j.csv)", "Third… (j.csv)"}));
    const auto buttons = list->findChildren<QToolButton*>("cancel_job");
    buttons[1]->click();
    QVERIFY(!second.running());
    QVERIFY(first.running() && third.running());
    QTRY_COMPARE(texts(), QStringList({"First… (d.csv)", "Third… (j.csv)"}));
    buttons[1]->click();
    QVERIFY(first.running() && !third.running());
    first.cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!list->isVisible() && !more->isVisible(), kPatience);
  }

  void a_search_over_everything_can_be_cancelled() {
    doc().show_session(test::span_session(100'000), "spans");
    window_->shell().show_panel(PanelId::Search);
    auto* panel = panels().widgets().search;
    bool cancelled = false;
    const auto connection = connect(&doc().jobs().tasks, &TaskList::changed, this, [&] {
      for (Task* task : doc().jobs().tasks.running())
        if (task->title() == u"Searching…" && !std::exchange(cancelled, true)) task->cancel();
    });
    panel->field()->setText("/./");
    panel->search();
    QTRY_VERIFY_WITH_TIMEOUT(cancelled, kPatience);
    disconnect(connection);
    QVERIFY2(panel->note()->text().contains("cancelled"), qPrintable(panel->note()->text()));
    QTest::qWait(50);
    QCOMPARE(panel->table()->model()->rowCount(), 0);
    panel->search();
    QTRY_VERIFY_WITH_TIMEOUT(panel->table()->model()->rowCount() > 0, kPatience);
    QVERIFY(panel->note()->text().contains("first"));
    // A search that was stopped has no result, not an incomplete one.
    std::stop_source stop;
    stop.request_stop();
    TableInput input = TableInput::of(*doc().source());
    input.stop = stop.get_token();
    QVERIFY(search_table(input, *parse_search(QStringLiteral("/./"))) == nullptr);
  }

  // Each job of the table is found as itself and ended as itself, whatever else goes on.
  void a_comparison_and_the_runner_do_not_share_their_progress() {
    open_two();
    const QString other = buffers("k.csv", 5);
    Task reading(&doc().jobs().tasks);
    const TaskRun run = reading.begin("Reading something…");
    doc().jobs().comparing.load(other, {});
    auto tasks = window_->documents()->tasks();
    std::erase_if(tasks, [](const Task* task) { return task->title().startsWith("Laying out"); });
    QCOMPARE(tasks.size(), size_t{2});
    QCOMPARE(tasks[0], &doc().jobs().comparing.task());
    QVERIFY(tasks[0]->title().contains("k.csv"));
    QCOMPARE(tasks[1], &reading);
    tasks[0]->cancel();
    QVERIFY(!doc().jobs().comparing.busy());
    QVERIFY(reading.running());
    QCOMPARE(reading.title(), QString("Reading something…"));
    QTRY_COMPARE_WITH_TIMEOUT(background_pool()->activeThreadCount(), 0, 10'000);
  }

  // The window opens a model as written; the arena of its optimised form is shown too, and one click opens it.
  void the_other_form_of_a_model_is_planned_and_opened() {
    open("zoo:squeezenet");
    auto* forms = window_->findChild<QToolButton*>("forms");
    QTRY_VERIFY_WITH_TIMEOUT(forms->isVisible(), kPatience);
    const Bytes written = doc().source()->plan()->arena_bytes, optimised = *doc().jobs().other_form.arena();
    QVERIFY(optimised < written);
    const QString text =
        QStringLiteral("as written: %1 · optimised: %2").arg(format_bytes(written), format_bytes(optimised));
    QCOMPARE(forms->text(), text);
    forms->click();
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->settings().fuse && doc().runner()->state() == RunState::Ready, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(doc().source()->plan()->arena_bytes, optimised, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(forms->isVisible(), kPatience);
    QCOMPARE(forms->text(), text);
    // A recording has one form.
    open_recording();
    QVERIFY(!forms->isVisible());
  }

  // Unsaved runs can be recovered after their tab is closed.
  void what_was_recorded_and_not_saved_is_kept() {
    const auto left = [] { return recoverable_recordings().size(); };
    const auto run_again = [&] {
      const size_t runs = doc().source()->snapshot()->runs.size();
      doc().runner()->run(false);
      QTRY_VERIFY_WITH_TIMEOUT(doc().source()->snapshot()->runs.size() > runs &&
                                   doc().source()->snapshot()->runs.back().finished &&
                                   doc().runner()->state() == RunState::Ready,
                               kPatience);
    };
    QDir kept(autosave_folder());  // by earlier tests
    for (const QString& file : kept.entryList(QDir::Files)) kept.remove(file);
    open("zoo:mnist_fc");
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);  // only what opening it brought
    QTRY_COMPARE_WITH_TIMEOUT(QDir(autosave_folder()).entryList(QDir::Files).size(), 0, kPatience);
    open("zoo:mnist_fc");
    run_again();
    run_again();
    const size_t runs = doc().source()->snapshot()->runs.size();
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(left(), 1, kPatience);
    QVERIFY2(doc().messages()->texts().join(u' ').contains("Recover a Recording"),
             qPrintable(doc().messages()->texts().join(u' ')));
    QVERIFY(killed_of(recoverable_recordings()).isEmpty());
    open(recoverable_recordings().front());
    QCOMPARE(doc().source()->snapshot()->runs.size(), runs);
    QVERIFY(doc().source()->snapshot()->problems.empty());
    QFile::remove(recoverable_recordings().front());
    // Saved runs are not kept a second time.
    open("zoo:mnist_fc");
    run_again();
    const QString saved = folder_.filePath("kept.arenascope");
    window_->shell().ask_file = [&](bool, const QString&, const QString&) { return saved; };
    window_->shell().actions->find("file.save_recording")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().saver->busy(), kPatience);
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(QDir(autosave_folder()).entryList(QDir::Files).size(), 0, kPatience);
    // The window takes it along no more than a tab does, and neither does opening the same file again.
    open("zoo:mnist_fc");
    run_again();
    doc().open("zoo:mnist_fc", doc().runner()->settings());
    QTRY_COMPARE_WITH_TIMEOUT(left(), 1, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
    run_again();
    window_.reset();
    QCOMPARE(left(), 2);
    for (const QString& file : recoverable_recordings()) QFile::remove(file);
  }

  // A note never takes an error's place, and an error that had to make room is still in the log.
  void no_message_is_lost() {
    Messages& messages = *doc().messages();
    const auto* badge = window_->findChild<QToolButton*>("message_badge");
    QVERIFY(badge != nullptr && !badge->isVisible());
    for (int i = 0; i < 3; ++i) messages.fail(QStringLiteral("Error %1.").arg(i));
    messages.note("A note.");
    messages.note("Another note.");
    QCOMPARE(messages.texts(), QStringList({"Error 0.", "Error 1.", "Error 2.", "Another note."}));
    messages.fail("Error 3.");
    QCOMPARE(messages.texts(), QStringList({"Error 1.", "Error 2.", "Another note.", "Error 3."}));
    const MessageLog& log = *window_->documents()->log();
    QCOMPARE(log.all().size(), size_t{6});
    QVERIFY(badge->isVisible());
    QVERIFY2(badge->text().contains("4"), qPrintable(badge->text()));
    messages.close("Error 1.");
    QVERIFY2(badge->text().contains("3"), qPrintable(badge->text()));
    // Those of a document that is closed stay.
    doc().show_session(test::sample_session(), "sample");
    doc().messages()->fail("Error 4.");
    window_->documents()->close(0);
    QVERIFY(doc().messages()->texts().isEmpty());
    QVERIFY2(badge->text().contains("4"), qPrintable(badge->text()));
    QTest::mouseClick(const_cast<QToolButton*>(badge), Qt::LeftButton);
    auto* dialog = window_->findChild<QDialog*>("message_log");
    QVERIFY(dialog != nullptr && dialog->isVisible());
    auto* table = dialog->findChild<QTableWidget*>();
    QCOMPARE(table->rowCount(), 7);
    QCOMPARE(table->item(0, 3)->text(), QString("Error 4."));
    QCOMPARE(table->item(0, 2)->text(), QString("sample"));
    QVERIFY(!badge->isVisible());
    dialog->close();
  }

  // Exported views are rendered elsewhere, completely or not at all.
  void a_picture_is_saved_in_the_background() {
    doc().show_session(test::sample_session(), "sample");
    plot_view(PanelId::Arena)->prepare_now();
    plot_view(PanelId::Arena)->setFocus();
    for (const char* name : {"arena.png", "arena.svg", "arena.pdf"}) {
      const QString path = folder_.filePath(QString::fromLatin1(name));
      window_->shell().ask_file = [&](bool, const QString&, const QString&) { return path; };
      doc().messages()->clear();
      window_->shell().actions->find("file.save_picture")->trigger();
      QVERIFY(doc().jobs().saver->busy());
      QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().saver->busy(), kPatience);
      QVERIFY2(doc().messages()->texts().join(u' ').contains(path), name);
      QVERIFY(QFileInfo(path).size() > 2'000);
    }
    auto draft = window_->shell().output->draft_picture(PanelId::Arena, folder_.filePath("arena.png"));
    QVERIFY(draft.ok());
    QCOMPARE(QImage(draft->path), image_of(*draft).convertToFormat(QImage(draft->path).format()));
    QFile::remove(draft->path);
    int asked = 0;
    for (const int enough : {0, 1, 3, 5}) {  // before it begins, while rendering, while compressing
      asked = 0;
      QVERIFY(!write_picture(*draft, [&](double) { return asked++ < enough; }).ok());
      QVERIFY(!QFile::exists(draft->path));
    }
    window_->shell().actions->find("edit.copy_picture")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!QApplication::clipboard()->image().isNull(), kPatience);
  }

  // A computed plan is added without waiting for the recorder and appears in the session afterwards.
  void a_plan_is_added_without_waiting() {
    open("zoo:squeezenet");
    const size_t plans = doc().source()->snapshot()->plans.size();
    const auto added = doc().runner()->add_plan(*doc().source()->snapshot()->plans.front());
    QVERIFY(added != nullptr);
    QCOMPARE(added->id.index(), plans);
    QTRY_COMPARE(doc().source()->snapshot()->plans.size(), plans + 1);
    QVERIFY(*doc().source()->snapshot()->plans.back() == *added);
  }

  // A model that cannot or need not be run.
  void a_model_is_opened_for_planning_only() {
    RunSettings settings = window_->shell().preferences.run;
    settings.plan_only = true;
    window_->documents()->open("zoo:squeezenet", settings);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->plan() != nullptr, kPatience);
    QVERIFY(!doc().runner()->has_model() && doc().source()->snapshot()->runs.empty());
    QCOMPARE(doc().runner()->state(), RunState::Recording);
    QVERIFY(!window_->shell().actions->find("run.run")->isEnabled() || doc().axis()->steps() > 0);
    const size_t plans = doc().source()->snapshot()->plans.size();
    QSignalSpy finished(&doc().jobs().replanning, &Replanning::finished);
    PlanRequest none = doc().jobs().replanning.request();
    none.planner = "none";
    doc().jobs().replanning.plan(none);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
    QTRY_COMPARE(doc().source()->snapshot()->plans.size(), plans + 1);
    window_->shell().ask_file = [](bool, const QString&, const QString&) { return QStringLiteral("/no/such.onnx"); };
    window_->shell().actions->find("file.open_plan")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().messages()->texts().isEmpty(), kPatience);
    QCOMPARE(window_->documents()->size(), size_t{1});
  }

  void a_file_that_cannot_be_run_shows_its_tensors() {
    models::test::GgufMaker maker;
    maker.text("general.architecture", "other")
        .tensor("blk.0.attn_q.weight", {2, 256}, 16, std::vector<std::byte>(132));
    const QString path = folder_.filePath("other.gguf");
    const auto bytes = maker.bytes();
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
    file.close();
    for (const bool plan_only : {false, true}) {
      RunSettings settings = window_->shell().preferences.run;
      settings.plan_only = plan_only;
      window_->documents()->open(path, settings);
      QTRY_VERIFY_WITH_TIMEOUT(!doc().messages()->texts().isEmpty(), kPatience);
      QVERIFY(doc().messages()->texts().join(u' ').contains(plan_only ? "contains no graph" : "cannot be run"));
      const auto snapshot = doc().source()->snapshot();
      QCOMPARE(snapshot->graphs.size(), size_t{1});
      const trace::TensorInfo& tensor = snapshot->graphs[0]->nodes.at(0);
      QCOMPARE(tensor.dtype, std::string("iq2_xxs"));
      QCOMPARE(tensor.layer, std::string("blk.0"));
      QCOMPARE(tensor.bytes, Bytes{132});
      doc().messages()->clear();
    }
  }

  // The dialog edits the note whose text it shows, and no other.
  void the_dialog_of_a_range_edits_its_note() {
    open_two();
    PinnedNotes& notes = *doc().context().notes;
    notes.pin(3, QStringLiteral("a point"), 0);
    doc().selection()->select(StepRangeSelection{Step(3), Step(6)});
    const auto enter = [&](const QString& shown, const QString& text) {
      window_->shell().actions->find("view.note")->trigger();
      auto* dialog = window_->findChild<QInputDialog*>("note");
      QVERIFY(dialog != nullptr);
      QCOMPARE(dialog->textValue(), shown);
      dialog->setTextValue(text);
      dialog->accept();
      delete dialog;
    };
    enter({}, "slow");
    QCOMPARE(notes.all().size(), size_t{2});
    enter("slow", "very slow");
    QCOMPARE(notes.all().size(), size_t{2});
    QCOMPARE(notes.of_range({3, 6})->text, QStringLiteral("very slow"));
    enter("very slow", {});
    QCOMPARE(notes.all().size(), size_t{1});
    QCOMPARE(notes.all()[0].text, QStringLiteral("a point"));
  }

  void notes_are_saved_for_the_file() {
    open_two();
    doc().axis()->set_current(Step(9));
    window_->shell().actions->find("view.note")->trigger();
    auto* dialog = window_->findChild<QInputDialog*>("note");
    QVERIFY(dialog != nullptr);
    dialog->setTextValue("look here");
    dialog->accept();
    QCOMPARE(doc().context().notes->all().size(), size_t{1});
    QCOMPARE(doc().context().notes->all()[0].step, 9.5);
    window_->documents()->show(1);
    QVERIFY(doc().context().notes->all().empty());
    window_->documents()->show(0);
    window_->documents()->open(doc().spec(), window_->shell().preferences.run);  // reload
    QTRY_COMPARE_WITH_TIMEOUT(doc().context().notes->all().size(), size_t{1}, kPatience);
    QCOMPARE(doc().context().notes->all()[0].text, QStringLiteral("look here"));
  }

  // They were lost with the tab.
  void breakpoints_are_saved_for_the_file() {
    const std::vector<Breakpoint> two{{Breakpoint::Kind::Op, "MUL_MAT", 0, true},
                                      {Breakpoint::Kind::NaN, {}, 0, false}};
    open("zoo:mul_mat");
    QTRY_VERIFY(!doc().runner()->planning().running());
    doc().debugger()->set_breakpoints(two);
    open("zoo:lstm");
    QVERIFY(doc().debugger()->breakpoints().empty());
    window_->documents()->close(0);
    QCOMPARE(window_->documents()->size(), size_t{1});
    open("zoo:mul_mat");  // its first run is not paused
    QTRY_COMPARE_WITH_TIMEOUT(doc().debugger()->breakpoints(), two, kPatience);
    QVERIFY(!doc().debugger()->nodes().empty());
    doc().runner()->run();
    QTRY_COMPARE_WITH_TIMEOUT(doc().runner()->state(), RunState::Paused, kPatience);
    doc().debugger()->set_breakpoints({});
    QVERIFY(remembered_breakpoints("zoo:mul_mat").empty());
  }

  void the_inspector_has_a_histogram_of_the_op() {
    doc().show_session(test::sample_session(), "sample");
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(12)));
    const QString text = panels().widgets().inspector->text();
    QVERIFY2(text.contains("Times of") && text.contains("this one"), qPrintable(text));
  }

  void planning_is_cancelled() {
    open_two();
    const auto plans = doc().source()->snapshot()->plans.size();
    QVERIFY(!window_->shell().actions->find("memory.cancel")->isEnabled());
    doc().jobs().replanning.plan(request(60));
    QVERIFY(window_->shell().actions->find("memory.cancel")->isEnabled());
    window_->shell().actions->find("memory.cancel")->trigger();
    QVERIFY(!doc().jobs().replanning.busy());
    QTRY_COMPARE_WITH_TIMEOUT(background_pool()->activeThreadCount(), 0, 10'000);
    QTest::qWait(50);
    QCOMPARE(doc().source()->snapshot()->plans.size(), plans);
    QVERIFY(doc().source()->shown_plan() == nullptr);
    QVERIFY(!window_->shell().actions->find("memory.cancel")->isEnabled());
  }

  // The methods of an ExecuTorch program, made here.
  void the_graphs_of_a_file_can_be_chosen() {
    const QString path = folder_.filePath("methods.pte");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(test::executorch_methods()));
    file.close();
    open(path);
    QComboBox* box = window_->shell().playback->graph_box();
    QVERIFY(box->isVisible());
    QCOMPARE(box->count(), 3);
    QCOMPARE(box->currentText(), QString("first"));
    QCOMPARE(doc().source()->graph()->model, std::string("first"));
    QCOMPARE(doc().source()->plan()->arena_bytes, Bytes{128});
    const auto choose = [&](int index) {
      box->setCurrentIndex(index);
      Q_EMIT box->activated(index);
    };
    choose(2);
    QCOMPARE(doc().source()->graph()->model, std::string("second"));
    QCOMPARE(doc().source()->plan()->arena_bytes, Bytes{320});
    QCOMPARE(doc().axis()->steps(), 2);
    QCOMPARE(box->currentText(), QString("second"));
    choose(1);
    QVERIFY(doc().source()->graph()->nodes.empty());
    QVERIFY(doc().source()->plan() == nullptr);
    for (const PanelId id : {PanelId::Occupancy, PanelId::Arena, PanelId::Timeline, PanelId::Lifetimes})
      plot_view(id)->prepare_now();
    choose(0);
    QCOMPARE(doc().source()->graph()->model, std::string("first"));
  }

  // Both forms have the planner that was chosen last.
  void the_other_form_is_planned_again_by_another_planner() {
    open("zoo:squeezenet");
    QTRY_VERIFY_WITH_TIMEOUT(doc().jobs().other_form.arena().has_value(), kPatience);
    const Bytes written = doc().source()->plan()->arena_bytes;
    RunSettings without_reuse = doc().runner()->settings();
    without_reuse.planner = QStringLiteral("none");
    doc().replan(without_reuse);
    QTRY_COMPARE_WITH_TIMEOUT(doc().runner()->settings().planner, without_reuse.planner, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(doc().jobs().other_form.arena() && *doc().jobs().other_form.arena() > written, kPatience);
  }
};

QTEST_MAIN(DocumentTest)
#include "document_test.moc"
