// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/base/output_file.h>
#include <views/graph/graphviz_layout.h>
#include <QFileInfo>

#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

namespace {

// SVG and PDF are drawn by dot, in a task that can be cancelled.
void save_graph(const Shell& shell, const GraphScene& scene) {
  if (!scene.ready()) return;
  const QString path = shell.ask_file(true, Shell::tr("Save the graph"),
                                      Shell::tr("Graphviz (*.dot);;SVG by Graphviz (*.svg);;PDF by Graphviz (*.pdf)"));
  if (path.isEmpty()) return;
  const std::string text = dot_file(*scene.info, *scene.layers, *scene.folded);
  const QString format = QFileInfo(path).suffix().toLower();
  shell.document().jobs().saver->save(
      path,
      [text, format, path](const Saver::Progress& progress) -> Status {
        if (format != u"svg" && format != u"pdf") return OutputFile::write_all(path.toStdString(), text);
        const GraphvizOutput drawn = Graphviz::run(text, format, [&progress] { return progress(-1); });
        if (drawn.output.isEmpty())
          return Error{drawn.problem.isEmpty() ? "it was cancelled" : drawn.problem.toStdString()};
        return OutputFile::write_all(path.toStdString(), drawn.output.toStdString());
      },
      Shell::tr("The graph was saved as %1.").arg(path));
}

void add_colouring(Shell& shell, GraphView* graph) {
  auto& a = *shell.actions;
  static constexpr std::pair<const char*, const char*> kColours[] = {
      {"graph.colour_state", QT_TRANSLATE_NOOP("Actions", "Colour by &State")},
      {"graph.colour_op", QT_TRANSLATE_NOOP("Actions", "Colour by &Op")},
      {"graph.colour_backend", QT_TRANSLATE_NOOP("Actions", "Colour by Backen&d")},
      {"graph.colour_time", QT_TRANSLATE_NOOP("Actions", "Colour by &Time")},
      {"graph.colour_bytes", QT_TRANSLATE_NOOP("Actions", "Colour by &Bytes")},
      {"graph.colour_block", QT_TRANSLATE_NOOP("Actions", "Colour by Bloc&k")},
      {"graph.colour_difference", QT_TRANSLATE_NOOP("Actions", "Colour by Di&fference of B")}};
  int i = 0;
  for (const auto& [id, text] : kColours)
    a.add(id, Menu::Graph, text, {}, [graph, colour = static_cast<GraphColour>(i++)] { graph->set_colour(colour); });
  a.add(
      "graph.colour_column", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Colour by the Next Colu&mn"), {},
      [graph] { graph->colours()->next_column(); },
      QT_TRANSLATE_NOOP("Actions",
                        "Colour by the next column of the Nodes table; the list above the graph has all of them"));
}

void add_layout(Shell& shell, GraphView* graph) {
  auto& a = *shell.actions;
  QAction* shapes = a.add(
      "graph.shapes", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "S&hapes on All Edges"), {},
      [&shell, graph] { graph->set_shapes(shell.actions->find(QStringLiteral("graph.shapes"))->isChecked()); },
      QT_TRANSLATE_NOOP("Actions", "Where space permits; selected edges always show their shape"));
  shapes->setCheckable(true);
  QAction* dot = a.add(
      "graph.dot_layout", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Layout by Graphvi&z (dot)"), {},
      [&shell, graph] {
        const bool on = shell.actions->find(QStringLiteral("graph.dot_layout"))->isChecked();
        graph->set_engine(on ? LayoutEngine::Graphviz : LayoutEngine::BuiltIn);
      },
      QT_TRANSLATE_NOOP("Actions",
                        "By the installed program dot, which may take long for large graphs; otherwise the "
                        "built-in layout"));
  dot->setCheckable(true);
  QObject::connect(graph->layout_job(), &LayoutJob::ready, dot,
                   [&shell, graph, dot](const std::shared_ptr<const GraphPicture>& picture) {
                     if (!picture->problem.isEmpty()) {
                       shell.messages().fail(picture->problem);
                       graph->set_engine(LayoutEngine::BuiltIn);
                     }
                     dot->setChecked(graph->view_state().engine == LayoutEngine::Graphviz);
                   });
}

}  // namespace

void add_graph_actions(Shell& shell) {
  auto& a = *shell.actions;
  auto* graph = shell.panels->widgets().graph;
  a.add("graph.producer", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Go to &Producer"), {K(Qt::Key_G)},
        [graph] { graph->go_to_producer(); });
  a.add(
      "graph.user", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Go to &User"), {K(Qt::Key_U)},
      [graph] { graph->go_to_user(); }, QT_TRANSLATE_NOOP("Actions", "Repeat for the next user"));
  a.separator(Menu::Graph);
  a.add("graph.toggle", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Open or Close &Layer"), {K(Qt::Key_E)},
        [graph] { graph->toggle_layer(); });
  a.add("graph.expand", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "E&xpand All Layers"), {},
        [graph] { graph->expand_all(); });
  a.add("graph.collapse", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "&Collapse All Layers"), {},
        [graph] { graph->collapse_all(); });
  a.add(
      "graph.file", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Graph of the File or of the Run"), {},
      [&shell] {
        SessionSource* source = shell.document().source();
        source->show_file_graph(!source->shows_file_graph());
      },
      QT_TRANSLATE_NOOP("Actions",
                        "Switch between the nodes of the model file, with If, Loop and Scan bodies and local "
                        "functions, and the executed graph"));
  a.add("graph.fit", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Show &Whole Graph"), {},
        [graph] { graph->canvas()->fit(); });
  a.separator(Menu::Graph);
  add_colouring(shell, graph);
  add_layout(shell, graph);
  a.separator(Menu::Graph);
  a.add(
      "graph.save_dot", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Sa&ve as DOT…"), {},
      [&shell, graph] { save_graph(shell, graph->canvas()->scene()); },
      QT_TRANSLATE_NOOP("Actions", "As DOT, or as SVG or PDF by the installed program dot"));
}

}  // namespace arenascope::app
