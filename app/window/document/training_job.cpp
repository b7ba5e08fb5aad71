// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_job.h"

#include <arenascope/base/output_file.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/train/dataset.h>
#include <arenascope/train/frontier.h>
#include <arenascope/train/trainer.h>
#include <views/lesson/lesson.h>

#include <chrono>

#include "app/common/train_options.h"

namespace arenascope::app {
namespace {

// Minimum interval between updates.
constexpr auto kUpdateInterval = std::chrono::milliseconds(50);

Result<TrainChoices> choices_of(const TrainingRequest& request, const RunSettings& settings) {
  TrainChoices out;
  if (auto ok = set_options(train_options(), out, request.options); !ok) return ok.error();
  RunnerOptions& run = out.trainer.run;
  run.threads = settings.threads;
  run.planner = settings.planner.toStdString();
  run.order = settings.order.toStdString();
  run.budget_seconds = settings.budget_seconds;
  run.fuse = true;
  if (request.capacity > 0) run.capacity = request.capacity;
  out.trainer.norms = true;
  return out;
}

constexpr QLatin1String kOfLesson("lesson:");
using Frontier = Result<std::vector<arenascope::FrontierPoint>>;

Frontier frontier_of_lesson(const QString& path, std::stop_token stop) {
  const auto lesson = views::load_lesson(path, {});
  return lesson ? lesson::lesson_frontier(*lesson, std::move(stop)) : Frontier(lesson.error());
}

Frontier frontier_of_step(const QString& spec, const TrainingRequest& request, const RunSettings& settings,
                          std::stop_token stop) {
  const auto choices = choices_of(request, settings);
  return choices ? train::checkpoint_frontier(spec.toStdString(), choices->trainer, std::move(stop))
                 : Frontier(choices.error());
}

}  // namespace

struct TrainingJob::Update {
  std::vector<TrainingStepMetrics> steps;
  QStringList parameters;
  std::vector<FrontierPoint> frontier;
  QString problem;
  int epoch = 0;
  double seconds = 0, share = -1;
};

TrainingJob::TrainingJob(views::TaskList* tasks) : task_(tasks, views::Task::OnCancel::Keep) {
  connect(&task_, &views::Task::changed, this, &TrainingJob::changed);
}

void TrainingJob::post_update(TrainingJob* job, const views::TaskRun& run, Update update) {
  if (update.epoch > 0) run.progress(update.share, tr("Training, epoch %1…").arg(update.epoch));
  run.post([job, update = std::move(update)] {
    job->apply(update);
    Q_EMIT job->changed();
  });
}

void TrainingJob::apply(const Update& update) {
  steps_.insert(steps_.end(), update.steps.begin(), update.steps.end());
  if (!update.parameters.isEmpty()) parameters_ = update.parameters;
  if (!update.frontier.empty()) frontier_ = update.frontier;
  if (!update.problem.isEmpty()) problem_ = update.problem;
  if (update.epoch > 0) epoch_ = update.epoch;
  if (update.seconds > 0) seconds_ = update.seconds;
}

void TrainingJob::begin(const QString& spec, const TrainingRequest& request, const RunSettings& settings) {
  if (busy()) return;
  steps_.clear();
  problem_.clear();
  parameters_.clear();
  epoch_ = 0, seconds_ = 0;
  task_.start(tr("Training…"), [this, model = spec.toStdString(), request, settings](const views::TaskRun& run) {
    train(this, run, model, request, settings);
  });
}

void TrainingJob::train(TrainingJob* job, const views::TaskRun& run, const std::string& spec,
                        const TrainingRequest& request, const RunSettings& settings) {
  Update last;
  const auto fail = [&](const Error& error) {
    last.problem = QString::fromStdString(error.message);
    post_update(job, run, std::move(last));
  };
  auto choices = choices_of(request, settings);
  if (!choices) return fail(choices.error());
  auto shape = train::sequence_shape(spec, choices->trainer.tokens);
  if (!shape) return fail(shape.error());
  auto data = train::open_dataset(request.data.toStdString(), *shape);
  if (!data) return fail(data.error());
  const std::filesystem::path inputs[] = {spec, request.data.toStdString()};
  if (!request.save.isEmpty())
    if (auto ok = OutputFile::check(request.save.toStdString(), inputs); !ok) return fail(ok.error());
  auto trainer = train::Trainer::open(spec, **data, choices->trainer);
  if (!trainer) return fail(trainer.error());
  Update update;
  for (const std::string& name : (*trainer)->trained()) update.parameters << QString::fromStdString(name);
  const auto start = std::chrono::steady_clock::now();
  auto last_update = start;
  double steps = 0, steps_per_epoch = 0;  // steps so far; steps per epoch
  const auto epochs = static_cast<int>(choices->epochs);
  const train::LearningRate rate = choices->learning_rate((*data)->count());
  for (int epoch = 1; epoch <= epochs && !run.stop().stop_requested(); ++epoch) {
    const auto step = [&](double loss) {
      update.steps.push_back({loss, (*trainer)->accuracies().back(), (*trainer)->gradient_norms()});
      ++steps;
      const auto now = std::chrono::steady_clock::now();
      if (now - last_update >= kUpdateInterval) {
        last_update = now;
        update.share = steps_per_epoch > 0 ? steps / (steps_per_epoch * epochs) : -1;
        update.epoch = epoch;
        update.seconds = std::chrono::duration<double>(now - start).count();
        post_update(job, run, std::exchange(update, {}));
      }
      return !run.stop().stop_requested();
    };
    auto measured = (*trainer)->epoch(**data, rate, step);
    update.epoch = epoch;
    if (epoch == 1) steps_per_epoch = steps;
    update.share = steps / std::max(steps_per_epoch * epochs, 1.0);
    post_update(job, run, std::exchange(update, {}));
    if (!measured) return fail(measured.error());
    if (!request.save.isEmpty())
      if (auto ok = (*trainer)->save(request.save.toStdString()); !ok) return fail(ok.error());
  }
  last.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  post_update(job, run, std::move(last));
}

void TrainingJob::find_frontier(const QString& spec, const TrainingRequest& request, const RunSettings& settings) {
  if (busy()) return;
  problem_.clear();
  task_.start(tr("Computing the memory frontier…"), [this, spec, request, settings](const views::TaskRun& run) {
    Update update;
    const auto points = spec.startsWith(kOfLesson) ? frontier_of_lesson(spec.mid(kOfLesson.size()), run.stop())
                                                   : frontier_of_step(spec, request, settings, run.stop());
    if (points)
      for (const arenascope::FrontierPoint& point : *points)
        update.frontier.push_back({point.arena, static_cast<double>(point.extra_flops) /
                                                    static_cast<double>(std::max<int64_t>(point.flops, 1))});
    else
      update.problem = QString::fromStdString(points.error().message);
    post_update(this, run, std::move(update));
  });
}

}  // namespace arenascope::app
