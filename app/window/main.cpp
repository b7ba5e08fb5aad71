// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program: `arenascope [FILE…]` opens the window, `arenascope --export VIEW -o FILE FILE` draws a view.
#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QSettings>

#include <arenascope/lesson/stage.h>
#include <arenascope/models/mapped_files.h>
#include <views/lesson/lesson.h>

#include <cstdio>
#include <cstring>

#include "document/attached.h"
#include "export_command.h"
#include "language.h"
#include "lesson_guide.h"
#include "lesson_handout.h"
#include "lesson_names.h"
#include "made_up_language.h"
#include "main_window.h"

namespace {

using namespace arenascope::app;

QString text(const char* english) { return QCoreApplication::translate("Main", english); }

int refuse(const QString& sentence) {
  std::fprintf(stderr, "arenascope: %s\n", qUtf8Printable(sentence));
  return 2;
}

arenascope::views::ThemeMode theme_of(const QString& word) {
  using arenascope::views::ThemeMode;
  return word == u"dark" ? ThemeMode::Dark : word == u"contrast" ? ThemeMode::Contrast : ThemeMode::Light;
}

// A picture needs no display; neither do --help and --version.
bool needs_no_window(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (const char* option : {"--export", "--help", "-h", "--version", "-v", "--check", "-o", "--output"})
      if (std::strncmp(argv[i], option, std::strlen(option)) == 0) return true;
  return false;
}

// Without a display Qt says at each size of a window that it cannot pass it on, and hides what is to be read.
QtMessageHandler louder = nullptr;
void say_less(QtMsgType type, const QMessageLogContext& context, const QString& message) {
  if (!message.contains(QStringLiteral("propagateSizeHints"))) louder(type, context, message);
}

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
  parser.setApplicationDescription(text(QT_TRANSLATE_NOOP("Main", "See how a tensor graph runs and lives in memory.")));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(
      QStringLiteral("file"),
      text(QT_TRANSLATE_NOOP("Main",
                             "A model (.onnx, .gguf, zoo:NAME) or a recording; a second one is compared with the "
                             "first, and of three or more each has a tab.")),
      QStringLiteral("[file…]"));
  auto option = [&](const char* name, const QString& what, const char* value) {
    parser.addOption({QString::fromLatin1(name), what, QString::fromLatin1(value)});
  };
  option("export",
         text(QT_TRANSLATE_NOOP("Main", "Draw a view without a window: %1."))
             .arg(export_views().join(QStringLiteral(", "))),
         "view");
  parser.addOption(
      {{QStringLiteral("o"), QStringLiteral("output")},
       text(QT_TRANSLATE_NOOP("Main",
                              "Where the picture goes (.png, .svg or .pdf), or the table that tells the same (.csv).")),
       QStringLiteral("file")});
  static constexpr const char* kOptions[][3] = {
      {"size", QT_TRANSLATE_NOOP("Main", "Size of the picture in logical pixels (1600x900)."), "WxH"},
      {"scale", QT_TRANSLATE_NOOP("Main", "Pixels of a PNG for each logical pixel (1)."), "factor"},
      {"theme", QT_TRANSLATE_NOOP("Main", "light, dark or contrast."), "theme"},
      {"colour",
       QT_TRANSLATE_NOOP(
           "Main",
           "Of the graph: state, op, backend, time, bytes, block, difference or a column of its nodes by its title."),
       "what"},
      {"layout", QT_TRANSLATE_NOOP("Main", "Of the window: default, graph, memory, time or lesson."), "layout"},
      {"select", QT_TRANSLATE_NOOP("Main", "Name of a node to select, or peak: the one that runs there."), "node"},
      {"planner", QT_TRANSLATE_NOOP("Main", "Show this planner's plan over the one in use."), "name"},
      {"order", QT_TRANSLATE_NOOP("Main", "The order of that plan."), "name"}};
  for (const auto& [name, what, value] : kOptions) option(name, text(what), value);
  option("language", languages().join(QStringLiteral(", ")), "language");
  option("lesson", text(QT_TRANSLATE_NOOP("Main", "Play a lesson: one of the course by its name, or a file.")),
         "lesson");
  option("step", text(QT_TRANSLATE_NOOP("Main", "Of a lesson's picture (-o FILE.png): the step to draw (1).")),
         "number");
  parser.addOption({QStringLiteral("check"),
                    text(QT_TRANSLATE_NOOP("Main", "Check a lesson's claims and questions without a window."))});
  parser.addOption({QStringLiteral("time"), text(QT_TRANSLATE_NOOP("Main", "Time on the x axis instead of steps."))});
  parser.addOption({QStringLiteral("expand"), text(QT_TRANSLATE_NOOP("Main", "Open all layers of the graph."))});
}

// An empty sentence: it is one.
QString read_size(const QString& text, QSize& size) {
  const QStringList parts = text.split(u'x');
  size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
  const bool good = size.width() >= 64 && size.height() >= 64 && size.width() <= 16384 && size.height() <= 16384;
  return good ? QString() : QStringLiteral("--size is WIDTHxHEIGHT, from 64x64 to 16384x16384");
}

