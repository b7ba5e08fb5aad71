// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by tests of the real window: isolated settings, a window per test, opened models and recordings.
#pragma once

#include <QCoreApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

#include <arenascope/trace/recording.h>
#include <views/common/plot_view.h>
#include <views/common/settings.h>
#include "app/window/language/language.h"

#include "app/window/actions/command_palette.h"
#include "app/window/bars/document_tabs.h"
#include "app/window/bars/message_bar.h"
#include "app/window/events/ui_watch.h"
#include "app/window/main_window.h"
#include "app/window/panels/breakpoint_panel.h"
#include "app/window/panels/inspector_panel.h"

namespace arenascope::app {

class WindowFixture {
 protected:
  Document& doc() const { return window_->document(); }
  Panels& panels() const { return *window_->shell().panels; }
  views::PlotView* plot_view(PanelId id) const { return panels().parts(id).plot; }

  static constexpr int kPatience = 60'000;  // milliseconds

  // Once per program: the user's settings are neither read nor written.
  void set_up(const char* name) {
    QCoreApplication::setOrganizationName("arenascope");
    QCoreApplication::setApplicationName(name);
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
    QStandardPaths::setTestModeEnabled(true);
    qputenv("XDG_STATE_HOME", folder_.path().toUtf8());
  }
  void make_window(const QString& language = QStringLiteral("en")) {
    views::Settings::clear();
    set_language(language);
    window_ = std::make_unique<MainWindow>();
    window_->resize(1600, 900);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }
  // Waits until it is loaded; a model until its first run has ended.
  void open(const QString& spec) {
    window_->open(spec);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->spec() == spec && doc().axis()->steps() > 0, kPatience);
    if (!doc().runner()->has_model()) return;
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready && !doc().source()->snapshot()->runs.empty() &&
                                 doc().source()->snapshot()->runs[0].finished,
                             kPatience);
  }
  // A recording of squeezenet's first run.
  void open_recording() {
    if (recording_.isEmpty()) {
      open(QStringLiteral("zoo:squeezenet"));
      recording_ = folder_.filePath("squeezenet.arenascope");
      QVERIFY(trace::save_recording(*doc().source()->snapshot(), recording_.toStdString()).ok());
    }
    open(recording_);
    QVERIFY(!doc().runner()->has_model());
  }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  QString recording_;
};

}  // namespace arenascope::app
