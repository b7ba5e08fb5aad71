// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/common/spaces.h>
#include <views/findings/finding_text.h>
#include <QCoreApplication>
#include <QStringList>

namespace arenascope::views {
namespace {

using Kind = Finding::Kind;

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Findings)
};

class Speaker {
 public:
  explicit Speaker(const FindingsInput& in) : in_(in) {}
  QString name(trace::TensorRef ref) const {
    if (in_.graph && ref.valid()) {
      const auto& list = ref.is_leaf() ? in_.graph->leafs : in_.graph->nodes;
      if (ref.index() < list.size() && !list[ref.index()].name.empty())
        return QString::fromStdString(list[ref.index()].name);
    }
    return Words::node(ref);
  }
  Bytes bytes(trace::TensorRef ref) const {
    if (!in_.graph || !ref.valid()) return 0;
    const auto& list = ref.is_leaf() ? in_.graph->leafs : in_.graph->nodes;
    return ref.index() < list.size() ? list[ref.index()].bytes : 0;
  }
  // "a, b and 3 more"
  QString names(const std::vector<trace::TensorRef>& refs, size_t most, bool with_bytes, size_t all) const {
    QStringList list;
    for (size_t i = 0; i < refs.size() && i < most; ++i)
      list << (with_bytes ? QStringLiteral("%1 (%2)").arg(name(refs[i]), format_bytes(bytes(refs[i]))) : name(refs[i]));
    QString text = list.join(Texts::tr(", "));
    if (all > most) text += Texts::tr(" and %n more", nullptr, static_cast<int>(all - most));
    return text;
  }
  QString slices(const Finding& f, size_t most, bool waste) const {
    QStringList list;
    for (size_t i = 0; i < f.slices.size() && i < most; ++i) {
      const trace::SpaceSlice& s = f.slices[i];
      list << QStringLiteral("%1 (%2)").arg(slice_name(*in_.snapshot, s),
                                            format_bytes(waste ? s.bytes - s.asked : s.bytes));
    }
    QString text = list.join(Texts::tr(", "));
    const auto all = static_cast<size_t>(f.count);
    if (all > most) text += Texts::tr(" and %n more", nullptr, static_cast<int>(all - most));
    return text;
  }
  QString after_begin(Nanoseconds t) const { return format_ns(t - in_.snapshot->time.begin); }
  QString thread(trace::TrackId id) const {
    const auto& tracks = in_.snapshot->tracks;
    return id.valid() && id.index() < tracks.size() && !tracks[id.index()].info.name.empty()
               ? QString::fromStdString(tracks[id.index()].info.name)
               : Texts::tr("thread %1").arg(id.value);
  }

 private:
  const FindingsInput& in_;
};

}  // namespace

