// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/findings/finding_text.h>
#include <views/findings/findings_view.h>

#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPointer>
#include <QTimer>
#include <QVBoxLayout>

namespace arenascope::views {

FindingsView::FindingsView(SessionSource* source, SelectionModel* selection, SharedAxis* axis, QWidget* parent)
    : QWidget(parent), source_(source), selection_(selection), axis_(axis) {
  setObjectName(QStringLiteral("findings_view"));
  model_ = new FindingsModel(this);
  view_ = new QTableView(this);
  view_->setModel(model_);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->setAlternatingRowColors(true);
  view_->setShowGrid(false);
  view_->setWordWrap(true);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setTabKeyNavigation(false);
  view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  view_->verticalHeader()->hide();
  view_->horizontalHeader()->setHighlightSections(false);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(FindingsModel::kSentence, QHeaderView::Stretch);
  empty_ = new QLabel(view_->viewport());
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setEnabled(false);
  auto* over = new QVBoxLayout(view_->viewport());
  over->addWidget(empty_);

  again_ = new QToolButton(this);
  stop_ = new QToolButton(this);
  budget_label_ = new QLabel(this);
  budget_ = new QDoubleSpinBox(this);
  budget_->setRange(0.5, 600);
  budget_->setDecimals(1);
  budget_->setValue(8);
  state_ = new QLabel(this);
  progress_ = new QProgressBar(this);
  progress_->setRange(0, 1000);
  progress_->setTextVisible(false);
  progress_->setMaximumSize(140, fontMetrics().height());
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  for (QWidget* w : std::initializer_list<QWidget*>{again_, stop_, budget_label_, budget_}) bar->addWidget(w);
  bar->addStretch(1);
  bar->addWidget(progress_);
  bar->addWidget(state_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(view_, 1);

  timer_.setSingleShot(true);
  timer_.setInterval(400);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (source_->live())
      timer_.start();  // a run that goes on has other things to do
    else
      look();
  });
  connect(source_, &SessionSource::session_replaced, this, [this] {
    stop();
    looked_graph_ = looked_plan_ = nullptr;
    model_->set_findings({}, {});
    update_state();
  });
  connect(source_, &SessionSource::changed, this, &FindingsView::look_soon);
  connect(again_, &QToolButton::clicked, this, &FindingsView::look);
  connect(stop_, &QToolButton::clicked, this, &FindingsView::stop);
  connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) { show_finding(index.row()); });
  retranslate();
}

void FindingsView::look_soon() {
  // What is shown in place of the plan at hand is a finding's own more often than not: it is not looked through.
  if (!isVisible() || source_->shown_plan()) return;
  const trace::Run* run = source_->snapshot()->run(source_->run());
  const bool with_run = run && run->finished;
  if (source_->graph() == looked_graph_ && source_->plan() == looked_plan_ &&
      (with_run == looked_with_run_ || !with_run))
    return;
  if (!timer_.isActive()) timer_.start();
}

void FindingsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  look_soon();
}

void FindingsView::look() {
  stop();
  const SnapshotPtr& s = source_->snapshot();
  const trace::GraphInfo* graph = source_->graph();
  const trace::PlanInfo* plan = source_->shown_plan() ? source_->ghost_plan() : source_->plan();
  looked_graph_ = graph;
  looked_plan_ = plan;
  const trace::Run* run = s->run(source_->run());
  looked_with_run_ = run && run->finished;
  FindingsInput in{s, nullptr, nullptr, source_->run()};
  if (graph && graph->id.valid() && graph->id.index() < s->graphs.size()) in.graph = s->graphs[graph->id.index()];
  if (plan && plan->id.valid() && plan->id.index() < s->plans.size()) in.plan = s->plans[plan->id.index()];
  about_ = in;
  if (!in.graph && s->event_count == 0) return update_state();
  busy_ = true;
  stopping_ = std::stop_source();
  const int number = ++number_;
  FindingsOptions options;
  options.budget_seconds = budget_->value();
  options.stop = stopping_.get_token();
  options.progress = [self = QPointer<FindingsView>(this), number](const std::vector<Finding>& found, double done) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, found, done, number] {
          if (self) self->take(found, done, number);
        },
        Qt::QueuedConnection);
  };
  background_.cancel();
  background_.request(
      [in, options, self = QPointer<FindingsView>(this), number](std::stop_token) -> Background::Result {
        auto found = find_savings(in, options);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, found = std::move(found), number]() mutable {
              if (self) self->take(std::move(found), 2, number);
            },
            Qt::QueuedConnection);
        return nullptr;
      });
  progress_->setValue(0);
  update_state();
}

