// SPDX-License-Identifier: GPL-3.0-or-later
// The allocator laboratory in the window: its values match the engine's experiments, computed off the UI thread.
#include <QTest>

#include <fstream>

#include <views/common/format.h>

#include "app/window/document/allocator_replays.h"
#include "app/window/panels/laboratory_panel.h"
#include "tests/engine/trace/sample_traces.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;

class LaboratoryTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QString snapshot_;

  LaboratoryPanel* shown() {
    window_->shell().show_panel(PanelId::Laboratory);
    return qobject_cast<LaboratoryPanel*>(panels().parts(PanelId::Laboratory).widget);
  }
  LaboratoryPanel* opened() {
    window_->open(snapshot_);
    [this] {
      QTRY_VERIFY_WITH_TIMEOUT(doc().source()->session() && !doc().runner()->opening().running(), kPatience);
    }();
    return shown();
  }
  QString cell(const LaboratoryPanel* panel, int row, int column) { return panel->model()->item(row, column)->text(); }

 private Q_SLOTS:
  void initTestCase() {
    set_up("arenascope-laboratory-test");
    snapshot_ = QDir::temp().filePath(QStringLiteral("arenascope-window-laboratory.pickle"));
    std::ofstream(snapshot_.toStdString(), std::ios::binary) << test::snapshot_pickle();
  }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }
  void cleanupTestCase() { QFile::remove(snapshot_); }

  void nothing_is_replayed_without_a_snapshot() {
    auto* panel = shown();
    QVERIFY(!panel->replay_button()->isEnabled());
    panel->replay();
    QVERIFY(!doc().jobs().replays.busy());
    QVERIFY(panel->status()->text().contains(QStringLiteral("Open a PyTorch memory snapshot")));
  }

  void requests_under_other_settings() {
    auto* panel = opened();
    QVERIFY(panel->replay_button()->isEnabled());
    panel->settings()->setText(QStringLiteral("max_split_size_mb:64 ; expandable_segments:True"));
    panel->replay_button()->click();
    QVERIFY(doc().jobs().replays.busy());
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().replays.busy(), kPatience);
    QCOMPARE(doc().jobs().replays.problem(), QString());
    const auto programs = allocator_sim::read_allocator_programs(snapshot_.toStdString());
    QVERIFY(programs.ok());
    const std::vector<std::string> settings{"max_split_size_mb:64", "expandable_segments:True"};
    const auto expected = allocator_sim::replays_of(programs->front(), settings, 0);
    QVERIFY(expected.ok());
    QCOMPARE(expected->size(), size_t{5});  // recorded, its own settings twice, and two others
    QCOMPARE(panel->model()->rowCount(), 5);
    QCOMPARE(cell(panel, 0, 3), views::format_bytes(4096));
    QCOMPARE(cell(panel, 0, 8), QStringLiteral("observed"));
    for (int i = 1; i < 5; ++i) {
      const auto& e = *(*expected)[static_cast<size_t>(i)].experiment;
      QCOMPARE(cell(panel, i, 3), views::format_bytes(e.reserved_peak));
      QCOMPARE(cell(panel, i, 4), views::format_bytes(e.at_peak.allocated));
      QCOMPARE(cell(panel, i, 5), views::format_bytes(e.at_peak.whole));
      QCOMPARE(cell(panel, i, 6), views::format_bytes(e.at_peak.pieces));
    }
    QCOMPARE(cell(panel, 1, 8),
             QStringLiteral("derived: %1 of 1 at the recorded address").arg((*expected)[1].experiment->same_address));
    QCOMPARE(cell(panel, 4, 1), QStringLiteral("expandable_segments:True"));
    QCOMPARE(cell(panel, 4, 8), QStringLiteral("simulated"));
    QCOMPARE(panel->to_csv().count(u'\n'), 6);
  }

  void errors_are_reported_and_results_are_kept() {
    auto* panel = opened();
    panel->replay();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().replays.busy(), kPatience);
    const int rows = panel->model()->rowCount();
    QVERIFY(rows >= 3);
    panel->settings()->setText(QStringLiteral("no_such_setting:1"));
    panel->replay();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().replays.busy(), kPatience);
    QVERIFY(panel->status()->text().contains(QStringLiteral("no_such_setting")));
    QCOMPARE(panel->model()->rowCount(), rows);
    panel->settings()->clear();
    panel->memory()->setText(QStringLiteral("much"));
    panel->replay();
    QVERIFY(panel->status()->text().contains(QStringLiteral("“much” is not a size")));
    panel->memory()->setText(QStringLiteral("1 MiB"));
    panel->replay();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().replays.busy(), kPatience);
    QVERIFY(cell(panel, rows - 1, 8).contains(QStringLiteral("does not fit")));
  }
};

QTEST_MAIN(LaboratoryTest)
#include "laboratory_test.moc"
