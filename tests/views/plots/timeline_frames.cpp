// SPDX-License-Identifier: GPL-3.0-or-later
// Measures frames while panning and zooming a recording of 1,000,000 spans at 1600x900. Prints the median and the 99th
// percentile of a frame on the UI thread, and the time to prepare a picture in the background. ARENASCOPE_SPANS changes
// the number of spans.
#include <sample_session.h>
#include <views/timeline/timeline_view.h>

#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <ctime>

using namespace arenascope;
using namespace arenascope::views;

// CPU time of this thread, which does not depend on other load.
static double worked_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

class TimelineFrames : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pan_and_zoom() {
    const int64_t spans = std::max(qEnvironmentVariableIntValue("ARENASCOPE_SPANS"), 0) > 0
                              ? qEnvironmentVariableIntValue("ARENASCOPE_SPANS")
                              : 1'000'000;
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    TimelineView view({&source, &selection, &axis, &theme});
    const auto session = test::span_session(spans);
    QElapsedTimer clock;
    clock.start();
    source.set_session(session);
    axis.set_mode(AxisMode::Time);
    axis.frame_all();
    view.resize(1600, 900);
    view.show();
    view.prepare_now();
    const double first = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    QVERIFY(source.snapshot()->event_count >= spans);

    std::vector<double> frames, worked;
    int drawn = 0;
    connect(&view, &PlotView::painted, this, [&] { ++drawn; });
    const auto frame = [&](auto change) {
      clock.restart();
      const double before = worked_ms();
      change();
      drawn = 0;
      // As in the event loop: take the prepared data, draw once, and show it.
      while (drawn == 0) QCoreApplication::processEvents();
      QCoreApplication::processEvents();
      frames.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
      worked.push_back(worked_ms() - before);
      if (qEnvironmentVariableIsSet("ARENASCOPE_EACH_FRAME")) {
        qInfo("%8.2f ms  replot %6.2f ms  drawn %d  dense %d  spans %zu", frames.back(), view.last_frame_ms(), drawn,
              view.spans()->was_dense(), view.picture()->spans->size());
      }
    };
    const AxisRange all = axis.range();
    for (int level = 0; level < 6; ++level) {
      const double length = all.length() / std::pow(6.0, level);
      axis.set_range({all.middle() - length / 2, all.middle() + length / 2});
      if (level > 0)
        for (int i = 0; i < 25; ++i) frame([&] { axis.pan(i < 13 ? 0.04 : -0.04); });
      for (int i = 0; i < 25; ++i) frame([&] { axis.zoom(i < 13 ? 1 / 1.08 : 1.08, axis.range().middle()); });
    }
    std::vector<double> prepared;
    for (int level = 0; level < 6; ++level) {
      const double length = all.length() / std::pow(6.0, level);
      axis.set_range({all.middle() - length / 2, all.middle() + length / 2});
      clock.restart();
      PrepareInput in{source.snapshot(), nullptr, source.run(), source.graph(),
                      source.plan(),     nullptr, axis.frame(), 4800};
      in.axis.range = {axis.range().lo - length, axis.range().hi + length};
      const auto p = prepare_timeline(in, {});
      prepared.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
      QVERIFY(!p->spans->empty());
    }
    std::sort(frames.begin(), frames.end());
    std::sort(worked.begin(), worked.end());
    const auto median = [](const std::vector<double>& v) { return v[v.size() / 2]; };
    const auto p99 = [](const std::vector<double>& v) { return v[v.size() * 99 / 100]; };
    qInfo("%lld spans, 1600x900: frame median %.2f ms, 99th percentile %.2f ms (budget 16 and 33)",
          static_cast<long long>(spans), median(frames), p99(frames));
    qInfo("of which the UI thread worked: median %.2f ms, 99th percentile %.2f ms", median(worked), p99(worked));
    qInfo("first picture %.1f ms; preparing three windows' width at most %.1f ms", first,
          *std::max_element(prepared.begin(), prepared.end()));
    // Tests run in parallel, so the budget applies to CPU time, not to time waiting for a core.
    QVERIFY2(median(worked) < 16, "the median frame is above its budget of 16 ms");
    QVERIFY2(p99(worked) < 33, "the 99th percentile of the frames is above its budget of 33 ms");
  }
};

QTEST_MAIN(TimelineFrames)
#include "timeline_frames.moc"