void FindingsView::stop() {
  timer_.stop();
  stopping_.request_stop();
  if (!busy_) return;
  ++number_;
  busy_ = false;
  update_state();
}

void FindingsView::take(std::vector<Finding> findings, double done, int number) {
  if (number != number_) return;
  const int row = view_->currentIndex().row();
  model_->set_findings(std::move(findings), about_);
  add_buttons();
  if (row >= 0 && row < model_->rowCount()) view_->selectRow(row);
  progress_->setValue(static_cast<int>(done * 1000));
  if (done > 1) busy_ = false;
  update_state();
  if (done > 1) Q_EMIT found();
}

void FindingsView::add_buttons() {
  for (int row = 0; row < model_->rowCount(); ++row) {
    const Finding& f = *model_->at(row);
    const auto button = [&](int column, const QString& text, const QString& tip) {
      auto* b = new QToolButton(view_);
      b->setText(text);
      b->setToolTip(tip);
      b->setAccessibleName(text + QStringLiteral(": ") +
                           model_->index(row, FindingsModel::kSentence).data().toString());
      view_->setIndexWidget(model_->index(row, column), b);
      return b;
    };
    if (!f.tensors.empty() || f.step.valid())
      connect(button(FindingsModel::kShow, tr("Show"), tr("Select it in every view")), &QToolButton::clicked, this,
              [this, row] { show_finding(row); });
    if (f.plan)
      connect(button(FindingsModel::kWhatIf, tr("What if"), tr("Show the plan that would be, over the one in use")),
              &QToolButton::clicked, this, [this, row] {
                if (const Finding* chosen = model_->at(row))
                  Q_EMIT what_if(chosen->plan, model_->index(row, FindingsModel::kSentence).data().toString());
              });
  }
  view_->resizeRowsToContents();
}

QToolButton* FindingsView::show_button(int row) const {
  return qobject_cast<QToolButton*>(view_->indexWidget(model_->index(row, FindingsModel::kShow)));
}

QToolButton* FindingsView::what_if_button(int row) const {
  return qobject_cast<QToolButton*>(view_->indexWidget(model_->index(row, FindingsModel::kWhatIf)));
}

void FindingsView::show_finding(int row) {
  const Finding* f = model_->at(row);
  if (!f) return;
  if (!f->tensors.empty()) selection_->select(NodeSelection{source_->graph_id(), f->tensors[0]});
  if (f->step.valid()) axis_->set_current(f->step);
}

void FindingsView::update_state() {
  stop_->setEnabled(busy_);
  again_->setEnabled(!busy_);
  progress_->setVisible(busy_);
  state_->setText(busy_ ? tr("Replanning…") : tr("%n finding(s)", nullptr, model_->rowCount()));
  empty_->setVisible(model_->rowCount() == 0);
  empty_->setText(busy_              ? tr("Looking for what could be better…")
                  : source_->graph() ? tr("Nothing was found yet.")
                  : source_->snapshot()->event_count > 0
                      ? tr("Nothing was found: there is no graph that could be planned anew.")
                      : tr("Nothing is open."));
}

void FindingsView::retranslate() {
  again_->setText(tr("Look Again"));
  again_->setToolTip(tr("Look for savings in the plan and the run at hand"));
  stop_->setText(tr("Stop"));
  budget_label_->setText(tr("for at most"));
  budget_->setSuffix(tr(" s"));
  budget_->setAccessibleName(tr("Seconds to look"));
  view_->setAccessibleName(tr("Findings"));
  model_->retranslate();
  add_buttons();
  update_state();
}

void FindingsView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  view_->resizeRowsToContents();
}

void FindingsView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::views
