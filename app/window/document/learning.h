// SPDX-License-Identifier: GPL-3.0-or-later
// The document's model learns: steps of an optimiser on a thread of its own, with loss, accuracy and the norm of each
// parameter's gradient; and what of its memory could be spared by computing activations again.
#pragma once
#include <arenascope/base/ids.h>

#include <QStringList>
#include <map>
#include <string>
#include <vector>

#include "background_job.h"
#include "run_settings.h"

namespace arenascope::app {

struct LearningWish {
  QString data;                                // IMAGES,LABELS, sort:SEED or a file of tokens
  std::map<std::string, std::string> options;  // of app/common/train_options.h, by id; what is not in it is as usual
  Bytes capacity = 0;                          // of the arena; 0: any
  QString save;                                // a checkpoint behind each epoch; empty: none
  bool operator==(const LearningWish&) const = default;
};

struct LearnedStep {
  double loss = 0;
  double accuracy = 0;       // share of the rows that count
  std::vector<float> norms;  // of Learning::parameters()
};

// What computing activations again spares and costs; each is a plan that can be run by its capacity.
struct FrontierPoint {
  Bytes arena = 0;
  double extra_work = 0;  // share of a step's operations
};

class Learning : public BackgroundJob {
  Q_OBJECT
 public:
  explicit Learning(QObject* parent = nullptr);
  ~Learning() override;  // waits until the step that is computed has ended

  void begin(const QString& spec, const LearningWish& wish, const RunSettings& settings);
  // Of a training step of the model; of a lesson's own graph, as it stands.
  void find_frontier(const QString& spec, const LearningWish& wish, const RunSettings& settings);

  const std::vector<LearnedStep>& steps() const { return steps_; }
  const QStringList& parameters() const { return parameters_; }  // that have a gradient
  const std::vector<FrontierPoint>& frontier() const { return frontier_; }
  const QString& problem() const { return problem_; }
  int epoch() const { return epoch_; }  // that goes on, from 1
  double share() const override { return share_; }
  bool finds_frontier() const { return finds_frontier_; }  // rather than training
  double seconds() const { return seconds_; }

 private:
  struct News;
  void take(const News& news);
  // On the thread.
  void tell_news(const Part& part, News news);
  void learn(const Part& part, const std::string& spec, const LearningWish& wish, const RunSettings& settings);

  std::vector<LearnedStep> steps_;
  QStringList parameters_;
  std::vector<FrontierPoint> frontier_;
  QString problem_;
  int epoch_ = 0;
  bool finds_frontier_ = false;
  double share_ = -1;  // of the steps; not known in the first epoch of several
  double seconds_ = 0;
};

}  // namespace arenascope::app
