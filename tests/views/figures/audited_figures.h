// SPDX-License-Identifier: GPL-3.0-or-later
// What views tell of a recording, held against what the auditor makes of its events.
#pragma once
#include <arenascope/trace/import.h>
#include <views/common/figure.h>
#include <views/common/format.h>
#include <views/common/session_source.h>

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/engine/audit/audited.h"

namespace arenascope::test {

struct Recorded {
  std::shared_ptr<trace::Session> session = std::make_shared<trace::Session>();
  std::optional<audit::Auditor> auditor;
  bool lost = false;
  std::vector<std::string> contradictions;
  QString name;

  void take(audit::Auditor a) {
    lost = a.report().lost > 0;
    contradictions = a.report().contradictions;
    auditor = std::move(a);
  }
};

inline std::shared_ptr<Recorded> from_file(const std::filesystem::path& file) {
  auto out = std::make_shared<Recorded>();
  out->name = QString::fromStdString(file.filename().string());
  const auto opened = trace::open_trace(file, *out->session);
  auto auditor = audit::Auditor::open(file);
  if (!opened.ok() || !auditor.ok()) return nullptr;
  out->take(std::move(*auditor));
  return out;
}

inline std::shared_ptr<Recorded> from_stream(uint64_t seed) {
  const Stream stream = random_events(seed, {.whole = seed % 2 == 0});
  auto out = std::make_shared<Recorded>();
  out->name = QStringLiteral("random %1").arg(seed);
  stream.play(*out->session);
  auto auditor = auditor_of(stream);
  if (!auditor.ok()) return nullptr;
  out->take(std::move(*auditor));
  return out;
}

// Where events were lost, what was seen of arenas, barriers and memory is a guess on both sides.
inline bool is_guess(const std::string& id) {
  for (const char* part : {".arena.", ".barrier.", ".step.", ".steps.", ".at.", ".stay.", "block.", "space."})
    if (id.find(part) != std::string::npos) return true;
  return id.ends_with(".off_plan") || id.ends_with(".wait") || id.ends_with("wait_share");
}

// What the user points at or chose is no claim about a recording: these alone.
inline const std::set<std::string>& chosen_figures() {
  static const std::set<std::string> all{"chosen.step",  "chosen.address", "chosen.block", "chosen.first",
                                         "chosen.last",  "chosen.steps",   "chosen.rows",  "chosen.most",
                                         "chosen.begin", "chosen.length",  "chosen.bytes", "chosen.offset"};
  return all;
}

// Names that a session knows.
class NamesOf {
 public:
  explicit NamesOf(const trace::Snapshot& s) {
    for (const auto& graph : s.graphs) {
      if (!graph) continue;
      const auto take = [&](const trace::TensorInfo& t, trace::TensorRef ref) {
        for (const std::string* name : {&t.name, &t.op, &t.dtype, &t.layer}) add(*name);
        add(t.op + " " + t.name);
        names_.insert(views::Words::node(ref));
      };
      for (size_t i = 0; i < graph->nodes.size(); ++i) take(graph->nodes[i], trace::TensorRef::node(NodeId(i)));
      for (size_t i = 0; i < graph->leafs.size(); ++i) take(graph->leafs[i], trace::TensorRef::leaf(LeafId(i)));
    }
    for (const auto& track : s.tracks) add(track.info.name);
    for (const auto& device : s.devices) add(device.name);
    for (const auto& allocator : s.allocators) add(allocator.name);
    for (size_t i = 0; i < s.names.size(); ++i) add(*s.names[i]);
  }
  void add(const std::string& name) { names_.insert(QString::fromStdString(name)); }
  bool knows(const QString& name) const {
    static const QRegularExpression digit("[0-9]"), numbered("^(allocator|node) [0-9]+$");
    const QStringList with_kernel = name.split(QStringLiteral(" · "));  // of a device's work
    if (with_kernel.size() == 2) return knows(with_kernel[0]) && knows(with_kernel[1]);
    return names_.contains(name) || !name.contains(digit) || numbered.match(name).hasMatch();
  }

 private:
  std::set<QString> names_;
};

// Counts what it compared; says what differs, "" where nothing does.
class Against {
 public:
  QString differs(const Recorded& r, const views::Figure& f) {
    if (f.id.starts_with("chosen."))
      return chosen_figures().contains(f.id) ? QString() : QStringLiteral("'%1' is exempt nowhere").arg(f.id.c_str());
    std::string id = f.id;  // the auditor calls the devices of another tool's file GPUs
    if (const size_t at = id.rfind(".CUDA device "); at != id.npos) id.replace(at, 13, ".GPU ");
    const auto audited = r.auditor->ask(id);
    if (r.lost && is_guess(f.id)) return {};
    if (!audited) return QStringLiteral("no audit line '%1' for %2").arg(f.id.c_str(), f.text);
    const double allowed = f.unit == views::FigureUnit::Share ? 1e-6 : 1e-9;
    if (!(std::abs(audited->value - f.value) <= allowed * std::abs(audited->value)))
      return QStringLiteral("%1 is %2, the audit says %3")
          .arg(f.id.c_str())
          .arg(f.value, 0, 'g', 17)
          .arg(audited->value, 0, 'g', 17);
    if (f.text.isEmpty()) return QStringLiteral("%1 is drawn as nothing").arg(f.id.c_str());
    ++compared;
    QString kind = QString::fromStdString(f.id).remove(QRegularExpression("[0-9]+"));
    kinds.insert(kind.toStdString());
    return {};
  }
  // A text, all numbers of which are figures but those in names.
  QString differs(const Recorded& r, const views::FigureText& text, const NamesOf& names) {
    static const QRegularExpression digit("[0-9]");
    for (const views::Figure& f : text.figures)
      if (const QString d = differs(r, f); !d.isEmpty()) return d + " in '" + text.text + "'";
    QString left = text.text;
    QStringList known;
    for (const QString& name : text.names) {
      if (!names.knows(name)) return QStringLiteral("'%1' is nobody's name").arg(name);
      known << name;
    }
    for (const views::Figure& f : text.figures) known << f.text;
    // A short one may be a part of a longer one.
    std::sort(known.begin(), known.end(), [](const QString& a, const QString& b) { return a.size() > b.size(); });
    for (const QString& word : known) left.replace(QChar::Nbsp, u' ').remove(QString(word).replace(QChar::Nbsp, u' '));
    return left.contains(digit) ? "a number that is no figure in '" + text.text + "'" : QString();
  }

  int compared = 0;
  std::set<std::string> kinds;  // of figures, without their numbers
};

}  // namespace arenascope::test
