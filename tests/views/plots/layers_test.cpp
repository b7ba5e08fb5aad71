// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of layers over time, and of the arena map's facts about loops: whether their iterations are in its plan.
#include <four_plots.h>
#include <sample_session.h>
#include <views/common/layer_nodes.h>

#include <QTest>

using namespace arenascope;
using namespace arenascope::views;

namespace {

constexpr QSize kSize{1200, 320};

trace::GraphInfo graph_of(const std::vector<std::string>& layers) {
  trace::GraphInfo g;
  for (const std::string& layer : layers) g.nodes.emplace_back().layer = layer;
  return g;
}

trace::PlanInfo in_order(const std::vector<int>& nodes) {
  trace::PlanInfo p;
  for (const int node : nodes) p.order.emplace_back(node);
  return p;
}

QStringList names_of(const std::vector<LayerStretch>& stretches) {
  QStringList out;
  for (const LayerStretch& s : stretches)
    out << QStringLiteral("%1: %2 [%3, %4)")
               .arg(s.depth)
               .arg(QString::fromStdString(s.name))
               .arg(s.first.value)
               .arg(s.last.value);
  return out;
}

}  // namespace

class LayersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

  void consecutive_steps_of_a_layer_form_a_stretch() {
    const auto g =
        graph_of({"", "Loop y / iteration 0", "Loop y / iteration 0 / If r", "Loop y / iteration 1", "Loop y", "tail"});
    QCOMPARE(names_of(layer_stretches(g, in_order({0, 1, 2, 3, 4, 5}))),
             QStringList({"0: Loop y [1, 5)", "0: tail [5, 6)", "1: Loop y / iteration 0 [1, 3)",
                          "1: Loop y / iteration 1 [3, 4)", "2: Loop y / iteration 0 / If r [2, 3)"}));
    // In another order a layer appears twice; nodes of the plan that do not exist belong to no layer.
    QCOMPARE(names_of(layer_stretches(g, in_order({5, 1, 77, 5}), 1)),
             QStringList({"0: tail [0, 1)", "0: Loop y [1, 2)", "0: tail [3, 4)"}));
    QVERIFY(layer_stretches(graph_of({"", ""}), in_order({0, 1})).empty());
    QCOMPARE(nodes_in_layer(g, "Loop y / iteration 0"), (std::vector<NodeId>{NodeId(1), NodeId(2)}));
  }

  void layers_are_drawn_above_the_steps() {
    for (const bool nested : {false, true}) {
      test::SampleOptions options;
      if (nested) options.around = "Loop y / ";
      test::FourPlots p(test::sample_session(options), kSize);
      for (const AxisMode mode : {AxisMode::Step, AxisMode::Time}) {
        p.axis.set_mode(mode);
        p.axis.frame_all();
        p.timeline.prepare_now();
        const TimelinePicture& picture = *p.timeline.picture();
        QVERIFY(picture.rows.size() > 3);
        QVERIFY(picture.rows[0].layers && !picture.rows[1].layers);
        QCOMPARE(picture.rows[0].lanes, nested ? 2 : 1);
        int found = 0;
        for (size_t i = 0; i < picture.spans->size(); ++i) {
          const Rect& r = (*picture.spans)[i];
          const auto& layer = picture.items[r.tag].layer;
          if (!layer || layer->name != options.around + "block 3") continue;
          ++found;
          const QPointF middle(p.timeline.plot()->xAxis->coordToPixel((r.x0 + r.x1) / 2),
                               p.timeline.plot()->yAxis->coordToPixel((r.y0 + r.y1) / 2));
          const auto there = p.timeline.pick(middle);
          const auto* selected = there.get<LayerSelection>();
          QVERIFY(selected != nullptr);
          QCOMPARE(selected->name, layer->name);
          const auto steps = steps_of(*selected, p.source.plan());
          QVERIFY(steps && steps->first == layer->first && steps->last == layer->last);
          QVERIFY(p.timeline.tip(middle).text.contains(QString::fromStdString(layer->name)));
        }
        QCOMPARE(found, 1);
      }
    }
  }

  void the_map_reports_where_iterations_are_planned() {
    const auto facts = [](const test::SampleOptions& options) {
      test::FourPlots p(test::sample_session(options), kSize);
      p.arena.prepare_now();
      return p.arena.header().facts.join(u"; ");
    };
    test::SampleOptions options;
    QVERIFY(!facts(options).contains("loops"));
    options.around = "Loop y / ";
    options.waits = 3;
    QVERIFY2(facts(options).contains("loops and branches in this plan; 3 deferred operator(s)"),
             qPrintable(facts(options)));
  }
};

QTEST_MAIN(LayersTest)
#include "layers_test.moc"
