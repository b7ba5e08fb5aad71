// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the figures that views show for a recording with the auditor's results for its events.
#pragma once
#include <arenascope/trace/call_site.h>
#include <arenascope/trace/import.h>
#include <views/common/figure.h>
#include <views/common/format.h>
#include <views/common/plot_view.h>
#include <views/common/session_source.h>
#include <views/tables/table.h>

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
  std::shared_ptr<const Recorded> other = nullptr;  // the other side of a comparison

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

// If events were lost, arenas, barriers and memory are approximate on both sides.
inline bool is_guess(const std::string& id) {
  for (const char* part : {".arena.", ".barrier.", ".step.", ".steps.", ".at.", ".residency.", "block.", "space."})
    if (id.find(part) != std::string::npos) return true;
  return id.ends_with(".off_plan") || id.ends_with(".wait") || id.ends_with("wait_share");
}

// Values that depend on the user's selection state nothing about a recording; only these are exempt.
inline const std::set<std::string>& chosen_figures() {
  static const std::set<std::string> all{
      "chosen.step", "chosen.address", "chosen.block",  "chosen.first", "chosen.last",   "chosen.steps", "chosen.rows",
      "chosen.most", "chosen.begin",   "chosen.length", "chosen.bytes", "chosen.offset", "chosen.time"};
  return all;
}

// All names in a session.
class NamesOf {
 public:
  explicit NamesOf(const trace::Snapshot& s) { take(s); }
  void take(const trace::Snapshot& s) {
    for (const auto& graph : s.graphs) {
      if (!graph) continue;
      const auto take_tensor = [&](const trace::TensorInfo& t, trace::TensorRef ref) {
        for (const std::string* name : {&t.name, &t.op, &t.dtype, &t.layer}) add(*name);
        add(t.op + " " + t.name);
        names_.insert(views::DisplayNames::node(ref));
      };
      for (size_t i = 0; i < graph->nodes.size(); ++i) take_tensor(graph->nodes[i], trace::TensorRef::node(NodeId(i)));
      for (size_t i = 0; i < graph->leafs.size(); ++i) take_tensor(graph->leafs[i], trace::TensorRef::leaf(LeafId(i)));
    }
    for (const auto& track : s.tracks) add(track.info.name);
    for (const auto& device : s.devices) add(device.name);
    for (const auto& counter : s.counters) add(counter.name);
    for (const auto& allocator : s.allocators) add(allocator.name);
    for (size_t i = 0; i < s.names.size(); ++i) add(*s.names[i]);
    for (size_t i = 0; i < s.stacks.size(); ++i) add(trace::call_site(s, &s.stacks[i]));
  }
  void add(const std::string& name) { names_.insert(QString::fromStdString(name)); }
  bool knows(const QString& name) const {
    static const QRegularExpression digit("[0-9]"), numbered("^(allocator|node) [0-9]+$");
    const QStringList with_kernel = name.split(QStringLiteral(" · "));  // device work
    if (with_kernel.size() == 2) return knows(with_kernel[0]) && knows(with_kernel[1]);
    return names_.contains(name) || !name.contains(digit) || numbered.match(name).hasMatch();
  }

 private:
  std::set<QString> names_;
};

// Counts the comparisons and describes differences; an empty text means none.
class Against {
 public:
  QString differs(const Recorded& r, const views::Figure& f) {
    if (f.id.starts_with("chosen."))
      return chosen_figures().contains(f.id) ? QString() : QStringLiteral("'%1' is exempt nowhere").arg(f.id.c_str());
    const auto audited = asked(r, f.id);
    const bool comparison_input = f.id.starts_with("B");
    if ((r.lost || (comparison_input && r.other->lost)) && is_guess(f.id)) return {};
    if (!audited) return QStringLiteral("no audit line '%1' for %2").arg(f.id.c_str(), f.text);
    const double allowed = f.unit == views::FigureUnit::Share ? 1e-6 : 1e-9;
    if (!(std::abs(audited->value - f.value) <= allowed * std::abs(audited->value)))
      return QStringLiteral("%1 is %2, the audit has %3")
          .arg(f.id.c_str())
          .arg(f.value, 0, 'g', 17)
          .arg(audited->value, 0, 'g', 17);
    if (f.text.isEmpty()) return QStringLiteral("%1 has an empty text").arg(f.id.c_str());
    ++compared;
    QString kind = QString::fromStdString(f.id).remove(QRegularExpression("[0-9]+"));
    kinds.insert(kind.toStdString());
    return {};
  }
  // All numbers in a text must be figures, except digits in names.
  QString differs(const Recorded& r, const views::FigureText& text, const NamesOf& names) {
    static const QRegularExpression digit("[0-9]");
    for (const views::Figure& f : text.figures)
      if (const QString d = differs(r, f); !d.isEmpty()) return d + " in '" + text.text + "'";
    QString left = text.text;
    QStringList known;
    for (const QString& name : text.names) {
      if (!names.knows(name)) return QStringLiteral("'%1' is not a known name").arg(name);
      known << name;
    }
    for (const views::Figure& f : text.figures) known << f.text;
    // A short text may be part of a longer one.
    std::sort(known.begin(), known.end(), [](const QString& a, const QString& b) { return a.size() > b.size(); });
    for (const QString& word : known) left.replace(QChar::Nbsp, u' ').remove(QString(word).replace(QChar::Nbsp, u' '));
    return left.contains(digit) ? "a number that is not a figure in '" + text.text + "'" : QString();
  }

