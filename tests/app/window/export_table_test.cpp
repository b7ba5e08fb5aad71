// SPDX-License-Identifier: GPL-3.0-or-later
// Tables are exported without a window: the test has no QApplication, and without one each widget ends the program.
#include <QFile>
#include <QGuiApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <views/common/settings.h>

#include "app/window/export/export_command.h"

using namespace arenascope;
using namespace arenascope::app;

class ExportTableTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  QString exported(ExportOptions options) {
    options.output = folder_.filePath(options.view + QStringLiteral(".csv"));
    options.runs = 1;
    if (run_export(options) != 0) return QStringLiteral("failed");
    QFile file(options.output);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QStringLiteral("unreadable");
  }
  static ExportOptions of(const char* view, const char* spec) {
    ExportOptions options;
    options.view = QString::fromLatin1(view);
    options.spec = QString::fromLatin1(spec);
    return options;
  }

 private Q_SLOTS:
  void initTestCase() {
    QCoreApplication::setOrganizationName("arenascope");
    QCoreApplication::setApplicationName("arenascope-export-table-test");
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
    QStandardPaths::setTestModeEnabled(true);
    qputenv("XDG_STATE_HOME", folder_.path().toUtf8());
  }

  void tables_of_a_model() {
    for (const char* view : {"graph", "nodes", "arena", "blocks", "timeline", "flame", "planners"}) {
      const QString csv = exported(of(view, "zoo:mul_mat"));
      QVERIFY2(csv.count(u'\n') > 1, qPrintable(QLatin1String(view) + u' ' + csv));
    }
  }

  void facts_of_the_selection() {
    ExportOptions options = of("inspector", "zoo:mul_mat");
    options.select = QStringLiteral("result");
    const QString csv = exported(options);
    QVERIFY2(csv.startsWith("Section,Property,Value\n") && csv.contains("MUL_MAT"), qPrintable(csv));
  }

  void savings_are_searched() {
    const QString csv = exported(of("findings", "zoo:squeezenet"));
    QVERIFY2(csv.count(u'\n') > 1, qPrintable(csv));
  }

  void a_comparison_is_loaded() {
    ExportOptions options = of("compare", "zoo:mul_mat");
    options.compare = options.spec;
    QVERIFY2(exported(options).count(u'\n') > 1, "no rows");
  }

  void a_panel_without_a_table_is_refused() {
    ExportOptions options = of("lesson", "zoo:mul_mat");
    options.output = folder_.filePath("lesson.csv");
    QCOMPARE(run_export(options), 1);
    QVERIFY(!QFile::exists(options.output));
  }
};

int main(int argc, char** argv) {
  QGuiApplication application(argc, argv);
  ExportTableTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "export_table_test.moc"
