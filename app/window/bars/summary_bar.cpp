// SPDX-License-Identifier: GPL-3.0-or-later
#include "summary_bar.h"

#include <views/common/format.h>
#include <views/common/shown_graph.h>
#include <views/common/spaces.h>
#include <QButtonGroup>
#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

#include "elided_label.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr size_t kMaxRuns = 1000;  // the newest runs, for the median

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::SummaryBar)
};

// Median of complete runs except cold ones; 0: none.
Nanoseconds median_run(const trace::Snapshot& snapshot, trace::GraphId graph) {
  std::vector<Nanoseconds> walls;
  for (size_t i = snapshot.runs.size(); i-- > snapshot.forgotten_runs && walls.size() < kMaxRuns;) {
    const trace::Run& run = snapshot.runs[i];
    if (run.info.graph == graph && run.whole() && !run.cold) walls.push_back(run.wall());
  }
  if (walls.empty()) return 0;
  const auto middle = walls.begin() + static_cast<std::ptrdiff_t>(walls.size() / 2);
  std::nth_element(walls.begin(), middle, walls.end());
  return *middle;
}

}  // namespace

QString headline_of(const trace::Snapshot& snapshot, const trace::PlanInfo* plan, trace::GraphId graph) {
  QStringList parts;
  if (const auto file = file_graph(snapshot)) {
    const trace::GraphInfo* run = snapshot.graph(graph);
    if (!run || run->of_file) run = default_graph(snapshot).get();
    parts << Texts::tr("%1 nodes in the file, %2 in the graph")
                 .arg(format_count(std::ssize(file->nodes)), format_count(run ? std::ssize(run->nodes) : 0));
  }
  for (size_t k = 0; k < trace::kMemoryKinds; ++k) {
    const auto kind = static_cast<trace::MemoryKind>(k);
    if (const Bytes peak = snapshot.peak(kind, trace::MemoryCount::Active); peak > 0)
      parts << QStringLiteral("%1 %2").arg(kind_name(snapshot, kind), format_bytes(peak));
  }
  if (plan != nullptr && plan->arena_bytes > 0) {
    const Bytes gap = plan->arena_bytes - plan->lower_bound_bytes;
    const QString arena = format_bytes(plan->arena_bytes), bound = format_bytes(plan->lower_bound_bytes);
    parts << (gap <= 0 ? Texts::tr("arena %1, at the lower bound").arg(arena)
                       : Texts::tr("arena %1, lower bound %2, gap %3")
                             .arg(arena, bound,
                                  format_percent(static_cast<double>(gap) /
                                                 static_cast<double>(std::max<Bytes>(plan->lower_bound_bytes, 1)))));
  }
  if (snapshot.source.entries > 0 && snapshot.memory_events.empty() && plan == nullptr)
    parts << Texts::tr("memory not recorded");
  if (const Nanoseconds median = graph.valid() ? median_run(snapshot, graph) : 0; median > 0)
    parts << Texts::tr("median run %1").arg(format_ns(median));
  return parts.join(QStringLiteral("  ·  "));
}

SummaryBar::SummaryBar(Panels* panels, QWidget* parent) : QToolBar(parent), panels_(panels) {
  setObjectName(QStringLiteral("headline"));
  setMovable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  auto* group = new QButtonGroup(this);
  for (const PanelGroup g : {PanelGroup::Model, PanelGroup::Memory, PanelGroup::Time, PanelGroup::Debug}) {
    auto* button = new QToolButton(this);
    button->setCheckable(true);
    button->setAutoRaise(true);
    group->addButton(button);
    groups_.push_back({g, button, addWidget(button)});
    connect(button, &QToolButton::clicked, this, [this, g] { panels_->show_group(g); });
  }
  separator_ = addSeparator();
  forms_ = new QToolButton(this);
  forms_->setObjectName(QStringLiteral("forms"));
  forms_action_ = addWidget(forms_);
  forms_action_->setVisible(false);
  connect(forms_, &QToolButton::clicked, this, &SummaryBar::other_form_requested);
  text_ = new ElidedLabel(this);
  text_->setContentsMargins(8, 0, 8, 0);
  text_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  text_->setMinimumWidth(1);  // elided in a narrow window instead of moving into the overflow menu
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  addWidget(text_);
  timer_.setSingleShot(true);
  timer_.setInterval(300);  // during a run; faster updates are unreadable
  connect(&timer_, &QTimer::timeout, this, &SummaryBar::show_text);
  connect(panels_, &Panels::group_changed, this, &SummaryBar::show_group);
  retranslate();
  show_group();
}

void SummaryBar::set_document(Document& document) {
  source_ = document.source();
  document_ = &document;
  QObject* bond = bond_.reset();
  connect(&document.jobs().other_form, &OtherForm::changed, bond, [this] { show_forms(); });
  connect(source_, &SessionSource::changed, bond, [this] {
    if (!source_->live())
      show_text();
    else if (!timer_.isActive())
      timer_.start();
  });
  connect(source_, &SessionSource::plan_shown, bond, [this] { show_text(); });
  show_text();
}

void SummaryBar::show_text() {
  if (source_ == nullptr) return;
  show_forms();
  const QString text = hidden_ ? QString() : headline_of(*source_->snapshot(), source_->plan(), source_->graph_id());
  text_->setText(text);
  text_->setToolTip(
      text.isEmpty()
          ? QString()
          : tr("Peak of each memory kind; the shown plan; all runs except the cold first one. %1").arg(text));
}

// "as written: 6.0 MiB · optimised: 3.8 MiB", if both are known and differ.
void SummaryBar::show_forms() {
  const trace::PlanInfo* plan = source_->shown_plan() ? source_->ghost_plan() : source_->plan();
  const auto other = document_ ? document_->jobs().other_form.arena() : std::nullopt;
  const auto& graphs = source_->snapshot()->graphs;
  // The plan of a deferred subgraph is not that of the model, whose graph is the first.
  const bool of_model = plan != nullptr && !graphs.empty() && plan->graph == graphs.front()->id;
  const bool known = !hidden_ && other && of_model && *other != plan->arena_bytes;
  forms_action_->setVisible(known);
  if (!known) return;
  const bool optimised = OtherForm::is_optimised(document_->runner()->settings());
  const QString open = format_bytes(plan->arena_bytes), planned = format_bytes(*other);
  forms_->setText(tr("as written: %1 · optimised: %2").arg(optimised ? planned : open, optimised ? open : planned));
  forms_->setToolTip(optimised ? tr("Arena. Click to open the model as written")
                               : tr("Arena of the model. Click to open it optimised: rewritten and fused"));
}

void SummaryBar::set_hidden(bool on) {
  hidden_ = on;
  show_text();
}

void SummaryBar::show_group() {
  const auto has_panels = [this](const Group& each) { return panels_->arrangement().has_panels(each.group); };
  const bool choice = std::ranges::count_if(groups_, has_panels) > 1;
  for (const Group& each : groups_) {
    each.action->setVisible(choice && has_panels(each));
    each.button->setChecked(each.group == panels_->arrangement().group());
  }
  separator_->setVisible(choice);
}

void SummaryBar::retranslate() {
  setWindowTitle(tr("Summary"));
  const QStringList names{tr("Model"), tr("Memory"), tr("Time"), tr("Debug")};
  for (size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].button->setText(names[static_cast<qsizetype>(i)]);
    groups_[i].button->setToolTip(tr("Panels about: %1").arg(names[static_cast<qsizetype>(i)]));
  }
  text_->setAccessibleName(tr("Summary"));
  show_text();
}

}  // namespace arenascope::app
