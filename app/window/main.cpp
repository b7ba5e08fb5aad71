// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program: `arenascope [FILE…]` opens the window, `arenascope --export VIEW -o FILE FILE` draws a view.
#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>

#include <cstdio>
#include <cstring>

#include "export_command.h"
#include "language.h"
#include "main_window.h"

int main(int argc, char** argv) {
  using namespace arenascope::app;
  // A picture needs no display; neither do --help and --version.
  bool no_window = false;
  for (int i = 1; i < argc; ++i)
    for (const char* option : {"--export", "--help", "-h", "--version", "-v"})
      no_window = no_window || std::strncmp(argv[i], option, std::strlen(option)) == 0;
  if (no_window && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");

  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("arenascope"));
  QApplication::setApplicationName(QStringLiteral("arenascope"));
  QApplication::setApplicationVersion(QStringLiteral(ARENASCOPE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("org.arenascope.Arenascope"));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/arenascope.svg")));
  QApplication::setStyle(QStringLiteral("Fusion"));
  QSettings::setDefaultFormat(QSettings::IniFormat);
  set_language(Preferences::load().language);

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QCoreApplication::translate("Main", "See how a tensor graph runs and lives in memory."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(
      QStringLiteral("file"),
      QCoreApplication::translate(
          "Main", "A model (.onnx, .gguf, zoo:NAME) or a recording; a second one is compared with the first."),
      QStringLiteral("[file…]"));
  auto option = [&](const char* name, const QString& text, const char* value) {
    parser.addOption({QString::fromLatin1(name), text, QString::fromLatin1(value)});
  };
  option("export",
         QCoreApplication::translate("Main", "Draw a view without a window: %1.")
             .arg(export_views().join(QStringLiteral(", "))),
         "view");
  parser.addOption({{QStringLiteral("o"), QStringLiteral("output")},
                    QCoreApplication::translate("Main", "Where the picture goes (.png, .svg or .pdf)."),
                    QStringLiteral("picture")});
  option("size", QCoreApplication::translate("Main", "Size of the picture in logical pixels (1600x900)."), "WxH");
  option("scale", QCoreApplication::translate("Main", "Pixels of a PNG for each logical pixel (1)."), "factor");
  option("theme", QCoreApplication::translate("Main", "light or dark."), "theme");
  option("language", QCoreApplication::translate("Main", "en or zh_CN."), "language");
  option("colour", QCoreApplication::translate("Main", "Of the graph: state, op, backend, time, bytes or block."),
         "what");
  option("layout", QCoreApplication::translate("Main", "Of the window: default, graph, memory, time or lesson."),
         "layout");
  option("select", QCoreApplication::translate("Main", "Name of a node to select."), "node");
  option("planner", QCoreApplication::translate("Main", "Show this planner's plan over the one in use."), "name");
  option("order", QCoreApplication::translate("Main", "The order of that plan."), "name");
  parser.addOption(
      {QStringLiteral("time"), QCoreApplication::translate("Main", "Time on the x axis instead of steps.")});
  parser.addOption({QStringLiteral("expand"), QCoreApplication::translate("Main", "Open all layers of the graph.")});
  parser.process(application);
  auto refuse = [](const QString& sentence) {
    std::fprintf(stderr, "arenascope: %s\n", qUtf8Printable(sentence));
    return 2;
  };

  if (parser.isSet(QStringLiteral("language"))) {
    if (!languages().contains(parser.value(QStringLiteral("language"))))
      return refuse(QStringLiteral("--language is en or zh_CN"));
    set_language(parser.value(QStringLiteral("language")));
  }
  const QString theme = parser.value(QStringLiteral("theme"));
  if (!theme.isEmpty() && theme != u"light" && theme != u"dark")
    return refuse(QStringLiteral("--theme is light or dark"));

  const QStringList files = parser.positionalArguments();
  if (parser.isSet(QStringLiteral("export"))) {
    ExportOptions options;
    options.view = parser.value(QStringLiteral("export"));
    options.output = parser.value(QStringLiteral("output"));
    if (files.isEmpty() || files.size() > 2)
      return refuse(QStringLiteral("--export wants one model or recording, and perhaps one to compare with"));
    options.compare = files.value(1);
    if (options.output.isEmpty()) return refuse(QStringLiteral("--export wants -o FILE"));
    options.spec = files.front();
    if (parser.isSet(QStringLiteral("size"))) {
      const QStringList parts = parser.value(QStringLiteral("size")).split(u'x');
      options.size_given = true;
      options.size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
      if (options.size.width() < 64 || options.size.height() < 64 || options.size.width() > 16384 ||
          options.size.height() > 16384)
        return refuse(QStringLiteral("--size is WIDTHxHEIGHT, from 64x64 to 16384x16384"));
    }
    if (parser.isSet(QStringLiteral("scale"))) {
      options.scale = parser.value(QStringLiteral("scale")).toDouble();
      if (!(options.scale >= 0.25 && options.scale <= 8)) return refuse(QStringLiteral("--scale is from 0.25 to 8"));
    }
    options.theme = theme == u"dark" ? arenascope::views::ThemeMode::Dark : arenascope::views::ThemeMode::Light;
    options.colour = parser.value(QStringLiteral("colour"));
    options.layout = parser.value(QStringLiteral("layout"));
    options.select = parser.value(QStringLiteral("select"));
    options.planner = parser.value(QStringLiteral("planner"));
    options.order = parser.value(QStringLiteral("order"));
    options.time = parser.isSet(QStringLiteral("time"));
    options.expand = parser.isSet(QStringLiteral("expand"));
    return run_export(options);
  }

  MainWindow window;
  if (!theme.isEmpty())
    window.theme()->set_mode(theme == u"dark" ? arenascope::views::ThemeMode::Dark
                                              : arenascope::views::ThemeMode::Light);
  window.show();
  window.offer_left_behind();
  if (!files.isEmpty()) window.open(files.front());
  if (files.size() > 1) window.compare_with(files[1]);
  return QApplication::exec();
}
