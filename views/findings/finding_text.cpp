// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/choice_names.h>
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

class NameFormatter {
 public:
  explicit NameFormatter(const FindingsInput& in) : in_(in) {}
  QString name(trace::TensorRef ref) const {
    if (in_.graph && ref.valid()) {
      const auto& list = ref.is_leaf() ? in_.graph->leafs : in_.graph->nodes;
      if (ref.index() < list.size() && !list[ref.index()].name.empty())
        return QString::fromStdString(list[ref.index()].name);
    }
    return DisplayNames::node(ref);
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
      const trace::SpaceAllocation& s = f.slices[i];
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

// One function per kind of finding.
class Sentence {
 public:
  Sentence(const Finding& f, const FindingsInput& in)
      : f_(f),
        in_(in),
        format_(in),
        first_(f.tensors.empty() ? QString() : format_.name(f.tensors[0])),
        saved_(format_bytes(f.saved)),
        all_(static_cast<size_t>(f.count)) {}

  QString at_peak() const {
    return Texts::tr("At the peak, step %1, %2 are live in %n tensor(s): %3.", nullptr, static_cast<int>(f_.count))
        .arg(format_count(f_.step.value), format_bytes(f_.bytes), format_.names(f_.tensors, 3, true, all_));
  }
  QString order() const {
    return Texts::tr("Execution order %1 reduces the arena by %2.").arg(QString::fromStdString(f_.order), saved_);
  }
  QString planner() const {
    return Texts::tr("Planner %1 reduces the arena by %2 for the same execution order.")
        .arg(planner_text(f_.planner), saved_);
  }
  QString in_place_all() const {
    return Texts::tr("Running %n eligible op(s) in place would reduce the arena by %1.", nullptr,
                     static_cast<int>(f_.count))
        .arg(saved_);
  }
  QString in_place() const {
    return Texts::tr("%1 is the last user of %2: running it in place reduces the arena by %3.")
        .arg(first_, f_.tensors.size() > 1 ? format_.name(f_.tensors[1]) : QString(), saved_);
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
                     "%1 is idle for %2 steps around the peak: rematerialising it afterwards reduces the arena by %3.")
                     .arg(first_, format_count(f_.count), saved_)
               : Texts::tr(
                     "%n tensor(s) are idle around the peak: rematerialising them afterwards reduces the arena by %1 "
                     "(%2).",
                     nullptr, static_cast<int>(f_.tensors.size()))
                     .arg(saved_, format_.names(f_.tensors, 3, false, f_.tensors.size()));
  }
  QString offload() const {
    return f_.tensors.size() == 1
               ? Texts::tr(
                     "%1 is idle for %2 steps around the peak: offloading it to the host and reloading it, %3 in "
                     "total, reduces the arena by %4.")
                     .arg(first_, format_count(f_.count), format_bytes(f_.bytes), saved_)
               : Texts::tr(
                     "%n tensor(s) are idle around the peak: offloading them to the host and reloading them, %1 in "
                     "total, reduces the arena by %2 (%3).",
                     nullptr, static_cast<int>(f_.tensors.size()))
                     .arg(format_bytes(f_.bytes), saved_, format_.names(f_.tensors, 3, false, f_.tensors.size()));
  }
  QString concat() const {
    return Texts::tr(
               "The inputs of %1 could be computed directly into its result: this avoids copying %2 and reduces the "
               "arena by %3.")
        .arg(format_.names(f_.tensors, 2, false, f_.tensors.size()), format_bytes(f_.bytes), saved_);
  }
  QString contiguous() const {
    return f_.saved > 0 ? Texts::tr("%1 copies %2 that are already contiguous: removing it reduces the arena by %3.")
                              .arg(first_, format_bytes(f_.bytes), saved_)
                        : Texts::tr("%1 copies %2 that are already contiguous.").arg(first_, format_bytes(f_.bytes));
  }
  QString holes() const {
    return Texts::tr("At the peak, %1 of the arena (%2) is in %n hole(s); above them: %3.", nullptr,
                     static_cast<int>(f_.count))
        .arg(format_bytes(f_.bytes), format_percent(f_.share), format_.names(f_.tensors, 3, false, f_.tensors.size()));
  }
  QString late_thread() const {
    return Texts::tr("%1 is the last arriver at %2 of the barriers; the other threads wait %3 per run for it.")
        .arg(format_.thread(f_.track), format_percent(f_.share), format_ns(f_.time));
  }
  QString imbalance() const {
    return Texts::tr(
               "At the barrier after %1, threads idle %2 of their time, %3 per run in total; the node is split into %n "
               "chunk(s).",
               nullptr, static_cast<int>(f_.count))
        .arg(first_, format_percent(f_.share), format_ns(f_.time));
  }
  QString copy_again() const {
    return Texts::tr("%1 is copied between devices %n time(s) per run; copying it once would save %2.", nullptr,
                     static_cast<int>(f_.count))
        .arg(first_, format_bytes(f_.bytes));
  }
  QString spaces_at_peak() const {
    return Texts::tr("At the peak, after %1, %2 are allocated in %n block(s): %3.", nullptr, static_cast<int>(f_.count))
        .arg(format_.after_begin(f_.at), format_bytes(f_.bytes), format_.slices(f_, 3, false));
  }
  QString fragmentation() const {
    return Texts::tr("Up to %1 was reserved but unused at once, %2 of the peak reservation.")
        .arg(format_bytes(f_.bytes), format_percent(f_.share));
  }
  QString waste() const {
    return Texts::tr("At the peak, %1 of the allocated memory (%2) is rounding overhead in %n block(s): %3.", nullptr,
                     static_cast<int>(f_.count))
        .arg(format_bytes(f_.bytes), format_percent(f_.share), format_.slices(f_, 3, true));
  }
  QString packed() const {
    return Texts::tr("A plan of the same lifetimes needs %1 (planner %2), %3 less than was reserved.")
        .arg(format_bytes(f_.bytes), planner_text(f_.planner), saved_);
  }

 private:
  const Finding& f_;
  const FindingsInput& in_;
  const NameFormatter format_;
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
