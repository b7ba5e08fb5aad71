// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/choice_names.h>
#include <views/common/format.h>
#include <views/common/spaces.h>
#include <views/findings/finding_text.h>

#include <arenascope/schedule/finding_sentence.h>
#include <QCoreApplication>
#include <QStringList>

namespace arenascope::views {
namespace {

QString translated(const char* text, int64_t count = -1) {
  return QCoreApplication::translate("Findings", text, nullptr, static_cast<int>(count));
}

QString tensor_name(const FindingsInput& about, trace::TensorRef ref) {
  if (about.graph && ref.valid()) {
    const auto& list = ref.is_leaf() ? about.graph->leafs : about.graph->nodes;
    if (ref.index() < list.size() && !list[ref.index()].name.empty())
      return QString::fromStdString(list[ref.index()].name);
  }
  return DisplayNames::node(ref);
}

QString thread_name(const FindingsInput& about, trace::TrackId id) {
  const auto& tracks = about.snapshot->tracks;
  return id.valid() && id.index() < tracks.size() && !tracks[id.index()].info.name.empty()
             ? QString::fromStdString(tracks[id.index()].info.name)
             : translated(kFindingUnnamedThread).arg(id.value);
}

// "a (2 MiB), b (1 MiB) and 3 more"
QString names_text(const FindingsInput& about, const FindingValue& value) {
  QStringList list;
  for (const trace::TensorRef ref : value.tensors) list << tensor_name(about, ref);
  for (const trace::SpaceAllocation& slice : value.slices) list << slice_name(*about.snapshot, slice);
  for (size_t i = 0; i < value.bytes.size(); ++i) {
    QString& each = list[static_cast<qsizetype>(i)];
    each = QStringLiteral("%1 (%2)").arg(each, format_bytes(value.bytes[i]));
  }
  const QString names = list.join(translated(kFindingSeparator));
  return value.number > 0 ? names + translated(kFindingMore, value.number) : names;
}

QString value_text(const FindingsInput& about, const FindingValue& value) {
  using Kind = FindingValue::Kind;
  switch (value.kind) {
    case Kind::Size: return format_bytes(value.number);
    case Kind::Time: return format_ns(value.number);
    case Kind::Count: return format_count(value.number);
    case Kind::Share: return format_percent(value.share);
    case Kind::Planner: return planner_text(value.name);
    case Kind::Order: return order_text(value.name);
    case Kind::Track: return thread_name(about, value.track);
    case Kind::Names: return names_text(about, value);
  }
  return {};
}

}  // namespace

QString finding_text(const Finding& finding, const FindingsInput& about) {
  const FindingSentence sentence = finding_sentence(finding, about);
  // In one pass: names may contain "%1".
  const QStringList pieces = translated(sentence.text, sentence.count).split(u'%');
  QString text = pieces.first();
  for (qsizetype i = 1; i < pieces.size(); ++i) {
    const int number = pieces[i].isEmpty() ? 0 : pieces[i][0].digitValue();
    const bool is_value = number >= 1 && static_cast<size_t>(number) <= sentence.values.size();
    text += is_value ? value_text(about, sentence.values[static_cast<size_t>(number) - 1]) + pieces[i].mid(1)
                     : u'%' + pieces[i];
  }
  return text;
}

QString finding_saving(const Finding& f) {
  if (f.saved > 0) return format_bytes(f.saved);
  if (f.time > 0) return format_ns(f.time);
  return QStringLiteral("—");
}

}  // namespace arenascope::views
