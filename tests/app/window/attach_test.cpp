// SPDX-License-Identifier: GPL-3.0-or-later
// File ▸ Launch and Record: a program is started, its events arrive while it runs, and its tab reports the result
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include <views/timeline/timeline_view.h>

#include "app/window/document/attached.h"
#include "app/window/document/autosave.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;

class AttachTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  int64_t events() { return doc().source()->session() ? doc().source()->session()->snapshot()->event_count : 0; }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-attach-test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void a_program_is_seen_while_it_runs() {
    window_->shell().actions->find(QStringLiteral("file.attach"))->trigger();
    auto* command = window_->findChild<QLineEdit*>(QStringLiteral("command"));
    QVERIFY(command != nullptr);
    auto* start = command->window()->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    QVERIFY(!start->isEnabled());
    command->setText(QStringLiteral(ARENASCOPE_TARGET " rate 5000 2"));
    QVERIFY(start->isEnabled());
    start->click();
    QTRY_VERIFY_WITH_TIMEOUT(events() > 0, kPatience);
    const int64_t early = events();
    QCOMPARE(doc().title(), QStringLiteral("attach_target"));
    QTRY_VERIFY_WITH_TIMEOUT(events() > early, kPatience);
    QVERIFY(doc().runner()->opening().running());
    QTRY_VERIFY_WITH_TIMEOUT(!doc().runner()->opening().running(), kPatience);
    QVERIFY(events() > 15'000);
    QCOMPARE(doc().source()->snapshot()->event_count, events());
    QCOMPARE(doc().source()->snapshot()->lost, int64_t{0});
  }

  // As it is written while the program runs, a kill of the window loses nothing; closing the tab keeps it.
  void what_a_program_sent_can_be_recovered() {
    const auto files = [] {
      return QDir(autosave_folder()).entryInfoList({QStringLiteral("*.arenascope")}, QDir::Files, QDir::Time);
    };
    // Recordings of earlier cases are closed in the background.
    const auto is_open = [](const QFileInfo& file) {
      return file.fileName().startsWith(QString::number(QCoreApplication::applicationPid()));
    };
    QTRY_VERIFY_WITH_TIMEOUT(std::ranges::none_of(files(), is_open), kPatience);
    for (const QFileInfo& file : files()) QFile::remove(file.filePath());
    window_->open(attach_spec(
        {QStringLiteral(ARENASCOPE_TARGET), QStringLiteral("rate"), QStringLiteral("5000"), QStringLiteral("20")}, {}));
    QTRY_VERIFY_WITH_TIMEOUT(events() > 5'000, kPatience);
    QCOMPARE(files().size(), 1);
    QVERIFY(files().front().fileName().contains("attach_target"));
    QVERIFY(files().front().fileName().startsWith(QString::number(QCoreApplication::applicationPid())));
    // A copy at any moment is what a kill would leave.
    const QString copy = folder_.filePath("killed.arenascope");
    QVERIFY(QFile::copy(files().front().filePath(), copy));
    trace::Session killed;
    QVERIFY(trace::read_recording(copy.toStdString(), killed).ok());
    QVERIFY2(killed.snapshot()->event_count > 1'000, qPrintable(QString::number(killed.snapshot()->event_count)));
    const int64_t seen = events();
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);
    QVERIFY(doc().messages()->texts().join(u' ').contains("Recover a Recording"));
    QTRY_COMPARE_WITH_TIMEOUT(recoverable_recordings().size(), 1, kPatience);
    trace::Session closed;
    QVERIFY(trace::read_recording(recoverable_recordings().front().toStdString(), closed).ok());
    QVERIFY(closed.snapshot()->event_count >= seen);
    QFile::remove(recoverable_recordings().front());
  }

  // A program that waits wakes nothing, and cancelling ends the recording at once although no event arrives.
  void a_silent_program_is_detached_by_cancelling() {
    window_->open(attach_spec({QStringLiteral("sleep"), QStringLiteral("30")}, {}));
    QTRY_VERIFY_WITH_TIMEOUT(!window_->documents()->all_tasks().empty(), kPatience);
    QElapsedTimer since;
    since.start();
    for (const auto& [document, task] : window_->documents()->all_tasks()) task->cancel();
    QTRY_VERIFY_WITH_TIMEOUT(window_->documents()->all_tasks().empty(), kPatience);
    QVERIFY(since.elapsed() < 5'000);
  }

  void a_graph_a_run_and_memory() {
    window_->open(attach_spec({QStringLiteral(ARENASCOPE_TARGET), QStringLiteral("all")}, {}));
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->session() && !doc().runner()->opening().running(), kPatience);
    QVERIFY(doc().source()->graph() != nullptr);
    QCOMPARE(doc().source()->graph()->nodes.size(), size_t{2});
    QCOMPARE(doc().source()->snapshot()->peak(trace::MemoryKind::Workspace, trace::MemoryCount::Active), Bytes{128});
  }

  void the_ranks_of_a_job_have_a_heading_each() {
    const QString job = QStringLiteral("RANK=0 " ARENASCOPE_TARGET " all; RANK=1 " ARENASCOPE_TARGET " all");
    window_->open(attach_spec({QStringLiteral("sh"), QStringLiteral("-c"), job}, {}));
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->session() && !doc().runner()->opening().running(), kPatience);
    const auto* view = panels().widgets().timeline;
    const auto headings = [view] {
      QStringList out;
      if (view->picture())
        for (const views::TimelineRow& row : view->picture()->rows)
          if (!row.program.empty()) out << QString::fromStdString(row.program).section(u' ', 0, 2);
      return out;
    };
    const QStringList expected{QStringLiteral("rank 0, target"), QStringLiteral("rank 1, target")};
    QTRY_COMPARE_WITH_TIMEOUT(headings(), expected, kPatience);
    const auto& rows = view->picture()->rows;  // each above its own
    int32_t process = 0;
    for (const views::TimelineRow& row : rows) {
      if (!row.program.empty()) process = 0;
      if (!row.track.valid()) continue;
      const auto& info = view->picture()->snapshot->tracks[row.track.index()].info;
      if (process == 0) process = static_cast<int32_t>(info.process);
      QCOMPARE(info.process, int64_t{process});
    }
  }

  void failed_starts_and_programs_that_never_attach_are_reported() {
    window_->open(attach_spec({QStringLiteral("/nonexistent/program")}, {}));
    QTRY_VERIFY_WITH_TIMEOUT(doc().messages()->texts().join(u' ').contains(QStringLiteral("/nonexistent/program")),
                             kPatience);
    window_->open(attach_spec({QStringLiteral("true")}, {}));
    QTRY_VERIFY_WITH_TIMEOUT(doc().messages()->texts().join(u' ').contains(QStringLiteral("never attached")),
                             kPatience);
    window_->open(attach_spec({QStringLiteral("false")}, {}));
    QTRY_VERIFY_WITH_TIMEOUT(doc().messages()->texts().join(u' ').contains(QStringLiteral("status 1")), kPatience);
  }
};

QTEST_MAIN(AttachTest)
#include "attach_test.moc"
