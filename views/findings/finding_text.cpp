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

// One for each kind of finding.
class Sentence {
 public:
  Sentence(const Finding& f, const FindingsInput& in)
      : f_(f),
        in_(in),
        words_(in),
        first_(f.tensors.empty() ? QString() : words_.name(f.tensors[0])),
        saved_(format_bytes(f.saved)),
        all_(static_cast<size_t>(f.count)) {}

  QString at_peak() const {
    return Texts::tr("At the peak, step %1, %2 are live in %n tensor(s): %3.", nullptr, static_cast<int>(f_.count))
        .arg(format_count(f_.step.value), format_bytes(f_.bytes), words_.names(f_.tensors, 3, true, all_));
  }
  QString order() const {
    return Texts::tr("The order %1 lowers the arena by %2.").arg(QString::fromStdString(f_.order), saved_);
  }
  QString planner() const {
    return Texts::tr("The planner %1 lowers the arena by %2 on the same order.")
        .arg(QString::fromStdString(f_.planner), saved_);
  }
  QString in_place_all() const {
    return Texts::tr("If ops worked in place where they may, %n of them, the arena would be %1 smaller.", nullptr,
                     static_cast<int>(f_.count))
        .arg(saved_);
  }
  QString in_place() const {
    return Texts::tr("%1 may write over %2, whose last user it is: in place, the arena is %3 smaller.")
        .arg(first_, f_.tensors.size() > 1 ? words_.name(f_.tensors[1]) : QString(), saved_);
  }
  QString alignment() const {
    return Texts::tr("An alignment of %1 bytes instead of %2 saves %3 of padding.")
        .arg(f_.alignment)
        .arg(in_.plan ? in_.plan->alignment : 0)
        .arg(saved_);
  }
  QString rematerialise() const {
    return f_.tensors.size() == 1
               ? Texts::tr(
                     "%1 lies unused for %2 steps around the peak: rematerialising it behind them lowers the "
                     "arena by %3.")
                     .arg(first_, format_count(f_.count), saved_)
               : Texts::tr(
                     "%n tensors lie unused around the peak: rematerialising them behind it lowers the arena by %1 "
                     "(%2).",
                     nullptr, static_cast<int>(f_.tensors.size()))
                     .arg(saved_, words_.names(f_.tensors, 3, false, f_.tensors.size()));
  }
  QString offload() const {
    return f_.tensors.size() == 1
               ? Texts::tr(
                     "%1 lies unused for %2 steps around the peak: offloading it to the host and back, %3 in all, "
                     "lowers the arena by %4.")
                     .arg(first_, format_count(f_.count), format_bytes(f_.bytes), saved_)
               : Texts::tr(
                     "%n tensors lie unused around the peak: offloading them to the host and back, %1 in all, lowers "
                     "the arena by %2 (%3).",
                     nullptr, static_cast<int>(f_.tensors.size()))
                     .arg(format_bytes(f_.bytes), saved_, words_.names(f_.tensors, 3, false, f_.tensors.size()));
  }
  QString concat() const {
    return Texts::tr(
               "What %1 joins could be computed where it joins it: %2 are not copied, and the arena is %3 smaller.")
        .arg(words_.names(f_.tensors, 2, false, f_.tensors.size()), format_bytes(f_.bytes), saved_);
  }
  QString contiguous() const {
    return f_.saved > 0 ? Texts::tr("%1 copies %2 that lie in order already: without it the arena is %3 smaller.")
                              .arg(first_, format_bytes(f_.bytes), saved_)
                        : Texts::tr("%1 copies %2 that lie in order already.").arg(first_, format_bytes(f_.bytes));
  }
  QString holes() const {
    return Texts::tr("At the peak %1 of the arena, %2, lie in %n hole(s); above them: %3.", nullptr,
                     static_cast<int>(f_.count))
        .arg(format_bytes(f_.bytes), format_percent(f_.share), words_.names(f_.tensors, 3, false, f_.tensors.size()));
  }
  QString late_thread() const {
    return Texts::tr("%1 comes last at %2 of the barriers; the others wait %3 a run for it.")
        .arg(words_.thread(f_.track), format_percent(f_.share), format_ns(f_.time));
  }
  QString imbalance() const {
    return Texts::tr("Behind %1 the threads wait %2 of their time, %3 a run together; it is split into %n part(s).",
                     nullptr, static_cast<int>(f_.count))
        .arg(first_, format_percent(f_.share), format_ns(f_.time));
  }
  QString copy_again() const {
    return Texts::tr("%1 is copied between devices %n times a run; once would save %2.", nullptr,
                     static_cast<int>(f_.count))
        .arg(first_, format_bytes(f_.bytes));
  }
  QString spaces_at_peak() const {
    return Texts::tr("At the peak, after %1, %2 are handed out in %n block(s): %3.", nullptr,
                     static_cast<int>(f_.count))
        .arg(words_.after_begin(f_.at), format_bytes(f_.bytes), words_.slices(f_, 3, false));
  }
  QString fragmentation() const {
    return Texts::tr("Spaces held up to %1 at once that nobody used, as much as %2 of the most that they held.")
        .arg(format_bytes(f_.bytes), format_percent(f_.share));
  }
  QString waste() const {
    return Texts::tr("At the peak, %1 of what is handed out, %2, were not asked for but lie in %n block(s): %3.",
                     nullptr, static_cast<int>(f_.count))
        .arg(format_bytes(f_.bytes), format_percent(f_.share), words_.slices(f_, 3, true));
  }
  QString packed() const {
    return Texts::tr("A plan of the same lifetimes needs %1, by the planner %2: %3 less than the spaces held.")
        .arg(format_bytes(f_.bytes), QString::fromStdString(f_.planner), saved_);
  }

 private:
  const Finding& f_;
  const FindingsInput& in_;
  const Speaker words_;
  const QString first_, saved_;
  const size_t all_;
};

}  // namespace

QString finding_sentence(const Finding& f, const FindingsInput& in) {
  const Sentence sentence(f, in);
  switch (f.kind) {
    case Kind::AtPeak: return sentence.at_peak();
    case Kind::Order: return sentence.order();
    case Kind::Planner: return sentence.planner();
    case Kind::InPlaceAll: return sentence.in_place_all();
    case Kind::InPlace: return sentence.in_place();
    case Kind::Alignment: return sentence.alignment();
    case Kind::Rematerialise: return sentence.rematerialise();
    case Kind::Offload: return sentence.offload();
    case Kind::Concat: return sentence.concat();
    case Kind::Contiguous: return sentence.contiguous();
    case Kind::Holes: return sentence.holes();
    case Kind::LateThread: return sentence.late_thread();
    case Kind::Imbalance: return sentence.imbalance();
    case Kind::CopyAgain: return sentence.copy_again();
    case Kind::SpacesAtPeak: return sentence.spaces_at_peak();
    case Kind::Fragmentation: return sentence.fragmentation();
    case Kind::Waste: return sentence.waste();
    case Kind::Packed: return sentence.packed();
  }
  return {};
}

QString finding_saving(const Finding& f) {
  if (f.saved > 0) return format_bytes(f.saved);
  if (f.time > 0) return format_ns(f.time);
  return QStringLiteral("—");
}

}  // namespace arenascope::views
