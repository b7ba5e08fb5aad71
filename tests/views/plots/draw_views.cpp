// SPDX-License-Identifier: GPL-3.0-or-later
// draw_views FOLDER [BLOCKS|RECORDING]: exports every plotted view of a sample session or a recording as images, light
// and dark, over steps and time.
#include <arenascope/trace/recording.h>
#include <sample_session.h>
#include <views/arena/arena_view.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/timeline/timeline_view.h>

#include <QApplication>
#include <QDir>

using namespace arenascope;
using namespace arenascope::views;

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  const QDir folder(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("."));
  test::SampleOptions options;
  std::shared_ptr<trace::Session> session;
  if (argc > 2 && QByteArray(argv[2]).toInt() == 0) {
    session = std::make_shared<trace::Session>();
    const auto read = trace::read_recording(argv[2], *session);
    if (!read) qFatal("%s", read.error().message.c_str());
  } else if (argc > 2) {
    options.blocks = QByteArray(argv[2]).toInt();
  }
  SessionSource source;
  SelectionModel selection;
  SharedAxis axis(&source);
  Theme theme;
  const ViewContext context{&source, &selection, &axis, &theme};
  OccupancyView occupancy(context);
  ArenaView arena(context);
  LifetimesView lifetimes(context);
  TimelineView timeline(context);
  source.set_session(session ? session : test::sample_session(options));
  const auto draw = [&](PlotView& view, const QString& name, QSize size) {
    const Status done = export_picture(view, folder.filePath(name), size, 1);
    if (!done) qWarning("%s", done.error().message.c_str());
  };
  for (const bool dark : {false, true}) {
    theme.set_mode(dark ? ThemeMode::Dark : ThemeMode::Light);
    for (const AxisMode mode : {AxisMode::Step, AxisMode::Time}) {
      axis.set_mode(mode);
      axis.frame_all();
      axis.set_current(Step(20));
      selection.select(Selection::node(trace::GraphId(0), NodeId(11)));
      const QString tail =
          QStringLiteral("_%1_%2.png").arg(mode == AxisMode::Step ? "step" : "time", dark ? "dark" : "light");
      occupancy.set_scope(OccupancyScope::Arena);
      draw(occupancy, "occupancy" + tail, {1100, 220});
      occupancy.set_scope(OccupancyScope::Kinds);
      draw(occupancy, "kinds" + tail, {1100, 220});
      draw(arena, "arena" + tail, {1100, 420});
      draw(lifetimes, "lifetimes" + tail, {1100, 360});
      draw(timeline, "timeline" + tail, {1100, 240});
      axis.frame_steps(Step(8), Step(18));
      draw(timeline, "timeline_near" + tail, {1100, 240});
      draw(arena, "arena_near" + tail, {1100, 420});
      draw(occupancy, "occupancy_near" + tail, {1100, 220});
    }
  }
  draw(arena, QStringLiteral("arena.svg"), {1100, 420});
  draw(timeline, QStringLiteral("timeline.pdf"), {1100, 240});
  return 0;
}
