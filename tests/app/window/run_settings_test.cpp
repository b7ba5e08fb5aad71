// SPDX-License-Identifier: GPL-3.0-or-later
// The Run Settings panel has every option of the table, and the chosen values apply to the run.
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFocusEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSet>

#include <arenascope/run/backend_options.h>
#include <arenascope/run/backends.h>

#include "app/common/run_options.h"
#include "app/window/document/run_option_settings.h"
#include "app/window/panels/run_settings_panel.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;

class RunSettingsTest : public QObject, protected WindowFixture {
  Q_OBJECT

  RunSettingsPanel& panel() { return *panels().widgets().settings; }
  std::string strategy() {
    const auto snapshot = doc().source()->snapshot();
    return snapshot->runs.empty() ? "" : snapshot->runs[snapshot->runs.size() - 1].info.strategy;
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-run-settings-test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  // Devices are listed when the user reaches the field. A driver that is slow to list them does not block the window.
  void backends_are_listed_in_the_background() {
    RunSettingsPanel fresh(doc());
    auto* box = qobject_cast<QComboBox*>(fresh.editor("backend"));
    QVERIFY(box != nullptr && box->count() == 0);
    QFocusEvent reached(QEvent::FocusIn);
    QApplication::sendEvent(box, &reached);
    QCOMPARE(box->count(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(box->findText("cpu") >= 0 && box->findText("reference") >= 0, kPatience);
    QCOMPARE(qobject_cast<const QComboBox*>(fresh.editor("planner"))->findText("search") >= 0, true);
  }

  void every_option_has_a_description_and_round_trips() {
    QSet<QString> ids, titles;
    for (const RunOption& option : run_options()) {
      ids.insert(option.id);
      titles.insert(option.title);
      QVERIFY(QString(option.description).size() > 8);
      QCOMPARE(option.choices != nullptr, option.type == OptionType::Choice);
      RunnerOptions options;
      const std::string usual = option.text(options);
      QVERIFY2(option.set(options, usual).ok(), option.id);
      QCOMPARE(option.text(options), usual);
      if (option.type == OptionType::Flag) {
        const std::string other = usual == "on" ? "off" : "on";
        QVERIFY(option.set(options, other).ok());
        QCOMPARE(option.text(options), other);
      }
      if (option.choices)
        for (const std::string& choice : option.choices()) {
          QVERIFY2(option.set(options, choice).ok(), choice.c_str());
          QCOMPARE(option.text(options), choice);
        }
      if (option.type != OptionType::List && option.type != OptionType::Text)
        QVERIFY2(!option.set(options, "no such thing").ok(), option.id);
    }
    QCOMPARE(static_cast<size_t>(ids.size()), run_options().size());
    QCOMPARE(static_cast<size_t>(titles.size()), run_options().size());
    RunnerOptions options;
    QVERIFY(set_run_options(options, {{"threads", "3"},
                                      {"dim", "batch=2\nseq=7"},
                                      {"backend-option", "precision=low\npool=separate"},
                                      {"processors", "0,1"},
                                      {"every-barrier", "on"},
                                      {"capacity", "4096"}})
                .ok());
    QCOMPARE(options.threads, 3);
    QCOMPARE(options.open.dims.at("seq"), int64_t{7});
    QCOMPARE(options.backend_options.at("pool"), std::string("separate"));
    QVERIFY(options.precision == Precision::Low);
    QCOMPARE(options.pool.processors.size(), size_t{2});
    QVERIFY(!options.execution.rows);
    QCOMPARE(*options.capacity, Bytes{4096});
    QVERIFY(!set_run_options(options, {{"no-such-option", "1"}}).ok());
  }

  void options_of_a_backend_apply_to_that_backend_only() {
    RunnerOptions options;
    QVERIFY(
        set_run_options(options, {{"opencl.tuning", "wide"}, {"opencl.pool", "bounded"}, {"precision", "low"}}).ok());
    QCOMPARE(options.backend_options, (BackendOptions{{"opencl.tuning", "wide"}}));  // the other has its default
    QVERIFY(options.precision == Precision::Low);
    const BackendOptions given{{"opencl.tuning", "wide"}, {"tuning", "none"}, {"cuda.graphs", "0"}, {"cache", "none"}};
    QCOMPARE(options_for("opencl", given), (BackendOptions{{"cache", "none"}, {"tuning", "wide"}}));
    QCOMPARE(options_for("cpu", {{"opencl.tuning", "wide"}}), BackendOptions{});
    QVERIFY(open_backend("cpu", {{"opencl.tuning", "wide"}}).ok());
    for (const BackendOptionInfo& option : backend_options())
      QVERIFY2(find_run_option(std::string(option.backend) + "." + option.name) != nullptr, option.name);
    // If such a device exists, it accepts every option with every choice, or rejects it with an error.
    for (const BackendStatus& status : list_backends()) {
      if (status.backend != "opencl" || !status.missing.empty()) continue;
      for (const BackendOptionInfo& option : backend_options()) {
        if (std::string_view(option.backend) != "opencl") continue;
        for (const std::string& value : option.values()) {
          const auto opened = open_backend("opencl", {{option.name, value}, {"cache", "none"}});
          const std::string said = opened ? "" : opened.error().message;
          QVERIFY2(said.find("expected one of") == std::string::npos &&
                       said.find("unknown OpenCL option") == std::string::npos,
                   said.c_str());
        }
      }
    }
  }

  void chosen_options_are_applied_and_saved() {
    const QString spec = QStringLiteral("zoo:mul_mat");
    open(spec);
    QCOMPARE(strategy(), std::string("planned"));
    for (const RunOption& option : run_options()) QVERIFY2(panel().editor(option.id) != nullptr, option.id);
    QVERIFY(!panel().apply_button()->isEnabled());
    qobject_cast<QComboBox*>(panel().editor("memory"))->setCurrentText("eager");
    qobject_cast<QCheckBox*>(panel().editor("every-barrier"))->setChecked(true);
    QVERIFY(panel().apply_button()->isEnabled());
    panel().apply_button()->click();
    QTRY_COMPARE_WITH_TIMEOUT(strategy(), std::string("eager"), kPatience);
    QCOMPARE(remembered_run(spec).size(), size_t{2});
    QTRY_VERIFY_WITH_TIMEOUT(!panel().apply_button()->isEnabled(), kPatience);
    // Another window uses the saved values; other models are not affected.
    window_.reset();
    window_ = std::make_unique<MainWindow>();
    window_->show();
    open(QStringLiteral("zoo:mnist_fc"));
    QCOMPARE(strategy(), std::string("planned"));
    open(spec);
    QCOMPARE(strategy(), std::string("eager"));
    QCOMPARE(qobject_cast<QComboBox*>(panel().editor("memory"))->currentText(), QString("eager"));
    panel().reset_button()->click();
    QTRY_COMPARE_WITH_TIMEOUT(strategy(), std::string("planned"), kPatience);
    QVERIFY(remembered_run(spec).empty());
  }

  void invalid_values_are_reported_and_not_applied() {
    const QString spec = QStringLiteral("zoo:mul_mat");
    open(spec);
    qobject_cast<QLineEdit*>(panel().editor("threads"))->setText("many");
    panel().apply_button()->click();
    QVERIFY2(panel().problem().contains("many"), qPrintable(panel().problem()));
    QVERIFY(remembered_run(spec).empty());
    qobject_cast<QLineEdit*>(panel().editor("threads"))->setText("2");
    qobject_cast<QPlainTextEdit*>(panel().editor("backend-option"))->setPlainText("no value");
    panel().apply_button()->click();
    QVERIFY(panel().problem().contains("no value"));
    open_recording();
    QVERIFY(!panel().apply_button()->isEnabled());
  }
};

QTEST_MAIN(RunSettingsTest)
#include "run_settings_test.moc"