QString finding_sentence(const Finding& f, const FindingsInput& in) {
  const Speaker words(in);
  const QString first = f.tensors.empty() ? QString() : words.name(f.tensors[0]);
  const QString saved = format_bytes(f.saved);
  const auto all = static_cast<size_t>(f.count);
  switch (f.kind) {
    case Kind::AtPeak:
      return Texts::tr("At the peak, step %1, %2 are live in %n tensor(s): %3.", nullptr, static_cast<int>(f.count))
          .arg(format_count(f.step.value), format_bytes(f.bytes), words.names(f.tensors, 3, true, all));
    case Kind::Order:
      return Texts::tr("The order %1 lowers the arena by %2.").arg(QString::fromStdString(f.order), saved);
    case Kind::Planner:
      return Texts::tr("The planner %1 lowers the arena by %2 on the same order.")
          .arg(QString::fromStdString(f.planner), saved);
    case Kind::InPlaceAll:
      return Texts::tr("If ops worked in place where they may, %n of them, the arena would be %1 smaller.", nullptr,
                       static_cast<int>(f.count))
          .arg(saved);
    case Kind::InPlace:
      return Texts::tr("%1 may write over %2, whose last user it is: in place, the arena is %3 smaller.")
          .arg(first, f.tensors.size() > 1 ? words.name(f.tensors[1]) : QString(), saved);
    case Kind::Alignment:
      return Texts::tr("An alignment of %1 bytes instead of %2 saves %3 of padding.")
          .arg(f.alignment)
          .arg(in.plan ? in.plan->alignment : 0)
          .arg(saved);
    case Kind::Rematerialise:
      return f.tensors.size() == 1
                 ? Texts::tr(
                       "%1 lies unused for %2 steps around the peak: rematerialising it behind them lowers the "
                       "arena by %3.")
                       .arg(first, format_count(f.count), saved)
                 : Texts::tr(
                       "%n tensors lie unused around the peak: rematerialising them behind it lowers the arena by %1 "
                       "(%2).",
                       nullptr, static_cast<int>(f.tensors.size()))
                       .arg(saved, words.names(f.tensors, 3, false, f.tensors.size()));
    case Kind::Offload:
      return f.tensors.size() == 1
                 ? Texts::tr(
                       "%1 lies unused for %2 steps around the peak: offloading it to the host and back, %3 in all, "
                       "lowers the arena by %4.")
                       .arg(first, format_count(f.count), format_bytes(f.bytes), saved)
                 : Texts::tr(
                       "%n tensors lie unused around the peak: offloading them to the host and back, %1 in all, lowers "
                       "the arena by %2 (%3).",
                       nullptr, static_cast<int>(f.tensors.size()))
                       .arg(format_bytes(f.bytes), saved, words.names(f.tensors, 3, false, f.tensors.size()));
    case Kind::Concat:
      return Texts::tr(
                 "What %1 joins could be computed where it joins it: %2 are not copied, and the arena is %3 smaller.")
          .arg(words.names(f.tensors, 2, false, f.tensors.size()), format_bytes(f.bytes), saved);
    case Kind::Contiguous:
      return f.saved > 0 ? Texts::tr("%1 copies %2 that lie in order already: without it the arena is %3 smaller.")
                               .arg(first, format_bytes(f.bytes), saved)
                         : Texts::tr("%1 copies %2 that lie in order already.").arg(first, format_bytes(f.bytes));
    case Kind::Holes:
      return Texts::tr("At the peak %1 of the arena, %2, lie in %n hole(s); above them: %3.", nullptr,
                       static_cast<int>(f.count))
          .arg(format_bytes(f.bytes), format_percent(f.share), words.names(f.tensors, 3, false, f.tensors.size()));
    case Kind::LateThread:
      return Texts::tr("%1 comes last at %2 of the barriers; the others wait %3 a run for it.")
          .arg(words.thread(f.track), format_percent(f.share), format_ns(f.time));
    case Kind::Imbalance:
      return Texts::tr("Behind %1 the threads wait %2 of their time, %3 a run together; it is split into %n part(s).",
                       nullptr, static_cast<int>(f.count))
          .arg(first, format_percent(f.share), format_ns(f.time));
    case Kind::CopyAgain:
      return Texts::tr("%1 is copied between devices %n times a run; once would save %2.", nullptr,
                       static_cast<int>(f.count))
          .arg(first, format_bytes(f.bytes));
    case Kind::SpacesAtPeak:
      return Texts::tr("At the peak, after %1, %2 are handed out in %n block(s): %3.", nullptr,
                       static_cast<int>(f.count))
          .arg(words.after_begin(f.at), format_bytes(f.bytes), words.slices(f, 3, false));
    case Kind::Fragmentation:
      return Texts::tr("Spaces held up to %1 at once that nobody used, as much as %2 of the most that they held.")
          .arg(format_bytes(f.bytes), format_percent(f.share));
    case Kind::Waste:
      return Texts::tr("At the peak, %1 of what is handed out, %2, were not asked for but lie in %n block(s): %3.",
                       nullptr, static_cast<int>(f.count))
          .arg(format_bytes(f.bytes), format_percent(f.share), words.slices(f, 3, true));
    case Kind::Packed:
      return Texts::tr("A plan of the same lifetimes needs %1, by the planner %2: %3 less than the spaces held.")
          .arg(format_bytes(f.bytes), QString::fromStdString(f.planner), saved);
  }
  return {};
}

QString finding_saving(const Finding& f) {
  if (f.saved > 0) return format_bytes(f.saved);
  if (f.time > 0) return format_ns(f.time);
  return QStringLiteral("—");
}

}  // namespace arenascope::views
