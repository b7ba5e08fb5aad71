// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program: `arenascope [FILE…]` opens the window, `arenascope --export VIEW -o FILE FILE` exports a view.
#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QSettings>

#include <arenascope/base/printable.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/models/mapped_files.h>
#include <views/lesson/lesson.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/common/process_setup.h"
#include "app/window/export/export_command.h"
#include "app/window/language/language.h"
#include "app/window/language/pseudo_locale.h"
#include "app/window/lessons/lesson_fit.h"
#include "app/window/lessons/lesson_handout.h"
#include "app/window/lessons/lesson_names.h"
#include "app/window/lessons/lesson_player.h"
#include "app/window/lessons/page/lesson_page.h"
#include "app/window/start/window_session.h"
#include "document/attached.h"
#include "main_window.h"

namespace {

using namespace arenascope::app;

QString text(const char* english) { return QCoreApplication::translate("Main", english); }

int usage_error(const QString& message) {
  std::fprintf(stderr, "arenascope: %s\n", arenascope::printable(message.toStdString()).c_str());
  return 2;
}

arenascope::views::ThemeMode theme_of(const QString& name) {
  using arenascope::views::ThemeMode;
  return name == u"dark" ? ThemeMode::Dark : name == u"contrast" ? ThemeMode::Contrast : ThemeMode::Light;
}

// Exports, --help and --version need no display.
bool needs_no_window(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (const char* option : {"--export", "--help", "-h", "--version", "-v", "--check", "-o", "--output", "--course"})
      if (std::strncmp(argv[i], option, std::strlen(option)) == 0) return true;
  return false;
}

// The offscreen platform warns at each resize, about minimum sizes of empty panels and about parents of plugins. These
// warnings hide other output.
bool is_noise(const QString& message) {
  for (const char* part : {"propagateSizeHints", "Negative sizes", "This plugin does not support"})
    if (message.contains(QLatin1String(part))) return true;
  return false;
}

QtMessageHandler default_handler = nullptr;
bool started = false;  // the platform plugin is loaded
void filter_messages(QtMsgType type, const QMessageLogContext& context, const QString& message) {
  if (!started) {
    // Qt would list its plugins over several lines and abort.
    if (type != QtFatalMsg) return;
    const QByteArray platform = qgetenv("QT_QPA_PLATFORM"), display = qgetenv("DISPLAY");
    const QByteArray why = !platform.isEmpty() ? "QT_QPA_PLATFORM is '" + platform + "'"
                           : display.isEmpty() ? QByteArray("DISPLAY and WAYLAND_DISPLAY are not set")
                                               : "DISPLAY is '" + display + "'";
    std::fprintf(stderr, "arenascope: the window has no display (%s); --export VIEW -o FILE needs none\n",
                 arenascope::printable(why.toStdString()).c_str());
    std::_Exit(2);
  }
  if (!is_noise(message)) default_handler(type, context, message);
}

// Qt aborts or waits for ever where a thread or a buffer is refused.
constexpr arenascope::Bytes kMinAddresses = arenascope::Bytes{1} << 30;

void describe_program() {
  QApplication::setOrganizationName(QStringLiteral("arenascope"));
  QApplication::setApplicationName(QStringLiteral("arenascope"));
  QApplication::setApplicationVersion(QStringLiteral(ARENASCOPE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("org.arenascope.Arenascope"));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/arenascope.svg")));
  QApplication::setStyle(QStringLiteral("Fusion"));
  QSettings::setDefaultFormat(QSettings::IniFormat);
}

void add_options(QCommandLineParser& parser) {
  parser.setApplicationDescription(
      text(QT_TRANSLATE_NOOP("Main", "Memory visualizer, profiler and step debugger for tensor programs.")));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("file"),
                               text(QT_TRANSLATE_NOOP("Main",
                                                      "Model (.onnx, .gguf, zoo:NAME) or recording; a second one is "
                                                      "compared with the first, three or more open in tabs.")),
                               QStringLiteral("[file…]"));
  auto option = [&](const char* name, const QString& what, const char* value) {
    parser.addOption({QString::fromLatin1(name), what, QString::fromLatin1(value)});
  };
  option("export",
         text(QT_TRANSLATE_NOOP("Main", "Export a view without opening a window: %1."))
             .arg(export_views().join(QStringLiteral(", "))),
         "view");
  parser.addOption(
      {{QStringLiteral("o"), QStringLiteral("output")},
       text(QT_TRANSLATE_NOOP("Main",
                              "Output file: a picture (.png, .svg, .pdf) or the data of the view (.csv); of a lesson a "
                              "web page (.html), a handout (.pdf) or a step (.png).")),
       QStringLiteral("file")});
  static constexpr const char* kOptions[][3] = {
      {"size", QT_TRANSLATE_NOOP("Main", "Image size in logical pixels (default: 1600x900)."), "WxH"},
      {"scale", QT_TRANSLATE_NOOP("Main", "Pixels per logical pixel of a PNG (default: 1)."), "factor"},
      {"theme", QT_TRANSLATE_NOOP("Main", "Theme: light, dark or contrast."), "theme"},
      {"colour",
       QT_TRANSLATE_NOOP("Main",
                         "Colouring of the graph: state, op, backend, time, bytes, block, difference or the title of a "
                         "column of the Nodes table."),
       "what"},
      {"layout",
       QT_TRANSLATE_NOOP(
           "Main",
           "Layout of the window: default, graph, memory, time, plan or lesson; by default that of the kind of file."),
       "layout"},
      {"select", QT_TRANSLATE_NOOP("Main", "Name of the node to select, or \"peak\" for the node at the peak."),
       "node"},
      {"graph", QT_TRANSLATE_NOOP("Main", "Index of the graph to show if the file contains several, starting at 0."),
       "number"},
      {"planner", QT_TRANSLATE_NOOP("Main", "Planner for a second plan, overlaid on the plan in use."), "name"},
      {"order", QT_TRANSLATE_NOOP("Main", "Execution order of that plan."), "name"}};
  for (const auto& [name, what, value] : kOptions) option(name, text(what), value);
  option("language", languages().join(QStringLiteral(", ")), "language");
  option("lesson", text(QT_TRANSLATE_NOOP("Main", "Lesson to play: name of a built-in lesson, or a file.")), "lesson");
  option("course",
         text(QT_TRANSLATE_NOOP("Main", "Folder in which to write the built-in lessons as web pages, with an index.")),
         "folder");
  option("step", text(QT_TRANSLATE_NOOP("Main", "Lesson step to export with -o FILE.png (default: 1).")), "number");
  parser.addOption({QStringLiteral("check"),
                    text(QT_TRANSLATE_NOOP("Main", "Check the claims and questions of a lesson without a window."))});
  parser.addOption(
      {QStringLiteral("time"), text(QT_TRANSLATE_NOOP("Main", "Show time instead of steps on the x axis."))});
  parser.addOption({QStringLiteral("expand"), text(QT_TRANSLATE_NOOP("Main", "Expand all layers of the graph."))});
}

// Returns an error message; empty: valid.
QString read_size(const QString& text, QSize& size) {
  const QStringList parts = text.split(u'x');
  size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
  const bool good = size.width() >= 64 && size.height() >= 64 && size.width() <= 16384 && size.height() <= 16384;
  return good ? QString() : QStringLiteral("--size must be WIDTHxHEIGHT, from 64x64 to 16384x16384");
}

// Returns an error message; empty: valid.
QString read_options(const QCommandLineParser& parser, ExportOptions& options) {
  const auto value = [&](const char* name) { return parser.value(QString::fromLatin1(name)); };
  const QStringList files = parser.positionalArguments();
  if (files.isEmpty() || files.size() > 2)
    return QStringLiteral("--export needs one model or recording, and optionally one to compare with");
  options.view = value("export");
  options.output = value("output");
  options.spec = files.front();
  options.compare = files.value(1);
  if (options.output.isEmpty()) return QStringLiteral("--export needs -o FILE");
  if (parser.isSet(QStringLiteral("size"))) {
    options.size_given = true;
    if (const QString problem = read_size(value("size"), options.size); !problem.isEmpty()) return problem;
  }
  if (parser.isSet(QStringLiteral("scale"))) {
    options.scale = value("scale").toDouble();
    if (!(options.scale >= 0.25 && options.scale <= 8)) return QStringLiteral("--scale must be from 0.25 to 8");
  }
  options.theme = theme_of(value("theme"));
  options.colour = value("colour");
  options.layout = value("layout");
  options.select = value("select");
  if (parser.isSet(QStringLiteral("graph"))) {
    bool is_number = false;
    options.graph = value("graph").toInt(&is_number);
    if (!is_number || options.graph < 0) return QStringLiteral("--graph must be a number from 0");
  }
  options.planner = value("planner");
  options.order = value("order");
  options.time = parser.isSet(QStringLiteral("time"));
  options.expand = parser.isSet(QStringLiteral("expand"));
  return {};
}

// Translates `arenascope attach [--with ADAPTERS] [ssh:HOST] -- PROGRAM ARGUMENTS…` into a document spec; empty: not
// an attach command.
QString attach_spec_of(const QStringList& arguments) {
  const auto dashes = arguments.indexOf(QStringLiteral("--"));
  if (arguments.value(1) != u"attach" || dashes < 0 || dashes + 1 == arguments.size()) return {};
  QStringList argv, adapters;
  for (int i = 2; i < dashes; ++i) {
    if (arguments[i] == u"--with" && i + 1 < dashes)
      adapters = arguments[++i].split(u',', Qt::SkipEmptyParts);
    else if (arguments[i].startsWith(u"ssh:") && argv.isEmpty())
      argv << arguments[i];
    else
      return {};
  }
  return attach_spec(argv + arguments.mid(dashes + 1), adapters);
}

// Prints failed claims with file and line.
int check_lesson(const QString& name, const QString& language) {
  auto lesson = arenascope::views::load_lesson(name, language);
  if (!lesson) return usage_error(QString::fromStdString(lesson.error().message));
  std::vector<arenascope::Error> problems = wrong_names(*lesson);
  std::vector<arenascope::Error> misfits;
  const auto fit = [&](size_t step, const arenascope::lesson::Scene& scene) {
    if (const std::string problem = misfit(*lesson, step, scene); !problem.empty())
      misfits.push_back(arenascope::lesson::error_at(*lesson, lesson->steps[step].line, problem));
  };
  for (arenascope::Error& problem : arenascope::lesson::check(*lesson, fit)) problems.push_back(std::move(problem));
  problems.insert(problems.end(), misfits.begin(), misfits.end());
  for (const arenascope::Error& problem : problems)
    std::fprintf(stderr, "arenascope: %s\n", arenascope::printable(problem.message).c_str());
  if (problems.empty()) std::printf("%s: all claims hold\n", arenascope::printable(name.toStdString()).c_str());
  return problems.empty() ? 0 : 1;
}

int written(const arenascope::Status& status) {
  if (!status) std::fprintf(stderr, "arenascope: %s\n", arenascope::printable(status.error().message).c_str());
  return status ? 0 : 1;
}

struct LessonOptions {
  QString name, theme, output;
  QSize size{1600, 1000};  // size of the window to draw
  int step = 1;            // lesson step to draw
};

// Plays a lesson; with an output file, only to export its handout or the picture of a step.
int run_lesson(const LessonOptions& options) {
  const auto& [name, theme, output, size, step] = options;
  MainWindow window;
  if (!theme.isEmpty()) window.theme()->set_mode(theme_of(theme));
  if (!output.isEmpty()) {
    window.keep_no_copies();
    window.resize(size);
  }
  window.show();
  if (arenascope::views::lessons().contains(name)) {
    window.shell().actions->find(QStringLiteral("lesson.") + name)->trigger();
  } else if (auto played = window.lesson_player()->play(name); !played) {
    return usage_error(QString::fromStdString(played.error().message));
  }
  if (output.isEmpty()) return QApplication::exec();
  const bool picture = output.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive);
  return written(picture ? write_lesson_picture(window.shell(), step, output) : write_handout(window.shell(), output));
}