// An empty sentence: the options are as they should be.
QString read_options(const QCommandLineParser& parser, ExportOptions& options) {
  const auto value = [&](const char* name) { return parser.value(QString::fromLatin1(name)); };
  const QStringList files = parser.positionalArguments();
  if (files.isEmpty() || files.size() > 2)
    return QStringLiteral("--export wants one model or recording, and perhaps one to compare with");
  options.view = value("export");
  options.output = value("output");
  options.spec = files.front();
  options.compare = files.value(1);
  if (options.output.isEmpty()) return QStringLiteral("--export wants -o FILE");
  if (parser.isSet(QStringLiteral("size"))) {
    options.size_given = true;
    if (const QString problem = read_size(value("size"), options.size); !problem.isEmpty()) return problem;
  }
  if (parser.isSet(QStringLiteral("scale"))) {
    options.scale = value("scale").toDouble();
    if (!(options.scale >= 0.25 && options.scale <= 8)) return QStringLiteral("--scale is from 0.25 to 8");
  }
  options.theme = theme_of(value("theme"));
  options.colour = value("colour");
  options.layout = value("layout");
  options.select = value("select");
  options.planner = value("planner");
  options.order = value("order");
  options.time = parser.isSet(QStringLiteral("time"));
  options.expand = parser.isSet(QStringLiteral("expand"));
  return {};
}

// `arenascope attach [--with ADAPTERS] [ssh:HOST] -- PROGRAM ARGUMENTS…` as what the window opens; empty: it is not that.
QString attach_spec_of(const QStringList& arguments) {
  const auto dashes = arguments.indexOf(QStringLiteral("--"));
  if (arguments.value(1) != u"attach" || dashes < 0 || dashes + 1 == arguments.size()) return {};
  QStringList words, with;
  for (int i = 2; i < dashes; ++i) {
    if (arguments[i] == u"--with" && i + 1 < dashes)
      with = arguments[++i].split(u',', Qt::SkipEmptyParts);
    else if (arguments[i].startsWith(u"ssh:") && words.isEmpty())
      words << arguments[i];
    else
      return {};
  }
  return attach_spec(words + arguments.mid(dashes + 1), with);
}

// What does not hold is said, each with file and line.
int check_lesson(const QString& name, const QString& language) {
  auto lesson = arenascope::views::load_lesson(name, language);
  if (!lesson) return refuse(QString::fromStdString(lesson.error().message));
  std::vector<arenascope::Error> problems = wrong_names(*lesson);
  for (arenascope::Error& problem : arenascope::lesson::check(*lesson)) problems.push_back(std::move(problem));
  for (const arenascope::Error& problem : problems) std::fprintf(stderr, "arenascope: %s\n", problem.message.c_str());
  if (problems.empty()) std::printf("%s: everything holds\n", qUtf8Printable(name));
  return problems.empty() ? 0 : 1;
}

struct LessonOptions {
  QString name, theme, output;
  QSize size{1600, 1000};  // of the window that is drawn
  int step = 1;            // of a picture
};

// Plays it; with an output, only long enough to write it as a handout, or a step of it as a picture.
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
  } else if (auto played = window.lesson_guide()->play(name); !played) {
    return refuse(QString::fromStdString(played.error().message));
  }
  if (output.isEmpty()) return QApplication::exec();
  const bool picture = output.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive);
  if (auto written =
          picture ? write_lesson_picture(window.shell(), step, output) : write_handout(window.shell(), output);
      !written) {
    std::fprintf(stderr, "arenascope: %s\n", written.error().message.c_str());
    return 1;
  }
  return 0;
}

int lesson_command(const QCommandLineParser& parser) {
  const auto value = [&](const char* name) { return parser.value(QString::fromLatin1(name)); };
  if (parser.isSet(QStringLiteral("check")))
    return check_lesson(value("lesson"), value("language").isEmpty() ? QStringLiteral("en") : value("language"));
  LessonOptions options{value("lesson"), value("theme"), value("output")};
  if (parser.isSet(QStringLiteral("size")))
    if (const QString problem = read_size(value("size"), options.size); !problem.isEmpty()) return refuse(problem);
  if (parser.isSet(QStringLiteral("step"))) options.step = value("step").toInt();
  return run_lesson(options);
}

int run_window(const QString& theme, const QStringList& files) {
  MainWindow window;
  if (!theme.isEmpty()) window.theme()->set_mode(theme_of(theme));
  window.show();
  window.offer_left_behind();
  window.open_all(files.size() == 2 ? files.mid(0, 1) : files);
  if (files.size() == 2) window.compare_with(files[1]);
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  if (needs_no_window(argc, argv) && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  if (qgetenv("QT_QPA_PLATFORM") == "offscreen") louder = qInstallMessageHandler(say_less);
  QApplication application(argc, argv);
  if (auto ok = arenascope::models::survive_lost_pages(); !ok)
    return refuse(QString::fromStdString(ok.error().message));
  describe_program();
  set_language(Preferences::load().language);
  QCommandLineParser parser;
  add_options(parser);
  const QString attached = attach_spec_of(QApplication::arguments());
  // What stands behind the dashes is the program's.
  parser.process(attached.isEmpty() ? QApplication::arguments() : QApplication::arguments().mid(0, 1));
  const QString language = parser.value(QStringLiteral("language")), theme = parser.value(QStringLiteral("theme"));
  if (parser.isSet(QStringLiteral("language"))) {
    if (!languages().contains(language) && language != QLatin1String(kMadeUpLanguage))
      return refuse(QStringLiteral("--language is one of %1").arg(languages().join(QStringLiteral(", "))));
    set_language(language);
  }
  if (!theme.isEmpty() && theme != u"light" && theme != u"dark" && theme != u"contrast")
    return refuse(QStringLiteral("--theme is light, dark or contrast"));
  if (!attached.isEmpty()) return run_window(theme, {attached});
  if (parser.isSet(QStringLiteral("lesson"))) return lesson_command(parser);
  if (parser.isSet(QStringLiteral("check"))) return refuse(QStringLiteral("--check wants --lesson FILE"));
  if (!parser.isSet(QStringLiteral("export"))) return run_window(theme, parser.positionalArguments());
  ExportOptions options;
  if (const QString problem = read_options(parser, options); !problem.isEmpty()) return refuse(problem);
  return run_export(options);
}