  // "B.…" is looked up on the other side, "B-A:…|…" on both.
  static std::optional<audit::Figure> asked(const Recorded& r, const std::string& id) {
    if (id.starts_with("B.")) return r.other ? asked(*r.other, id.substr(2)) : std::nullopt;
    if (!id.starts_with("B-A:") && !id.starts_with("B/A:")) return of_one(r, id);
    const size_t bar = id.find('|');
    const std::string theirs = id.substr(4, bar - 4), ours = id.substr(bar + 1);
    const auto value = [](const Recorded* of, const std::string& own) {
      return own.empty() ? audit::Figure{} : of_one(*of, own);
    };
    const auto b = value(r.other.get(), theirs), a = value(&r, ours);
    if (!a || !b) return std::nullopt;
    return audit::Figure{id, id[1] == '-' ? b->value - a->value : b->value / a->value, b->unit};
  }

  int compared = 0;
  std::set<std::string> kinds;  // kinds of figures, without numbers

 private:
  // The auditor uses another name for the devices in a file of another tool.
  static std::optional<audit::Figure> of_one(const Recorded& r, std::string id) {
    if (r.session->snapshot()->source.entries == 0) return r.auditor->ask(id);
    for (const auto& [theirs, own] :
         {std::pair<std::string, std::string>{".CUDA:", ".GPU "}, {".device ", ".GPU "}, {".host", ".CPU"}})
      if (const size_t at = id.rfind(theirs); at != id.npos) return r.auditor->ask(id.replace(at, theirs.size(), own));
    return r.auditor->ask(id);
  }
};

// All numbers in a header must be figures that match the audit; returns a description of a difference.
inline QString header_differs(Against& against, const Recorded& r, const views::HeaderContent& h,
                              const trace::PlanInfo* plan) {
  for (const views::Figure& f : h.figures)
    if (const QString wrong = against.differs(r, f); !wrong.isEmpty()) return r.name + ": " + wrong;
  QString left = h.facts.join(u'\n');
  if (plan) left.remove(QString::fromStdString(plan->planner));  // a planner name may contain digits
  QStringList texts;
  for (const views::Figure& f : h.figures) texts << f.text;
  // A short text may be part of a longer one.
  std::sort(texts.begin(), texts.end(), [](const QString& a, const QString& b) { return a.size() > b.size(); });
  for (const QString& text : texts) left.remove(text);
  return left.contains(QRegularExpression("[0-9]"))
             ? r.name + ": a number that is not a figure in '" + h.facts.join(u"; ") + "'"
             : QString();
}

// Every numeric column must contain figures, except columns that repeat descriptions of a graph or plan.
inline QString table_differs(Against& against, const Recorded& r, const char* name, const views::TablePtr& table,
                             const std::set<QString>& described) {
  const auto where = [&](const views::Column& column) { return QStringLiteral("%1, %2: ").arg(name, column.title); };
  for (const views::Column& column : table->columns) {
    if (column.number && !column.figure && !described.contains(column.title))
      return where(column) + "numbers that are not figures";
    for (size_t row = 0; column.figure && row < table->rows; ++row) {
      const views::Figure f = column.figure(row);
      if (f.id.empty()) {
        if (!column.text(row).isEmpty()) return where(column) + "shown without an id: " + column.text(row);
        continue;
      }
      if (const QString wrong = against.differs(r, f); !wrong.isEmpty()) return r.name + ", " + where(column) + wrong;
      if (!column.text(row).contains(f.text)) return where(column) + column.text(row) + " for " + f.text;
      if (column.number(row) != f.value) return where(column) + "it is sorted by another number";
    }
  }
  return {};
}

}  // namespace arenascope::test