int lesson_command(const QCommandLineParser& parser) {
  const auto value = [&](const char* name) { return parser.value(QString::fromLatin1(name)); };
  if (parser.isSet(QStringLiteral("check")))
    return check_lesson(value("lesson"), value("language").isEmpty() ? QStringLiteral("en") : value("language"));
  LessonOptions options{value("lesson"), value("theme"), value("output")};
  if (options.output.endsWith(QStringLiteral(".html"), Qt::CaseInsensitive))
    return written(write_lesson_page(options.name, options.output));
  if (parser.isSet(QStringLiteral("size")))
    if (const QString problem = read_size(value("size"), options.size); !problem.isEmpty()) return usage_error(problem);
  if (parser.isSet(QStringLiteral("step"))) options.step = value("step").toInt();
  return run_lesson(options);
}

int run_window(const QString& theme, const QStringList& files) {
  MainWindow window;
  if (!theme.isEmpty()) window.theme()->set_mode(theme_of(theme));
  window.show();
  window.offer_recovery();
  window.shell().session->begin();
  if (files.isEmpty() && window.shell().preferences.reopen) window.shell().session->restore();
  window.open_all(files.size() == 2 ? files.mid(0, 1) : files);
  if (files.size() == 2) window.compare_with(files[1]);
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  load_unwinder();
  if (auto ok = prepare_for_address_limit(kMinAddresses); !ok)
    return usage_error(QString::fromStdString(ok.error().message));
  if (needs_no_window(argc, argv) && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  default_handler = qInstallMessageHandler(filter_messages);
  QApplication application(argc, argv);
  started = true;
  if (auto ok = arenascope::models::survive_lost_pages(); !ok)
    return usage_error(QString::fromStdString(ok.error().message));
  describe_program();
  set_language(Preferences::load().language);
  QCommandLineParser parser;
  add_options(parser);
  const QString attached = attach_spec_of(QApplication::arguments());
  // Arguments after -- belong to the program.
  parser.process(attached.isEmpty() ? QApplication::arguments() : QApplication::arguments().mid(0, 1));
  const QString language = parser.value(QStringLiteral("language")), theme = parser.value(QStringLiteral("theme"));
  if (parser.isSet(QStringLiteral("language"))) {
    if (!languages().contains(language) && language != QLatin1String(kPseudoLocale))
      return usage_error(QStringLiteral("--language must be one of %1").arg(languages().join(QStringLiteral(", "))));
    set_language(language);
  }
  if (!theme.isEmpty() && theme != u"light" && theme != u"dark" && theme != u"contrast")
    return usage_error(QStringLiteral("--theme must be light, dark or contrast"));
  if (!attached.isEmpty()) return run_window(theme, {attached});
  if (parser.isSet(QStringLiteral("lesson"))) return lesson_command(parser);
  if (parser.isSet(QStringLiteral("course"))) return written(write_course(parser.value(QStringLiteral("course"))));
  if (parser.isSet(QStringLiteral("check"))) return usage_error(QStringLiteral("--check needs --lesson FILE"));
  if (!parser.isSet(QStringLiteral("export"))) return run_window(theme, parser.positionalArguments());
  ExportOptions options;
  if (const QString problem = read_options(parser, options); !problem.isEmpty()) return usage_error(problem);
  return run_export(options);
}
