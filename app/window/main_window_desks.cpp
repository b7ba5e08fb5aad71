// SPDX-License-Identifier: GPL-3.0-or-later
// Replanning, findings, comparing and lessons: what joins their views to the window, and their actions.
#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>

#include <views/common/format.h>
#include <views/findings/findings_view.h>
#include <views/lesson/lesson_panel.h>
#include <views/planners/replan_panel.h>

#include "compare_loader.h"
#include "lesson_guide.h"
#include "main_window.h"
#include "replan_desk.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

void MainWindow::make_desks() {
  auto* panel = docks_["planners"]->widget()->findChild<ReplanPanel*>();
  QStringList planners, orders;
  for (const planner::Planner* p : planner::all_planners())
    planners << QString::fromUtf8(p->name().data(), static_cast<qsizetype>(p->name().size()));
  for (const OrderInfo& order : all_orders()) orders << QString::fromUtf8(order.name);
  panel->set_choices(planners, orders);
  panel->choose(preferences_.run.planner, preferences_.run.order);
  panel->set_can_plan(false);
  replan_desk_ = new ReplanDesk(
      &source_, static_cast<OccupancyView*>(plots_["occupancy"]), panel,
      [this](trace::PlanInfo plan) { return controller_->add_plan(std::move(plan)); }, this);
  connect(replan_desk_, &ReplanDesk::failed, this, &MainWindow::fail);
  connect(replan_desk_, &ReplanDesk::export_wanted, actions_->find(QStringLiteral("memory.export")), &QAction::trigger);
  connect(replan_desk_, &ReplanDesk::finished, this, [this] {
    take_breakpoints();
    update_actions();
  });
  connect(findings_, &FindingsView::what_if, this,
          [this](std::shared_ptr<const trace::PlanInfo> plan, const QString& sentence) {
            replan_desk_->show_plan(std::move(plan));
            messages_->say(MessageKind::Note,
                           tr("What if: %1 The plan in use is drawn as a ghost under it.").arg(sentence));
            update_actions();
          });
  loader_ = new CompareLoader(this);
  connect(loader_, &CompareLoader::progress, this, [this](const QString& phase) { progress_->setText(phase); });
  connect(loader_, &CompareLoader::failed, this, &MainWindow::fail);
  connect(loader_, &CompareLoader::loaded, this, &MainWindow::show_comparison);
  guide_ = new LessonGuide(this, lesson_);
  guide_->load();
}

void MainWindow::show_panel(const char* id) {
  docks_[QString::fromLatin1(id)]->show();
  docks_[QString::fromLatin1(id)]->raise();
  // What was asked for is at hand: what is copied or saved next is its table.
  last_panel_ = QString::fromLatin1(id);
  if (TablePanel* table = tables_.value(last_panel_); table != nullptr && !plots_.contains(last_panel_))
    table->table_view()->setFocus();
}

// A model runs with the new plan; of a recording it is shown. Either way the old one lies under it.
void MainWindow::replan(const QString& planner, const QString& order) {
  if (controller_->has_model()) {
    const auto& plans = source_.snapshot()->plans;
    const trace::PlanInfo* now = source_.shown_plan() ? source_.ghost_plan() : source_.plan();
    plan_before_ = now && now->id.valid() && now->id.index() < plans.size() ? plans[now->id.index()] : nullptr;
    preferences_.run.planner = planner;
    preferences_.run.order = order;
    controller_->replan(preferences_.run);
    return;
  }
  ReplanWish wish = replan_desk_->panel()->wish();
  wish.planner = planner;
  wish.order = order;
  replan_desk_->plan(wish);
}

void MainWindow::use_shown_plan() {
  const auto plan = source_.shown_plan();
  if (!plan) return;
  if (!planner::find_planner(plan->planner) || !find_order(plan->order_name)) {
    messages_->say(MessageKind::Note,
                   tr("This plan answers a what-if: it can be looked at and exported, but not run."));
    return;
  }
  preferences_.run.planner = QString::fromStdString(plan->planner);
  preferences_.run.order = QString::fromStdString(plan->order_name);
  playback_->show_choice(preferences_.run.planner, preferences_.run.order);
  replan(preferences_.run.planner, preferences_.run.order);
}

