// SPDX-License-Identifier: GPL-3.0-or-later
// Folding, layout, and the view driven with mouse and keys.
#include <arenascope/trace/bind_event.h>
#include <views/graph/graph_marks.h>
#include <views/graph/graph_search.h>
#include <views/graph/graph_view.h>
#include <views/graph/graphviz_layout.h>

#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <ctime>
#include <set>

#include "sample_session.h"
#include "tests/sanitized.h"

using namespace arenascope;
using namespace arenascope::views;
using trace::GraphInfo;
using trace::TensorInfo;
using trace::TensorRef;

namespace {

TensorInfo tensor(std::string name, std::string op, std::vector<TensorRef> sources, std::string layer = {}) {
  TensorInfo t;
  t.name = std::move(name);
  t.op = std::move(op);
  t.layer = std::move(layer);
  t.sources = std::move(sources);
  t.shape = {2, 3};
  t.bytes = 24;
  if (t.op == "RESHAPE") t.flags |= trace::kView | trace::kNoWork;
  return t;
}

TensorRef node(int i) { return TensorRef::node(NodeId(i)); }
TensorRef leaf(int i) { return TensorRef::leaf(LeafId(i)); }

// a → reshape → b, both read weight w; c and d in a layer read b.
GraphInfo small() {
  GraphInfo g;
  g.id = trace::GraphId(0);
  g.leafs = {tensor("w", "", {})};
  g.nodes = {tensor("a", "MUL_MAT", {leaf(0)}), tensor("r", "RESHAPE", {node(0)}),
             tensor("b", "ADD", {node(1), leaf(0)}), tensor("c", "RELU", {node(2)}, "tail"),
             tensor("d", "ADD", {node(3), node(2)}, "tail")};
  return g;
}

GraphRequest request_of(const GraphInfo& graph, const std::set<int32_t>& expanded) {
  GraphRequest request;
  request.info = std::make_shared<const GraphInfo>(graph);
  request.layers = std::make_shared<const Layers>(layers_of(graph));
  request.expanded = expanded;
  return request;
}

// Layers of a transformer with residual connections, and one node that all of them read.
GraphInfo transformer(int layers) {
  GraphInfo g;
  g.id = trace::GraphId(0);
  g.leafs = {tensor("w", "", {})};
  g.nodes = {tensor("mask", "ADD", {leaf(0)}), tensor("x", "ADD", {leaf(0)})};
  int x = 1;
  for (int l = 0; l < layers; ++l) {
    const std::string layer = "blk." + std::to_string(l);
    const auto add = [&](std::string op, std::vector<TensorRef> sources) {
      g.nodes.push_back(tensor(layer + "." + std::to_string(g.nodes.size()), std::move(op), std::move(sources), layer));
      return static_cast<int>(g.nodes.size()) - 1;
    };
    const int norm = add("RMS_NORM", {node(x), leaf(0)});
    const int q = add("MUL_MAT", {node(norm), leaf(0)}), k = add("MUL_MAT", {node(norm), leaf(0)}),
              v = add("MUL_MAT", {node(norm), leaf(0)});
    const int scores = add("MUL_MAT", {node(add("ROPE", {node(q)})), node(add("ROPE", {node(k)}))});
    const int soft = add("SOFT_MAX", {node(scores), node(0)});
    const int out = add("MUL_MAT", {node(soft), node(v)});
    const int mid = add("ADD", {node(add("MUL_MAT", {node(out), leaf(0)})), node(x)});
    const int norm2 = add("RMS_NORM", {node(mid)});
    const int gate = add("MUL_MAT", {node(norm2), leaf(0)}), up = add("MUL_MAT", {node(norm2), leaf(0)});
    x = add("ADD", {node(add("MUL_MAT", {node(add("SWIGLU", {node(gate), node(up)})), leaf(0)})), node(mid)});
  }
  return g;
}

std::vector<QRectF> boxes_of(const GraphLayout& layout) {
  std::vector<QRectF> out;
  for (size_t v = 0; v < layout.centres.size(); ++v)
    out.push_back(
        {layout.centres[v] - QPointF(layout.sizes[v].width(), layout.sizes[v].height()) / 2, layout.sizes[v]});
  return out;
}

// A visible graph view with all that it shows.
struct ShownGraph {
  SessionSource source;
  SelectionModel selection;
  SharedAxis axis{&source};
  Theme theme;
  GraphView view{&source, &selection, &axis, &theme};

  explicit ShownGraph(QSize size) {
    view.resize(size);
    view.show();
  }
};

}  // namespace

class GraphTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

  void folds_layers_views_and_leaf_tensors() {
    const GraphInfo g = small();
    const Layers layers = layers_of(g);
    QCOMPARE(layers.names.size(), size_t{1});
    const FoldedGraph folded = fold(g, layers, {});
    QCOMPARE(folded.vertices.size(), size_t{3});  // a, b, and the layer
    QCOMPARE(folded.vertex_of_node[1], -1);       // the reshape is a badge
    QCOMPARE(folded.edges.size(), size_t{2});
    QCOMPARE(folded.edges[0].views.size(), size_t{1});
    QCOMPARE(folded.vertices[1].chips.size(), size_t{1});  // the weight is on its user and has no edge
    QVERIFY(folded.vertices[2].folded);
    QCOMPARE(folded.vertices[2].nodes.size(), size_t{2});
    QCOMPARE(folded.edges[1].count, 2);  // b → c and b → d, merged
    QCOMPARE(vertex_showing(g, folded, NodeId(1)), 0);
    const FoldedGraph open = fold(g, layers, {0});
    QCOMPARE(open.vertices.size(), size_t{4});
    QCOMPARE(open.edges.size(), size_t{4});
  }

  void an_unused_view_is_drawn_as_a_node() {
    GraphInfo g = small();
    g.nodes.push_back(tensor("out", "RESHAPE", {node(4)}));
    const FoldedGraph folded = fold(g, layers_of(g), {});
    QVERIFY(folded.vertex_of_node[5] >= 0);
  }

  // Independent of the op name: attached programs can set the flag, too.
  void an_op_that_writes_into_its_input_is_drawn() {
    GraphInfo g = small();
    g.nodes[1].op = "ADD";
    g.nodes[1].flags = trace::kView | trace::kWritesSource;
    const FoldedGraph folded = fold(g, layers_of(g), {});
    QVERIFY(folded.vertex_of_node[1] >= 0);
    g.nodes[1].flags = trace::kView;
    QCOMPARE(fold(g, layers_of(g), {}).vertex_of_node[1], -1);
  }

  void walks_through_views() {
    const GraphInfo g = small();
    QCOMPARE(producers(g, NodeId(2)), (std::vector<NodeId>{NodeId(0)}));
    QCOMPARE(users(g, NodeId(0)), (std::vector<NodeId>{NodeId(2)}));
    QCOMPARE(users(g, NodeId(2)), (std::vector<NodeId>{NodeId(3), NodeId(4)}));
  }

  void survives_malformed_graphs() {
    GraphInfo g = small();
    g.nodes[0].sources = {node(0), node(77), leaf(99), TensorRef::none()};
    g.nodes[1].sources = {node(1)};  // a view of itself
    const FoldedGraph folded = fold(g, layers_of(g), {});
    std::vector<QSizeF> sizes(folded.vertices.size(), QSizeF(50, 20));
    QVERIFY(layered_layout(folded, sizes).bounds.isValid());
    producers(g, NodeId(1));
    users(g, NodeId(1));
    producers(g, NodeId(900));
  }

  void a_long_graph_without_layers_is_cut() {
    GraphInfo g;
    for (int i = 0; i < 10000; ++i)
      g.nodes.push_back(
          tensor("n" + std::to_string(i), "ADD", i ? std::vector{node(i - 1)} : std::vector<TensorRef>{}));
    QElapsedTimer timer;
    timer.start();
    const Layers layers = layers_of(g);
    QVERIFY(layers.derived);
    const FoldedGraph folded = fold(g, layers, {});
    QVERIFY(folded.vertices.size() <= 250);
    QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
  }

  void names_are_quoted_in_dot() {
    QCOMPARE(dot_quoted("a\"];b[label=\"x"), std::string("\"a\\\"];b[label=\\\"x\""));
    QCOMPARE(dot_quoted("back\\slash\nline"), std::string("\"back\\\\slash line\""));
    GraphInfo g = small();
    g.nodes[0].name = "x\"]; evil -> evil [label=\"";
    const FoldedGraph folded = fold(g, layers_of(g), {});
    QVERIFY(dot_file(g, layers_of(g), folded).find("x\\\"]; evil") != std::string::npos);  // quoted
  }

  void graphviz_gets_sizes_and_clusters() {
    const GraphInfo g = small();
    const Layers layers = layers_of(g);
    const FoldedGraph folded = fold(g, layers, {0});
    const std::vector<QSizeF> sizes(folded.vertices.size(), QSizeF(144, 72));
    const std::string request = layout_request(folded, sizes);
    QVERIFY(request.find("subgraph cluster_0") != std::string::npos);
    QVERIFY(request.find("v0 [width=2.0000 height=1.0000]") != std::string::npos);
    for (const FoldedEdge& edge : folded.edges)
      QVERIFY(request.find("v" + std::to_string(edge.from) + " -> v" + std::to_string(edge.to)) != std::string::npos);
  }

  void the_output_of_graphviz_becomes_a_layout() {
    const GraphInfo g = small();
    const FoldedGraph folded = fold(g, layers_of(g), {});
    QCOMPARE(folded.vertices.size(), size_t{3});
    const std::vector<QSizeF> sizes(3, QSizeF(72, 36));
    const FoldedEdge& edge = folded.edges[0];
    const QByteArray nodes =
        "graph 1 4 6\nnode v0 1 5 1 .5 a solid box black white\nnode v1 1 3 1 .5 b s box b w\n"
        "node v2 3 1 1 .5 c s box b w\n";
    const QByteArray line =
        QStringLiteral("edge v%1 v%2 4 1 4.7 1 4 1 3.7 1 3.3 solid black\n").arg(edge.from).arg(edge.to).toUtf8();
    const auto layout = layout_from_plain(nodes + line + "stop\n", folded, sizes);
    QVERIFY(layout);
    QCOMPARE(layout->centres[0], QPointF(72, 72));  // y grows downwards
    QCOMPARE(layout->centres[2], QPointF(216, 360));
    QCOMPARE(layout->curves[0].size(), size_t{4});
    QVERIFY(std::abs(layout->curves[0][0].y() - 1.3 * 72) < 1e-6);
    QVERIFY(layout->curves[1].empty());
    QVERIFY(layout->bounds.contains(QRectF(36, 54, 72, 36)));
    // A layout that lacks a vertex, or is damaged, is rejected.
    for (const QByteArray& bad :
         {QByteArray(), nodes.left(60), QByteArray("node v9 1 1"), QByteArray("node v0 nan nan 1 1"),
          QByteArray("graph\nnode\nedge\nstop"), QByteArray("edge v0 v1 99999999 1 1")})
      QVERIFY(!layout_from_plain(bad, folded, sizes));
  }

  // The program is found on PATH at run time; without it the built-in layout is shown, and the reason reported.
  void graphviz_is_an_alternative_layout() {
    const QByteArray path = qgetenv("PATH");
    QTemporaryDir folder;
    qputenv("PATH", folder.path().toUtf8());
    ShownGraph shown({600, 800});
    QStringList failed;
    connect(shown.view.layout_job(), &LayoutJob::ready, this, [&](const std::shared_ptr<const GraphPicture>& picture) {
      if (!picture->problem.isEmpty()) failed << picture->problem;
    });
    shown.source.set_session(test::sample_session());
    const auto is_ready = [&] { return !shown.view.layout_job()->running() && shown.view.canvas()->scene().ready(); };
    QTRY_VERIFY_WITH_TIMEOUT(is_ready(), 20000);
    shown.view.set_engine(LayoutEngine::Graphviz);
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 20000);
    QVERIFY(failed[0].contains(QStringLiteral("PATH")));
    QVERIFY(shown.view.canvas()->scene().ready());
    shown.view.set_engine(LayoutEngine::BuiltIn);
    QTRY_VERIFY_WITH_TIMEOUT(is_ready(), 20000);
    // A program that places the vertices on a diagonal.
    QFile program(folder.filePath("dot"));
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write(
        "#!/bin/sh\nPATH=/usr/bin:/bin\nawk 'BEGIN { print \"graph 1 100 100\" } /^v[0-9]+ \\[/ { ++n; print "
        "\"node \" $1 \" \" n \" \" 100 - n \" 1 1 l s box b w\" } END { print \"stop\" }'\n");
    program.close();
    program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    shown.view.set_engine(LayoutEngine::Graphviz);
    QTRY_VERIFY_WITH_TIMEOUT(is_ready(), 20000);
    const GraphLayout& layout = *shown.view.canvas()->scene().layout;
    QVERIFY(layout.centres.size() > 1);
    for (size_t v = 1; v < layout.centres.size(); ++v)
      QCOMPARE(layout.centres[v] - layout.centres[v - 1], QPointF(72, 72));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(shown.view.view_state().engine, LayoutEngine::Graphviz);
    // A program that does not end is stopped.
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write("#!/bin/sh\nexec /bin/sleep 600\n");
    program.close();
    int polls = 0;
    const GraphvizOutput stopped = Graphviz::run("digraph {}", QStringLiteral("svg"), [&] { return ++polls < 3; });
    QVERIFY(stopped.output.isEmpty() && stopped.problem.isEmpty());
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write("#!/bin/sh\necho 'bad syntax' >&2\nexit 1\n");
    program.close();
    QVERIFY(
        Graphviz::run("x", QStringLiteral("svg"), [] { return true; }).problem.contains(QStringLiteral("bad syntax")));
    qputenv("PATH", path);
  }

  void rows_are_ordered_top_to_bottom() {
    const GraphInfo g = small();
    const FoldedGraph folded = fold(g, layers_of(g), {0});
    std::vector<QSizeF> sizes(folded.vertices.size(), QSizeF(60, 20));
    const GraphLayout layout = layered_layout(folded, sizes);
    for (const FoldedEdge& edge : folded.edges)
      QVERIFY(layout.centres[static_cast<size_t>(edge.from)].y() < layout.centres[static_cast<size_t>(edge.to)].y());
    for (size_t a = 0; a < sizes.size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        const QRectF ra(layout.centres[a] - QPointF(30, 10), sizes[a]),
            rb(layout.centres[b] - QPointF(30, 10), sizes[b]);
        QVERIFY(!ra.intersects(rb));
      }
  }

  // An edge from a layer to an earlier one must not be hidden by boxes, nor its badge overlap that of the downward
  // edge.
  void a_back_edge_passes_next_to_the_boxes() {
    GraphInfo g;
    g.id = trace::GraphId(0);
    g.leafs = {tensor("w", "", {})};
    g.nodes = {tensor("a", "ADD", {leaf(0)}, "first"), tensor("v", "RESHAPE", {node(0)}, "first"),
               tensor("b", "ADD", {node(1)}, "second"), tensor("s", "RESHAPE", {node(2)}, "second"),
               tensor("c", "ADD", {node(3), node(0)}, "first")};
    const FoldedGraph folded = fold(g, layers_of(g), {});
    QCOMPARE(folded.vertices.size(), size_t{2});
    QCOMPARE(folded.edges.size(), size_t{2});
    const std::vector<QSizeF> sizes(2, QSizeF(160, 40));
    const GraphLayout layout = layered_layout(folded, sizes);
    const std::vector<QRectF> boxes = boxes_of(layout);
    QPointF middle[2];
    for (size_t e = 0; e < 2; ++e) {
      const auto& curve = layout.curves[e];
      QPainterPath path(curve.front());
      for (size_t i = 1; i + 2 < curve.size(); i += 3) path.cubicTo(curve[i], curve[i + 1], curve[i + 2]);
      middle[e] = path.pointAtPercent(0.5);
      QVERIFY(layout.bounds.contains(path.boundingRect().adjusted(0.1, 0.1, -0.1, -0.1)));
      for (int i = 5; i < 96; ++i)
        for (const QRectF& box : boxes) QVERIFY(!box.adjusted(1, 1, -1, -1).contains(path.pointAtPercent(i / 100.0)));
    }
    QVERIFY(std::abs(middle[0].x() - middle[1].x()) > 90);
  }

  void a_parameter_links_to_its_gradient_and_optimiser_state() {
    GraphInfo g = small();
    g.leafs[0].flags = trace::kParameter;
    g.leafs[0].gradient = node(4);
    g.leafs[0].accumulator = node(3);
    g.leafs[0].states = {node(2), node(2)};
    const GraphRequest request = request_of(g, {0, 1});
    const auto picture = prepare_graph(request, {});
    GraphScene scene;
    scene.info = picture->info;
    scene.layers = request.layers;
    scene.folded = picture->folded;
    scene.layout = picture->layout;
    scene.texts = picture->texts;
    scene.vertex_styles.resize(picture->folded->vertices.size());
    trace::Session session;
    session.describe(request.info);
    const auto snapshot = session.snapshot();
    const auto& vertex = picture->folded->vertex_of_node;
    const std::vector<GradientLink> expected{{vertex[0], vertex[4], GradientLink::To::Gradient},
                                             {vertex[4], vertex[3], GradientLink::To::Sum},
                                             {vertex[3], vertex[2], GradientLink::To::State}};
    for (const trace::TensorRef chosen : {leaf(0), node(4), node(3), node(2)})
      QVERIFY(scene_marks(scene, NodeSelection{g.id, chosen}, {}, *snapshot, nullptr).links == expected);
    QVERIFY(scene_marks(scene, NodeSelection{g.id, node(0)}, {}, *snapshot, nullptr).links.empty());
    // They are drawn: the images with and without them differ.
    QImage with(900, 700, QImage::Format_ARGB32), without = with;
    SceneMarks marks = scene_marks(scene, NodeSelection{g.id, leaf(0)}, {}, *snapshot, nullptr);
    for (QImage* image : {&with, &without}) {
      image->fill(Qt::white);
      QPainter painter(image);
      paint_selected(painter, scene, marks, ThemeColours::light(), scene.layout->bounds, 1);
      marks.links.clear();
    }
    QVERIFY(with != without);
  }

  // If requested, the shape is on every edge where it overlaps neither a card nor another badge.
  void shapes_are_drawn_on_edges_with_enough_space() {
    const GraphInfo g = transformer(6);
    GraphRequest request = request_of(g, {0, 1, 2, 3, 4, 5});
    QVERIFY(prepare_graph(request, {})->badges.empty());
    request.shapes = true;
    const auto picture = prepare_graph(request, {});
    QCOMPARE(picture->badges.size(), picture->folded->edges.size());
    const std::vector<QRectF> boxes = boxes_of(*picture->layout);
    size_t with_shape = 0, edges_with_shape = 0;
    for (size_t e = 0; e < picture->badges.size(); ++e) {
      const EdgeBadge& badge = picture->badges[e];
      edges_with_shape += picture->folded->edges[e].count == 1;
      with_shape += badge.text.contains(QStringLiteral("×"));
      if (badge.text.isEmpty() || !picture->folded->edges[e].views.empty()) continue;
      for (const QRectF& box : boxes) QVERIFY(!badge.place.intersects(box));
      for (size_t other = 0; other < e; ++other)
        QVERIFY(picture->badges[other].text.isEmpty() || !badge.place.intersects(picture->badges[other].place));
    }
    QVERIFY2(with_shape * 3 > edges_with_shape * 2,
             qPrintable(QStringLiteral("%1 of %2").arg(with_shape).arg(edges_with_shape)));
  }

  // Colouring by a column of the nodes table: numbers by value, layers by their sum, texts by category.
  void any_column_colours_the_graph() {
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    source.set_session(test::sample_session());
    GraphView view(&source, &selection, &axis, &theme);
    NodeColumns columns;
    columns.titles = [](const SessionSource&) { return QStringList{"Op", "Number", "Half"}; };
    int read = 0;
    columns.column = [&](const SessionSource&, int column) {
      ++read;
      NodeColumn c;
      if (column > 2) return c;
      c.title = column == 1 ? "Number" : "Half";
      c.text = [](size_t n) { return n == 0 ? QString() : n % 2 == 0 ? "even" : "odd"; };
      if (column == 1) c.number = [](size_t n) { return static_cast<double>(n); };
      c.number_text = [](double n) { return QString::number(n); };
      c.adds_up = column == 1;
      return c;
    };
    view.colours()->set_columns(columns);
    view.colours()->show_choices(source);
    view.resize(600, 800);
    view.show();
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running() && view.canvas()->scene().ready(), 20000);
    const GraphScene& scene = view.canvas()->scene();
    auto* box = view.findChild<QComboBox*>();
    QCOMPARE(box->findText("Op"), box->findText("Op", Qt::MatchExactly));
    QCOMPARE(box->count(), 7 + 1 + 2);  // fixed choices, separator, and columns that are not among them
    box->setCurrentIndex(box->findText("Number"));
    Q_EMIT box->activated(box->currentIndex());
    QCOMPARE(view.colours()->colour(), GraphColour::Column);
    QCOMPARE(view.colours()->column(), 1);
    QCOMPARE(scene.legend_title, QString("Number"));
    double most = 0;
    for (const Vertex& vertex : scene.folded->vertices) {
      double sum = 0;
      for (NodeId id : vertex.nodes) sum += static_cast<double>(id.index());
      most = std::max(most, sum);
    }
    QCOMPARE(scene.legend.at(2).text, QString::number(most));
    const int before = read;
    view.colours()->choose(GraphColour::Column, 1);  // nothing changed, so it is not read again
    QCOMPARE(read, before);
    view.colours()->next_column();
    QCOMPARE(view.colours()->column(), 2);
    QCOMPARE(box->currentText(), QString("Half"));
    std::set<QString> texts;
    for (const LegendEntry& entry : scene.legend) texts.insert(entry.text);
    QVERIFY(texts.contains("even") && texts.contains("odd"));
    view.colours()->next_column();
    QCOMPARE(view.colours()->column(), 1);
    view.colours()->choose(GraphColour::Column, 7);
    QCOMPARE(scene.legend.size(), size_t{1});
  }

  // A loop of three iterations with two nodes each, next to a layer outside of it.
  static GraphInfo iterations() {
    GraphInfo g;
    g.id = trace::GraphId(0);
    g.leafs = {tensor("w", "", {})};
    g.nodes = {tensor("a", "ADD", {leaf(0)}, "head")};
    for (int t = 0; t < 3; ++t) {
      const std::string layer = "Loop y / iteration " + std::to_string(t);
      const int before = 2 * t;
      g.nodes.push_back(tensor("r", "RELU", {node(before)}, layer));
      g.nodes.push_back(tensor("n", "NEG", {node(before + 1)}, layer));
    }
    g.nodes.push_back(tensor("all", "CONCAT", {node(2), node(4), node(6)}, "Loop y"));
    g.nodes.push_back(tensor("end", "NEG", {node(7)}));
    return g;
  }

  void layers_are_nested() {
    const GraphInfo g = iterations();
    const Layers layers = layers_of(g);
    QCOMPARE(layers.names, (std::vector<std::string>{"head", "Loop y", "Loop y / iteration 0", "Loop y / iteration 1",
                                                     "Loop y / iteration 2"}));
    QCOMPARE(layers.parents, (std::vector<int32_t>{-1, -1, 1, 1, 1}));
    QCOMPARE(layers.nodes[1].size(), size_t{7});
    QCOMPARE(layer_title(layers, 3), QStringLiteral("iteration 1"));
    QCOMPARE(fold(g, layers, {}).vertices.size(), size_t{3});      // head, the loop, end
    QCOMPARE(fold(g, layers, {2, 3}).vertices.size(), size_t{3});  // iterations are expanded in a collapsed loop
    QCOMPARE(fold(g, layers, {1}).vertices.size(), size_t{6});     // head, three iterations, all, end
    QCOMPARE(fold(g, layers, {1, 3}).vertices.size(), size_t{7});
    for (const std::set<int32_t>& open : {std::set<int32_t>{1}, {1, 3}, {0, 1, 2, 3, 4}}) {
      const auto picture = prepare_graph(request_of(g, open), {});
      const GraphLayout& layout = *picture->layout;
      QCOMPARE(layout.layers.size(), open.size());
      const std::vector<QRectF> boxes = boxes_of(layout);
      for (size_t v = 0; v < boxes.size(); ++v) {
        const Vertex& vertex = picture->folded->vertices[v];
        for (const auto& [layer, frame] : layout.layers) {
          const auto& nodes = layers.nodes[static_cast<size_t>(layer)];
          const bool within = std::find(nodes.begin(), nodes.end(), vertex.nodes.front()) != nodes.end();
          QVERIFY(within ? frame.contains(boxes[v]) : !frame.intersects(boxes[v]));
        }
        for (size_t w = 0; w < v; ++w) QVERIFY(!boxes[v].intersects(boxes[w]));
      }
      for (const auto& [layer, frame] : layout.layers)
        if (layer > 1) QVERIFY(layout.layers.at(1).contains(frame));
      for (size_t e = 0; e < picture->folded->edges.size(); ++e) {
        const FoldedEdge& edge = picture->folded->edges[e];
        QVERIFY(layout.curves[e].size() % 3 == 1);
        QVERIFY(boxes[static_cast<size_t>(edge.from)].adjusted(-2, -2, 2, 2).contains(layout.curves[e].front()));
        QVERIFY(boxes[static_cast<size_t>(edge.to)].adjusted(-2, -2, 2, 2).contains(layout.curves[e].back()));
      }
    }
  }

  void the_names_of_the_file_are_drawn_and_found() {
    GraphInfo g = small();
    g.nodes[0].file_nodes = {{"MatMul", "fc0"}};
    g.nodes[2].file_nodes = {{"Add", "bias0"}, {"Identity", ""}, {"Relu", "act0"}};
    QCOMPARE(find_tensors(g, QStringLiteral("FC0")), std::vector<TensorRef>{node(0)});
    QCOMPARE(find_tensors(g, QStringLiteral("matmul")), std::vector<TensorRef>{node(0)});
    QCOMPARE(find_tensors(g, QStringLiteral("act")), std::vector<TensorRef>{node(2)});
    QCOMPARE(find_tensors(g, QStringLiteral("b")).front(), node(2));  // by the tensor's name, too
    const Layers layers = layers_of(g);
    const auto texts = vertex_texts(g, layers, fold(g, layers, {}));
    QCOMPARE(texts[0].second, QStringLiteral("fc0"));
    QCOMPARE(texts[1].second, QStringLiteral("bias0 + act0"));
  }

  // 400 branches side by side.
  static GraphInfo wide(size_t branches = 400) {
    GraphInfo g;
    g.id = trace::GraphId(0);
    g.leafs = {tensor("x", "", {})};
    g.nodes = {tensor("root", "RELU", {leaf(0)})};
    std::vector<TensorRef> all;
    for (size_t i = 0; i < branches; ++i) {
      all.push_back(node(static_cast<int>(g.nodes.size())));
      g.nodes.push_back(tensor("n" + std::to_string(i), "NEG", {node(0)}));
      g.nodes.back().file_nodes = {{"Neg", "neg" + std::to_string(i)}};
    }
    g.nodes.push_back(tensor("cat", "CONCAT", all));
    return g;
  }

  void many_alike_branches_are_one_layer() {
    const GraphInfo g = wide();
    const Layers layers = layers_of(g);
    QCOMPARE(layers.names, std::vector<std::string>{"neg0 … neg399"});
    QVERIFY(!layers.derived);
    QCOMPARE(fold(g, layers, {}).vertices.size(), size_t{3});
    QCOMPARE(fold(g, layers, {0}).vertices.size(), g.nodes.size());
    QVERIFY(layers_of(wide(8)).names.empty());
  }

  // A graph too wide for the view is shown as a whole, however small, and not five of its nodes in a corner.
  void the_first_picture_shows_the_whole_width() {
    GraphInfo g = wide();
    for (size_t i = 1; i <= 400; ++i) g.nodes[i].op = i % 2 == 0 ? "NEG" : "EXP" + std::to_string(i);  // not alike
    auto session = std::make_shared<trace::Session>();
    session->describe(std::make_shared<const GraphInfo>(g));
    ShownGraph shown({700, 420});
    auto& [source, selection, axis, theme, view] = shown;
    source.set_session(session);
    QTRY_VERIFY_WITH_TIMEOUT(view.canvas()->scene().ready() && !view.layout_job()->running(), 60'000);
    const QRectF bounds = view.canvas()->scene().layout->bounds;
    QVERIFY(bounds.width() > 20 * view.width());
    QVERIFY(view.canvas()->visible().adjusted(-1, -1, 1, 1).contains(bounds));
  }

  // The nodes of the file, with the bodies of its Ifs and Loops, are a graph of their own that the view can show.
  void the_graph_of_the_file_can_be_entered() {
    auto session = std::make_shared<trace::Session>();
    session->describe(std::make_shared<const GraphInfo>(small()));
    GraphInfo file;
    file.id = trace::GraphId(1);
    file.of_file = true;
    file.nodes = {tensor("deep", "Add", {}, "If a / then_branch / Loop b / body"),
                  tensor("b", "Loop", {node(0)}, "If a / then_branch / Loop b"), tensor("a", "If", {node(1)}, "If a")};
    session->describe(std::make_shared<const GraphInfo>(file));
    ShownGraph shown({500, 420});
    auto& [source, selection, axis, theme, view] = shown;
    source.set_session(session);
    QCOMPARE(source.graph_id(), trace::GraphId(0));  // the one that runs, though it was described before
    auto* button = view.findChild<QToolButton*>();
    QVERIFY(button != nullptr && button->isVisible() && !button->isChecked());
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(source.graph_id(), trace::GraphId(1));
    QVERIFY(source.plan() == nullptr);
    QTRY_VERIFY(view.canvas()->scene().ready() && !view.layout_job()->running());
    QCOMPARE(view.canvas()->scene().folded->vertices.size(), size_t{1});
    view.findChild<QLineEdit*>()->setText(QStringLiteral("deep"));
    QCOMPARE(view.matches(), 1);
    view.find_next();  // opens all layers around it
    QTRY_VERIFY(!view.layout_job()->running());
    QCOMPARE(view.canvas()->scene().folded->vertices.size(), size_t{3});
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(source.graph_id(), trace::GraphId(0));
  }

  void deeply_nested_names_are_limited() {
    GraphInfo g = iterations();
    std::string name = "x";
    for (int i = 0; i < 30'000; ++i) name += " / x";
    g.nodes[1].layer = name;
    const Layers layers = layers_of(g);
    QVERIFY(layers.names.size() < 32);
    QVERIFY(fold(g, layers, {}).vertices.size() <= g.nodes.size());
  }

  void ten_thousand_nodes_are_laid_out_within_a_second() {
    const GraphInfo g = transformer(560);
    QVERIFY(g.nodes.size() > 9'000);
    std::set<int32_t> all;
    for (int l = 0; l < 560; ++l) all.insert(l);
    const GraphRequest request = request_of(g, all);
    const std::clock_t begin = std::clock();
    const auto picture = prepare_graph(request, {});
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    qInfo("%zu vertices, %zu edges: %.3f s", picture->folded->vertices.size(), picture->folded->edges.size(), seconds);
#ifdef NDEBUG
    if (!test::kSanitized) QVERIFY2(seconds < 1, qPrintable(QString::number(seconds)));
#endif
    QCOMPARE(picture->layout->layers.size(), size_t{560});
    // Boxes do not overlap, a layer's content is within its frame, and edges begin and end at boxes.
    std::vector<QRectF> boxes = boxes_of(*picture->layout);
    for (size_t v = 0; v < boxes.size(); ++v) {
      QVERIFY(picture->layout->bounds.contains(boxes[v]));
      const int32_t layer = picture->folded->vertices[v].layer;
      if (layer >= 0) QVERIFY(picture->layout->layers.at(layer).contains(boxes[v]));
    }
    for (size_t e = 0; e < picture->folded->edges.size(); ++e) {
      const auto& curve = picture->layout->curves[e];
      QVERIFY(curve.size() >= 4 && curve.size() % 3 == 1);
      const FoldedEdge& edge = picture->folded->edges[e];
      QVERIFY(boxes[static_cast<size_t>(edge.from)].adjusted(-2, -2, 2, 2).contains(curve.front()));
      QVERIFY(boxes[static_cast<size_t>(edge.to)].adjusted(-2, -2, 2, 2).contains(curve.back()));
    }
    std::sort(boxes.begin(), boxes.end(), [](const QRectF& a, const QRectF& b) { return a.top() < b.top(); });
    for (size_t a = 0; a < boxes.size(); ++a)
      for (size_t b = a + 1; b < boxes.size() && boxes[b].top() < boxes[a].bottom(); ++b)
        QVERIFY(!boxes[a].intersects(boxes[b]));
  }

  void expand_all_shows_the_whole_graph() {
    ShownGraph shown({420, 700});
    auto& [source, selection, axis, theme, view] = shown;
    test::SampleOptions options;
    options.blocks = 200;
    source.set_session(test::sample_session(options));
    QTRY_VERIFY(view.canvas()->scene().ready() && !view.layout_job()->running());
    const size_t closed = view.canvas()->scene().folded->vertices.size();
    QElapsedTimer clock;
    clock.start();
    view.expand_all();
    QVERIFY(clock.elapsed() < 100);
    QTRY_VERIFY_WITH_TIMEOUT(view.canvas()->scene().folded->vertices.size() > closed, 3000);
    QVERIFY(view.canvas()->any_vertex_visible());
    // No box is below the minimap: the graph is drawn next to it.
    QVERIFY(!view.canvas()->area().intersects(view.canvas()->minimap_rect()));
  }

  void an_expanded_layer_keeps_its_position() {
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    theme.set_mode(ThemeMode::Light);
    GraphView view(&source, &selection, &axis, &theme);
    view.resize(420, 700);
    view.show();
    source.set_session(test::sample_session());
    QTRY_VERIFY(view.canvas()->scene().ready() && !view.layout_job()->running());
    const GraphScene& scene = view.canvas()->scene();
    int32_t chosen = -1;
    for (size_t v = 0; v < scene.folded->vertices.size(); ++v)
      if (scene.folded->vertices[v].folded) {
        chosen = static_cast<int32_t>(v);
        break;
      }
    QVERIFY(chosen >= 0);
    const int32_t layer = scene.folded->vertices[static_cast<size_t>(chosen)].layer;
    view.canvas()->show_vertex(chosen, true);
    const QPointF at = view.canvas()->to_widget(scene.layout->centres[static_cast<size_t>(chosen)]);
    QTest::mouseDClick(view.canvas(), Qt::LeftButton, {}, at.toPoint());
    QTRY_VERIFY(scene.layout->layers.contains(layer));
    // The first of its nodes is at the position where the layer was clicked.
    const int32_t first =
        vertex_showing(*scene.info, *scene.folded, scene.layers->nodes[static_cast<size_t>(layer)].front());
    QVERIFY(!scene.folded->vertices[static_cast<size_t>(first)].folded);
    QVERIFY(QLineF(at, view.canvas()->to_widget(scene.layout->centres[static_cast<size_t>(first)])).length() < 40);
  }

  void sizes_in_between_do_not_move_the_graph() {
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    GraphView view(&source, &selection, &axis, &theme);
    view.resize(420, 700);
    view.show();
    source.set_session(test::sample_session());
    QTRY_VERIFY(view.canvas()->scene().ready() && !view.layout_job()->running());
    const QPointF before = view.canvas()->to_widget({0, 0});
    const int shown = view.canvas()->width();
    for (const int width : {60, 1200, 10, shown}) {
      view.canvas()->resize(width, 600);
      QCoreApplication::sendPostedEvents();
    }
    QVERIFY(QLineF(before, view.canvas()->to_widget({0, 0})).length() < 1);
  }

  void the_view_selects_searches_and_navigates() {
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    theme.set_mode(ThemeMode::Light);
    GraphView view(&source, &selection, &axis, &theme);
    view.resize(420, 700);
    view.show();
    source.set_session(test::sample_session());
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running() && view.canvas()->scene().ready(), 20000);
    const GraphScene& scene = view.canvas()->scene();
    QCOMPARE(scene.folded->vertices.size() < scene.info->nodes.size(), true);

    // A double click expands the first layer.
    const auto vertices_before = scene.folded->vertices.size();
    int32_t folded_vertex = -1;
    for (size_t v = 0; v < vertices_before; ++v)
      if (scene.folded->vertices[v].folded &&
          view.canvas()->rect().contains(view.canvas()->to_widget(scene.layout->centres[v]).toPoint())) {
        folded_vertex = static_cast<int32_t>(v);
        break;
      }
    QVERIFY(folded_vertex >= 0);
    QTest::mouseDClick(view.canvas(), Qt::LeftButton, {},
                       view.canvas()->to_widget(scene.layout->centres[static_cast<size_t>(folded_vertex)]).toPoint());
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running() && scene.folded->vertices.size() > vertices_before, 20000);
    QCOMPARE(view.expanded().size(), size_t{1});

    // A click selects the node at that position.
    int32_t v = -1;
    for (size_t i = 0; i < scene.folded->vertices.size(); ++i)
      if (!scene.folded->vertices[i].folded &&
          view.canvas()->rect().contains(view.canvas()->to_widget(scene.layout->centres[i]).toPoint()))
        v = static_cast<int32_t>(i);
    QVERIFY(v >= 0);
    const QRectF box = scene.rect_of(v);
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {},
                      view.canvas()->to_widget(box.center() - QPointF(0, box.height() / 2 - 8)).toPoint());
    const auto* chosen = selection.current().get<NodeSelection>();
    QVERIFY(chosen != nullptr);
    QCOMPARE(chosen->tensor, TensorRef::node(scene.folded->vertices[static_cast<size_t>(v)].node));

    // Goes to its user, and back to it as the user's producer.
    const NodeId from(chosen->tensor.index());
    view.go_to_user();
    QTRY_VERIFY(!view.layout_job()->running());
    const NodeId user(selection.current().get<NodeSelection>()->tensor.index());
    const auto expected = users(*scene.info, from);
    QVERIFY(std::find(expected.begin(), expected.end(), user) != expected.end());

    // Typing searches; Return goes to the match and expands its layer.
    view.focus_search();
    auto* line = view.findChild<QLineEdit*>();
    QTest::keyClicks(line, "b3.conv_a");
    QVERIFY(view.matches() >= 1);
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running(), 20000);
    const auto* found = selection.current().get<NodeSelection>();
    QVERIFY(found != nullptr && found->tensor.is_node());
    QCOMPARE(scene.info->nodes[found->tensor.index()].name, std::string("b3.conv_a"));
    QVERIFY(vertex_showing(*scene.info, *scene.folded, NodeId(found->tensor.index())) >= 0);

    // Every colouring has a legend and can be exported.
    for (GraphColour colour : {GraphColour::State, GraphColour::Op, GraphColour::Backend, GraphColour::Time,
                               GraphColour::Bytes, GraphColour::Block}) {
      view.set_colour(colour);
      QVERIFY(!scene.legend.empty() || colour == GraphColour::Block);
    }
    view.collapse_all();
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running() && view.expanded().empty(), 20000);
    QTemporaryDir folder;
    const QString png = folder.filePath("graph.png");
    QVERIFY(export_picture(view, png, {600, 800}, 1).ok());
    QVERIFY(dot_file(*scene.info, *scene.layers, *scene.folded).starts_with("digraph"));
  }

  // Compared with itself there are no differences; compared with a shorter network some nodes exist only here, which
  // the legend shows.
  void a_comparison_colours_the_graph() {
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    source.set_session(test::sample_session());
    GraphView view(&source, &selection, &axis, &theme);
    view.resize(600, 800);
    view.show();
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running() && view.canvas()->scene().ready(), 20000);
    view.expand_all();
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running(), 20000);
    const GraphScene& scene = view.canvas()->scene();
    const auto colours = [&] {
      std::set<QRgb> all;
      for (const VertexStyle& style : scene.vertex_styles) all.insert(style.fill.rgb());
      return all;
    };
    view.set_colour(GraphColour::Difference);
    QCOMPARE(scene.legend.size(), size_t{1});  // no comparison
    QCOMPARE(colours().size(), size_t{1});
    const auto same =
        std::make_shared<const ComparisonSide>(ComparisonSide::of(source.snapshot(), QStringLiteral("the same")));
    source.compare_with(same);
    QCOMPARE(scene.legend.size(), size_t{4});
    QCOMPARE(colours().size(), size_t{1});
    test::SampleOptions shorter;
    shorter.blocks = 5;
    shorter.threads = 1;
    source.compare_with(std::make_shared<const ComparisonSide>(
        ComparisonSide::of(test::sample_session(shorter)->snapshot(), QStringLiteral("shorter"))));
    const QRgb only_here = theme.colours()[Role::Input].rgb();
    QVERIFY(colours().contains(only_here));
    QVERIFY(colours().size() >= 2);
    size_t alone = 0;
    for (const VertexStyle& style : scene.vertex_styles) alone += style.fill.rgb() == only_here;
    QVERIFY(alone <= source.comparison()->only_ours && alone > 0);
    // Nodes that exist only on the other side are ghosts here, once each.
    test::SampleOptions longer;
    longer.blocks = 10;
    source.compare_with(std::make_shared<const ComparisonSide>(
        ComparisonSide::of(test::sample_session(longer)->snapshot(), QStringLiteral("longer"))));
    QVERIFY(source.comparison()->only_theirs > 0);
    std::set<QString> only_in_b;
    size_t ghosts = 0;
    for (const VertexStyle& style : scene.vertex_styles) {
      ghosts += style.only_in_b.size();
      only_in_b.insert(style.only_in_b.begin(), style.only_in_b.end());
    }
    QCOMPARE(ghosts, source.comparison()->only_theirs);
    QCOMPARE(only_in_b.size(), ghosts);
    view.set_colour(GraphColour::Op);
    for (const VertexStyle& style : scene.vertex_styles) QVERIFY(style.only_in_b.empty());
  }

  void a_layer_selection_has_steps_and_nodes() {
    ShownGraph shown({500, 600});
    auto& [source, selection, axis, theme, view] = shown;
    source.set_session(test::sample_session());
    QTRY_VERIFY(view.canvas()->scene().ready() && !view.layout_job()->running());
    const GraphScene& scene = view.canvas()->scene();
    int32_t chosen = -1;
    for (size_t v = 0; v < scene.folded->vertices.size() && chosen < 0; ++v)
      if (scene.folded->vertices[v].folded) chosen = static_cast<int32_t>(v);
    QVERIFY(chosen >= 0);
    view.canvas()->show_vertex(chosen, true);
    const QPointF at = view.canvas()->to_widget(scene.layout->centres[static_cast<size_t>(chosen)]);
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, at.toPoint());
    const auto* layer = selection.current().get<LayerSelection>();
    QVERIFY(layer != nullptr);
    const auto nodes = scene.folded->vertices[static_cast<size_t>(chosen)].nodes;
    for (NodeId node : nodes) QVERIFY(means(selection.current(), TensorRef::node(node), *source.snapshot()));
    QVERIFY(!means(selection.current(), TensorRef::node(NodeId(scene.info->nodes.size() - 1)), *source.snapshot()) ||
            nodes.back().index() == scene.info->nodes.size() - 1);
    const auto steps = steps_of(*layer, source.plan());
    QVERIFY(steps);
    const auto& order = source.plan()->order;
    std::set<NodeId> inside;
    for (int32_t s = steps->first.value; s < steps->last.value; ++s) inside.insert(order[static_cast<size_t>(s)]);
    for (NodeId node : nodes) QVERIFY(inside.contains(node));
    QCOMPARE(view.canvas()->marks().selected, std::vector<int32_t>{chosen});
    // When expanded, all of its nodes are marked, and a click on its frame selects it again.
    view.toggle_layer();
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running() && !scene.layout->layers.empty(), 20'000);
    QCOMPARE(view.canvas()->marks().selected.size(), nodes.size());
    const Selection whole = selection.current();
    selection.clear();
    const QPointF corner = scene.layout->layers.begin()->second.topLeft() + QPointF(6, 6);
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, view.canvas()->to_widget(corner).toPoint());
    QCOMPARE(selection.current(), whole);
  }

  void the_whole_graph_is_shown_and_navigation_targets_are_readable() {
    ShownGraph shown({400, 420});
    auto& [source, selection, axis, theme, view] = shown;
    test::SampleOptions options;
    options.blocks = 60;
    source.set_session(test::sample_session(options));
    QTRY_VERIFY(view.canvas()->scene().ready() && !view.layout_job()->running());
    view.expand_all();
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running(), 60'000);
    QVERIFY(view.canvas()->any_vertex_visible());
    view.canvas()->fit();
    const QRectF bounds = view.canvas()->scene().layout->bounds;
    QVERIFY(view.canvas()->visible().adjusted(-1, -1, 1, 1).contains(bounds));
    // Collapsing after scrolling far down keeps the graph visible.
    view.canvas()->set_view(1, {40 - bounds.right(), 60 - bounds.bottom()});
    view.set_open_layers({});
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running(), 60'000);
    QVERIFY(view.canvas()->any_vertex_visible());
    view.expand_all();
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running(), 60'000);
    view.reveal(NodeId(30));
    QTRY_VERIFY(!view.layout_job()->running());
    QVERIFY(11 * view.canvas()->scale() >= 9);
    // The minimap is next to the graph, not over it.
    QVERIFY(view.canvas()->minimap_shown());
    QVERIFY(!view.canvas()->area().intersects(view.canvas()->minimap_rect()));
    QCOMPARE(view.canvas()->vertex_at(view.canvas()->minimap_rect().center()), -1);
  }
};

QTEST_MAIN(GraphTest)
#include "graph_test.moc"
