// SPDX-License-Identifier: GPL-3.0-or-later
// A loop with a data-dependent trip count in the real window: the current iteration, iterations one by one, pause and
// breakpoints in it, and the display after the events of the first graph were discarded.
#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QToolButton>

#include <cstring>

#include "app/window/bars/job_bar.h"
#include "tests/engine/models/onnx_maker.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;
using models::test::kBool;
using models::test::kInt64;
using models::test::OnnxMaker;

namespace {

constexpr int kColumns = 4;

// s grows by 1 per iteration, endlessly or up to `end`.
void write_loop(const QString& path, float end) {
  OnnxMaker body(16);
  body.input("i", {}, kInt64).input("go", {}, kBool).input("s", {kColumns});
  body.output("go_out", {}, kBool).output("s_out", {kColumns});
  body.weight("one", {kColumns}, std::vector<float>(kColumns, 1));
  body.node("Add", {"s", "one"}, {"grown"}).node("Relu", {"grown"}, {"s_out"});
  if (end > 0) {
    body.weight("end", {}, std::vector<float>{end}).node("ReduceMax", {"s_out"}, {"most"}, {{"keepdims", int64_t{0}}});
    body.node("Less", {"most", "end"}, {"go_out"});
  } else {
    body.node("Identity", {"go"}, {"go_out"});
  }
  OnnxMaker m(16);
  m.input("x", {kColumns}).output("y").raw_weight("go", {}, std::string(1, '\1'), kBool);
  m.node("Sub", {"x", "x"}, {"nought"});
  m.node("Loop", {"", "go", "nought"}, {"z"}, {{"body", &body}}, "forever");
  m.node("Neg", {"z"}, {"y"});
  const std::vector<std::byte> bytes = m.bytes();
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

}  // namespace

class LoopsTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QString path(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
  PlaybackBar* playback() const { return window_->shell().playback; }
  void trigger(const char* action) { window_->shell().actions->find(QString::fromLatin1(action))->trigger(); }
  QToolButton* arrow(Qt::ArrowType type) const {
    for (QToolButton* button : playback()->findChildren<QToolButton*>())
      if (button->arrowType() == type) return button;
    return nullptr;
  }
  // Progress text of the loop in the corner; empty: none.
  QString turn_text() const {
    for (const QLabel* label : window_->findChild<JobBar*>()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith(QStringLiteral("Loop 'forever': iteration ")))
        return label->text();
    return {};
  }
  static qlonglong turn_of(QString text) {
    return text.remove(QStringLiteral("Loop 'forever': iteration ")).remove(u'…').remove(u',').toLongLong();
  }
  RunState state() const { return doc().runner()->state(); }

 private Q_SLOTS:
  void initTestCase() { set_up("loops_test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void an_endless_loop_shows_its_iteration_pauses_and_ends() {
    write_loop(path("endless.onnx"), 0);
    window_->open(path("endless.onnx"));
    QTRY_VERIFY_WITH_TIMEOUT(!turn_text().isEmpty(), kPatience);
    const qlonglong first = turn_of(turn_text());
    QVERIFY(first > 0);
    QTRY_VERIFY_WITH_TIMEOUT(turn_of(turn_text()) > first, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(playback()->run_text().startsWith(QStringLiteral("run ")), kPatience);
    trigger("run.pause");
    QTRY_VERIFY_WITH_TIMEOUT(state() == RunState::Paused, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(turn_text().isEmpty(), kPatience);
    // The paused iteration is shown, and its values are those of that iteration: all equal to the iteration count.
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->graph() && doc().source()->graph()->continuation_of.valid(), kPatience);
    const size_t shown = doc().source()->run().index();
    QVERIFY(shown > 0 && shown + 1 == doc().source()->snapshot()->runs.size());
    std::shared_ptr<const TensorValues> seen;
    const auto connection = connect(&doc(), &Document::values, this, [&](const auto& values) { seen = values; });
    const auto& leafs = doc().source()->graph()->leafs;
    for (size_t i = 0; i < leafs.size(); ++i)
      if (leafs[i].name == "s") doc().runner()->read_values(trace::TensorRef::leaf(LeafId(i)));
    QTRY_VERIFY_WITH_TIMEOUT(seen != nullptr, kPatience);
    disconnect(connection);
    QCOMPARE(seen->values(), std::vector<float>(kColumns, static_cast<float>(shown)));
    trigger("run.stop");
    QTRY_VERIFY_WITH_TIMEOUT(state() == RunState::Ready, kPatience);
    QVERIFY(turn_text().isEmpty());
  }

  void iterations_are_browsed_by_arrows_and_breakpoints_stop_in_each() {
    write_loop(path("loop.onnx"), 6);
    open(path("loop.onnx"));
    QTRY_VERIFY_WITH_TIMEOUT(state() == RunState::Ready, kPatience);
    const size_t runs = doc().source()->snapshot()->runs.size();
    QCOMPARE(runs, size_t{7});  // the first iteration in the main graph, five more, and the subgraph after the loop
    QCOMPARE(playback()->run_text(), QStringLiteral("run 1/%1").arg(runs));
    QTest::mouseClick(arrow(Qt::RightArrow), Qt::LeftButton);
    QCOMPARE(playback()->run_text(), QStringLiteral("run 2/%1").arg(runs));
    QVERIFY(doc().source()->graph()->continuation_of.valid());
    QTest::mouseClick(arrow(Qt::LeftArrow), Qt::LeftButton);
    QCOMPARE(playback()->run_text(), QStringLiteral("run 1/%1").arg(runs));
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::Name, QStringLiteral("*s_out*"), 0, true}});
    trigger("run.run");
    // In the first iteration, which is in the main graph, and then in each.
    for (size_t stop = 0; stop < 3; ++stop) {
      QTRY_VERIFY_WITH_TIMEOUT(state() == RunState::Paused, kPatience);
      QTRY_COMPARE_WITH_TIMEOUT(doc().source()->run().index(), runs + stop, kPatience);
      QCOMPARE(doc().source()->graph()->continuation_of.valid(), stop > 0);
      QVERIFY2(doc().messages()->texts().join(u' ').contains(QStringLiteral("s_out")),
               qPrintable(doc().messages()->texts().join(u' ')));
      trigger("run.run");
      QTRY_VERIFY_WITH_TIMEOUT(doc().source()->snapshot()->runs.size() > runs + stop + 1, kPatience);
    }
    QTRY_VERIFY_WITH_TIMEOUT(state() == RunState::Paused, kPatience);
    doc().debugger()->set_breakpoints({});
    trigger("run.stop");
    QTRY_VERIFY_WITH_TIMEOUT(state() == RunState::Ready, kPatience);
  }

  void one_run_has_no_arrows() {
    open(QStringLiteral("zoo:mnist_cnn"));
    QVERIFY(playback()->run_text().isEmpty());
  }
};

QTEST_MAIN(LoopsTest)
#include "loops_test.moc"
