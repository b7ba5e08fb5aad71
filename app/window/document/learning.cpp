// SPDX-License-Identifier: GPL-3.0-or-later
#include "learning.h"

#include <arenascope/lesson/stage.h>
#include <arenascope/train/dataset.h>
#include <arenascope/train/frontier.h>
#include <arenascope/train/trainer.h>
#include <views/lesson/lesson.h>

#include <chrono>

#include "app/common/train_options.h"

namespace arenascope::app {
namespace {

// How often the window is told, at most.
constexpr auto kNews = std::chrono::milliseconds(50);

Result<TrainChoices> choices_of(const LearningWish& wish, const RunSettings& settings) {
  TrainChoices out;
  if (auto ok = set_options(train_options(), out, wish.options); !ok) return ok.error();
  RunnerOptions& run = out.trainer.run;
  run.threads = settings.threads;
  run.planner = settings.planner.toStdString();
  run.order = settings.order.toStdString();
  run.budget_seconds = settings.budget_seconds;
  run.fuse = true;
  if (wish.capacity > 0) run.capacity = wish.capacity;
  out.trainer.norms = true;
  return out;
}

constexpr QLatin1String kOfLesson("lesson:");
using Frontier = Result<std::vector<arenascope::FrontierPoint>>;

Frontier frontier_of_lesson(const QString& path, std::stop_token stop) {
  const auto lesson = views::load_lesson(path, {});
  return lesson ? lesson::lesson_frontier(*lesson, std::move(stop)) : Frontier(lesson.error());
}

Frontier frontier_of_step(const QString& spec, const LearningWish& wish, const RunSettings& settings,
                          std::stop_token stop) {
  const auto choices = choices_of(wish, settings);
  return choices ? train::checkpoint_frontier(spec.toStdString(), choices->trainer, std::move(stop))
                 : Frontier(choices.error());
}

}  // namespace

struct Learning::News {
  std::vector<LearnedStep> steps;
  QStringList parameters;
  std::vector<FrontierPoint> frontier;
  QString problem;
  int epoch = 0;
  double seconds = 0, share = -1;
  bool done = false;
};

Learning::Learning(QObject* parent) : BackgroundJob(parent) {}

Learning::~Learning() { finish(); }

void Learning::tell_news(const Part& part, News news) {
  const bool last = news.done;
  tell(
      part, [this, news = std::move(news)] { take(news); }, last);
}

void Learning::take(const News& news) {
  steps_.insert(steps_.end(), news.steps.begin(), news.steps.end());
  if (!news.parameters.isEmpty()) parameters_ = news.parameters;
  if (!news.frontier.empty()) frontier_ = news.frontier;
  if (!news.problem.isEmpty()) problem_ = news.problem;
  if (news.epoch > 0) epoch_ = news.epoch;
  share_ = news.share;
  if (news.seconds > 0) seconds_ = news.seconds;
}

void Learning::begin(const QString& spec, const LearningWish& wish, const RunSettings& settings) {
  if (busy()) return;
  steps_.clear();
  problem_.clear();
  parameters_.clear();
  epoch_ = 0, seconds_ = 0, share_ = -1;
  finds_frontier_ = false;
  start([this, model = spec.toStdString(), wish, settings](const Part& part) { learn(part, model, wish, settings); });
}

void Learning::learn(const Part& part, const std::string& spec, const LearningWish& wish, const RunSettings& settings) {
  News last;
  last.done = true;
  const auto fail = [&](const Error& error) {
    last.problem = QString::fromStdString(error.message);
    tell_news(part, std::move(last));
  };
  auto choices = choices_of(wish, settings);
  if (!choices) return fail(choices.error());
  auto shape = train::sequence_shape(spec, choices->trainer.tokens);
  if (!shape) return fail(shape.error());
  auto data = train::open_dataset(wish.data.toStdString(), *shape);
  if (!data) return fail(data.error());
  auto trainer = train::Trainer::open(spec, **data, choices->trainer);
  if (!trainer) return fail(trainer.error());
  News news;
  for (const std::string& name : (*trainer)->trained()) news.parameters << QString::fromStdString(name);
  const auto start = std::chrono::steady_clock::now();
  auto told = start;
  double steps = 0, an_epoch = 0;  // so far; all of one
  const auto epochs = static_cast<int>(choices->epochs);
  const train::LearningRate rate = choices->learning_rate((*data)->count());
  for (int epoch = 1; epoch <= epochs && !part.stop.stop_requested(); ++epoch) {
    const auto step = [&](double loss) {
      news.steps.push_back({loss, (*trainer)->accuracies().back(), (*trainer)->gradient_norms()});
      ++steps;
      const auto now = std::chrono::steady_clock::now();
      if (now - told >= kNews) {
        told = now;
        news.share = an_epoch > 0 ? steps / (an_epoch * epochs) : -1;
        news.epoch = epoch;
        news.seconds = std::chrono::duration<double>(now - start).count();
        tell_news(part, std::exchange(news, {}));
      }
      return !part.stop.stop_requested();
    };
    auto measured = (*trainer)->epoch(**data, rate, step);
    news.epoch = epoch;
    if (epoch == 1) an_epoch = steps;
    news.share = steps / std::max(an_epoch * epochs, 1.0);
    tell_news(part, std::exchange(news, {}));
    if (!measured) return fail(measured.error());
    if (!wish.save.isEmpty())
      if (auto ok = (*trainer)->save(wish.save.toStdString()); !ok) return fail(ok.error());
  }
  last.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  tell_news(part, std::move(last));
}

void Learning::find_frontier(const QString& spec, const LearningWish& wish, const RunSettings& settings) {
  if (busy()) return;
  problem_.clear();
  finds_frontier_ = true;
  share_ = -1;
  start([this, spec, wish, settings](const Part& part) {
    News news;
    news.done = true;
    const auto points = spec.startsWith(kOfLesson) ? frontier_of_lesson(spec.mid(kOfLesson.size()), part.stop)
                                                   : frontier_of_step(spec, wish, settings, part.stop);
    if (points)
      for (const arenascope::FrontierPoint& point : *points)
        news.frontier.push_back({point.arena, static_cast<double>(point.extra_flops) /
                                                  static_cast<double>(std::max<int64_t>(point.flops, 1))});
    else
      news.problem = QString::fromStdString(points.error().message);
    tell_news(part, std::move(news));
  });
}

}  // namespace arenascope::app
