// SPDX-License-Identifier: GPL-3.0-or-later
// Trains the document's model on a background thread and reports loss, accuracy and gradient norms per step; also
// computes how much memory recomputing activations saves.
#pragma once
#include <arenascope/base/ids.h>
#include <views/common/task.h>

#include <QStringList>
#include <map>
#include <string>
#include <vector>

#include "run_settings.h"

namespace arenascope::app {

struct TrainingRequest {
  QString data;                                // IMAGES,LABELS, sort:SEED or a token file
  std::map<std::string, std::string> options;  // by id (app/common/train_options.h); defaults otherwise
  Bytes capacity = 0;                          // maximum arena size; 0: unlimited
  QString save;                                // checkpoint file written after each epoch; empty: none
  bool operator==(const TrainingRequest&) const = default;
};

struct TrainingStepMetrics {
  double loss = 0;
  double accuracy = 0;       // share of the rows that count
  std::vector<float> norms;  // per TrainingJob::parameters()
};

// A trade-off between memory and recomputation; each point is a plan that its capacity selects.
struct FrontierPoint {
  Bytes arena = 0;
  double extra_work = 0;  // relative to the operations of a step
};

class TrainingJob : public QObject {
  Q_OBJECT
 public:
  explicit TrainingJob(views::TaskList* tasks);

  void begin(const QString& spec, const TrainingRequest& request, const RunSettings& settings);
  // For a training step of the model, or for a lesson's own graph.
  void find_frontier(const QString& spec, const TrainingRequest& request, const RunSettings& settings);

  void stop() { task_.cancel(); }  // after the current step
  bool busy() const { return task_.running(); }
  const std::vector<TrainingStepMetrics>& steps() const { return steps_; }
  const QStringList& parameters() const { return parameters_; }  // with a gradient
  const std::vector<FrontierPoint>& frontier() const { return frontier_; }
  const QString& problem() const { return problem_; }
  int epoch() const { return epoch_; }            // epoch of the running training, from 1
  double share() const { return task_.share(); }  // of all steps; unknown in the first of several epochs
  double seconds() const { return seconds_; }

 Q_SIGNALS:
  void changed();

 private:
  struct Update;
  void apply(const Update& update);
  // On the worker thread; `job` is used in reports only, since it may be destroyed meanwhile.
  static void post_update(TrainingJob* job, const views::TaskRun& run, Update update);
  static void train(TrainingJob* job, const views::TaskRun& run, const std::string& spec,
                    const TrainingRequest& request, const RunSettings& settings);

  views::Task task_;
  std::vector<TrainingStepMetrics> steps_;
  QStringList parameters_;
  std::vector<FrontierPoint> frontier_;
  QString problem_;
  int epoch_ = 0;
  double seconds_ = 0;
};

}  // namespace arenascope::app
