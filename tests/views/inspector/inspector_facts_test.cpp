// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about selections, and the model that shows them. No widgets.
#include <arenascope/trace/import.h>
#include <views/inspector/inspector_model.h>

#include <QAbstractItemModelTester>
#include <QTest>

#include <algorithm>

#include "tests/engine/trace/sample_traces.h"
#include "tests/views/tables/rich_session.h"

using namespace arenascope;
using namespace arenascope::views;

namespace {

struct Fixture {
  SessionSource source;

  explicit Fixture(const std::shared_ptr<const trace::Session>& session) { source.set_session(session); }
  InspectorInput input() const { return {source.snapshot(), source.run(), source.graph(), source.plan()}; }
  Selection node(int i) const { return Selection::node(source.graph_id(), NodeId(i)); }
  std::vector<InspectorFact> facts(const Selection& selection) const { return inspector_facts(input(), selection); }
  QString text(const Selection& selection) const { return facts_text(facts(selection)).replace(QChar(0xa0), u' '); }
};

std::shared_ptr<trace::Session> session_of(trace::GraphInfo graph) {
  auto session = std::make_shared<trace::Session>();
  graph.id = trace::GraphId(0);
  session->describe(std::make_shared<const trace::GraphInfo>(std::move(graph)));
  return session;
}

}  // namespace

class InspectorFactsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void each_selection_has_facts() {
    const SessionSource empty;
    QVERIFY(facts_text(inspector_facts({empty.snapshot()}, {})).contains("Nothing is open"));
    const Fixture f(test::rich_session());
    QVERIFY(f.text({}).contains("sample residual network"));
    QVERIFY(f.text(f.node(1)).contains("relu1"));
    QVERIFY(f.text(BlockSelection{f.source.plan_id(), f.source.plan()->slices.front().block}).contains("Block"));
    QVERIFY(f.text(StepRangeSelection{Step(2), Step(6)}).contains("Steps 3 to 6"));
    QVERIFY(f.text(AddressRangeSelection{0, 1 << 20}).contains("Addresses"));
  }

  // From 1, with the last step; one step is one number.
  void steps_of_a_layer() {
    const Fixture f(test::rich_session());
    const auto steps_of = [&](std::vector<NodeId> nodes) {
      const auto facts = f.facts(LayerSelection{f.source.graph_id(), "layer", std::move(nodes)});
      const auto steps = std::ranges::find(facts, QString("steps"), &InspectorFact::key);
      return steps == facts.end() ? QString() : steps->value;
    };
    QCOMPARE(f.source.plan()->order[1], NodeId(1));
    QCOMPARE(steps_of({NodeId(1)}), QString("2"));
    QCOMPARE(steps_of({NodeId(1), NodeId(2), NodeId(3)}), QString("2 – 4"));
  }

  // Links are selections, not texts.
  void inputs_and_users_lead_to_their_tensors() {
    const Fixture f(test::rich_session());
    const auto facts = f.facts(f.node(1));
    const auto input = std::ranges::find_if(facts, [](const auto& fact) { return fact.section.startsWith(u"Inputs"); });
    QVERIFY(input != facts.end());
    QCOMPARE(input->value, QString("conv1"));
    QCOMPARE(input->link, f.node(0));
    QVERIFY2(input->note.contains("CONV"), qPrintable(input->note));
    const auto block = std::ranges::find_if(facts, [](const auto& fact) { return fact.key == "block"; });
    QVERIFY(block != facts.end() && block->link.template get<BlockSelection>() != nullptr);
  }

  void numbers_are_typed() {
    const Fixture f(test::rich_session());
    const auto facts = f.facts({});
    const auto arena = std::ranges::find_if(facts, [](const auto& fact) { return fact.key == "arena"; });
    QVERIFY(arena != facts.end());
    QCOMPARE(arena->figures.at(0).value, static_cast<double>(f.source.plan()->arena_bytes));
    QVERIFY(arena->figures.at(0).unit == FigureUnit::Bytes);
  }

  // Names are text: none of them is markup, whatever it contains.
  void a_name_is_shown_as_it_is() {
    trace::GraphInfo graph = test::sample_graph({});
    graph.nodes[1].name = "a<b>&amp;";
    graph.nodes[1].op = "<i>";
    const Fixture f(session_of(graph));
    const auto facts = f.facts(f.node(1));
    QCOMPARE(facts[0].value, QString("a<b>&amp;"));
    QVERIFY2(facts[1].value.endsWith("<i>"), qPrintable(facts[1].value));
  }

  void the_times_of_an_op_are_bars() {
    const Fixture f(test::sample_session());
    double longest = 0;
    int marked = 0;
    for (const InspectorFact& fact : f.facts(f.node(12))) {
      if (!fact.section.startsWith(u"Times of")) continue;
      QVERIFY(fact.bar && fact.bar->begin == 0 && fact.bar->end >= 0 && fact.bar->end <= 1);
      longest = std::max(longest, fact.bar->end);
      marked += fact.value.contains("this one") ? 1 : 0;
    }
    QCOMPARE(longest, 1.0);
    QCOMPARE(marked, 1);
  }

  void an_input_used_twice_lists_its_user_twice() {
    trace::GraphInfo graph = test::sample_graph({});
    trace::TensorInfo square;
    square.name = "square";
    square.op = "MUL";
    square.sources = {trace::TensorRef::node(NodeId(0)), trace::TensorRef::node(NodeId(0))};
    graph.nodes.push_back(square);
    const Fixture f(session_of(graph));
    QCOMPARE(f.text(f.node(0)).count("square"), 2);
  }

  void the_parts_of_a_fused_op_are_named() {
    trace::GraphInfo graph = test::sample_graph({});
    graph.nodes[1].parameters = "layer norm, from 2 nodes: SUB less, DIV norm";
    const Fixture f(session_of(graph));
    QVERIFY(f.text(f.node(1)).contains("layer norm, from 2 nodes: SUB less, DIV norm"));
  }

  // Nothing that was not recorded is a zero.
  void missing_values_are_named() {
    auto session = std::make_shared<trace::Session>();
    QVERIFY(trace::open_trace(trace::as_bytes(test::kOnnxRuntimeProfile), "x", *session).ok());
    const Fixture f(session);
    for (const Selection& selection : {Selection(), f.node(0)}) {
      const QString text = f.text(selection);
      QVERIFY2(text.contains("not recorded") && !text.contains("0 B"), qPrintable(text));
    }
  }

  void the_model_passes_the_tester() {
    InspectorModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const Fixture f(test::rich_session());
    for (const Selection& selection : {Selection(), f.node(1), f.node(2), f.node(2)}) {
      model.set_facts(f.facts(selection));
      size_t facts = 0;
      for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex item = model.index(row, 0);
        facts += model.fact(item) != nullptr ? 1 : 0;
        for (int child = 0; child < model.rowCount(item); ++child) {
          const InspectorFact* fact = model.fact(model.index(child, 0, item));
          QVERIFY(fact != nullptr && fact->section == item.data().toString());
          ++facts;
        }
      }
      QCOMPARE(facts, model.facts().size());
    }
    model.set_facts({});
    QCOMPARE(model.rowCount(), 0);
  }

  // A live run changes values: expansion, position and selected rows are kept.
  void changed_values_keep_the_items() {
    InspectorModel model;
    const Fixture f(test::rich_session());
    auto facts = f.facts(f.node(1));
    model.set_facts(facts);
    const QPersistentModelIndex kept = model.index(0, 0);
    facts.back().value += u'x';
    model.set_facts(facts);
    QVERIFY(kept.isValid());
    model.set_facts(f.facts({}));
    QVERIFY(!kept.isValid());
  }
};

QTEST_GUILESS_MAIN(InspectorFactsTest)
#include "inspector_facts_test.moc"