void MainWindow::compare_with(const QString& spec) { loader_->load(spec, preferences_.run); }

void MainWindow::show_comparison(std::shared_ptr<const Other> other) {
  source_.compare_with(other);
  if (!other) return update_actions();
  show_panel("compare");
  const ComparisonPtr& c = source_.comparison();
  if (c && c->other.graph && source_.graph())
    messages_->say(
        MessageKind::Note,
        tr("Compared with %1, which is B in every view: %2 nodes are the same, %3 are only here, %4 only there.")
            .arg(other->title, format_count(static_cast<int64_t>(c->match.matched_nodes())),
                 format_count(static_cast<int64_t>(c->only_ours)), format_count(static_cast<int64_t>(c->only_theirs))));
  update_actions();
}

// The file in the next tab, as it stands there.
void MainWindow::compare_with_tab() {
  for (size_t i = 1; i < documents_.size(); ++i) {
    const Document& document = *documents_[(at_ + i) % documents_.size()];
    if (!document.session) continue;
    return show_comparison(std::make_shared<const Other>(Other::of(document.session->snapshot(), document.title)));
  }
  messages_->say(MessageKind::Note, tr("Open the file to compare with in another tab first."));
}

void MainWindow::make_desk_actions() {
  auto& a = *actions_;
  a.add(
      "memory.replan", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Plan &Anew"), {K(Qt::CTRL | Qt::Key_R)},
      [this] {
        show_panel("planners");
        replan_desk_->plan(replan_desk_->panel()->wish());
      },
      QT_TRANSLATE_NOOP("Actions", "With what the panel Planners says, shown over the plan at hand"));
  a.add(
      "memory.plan_all", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Plan with A&ll"), {K(Qt::CTRL | Qt::Key_P)},
      [this] {
        show_panel("planners");
        replan_desk_->plan_all();
      },
      QT_TRANSLATE_NOOP("Actions", "Every planner with every order, into the table Planners"));
  a.add(
      "memory.good_enough", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Good Enough"), {K(Qt::CTRL | Qt::Key_Period)},
      [this] { replan_desk_->replanner()->stop(); },
      QT_TRANSLATE_NOOP("Actions", "Stop the search and take the smallest plan so far"));
  a.add(
      "memory.fit_under", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Fit Under…"), {K(Qt::CTRL | Qt::Key_U)},
      [this] {
        // A line to be dragged, a little below what is; and the field to type into.
        show_panel("occupancy");
        show_panel("planners");
        if (source_.plan() != nullptr && replan_desk_->panel()->wish().fit_under == 0)
          replan_desk_->set_fit_under(
              std::max(source_.plan()->arena_bytes * 9 / 10, source_.plan()->lower_bound_bytes));
        if (auto* field = replan_desk_->panel()->findChild<QLineEdit*>(QStringLiteral("fit_under"))) field->setFocus();
      },
      QT_TRANSLATE_NOOP("Actions",
                        "Bytes that a plan is to fit under: a line in the occupancy, to be typed and dragged"));
  a.add("memory.no_fit", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&No Line to Fit Under"), {},
        [this] { replan_desk_->set_fit_under(0); });
  a.separator(Menu::Memory);
  a.add(
      "memory.show_used", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Show the Plan in &Use"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_U)},
      [this] {
        source_.set_plan_before(nullptr);
        source_.show_plan(nullptr);
        update_actions();
      },
      QT_TRANSLATE_NOOP("Actions", "And no ghost under it"));
  a.add("memory.use_shown", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Run with the Plan &Shown"), {},
        [this] { use_shown_plan(); });
  a.add(
      "memory.export", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Export the Plan Shown…"),
      {K(Qt::CTRL | Qt::ALT | Qt::Key_E)},
      [this] {
        const auto plan = replan_desk_->shown_plan();
        if (!plan) return;
        const QString path = ask_file(true, tr("Export the plan"), tr("Plans (*.json *.csv)"));
        if (path.isEmpty()) return;
        if (auto ok = export_plan(*plan, replan_desk_->graph().get(), path); !ok)
          fail(QString::fromStdString(ok.error().message));
        else
          messages_->say(MessageKind::Note, tr("The plan was written to %1.").arg(path));
      },
      QT_TRANSLATE_NOOP("Actions", "Offsets and lifetimes as JSON or CSV, for another runtime"));
  a.separator(Menu::Memory);
  a.add(
      "memory.findings", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Look for Sa&vings"), {K(Qt::CTRL | Qt::Key_L)},
      [this] {
        show_panel("findings");
        findings_->look();
      },
      QT_TRANSLATE_NOOP("Actions", "What could be better, each saving measured by replanning"));

  a.add(
      "compare.file", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "Compare with &File…"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_M)},
      [this] {
        const QString path = ask_file(false, tr("Compare with a recording or a model"),
                                      tr("Recordings and models (*.arenascope *.pftrace *.perfetto-trace *.json "
                                         "*.pickle *.onnx *.gguf);;All files (*)"));
        if (!path.isEmpty()) compare_with(path);
      },
      QT_TRANSLATE_NOOP("Actions", "A recording as it is, or a model as it would be planned"));
  a.add("compare.tab", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "Compare with the Next &Tab"), {},
        [this] { compare_with_tab(); });
  a.add(
      "compare.keep", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "Compare with the State of &Now"), {},
      [this] {
        Other now = Other::of(source_.snapshot(), tr("%1 before").arg(title_));
        show_comparison(std::make_shared<const Other>(std::move(now)));
      },
      QT_TRANSLATE_NOOP("Actions", "What runs from now on is compared with what ran so far"));
  a.add("compare.stop", Menu::Compare, QT_TRANSLATE_NOOP("Actions", "&Stop Comparing"), {}, [this] {
    loader_->cancel();
    show_comparison(nullptr);
  });

  static constexpr std::pair<const char*, const char*> kLessons[] = {
      {"lesson.mul_mat", QT_TRANSLATE_NOOP("Actions", "&1  One product")},
      {"lesson.objects", QT_TRANSLATE_NOOP("Actions", "&2  The pool of objects")},
      {"lesson.graph", QT_TRANSLATE_NOOP("Actions", "&3  How a graph is built")},
      {"lesson.barriers", QT_TRANSLATE_NOOP("Actions", "&4  Threads and barriers")},
      {"lesson.arena", QT_TRANSLATE_NOOP("Actions", "&5  The arena and its reuse")},
      {"lesson.two_level", QT_TRANSLATE_NOOP("Actions", "&6  Reuse in two levels")},
      {"lesson.orders", QT_TRANSLATE_NOOP("Actions", "&7  The order decides the bound")},
      {"lesson.recompute", QT_TRANSLATE_NOOP("Actions", "&8  Computing again instead of keeping")}};
  for (const auto& [id, text] : kLessons)
    a.add(id, Menu::Lessons, text, {}, [this, lesson = QString::fromLatin1(id).mid(7)] {
      if (!docks_["lesson"]->isVisible()) apply_layout(QStringLiteral("lesson"));
      show_panel("lesson");
      lesson_->begin(lesson);
    });
}

void MainWindow::update_desk_actions() {
  const bool graph = source_.graph() != nullptr;
  auto enable = [this](const char* id, bool on) { actions_->find(QString::fromLatin1(id))->setEnabled(on); };
  for (const char* id : {"memory.replan", "memory.plan_all", "memory.fit_under", "memory.export", "memory.findings"})
    enable(id, graph);
  enable("memory.use_shown", controller_->has_model() && source_.shown_plan() != nullptr);
  enable("memory.show_used", source_.shown_plan() != nullptr || source_.plan_before() != nullptr);
  enable("compare.tab", documents_.size() > 1);
  enable("compare.stop", source_.comparison() != nullptr);
  if (playback_ != nullptr) playback_->set_can_plan(graph);
}

}  // namespace arenascope::app
