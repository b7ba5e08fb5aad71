// SPDX-License-Identifier: GPL-3.0-or-later
// Generates text with the document's language model. Tokens arrive one by one from a background thread with their
// candidates and KV cache rows; the runs are recorded into a session that the views show.
#pragma once
#include <arenascope/trace/session.h>
#include <views/common/task.h>

#include <memory>
#include <vector>

#include "run_settings.h"

namespace arenascope::app {

struct GenerationRequest {
  QString prompt;
  bool chat = false;  // use the chat template of the file
  int tokens = 64;    // after the prompt
  double temperature = 0;
  int top_k = 40;
  quint64 seed = 0;
  bool operator==(const GenerationRequest&) const = default;
};

struct GeneratedToken {
  struct Candidate {
    int32_t id = 0;
    QString name;
    float logit = 0;
    double probability = 0;
  };
  int32_t id = 0;
  QString name;                 // as in the vocabulary
  QString text;                 // text that it adds; empty within a multi-byte character
  bool given = false;           // part of the prompt
  std::vector<Candidate> best;  // the ten largest logits it was sampled from; empty for prompt tokens
  int64_t position = 0;         // in the text
  int64_t row = 0;              // in the KV cache
  trace::RunId run;             // run that computed its keys and values; none yet for the last token
};

class GenerationJob : public QObject {
  Q_OBJECT
 public:
  explicit GenerationJob(views::TaskList* tasks);

  void begin(const QString& spec, const GenerationRequest& request, const RunSettings& settings);
  void resume(int tokens);  // after the existing text

  void stop() { task_.cancel(); }  // after the current token
  bool busy() const { return task_.running(); }
  bool can_resume() const { return !busy() && engine_ != nullptr && problem_.isEmpty() && !ended_; }
  const std::vector<GeneratedToken>& tokens() const { return tokens_; }
  const QString& problem() const { return problem_; }
  bool ended() const { return ended_; }  // by an end-of-text token
  // Tokens per second of prefill and decode; 0: not measured yet.
  double prefill_rate() const { return prefill_rate_; }
  double decode_rate() const { return decode_rate_; }
  std::shared_ptr<const trace::Session> session() const;  // null: nothing was generated
  // As RunController has them.
  void mark_saved(const trace::Snapshot& snapshot);
  bool will_be_kept() const;

 Q_SIGNALS:
  void changed();
  void session_begun(std::shared_ptr<arenascope::trace::Session> session, const QString& title);

 private:
  struct Engine;
  struct Update;
  void apply(const Update& update);
  // On the worker thread; `job` is used in reports only, since it may be destroyed meanwhile.
  static void post_update(GenerationJob* job, const views::TaskRun& execution, Update update);
  static bool read_prompt(GenerationJob* job, const views::TaskRun& execution, Engine& engine, const std::string& spec,
                          const GenerationRequest& request, const RunSettings& settings);
  static void generate(GenerationJob* job, const views::TaskRun& execution, Engine& engine, int tokens);

  views::Task task_;
  std::shared_ptr<Engine> engine_;  // owned by the worker thread while busy
  std::vector<GeneratedToken> tokens_;
  QString problem_;
  bool ended_ = false;
  double prefill_rate_ = 0, decode_rate_ = 0;
};

}  // namespace arenascope::app
