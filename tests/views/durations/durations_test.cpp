// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram of durations: the data of each kind of selection, then bins, texts and clicks.
#include <sample_session.h>
#include <views/durations/durations_view.h>

#include <QTest>

#include <array>

using namespace arenascope;
using namespace arenascope::views;

namespace {

std::shared_ptr<trace::Session> session_of_reads(int reads) {
  auto session = std::make_shared<trace::Session>();
  session->describe(trace::NameInfo{trace::NameId(0), "read"});
  session->describe(trace::ThreadInfo{trace::TrackId(0), "a", trace::TrackKind::Other});
  std::vector<trace::Event> events;
  for (int i = 1; i <= reads; ++i)
    events.push_back(trace::slice(100'000 * i, 100'000 * i + 100 * i, trace::NameId(0), 0));
  session->events(trace::TrackId(0), events);
  return session;
}

struct DurationsFixture {
  explicit DurationsFixture(const std::shared_ptr<trace::Session>& session) : axis(&source) {
    source.set_session(session);
    view = std::make_unique<DurationsView>(ViewContext{&source, &selection, &axis, &theme});
    view->resize(700, 240);
    view->show();
    view->prepare_now();
  }
  SessionSource source;
  SelectionModel selection;
  SharedAxis axis;
  Theme theme;
  std::unique_ptr<DurationsView> view;
};

}  // namespace

class DurationsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void without_a_selection_runs_are_counted() {
    test::SampleOptions options;
    options.runs = 6;
    const auto snapshot = test::sample_session(options)->snapshot();
    const DurationsDataPtr runs = durations_of(*snapshot, trace::GraphId(0), {});
    QCOMPARE(runs->of, DurationsOf::Runs);
    QCOMPARE(runs->durations.values.size(), size_t{5});  // without the cold one
    QVERIFY(!runs->cold);
    QVERIFY(DurationsText::heading(*runs).startsWith(QStringLiteral("5 run")));
  }

  void a_node_has_one_duration_per_run() {
    test::SampleOptions options;
    options.runs = 6;
    const auto snapshot = test::sample_session(options)->snapshot();
    const DurationsDataPtr node =
        durations_of(*snapshot, trace::GraphId(0), Selection::node(trace::GraphId(0), NodeId(2)));
    const trace::NodeStats stats = snapshot->stats(trace::GraphId(0), NodeId(2));
    QCOMPARE(node->of, DurationsOf::Node);
    QCOMPARE(static_cast<int64_t>(node->durations.values.size()), stats.runs);
    QCOMPARE(node->histogram.p90, stats.percentile90);
    QCOMPARE(node->histogram.p50, stats.median);
  }

  void a_span_is_compared_with_all_spans_of_its_name() {
    DurationsFixture f(session_of_reads(100));
    QCOMPARE(f.view->data()->of, DurationsOf::None);
    f.selection.select(EventSelection{{trace::TrackId(0), 0, 49}});
    f.view->prepare_now();
    const DurationsDataPtr& data = f.view->data();
    QCOMPARE(data->of, DurationsOf::Spans);
    QCOMPARE(data->title, QStringLiteral("read"));
    QCOMPARE(data->durations.values.size(), size_t{100});
    QCOMPARE(data->marked, Nanoseconds{5'000});
    QVERIFY(DurationsText::summary(*data).startsWith(QStringLiteral("min 100")));
    QVERIFY(f.view->accessibleDescription().contains(QStringLiteral("p99")));
    QCOMPARE(f.view->to_csv().count(u'\n'), static_cast<int>(data->histogram.bins.size()) + 1);
    // A click on the last bar selects the longest span.
    const QRectF last = f.view->rect_of(data->histogram.bins.size() - 1);
    QCOMPARE(f.view->bin_at(last.center()), static_cast<int>(data->histogram.bins.size()) - 1);
    QTest::mouseMove(f.view.get(), last.center().toPoint());
    QTest::mouseClick(f.view.get(), Qt::LeftButton, {}, last.center().toPoint());
    const auto* event = f.selection.current().get<EventSelection>();
    QVERIFY(event != nullptr);
    QCOMPARE(event->span.row, 99u);
    QCOMPARE(f.view->bin_at({-5, -5}), -1);
  }

  void equal_durations_are_one_bar() {
    auto session = session_of_reads(0);
    session->events(trace::TrackId(0),
                    std::array{trace::slice(0, 70, trace::NameId(0), 0), trace::slice(100, 170, trace::NameId(0), 0)});
    DurationsFixture f(session);
    f.selection.select(EventSelection{{trace::TrackId(0), 0, 0}});
    f.view->prepare_now();
    QCOMPARE(f.view->data()->histogram.bins.size(), size_t{1});
    QVERIFY(f.view->grab().width() > 0);
    QVERIFY(f.view->bin_at(f.view->rect_of(0).center()) == 0);
  }

  void a_node_without_a_time_is_named() {
    test::SampleOptions options;
    options.runs = 0;
    DurationsFixture f(test::sample_session(options));
    f.selection.select(Selection::node(trace::GraphId(0), NodeId(0)));
    f.view->prepare_now();
    QCOMPARE(f.view->data()->of, DurationsOf::Node);
    QVERIFY(f.view->data()->histogram.bins.empty());
    QVERIFY(f.view->grab().width() > 0);
  }
};

QTEST_MAIN(DurationsTest)
#include "durations_test.moc"
