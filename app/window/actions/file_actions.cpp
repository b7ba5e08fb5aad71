// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/trace/convert.h>
#include <QFileInfo>

#include "app/window/dialogs/dialogs.h"
#include "app/window/document/autosave.h"
#include "app/window/shell.h"

namespace arenascope::app {

using K = QKeySequence;

namespace {

void open_file(const Shell& shell) {
  const QString path = shell.ask_file(
      false, Shell::tr("Open a model or a recording"),
      Shell::tr("Models and recordings (*.onnx *.gguf *.arenascope *.pftrace "
                "*.perfetto-trace *.json *.json.gz *.pickle *.etdp *.pte *.jsonl *.dot *.gv *.csv);;All files (*)"));
  if (!path.isEmpty()) shell.open(path);
}

void open_to_plan(const Shell& shell) {
  const QString path = shell.ask_file(false, Shell::tr("Open a model to plan its memory"),
                                      Shell::tr("Models (*.onnx *.gguf);;All files (*)"));
  RunSettings settings = shell.preferences.run;
  settings.plan_only = true;
  if (!path.isEmpty()) shell.documents->open(path, settings);
}

// Open files are mapped, not read: they must not be replaced.
std::vector<std::filesystem::path> open_files(const Shell& shell) {
  std::vector<std::filesystem::path> files;
  for (size_t i = 0; i < shell.documents->size(); ++i) files.emplace_back((*shell.documents)[i].spec().toStdString());
  return files;
}

void save_recording(const Shell& shell) {
  const QString path = shell.ask_file(true, Shell::tr("Save the recording"), Shell::tr("Recordings (*.arenascope)"));
  if (path.isEmpty()) return;
  shell.panels->leave(shell.document());  // its views' state is saved with it
  shell.document().save_recording(path);
}

void convert(const Shell& shell) {
  const QString path =
      shell.ask_file(true, Shell::tr("Save as"),
                     Shell::tr("Chrome trace (*.json);;Spans (*.csv);;Memory (*.memory.csv);;Text (*.txt)"));
  if (path.isEmpty()) return;
  auto format = trace::format_of(path.toStdString());
  if (!format) return shell.report(format.error());
  shell.document().jobs().saver->save(
      path,
      [snapshot = shell.document().source()->snapshot(), to = path.toStdString(), inputs = open_files(shell),
       format = *format](const Saver::Progress& progress) {
        return trace::write(*snapshot, format, to, progress, inputs);
      },
      Shell::tr("The recording was saved to %1.").arg(path));
}

void save_picture(const Shell& shell) {
  const PanelId id = shell.panels->current();
  const QString path =
      shell.ask_file(true, Shell::tr("Save a picture of %1").arg(shell.panels->dock(id)->windowTitle()),
                     Shell::tr("Pictures (*.png *.svg *.pdf)"));
  if (path.isEmpty()) return;
  auto draft = shell.output->draft_picture(id, path);
  if (!draft) return shell.report(draft.error());
  shell.document().jobs().saver->save(
      path,
      [draft = std::move(*draft), inputs = open_files(shell)](const Saver::Progress& progress) {
        return views::write_picture(draft, progress, inputs);
      },
      Shell::tr("The picture was saved to %1.").arg(path));
}

void save_table(const Shell& shell) {
  const PanelId id = shell.panels->current();
  const auto csv = shell.output->csv_maker(id);
  if (!csv) return shell.messages().note(Shell::tr("%1 has no table.").arg(shell.panels->dock(id)->windowTitle()));
  const QString path = shell.ask_file(true, Shell::tr("Save the table %1").arg(shell.panels->dock(id)->windowTitle()),
                                      Shell::tr("Tables (*.csv)"));
  if (path.isEmpty()) return;
  shell.document().jobs().saver->save(
      path, [csv, path, inputs = open_files(shell)](const Saver::Progress&) { return write_text(csv(), path, inputs); },
      Shell::tr("The table was saved to %1.").arg(path));
}

// Filled on opening, since other instances change the list.
void fill_files(const Shell& shell, QMenu* menu, const QStringList& files) {
  menu->clear();
  for (const QString& spec : files) {
    QAction* action = menu->addAction(spec.startsWith(u"zoo:") ? spec : QFileInfo(spec).fileName());
    action->setToolTip(spec);
    QObject::connect(action, &QAction::triggered, menu, [&shell, spec] { shell.open(spec); });
  }
}

void add_list(Shell& shell, const char* text, QStringList (*files)()) {
  QMenu* menu = shell.actions->submenu(Menu::File, text);
  QObject::connect(menu, &QMenu::aboutToShow, menu, [&shell, menu, files] { fill_files(shell, menu, files()); });
  const auto update = [menu, files] { menu->menuAction()->setEnabled(!files().isEmpty()); };
  QObject::connect(shell.actions->menu(Menu::File), &QMenu::aboutToShow, menu, update);
  update();
}

void add_saving(Shell& shell) {
  auto& a = *shell.actions;
  a.add("file.save_recording", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Save Recording…"), {K::Save},
        [&shell] { save_recording(shell); });
  a.add("file.convert", Menu::File, QT_TRANSLATE_NOOP("Actions", "Save in Another For&mat…"), {},
        [&shell] { convert(shell); });
  a.add(
      "file.save_picture", Menu::File, QT_TRANSLATE_NOOP("Actions", "Save &Picture of View…"),
      {K(Qt::CTRL | Qt::Key_E)}, [&shell] { save_picture(shell); },
      QT_TRANSLATE_NOOP("Actions", "The focused view as PNG, SVG or PDF"));
  a.add(
      "file.save_table", Menu::File, QT_TRANSLATE_NOOP("Actions", "Save &Table as CSV…"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_E)}, [&shell] { save_table(shell); },
      QT_TRANSLATE_NOOP("Actions", "The data of the focused view"));
}

}  // namespace

