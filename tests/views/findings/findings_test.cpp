// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the findings of a small network: background search, sentences, buttons.
#include <sample_session.h>
#include <views/common/format.h>
#include <views/findings/finding_text.h>
#include <views/findings/findings_view.h>

#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>

#include <QAbstractItemModelTester>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

using namespace arenascope;
using namespace arenascope::views;

namespace {

struct Fixture {
  Fixture() : axis(&source), search(&source), view(&search, {&source, &selection, &axis, nullptr}) {
    view.resize(900, 300);
    view.show();
  }
  SessionSource source;
  SelectionModel selection;
  SharedAxis axis;
  FindingsSearch search;
  FindingsView view;
};

}  // namespace

class FindingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_model_passes_the_tester() {
    FindingsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_findings({}, {});
    Finding f;
    f.kind = Finding::Kind::Order;
    f.saved = 1 << 20;
    f.order = "ge";
    FindingsInput about{std::make_shared<trace::Snapshot>(), nullptr, nullptr, {}};
    model.set_findings({f, f}, about);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, FindingsModel::kSaving).data().toString(), format_bytes(1 << 20));
    QVERIFY(model.index(1, FindingsModel::kSentence).data().toString().contains("ge"));
    QVERIFY(model.to_csv().contains(format_bytes(1 << 20)));
    model.retranslate();
    model.set_findings({f}, about);
    QCOMPARE(model.rowCount(), 1);
  }

  void every_kind_has_a_sentence() {
    const auto session = test::sample_session();
    const auto snapshot = session->snapshot();
    const FindingsInput about{snapshot, snapshot->graphs[0], snapshot->plans[0], trace::RunId(0)};
    QSet<QString> sentences;
    static const QRegularExpression place(QStringLiteral("%[0-9n]"));  // an unfilled placeholder
    Finding all;
    all.saved = all.bytes = 3 << 20;
    all.count = 4;
    all.share = 0.5;
    all.time = 1500;
    all.alignment = 16;
    all.step = Step(3);
    all.planner = std::string("search");
    all.order = std::string("ge");
    all.track = trace::TrackId(0);
    all.slices.push_back({});
    all.tensors = {trace::TensorRef::node(NodeId(1)), trace::TensorRef::node(NodeId(0))};
    for (int kind = 0; kind <= static_cast<int>(Finding::Kind::Packed); ++kind) {
      Finding f = all;
      f.kind = static_cast<Finding::Kind>(kind);
      const QString sentence = finding_text(f, about);
      QVERIFY2(sentence.endsWith('.') && !sentence.contains(place), qUtf8Printable(sentence));
      sentences.insert(sentence);
    }
    QCOMPARE(sentences.size(), static_cast<int>(Finding::Kind::Packed) + 1);
  }

  void a_search_fills_the_list_and_the_buttons_work() {
    Fixture fixture;
    // The network with a plan that gives each tensor memory of its own: there is much to save.
    const auto sample = test::sample_session()->snapshot();
    const auto graph = restore_graph(*sample->graphs[0]);
    QVERIFY(graph.ok());
    MemoryPlanOptions options;
    options.join = false;
    const auto plan = plan_memory(*graph, "none", "depth-first", options);
    QVERIFY(plan.ok());
    auto described = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
    described->id = trace::PlanId(0);
    described->graph = sample->graphs[0]->id;
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::Description(sample->graphs[0]));
    session->describe(trace::Description(std::shared_ptr<const trace::PlanInfo>(described)));
    fixture.source.set_session(session);
    QSignalSpy found(&fixture.view, &FindingsView::found);
    QSignalSpy what_if(&fixture.view, &FindingsView::what_if);
    QTRY_VERIFY_WITH_TIMEOUT(found.count() > 0, 30'000);  // starts without a click, because the view is visible
    QVERIFY(!fixture.view.busy());
    const auto& list = fixture.view.model()->findings();
    QStringList all;
    for (int row = 0; row < fixture.view.model()->rowCount(); ++row)
      all << fixture.view.model()->index(row, FindingsModel::kSentence).data().toString();
    QVERIFY2(list.size() >= 3, qUtf8Printable(all.join(u'\n')));
    // Sentences of one line have rows of equal height, also if the columns are resized afterwards.
    fixture.view.resize(2400, 300);
    QCoreApplication::processEvents();
    const auto* table = fixture.view.table_view();
    for (int row = 1; row < fixture.view.model()->rowCount(); ++row)
      QCOMPARE(table->rowHeight(row), table->rowHeight(0));
    fixture.view.resize(900, 300);
    int tried = 0;
    for (int row = 0; row < fixture.view.model()->rowCount(); ++row) {
      const Finding& f = list[static_cast<size_t>(row)];
      if (!f.tensors.empty()) {
        QVERIFY(fixture.view.show_button(row) != nullptr);
        fixture.view.table_view()->scrollTo(fixture.view.model()->index(row, 0));
        QTest::mouseClick(fixture.view.show_button(row), Qt::LeftButton);
        const auto* chosen = fixture.selection.current().get<NodeSelection>();
        QVERIFY(chosen != nullptr && chosen->tensor == f.tensors[0]);
        if (f.step.valid()) QCOMPARE(fixture.axis.current(), f.step);
      }
      QCOMPARE(fixture.view.what_if_button(row) != nullptr, f.plan != nullptr);
      if (!f.plan) continue;
      ++tried;
      QTest::mouseClick(fixture.view.what_if_button(row), Qt::LeftButton);
      QCOMPARE(what_if.count(), tried);
      QCOMPARE(what_if.back()[0].value<std::shared_ptr<const trace::PlanInfo>>(), f.plan);
      QVERIFY(f.plan->arena_bytes < fixture.source.plan()->arena_bytes);
    }
    QVERIFY(tried > 0);
  }

  void a_trace_without_a_graph_is_searched_too() {
    Fixture fixture;
    const auto text = [&] {
      QString all;
      for (const QLabel* label : fixture.view.table_view()->viewport()->findChildren<QLabel*>()) all += label->text();
      return all;
    };
    QVERIFY(text().contains("Nothing is open"));
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::ThreadInfo{trace::TrackId(0), "device 0", trace::TrackKind::DeviceQueue});
    constexpr auto kind = trace::MemoryKind::Default;
    const std::vector<trace::Event> events{
        trace::reserve(500, kind, 0x100000, 1 << 20, 0, 0), trace::alloc(1000, kind, 0x100000, 4096, 0, 1),
        trace::alloc(2000, kind, 0x140000, 8192, 0, 2), trace::free(3000, kind, 0x100000, 4096, 0, 1)};
    session->events(trace::TrackId(0), events);
    fixture.source.set_session(session);
    QVERIFY2(!text().contains("Nothing is open"), qUtf8Printable(text()));  // although the search has not run yet
    QSignalSpy found(&fixture.view, &FindingsView::found);
    QTRY_VERIFY_WITH_TIMEOUT(found.count() > 0, 30'000);
    QVERIFY(fixture.view.model()->rowCount() >= 3);
    for (int row = 0; row < fixture.view.model()->rowCount(); ++row) {
      if (fixture.view.model()->findings()[static_cast<size_t>(row)].slices.empty()) continue;
      QTest::mouseClick(fixture.view.show_button(row), Qt::LeftButton);
      const auto* chosen = fixture.selection.current().get<AllocationSelection>();
      QVERIFY(chosen != nullptr && chosen->address == 0x140000);
    }
  }

  void another_session_restarts_the_search_and_stop_ends_it() {
    Fixture fixture;
    fixture.source.set_session(test::sample_session());
    fixture.view.start_search();
    QVERIFY(fixture.view.busy());
    fixture.view.stop();
    QVERIFY(!fixture.view.busy());
    fixture.source.set_session(nullptr);
    QCOMPARE(fixture.view.model()->rowCount(), 0);
    test::SampleOptions small;
    small.blocks = 2;
    QSignalSpy found(&fixture.view, &FindingsView::found);
    fixture.source.set_session(test::sample_session(small));
    QTRY_VERIFY_WITH_TIMEOUT(found.count() > 0, 30'000);
    QVERIFY(fixture.view.model()->rowCount() > 0);
  }
};

QTEST_MAIN(FindingsTest)
#include "findings_test.moc"
