// SPDX-License-Identifier: GPL-3.0-or-later
// A step has the same number, counted from 1, wherever a person reads it; files for programs hold its index.
#include <arenascope/base/step_number.h>
#include <arenascope/lesson/facts.h>
#include <arenascope/schedule/findings.h>
#include <views/findings/finding_text.h>
#include <views/inspector/breadcrumbs.h>
#include <views/inspector/inspector_model.h>
#include <views/occupancy/occupancy_view.h>
#include <views/tables/table_model.h>
#include <QProcess>
#include <QRegularExpression>

#include <algorithm>

#include "app/window/bars/playback_bar.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

namespace {

QString cell(const TablePtr& table, const char* title, size_t row) {
  const auto column = std::ranges::find(table->columns, QLatin1String(title), &Column::title);
  return column == table->columns.end() ? QString() : column->text(row);
}

// The label of the tick at an x, if there is one.
QString tick_label(const PlotView& view, double x) {
  QVector<double> ticks;
  QVector<QString> labels;
  const QSharedPointer<QCPAxisTicker> ticker = view.plot()->xAxis->ticker();
  ticker->generate(QCPRange(x - 2, x + 2), QLocale::c(), u'g', 6, ticks, nullptr, &labels);
  const auto at = std::ranges::find_if(ticks, [x](double tick) { return std::abs(tick - x) < 1e-9; });
  return at == ticks.end() ? QString() : labels[at - ticks.begin()];
}

}  // namespace

class StepNumbersTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-step-numbers-test"); }
  void init() {
    make_window();
    open(QStringLiteral("zoo:mnist_cnn"));
    doc().axis()->set_mode(AxisMode::Step);
    peak_ = Step(window_->shell().playback->slider()->peak_step());
    QVERIFY(peak_.value > 0);
    number_ = QString::number(peak_.value + 1);
  }
  void cleanup() { window_.reset(); }

  void the_bar_above_the_panels() {
    doc().axis()->set_current(peak_);
    QTRY_COMPARE(window_->shell().playback->step_text(),
                 QStringLiteral("step %1/%2").arg(number_).arg(doc().axis()->steps()));
    QVERIFY(window_->shell().playback->slider()->toolTip().startsWith("Peak at step " + number_ + ":"));
    doc().axis()->set_current(Step(0));
    QTRY_VERIFY(window_->shell().playback->step_text().startsWith("step 1/"));
  }

  void axis_and_headline_of_a_plot() {
    OccupancyView* view = panels().widgets().occupancy;
    QTRY_VERIFY(view->picture() && view->picture()->peak_step == peak_);
    QVERIFY2(!view->header().facts.filter("at step " + number_).isEmpty(), qPrintable(view->header().facts.join(u';')));
    QCOMPARE(tick_label(*view, peak_.value), number_);
    QCOMPARE(tick_label(*view, -1), QString());  // there is no step 0
    const int steps = doc().axis()->steps();
    QCOMPARE(tick_label(*view, steps - 1), QString::number(steps));
    QCOMPARE(tick_label(*view, steps), QString());  // the end of the last step
  }

  void tables() {
    const TableInput input = TableInput::of(*doc().source());
    const trace::PlanInfo& plan = *input.plan;
    QCOMPARE(cell(nodes_table(input), "Step", plan.order[peak_.index()].index()), number_);
    QCOMPARE(cell(occupancy_table(input), "Step", peak_.index()), number_);
    for (size_t r = 0; r < plan.slices.size(); ++r) {
      const trace::SliceInfo& slice = plan.slices[r];
      QCOMPARE(cell(arena_table(input), "First step", r), QString::number(slice.first.value + 1));
    }
    const QString filled = cell(blocks_table(input), "Steps", 0);
    const int32_t block = cell(blocks_table(input), "Block", 0).toInt();
    int32_t first = INT32_MAX, end = 0;
    for (const trace::SliceInfo& slice : plan.slices)
      if (slice.block.value == block) first = std::min(first, slice.first.value), end = std::max(end, slice.last.value);
    QCOMPARE(filled, QStringLiteral("%1 – %2").arg(first + 1).arg(end));
  }

  void inspector_and_breadcrumbs() {
    doc().selection()->select(StepRangeSelection{Step(0), Step(peak_.value + 1)});
    const QString facts = facts_text(inspector_facts(inspector_input(*doc().source()), doc().selection()->current()))
                              .replace(QChar(0xa0), u' ');
    QVERIFY2(facts.contains("Steps 1 to " + number_), qPrintable(facts));
    QVERIFY2(facts.contains("at step " + number_), qPrintable(facts));
    const auto& crumbs = panels().widgets().breadcrumbs->crumbs();
    QTRY_COMPARE(crumbs.back().text, "steps 1 to " + number_);
  }

  void findings_and_lessons() {
    const TableInput input = TableInput::of(*doc().source());
    Finding finding;
    finding.kind = Finding::Kind::AtPeak;
    finding.step = peak_;
    FindingsInput about;
    about.snapshot = input.snapshot;
    about.graph = input.graph;
    about.plan = input.plan;
    QVERIFY2(finding_text(finding, about).contains("step " + number_ + ","), qPrintable(finding_text(finding, about)));
    lesson::Scene scene;
    scene.snapshot = input.snapshot;
    scene.graph = input.graph;
    scene.plan = input.plan;
    scene.run = input.run;
    const auto fact = lesson::evaluate(scene, "peak_step");
    QVERIFY(fact.ok());
    QCOMPARE(fact->number, peak_.value + 1.0);
  }

  // The table of `run` lists the nodes of its recording.
  void the_command_line() {
    const QString recording = folder_.filePath("run.arenascope");
    QProcess cli;
    cli.start(ARENASCOPE_CLI, {"run", doc().runner()->spec(), "--threads", "1", "--record", recording});
    QVERIFY(cli.waitForFinished(kPatience) && cli.exitCode() == 0);
    open(recording);
    const TablePtr nodes = nodes_table(TableInput::of(*doc().source()));
    static const QRegularExpression row(QStringLiteral("^ *(\\d+) \\S+ +(\\S+) "), QRegularExpression::MultilineOption);
    QMap<QString, QString> step_of;
    const QString printed = QString::fromUtf8(cli.readAllStandardOutput());
    for (const auto& match : row.globalMatch(printed.mid(printed.indexOf(" step op"))))
      step_of[match.captured(2)] = match.captured(1);
    QVERIFY2(step_of.size() >= 5, qPrintable(printed));
    int compared = 0;
    for (size_t r = 0; r < nodes->rows; ++r) {
      const auto at = step_of.constFind(cell(nodes, "Name", r));
      if (at == step_of.constEnd()) continue;
      QCOMPARE(cell(nodes, "Step", r), *at);
      ++compared;
    }
    QVERIFY(compared >= 5);
  }

  // Exported numbers are indices, as in all files for programs.
  void exported_tables_hold_indices() {
    TableModel model;
    model.set_table(occupancy_table(TableInput::of(*doc().source())));
    const QStringList lines = model.to_csv().split(u'\n');
    QVERIFY(lines[0].startsWith("Step,") && lines[1].startsWith("0,"));
    QVERIFY(lines[1 + peak_.value].startsWith(QString::number(peak_.value) + u','));
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("1"));
  }

 private:
  Step peak_;
  QString number_;
};

QTEST_MAIN(StepNumbersTest)
#include "step_numbers_test.moc"