void add_file_actions(Shell& shell) {
  auto& a = *shell.actions;
  a.add("file.open", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Open…"), {K::Open}, [&shell] { open_file(shell); });
  a.add(
      "file.open_plan", Menu::File, QT_TRANSLATE_NOOP("Actions", "Open for Plannin&g Only…"), {},
      [&shell] { open_to_plan(shell); },
      QT_TRANSLATE_NOOP("Actions", "Open the graph and its memory plans without loading weights or running"));
  a.add(
      "file.zoo", Menu::File, QT_TRANSLATE_NOOP("Actions", "Open &Built-in Model…"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_O)}, [&shell] { show_zoo(shell); },
      QT_TRANSLATE_NOOP("Actions", "Architectures with randomly generated weights, ready to run"));
  a.add(
      "file.attach", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Launch and Record…"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_A)}, [&shell] { show_attach(shell); },
      QT_TRANSLATE_NOOP("Actions", "Start a program and show its memory, kernels and spans while it runs"));
  add_list(shell, QT_TRANSLATE_NOOP("Actions", "Open &Recent"), recent_files);
  add_list(shell, QT_TRANSLATE_NOOP("Actions", "Recover a Recor&ding"), recoverable_recordings);
  a.add(
      "file.sizes", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Input Shapes…"), {},
      [&shell] { show_input_sizes(shell); },
      QT_TRANSLATE_NOOP("Actions", "Dimensions the model leaves unspecified, such as the batch size"));
  a.separator(Menu::File);
  add_saving(shell);
  a.separator(Menu::File);
  a.add(
      "file.close", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Close"), {K(Qt::CTRL | Qt::Key_W)},
      [&shell] { shell.documents->close(shell.documents->index()); },
      QT_TRANSLATE_NOOP("Actions", "Close the current file"));
  a.add("file.next", Menu::File, QT_TRANSLATE_NOOP("Actions", "Ne&xt File"),
        {K(Qt::CTRL | Qt::Key_Tab), K(Qt::CTRL | Qt::Key_PageDown)}, [&shell] { shell.documents->show_next(1); });
  a.add("file.previous", Menu::File, QT_TRANSLATE_NOOP("Actions", "Pre&vious File"),
        {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab), K(Qt::CTRL | Qt::Key_PageUp)},
        [&shell] { shell.documents->show_next(-1); });
  a.add("file.quit", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Quit"), {K(Qt::CTRL | Qt::Key_Q)},
        [&shell] { shell.window->close(); });
}

}  // namespace arenascope::app
