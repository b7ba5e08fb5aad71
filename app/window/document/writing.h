// SPDX-License-Identifier: GPL-3.0-or-later
// The document's language model writes a text: tokens come one by one from a thread of its own, each with what it was
// chosen by and where it lies; their runs are recorded into a session that the views show.
#pragma once
#include <arenascope/trace/session.h>

#include <memory>
#include <vector>

#include "background_job.h"
#include "run_settings.h"

namespace arenascope::app {

struct WritingWish {
  QString prompt;
  bool chat = false;  // in the file's chat template
  int tokens = 64;    // behind the prompt
  double temperature = 0;
  int top_k = 40;
  quint64 seed = 0;
  bool operator==(const WritingWish&) const = default;
};

struct WrittenToken {
  struct Candidate {
    int32_t id = 0;
    QString name;
    float logit = 0;
    double probability = 0;
  };
  int32_t id = 0;
  QString name;                 // as the vocabulary writes it
  QString text;                 // what it adds to the text; empty in the middle of a letter
  bool given = false;           // of the prompt
  std::vector<Candidate> best;  // the ten largest logits that it was chosen by; empty of a prompt's
  int64_t position = 0;         // in the text
  int64_t row = 0;              // of the cache
  trace::RunId run;             // that its keys and values were computed in; none yet of the last one
};

class Writing : public BackgroundJob {
  Q_OBJECT
 public:
  explicit Writing(QObject* parent = nullptr);
  ~Writing() override;  // waits until what is computed has ended

  void begin(const QString& spec, const WritingWish& wish, const RunSettings& settings);
  void go_on(int tokens);  // behind what is there

  bool can_go_on() const { return !busy() && engine_ != nullptr && problem_.isEmpty() && !ended_; }
  double share() const override;  // of the tokens that were asked for
  const std::vector<WrittenToken>& tokens() const { return tokens_; }
  const QString& problem() const { return problem_; }
  bool ended() const { return ended_; }  // by a token that ends the text
  // Tokens a second of the prompt, and of what came behind it; 0: not yet.
  double prefill_rate() const { return prefill_rate_; }
  double decode_rate() const { return decode_rate_; }

 Q_SIGNALS:
  void session_begun(std::shared_ptr<arenascope::trace::Session> session, const QString& title);

 private:
  struct Engine;
  struct News;
  void take(const News& news);
  // On the thread.
  void tell_news(const Part& part, News news);
  bool read_prompt(const Part& part, Engine& engine, const std::string& spec, const WritingWish& wish,
                   const RunSettings& settings);
  void write(const Part& part, Engine& engine, int tokens);

  std::shared_ptr<Engine> engine_;  // while busy the thread's alone
  std::vector<WrittenToken> tokens_;
  QString problem_;
  bool ended_ = false;
  int wanted_ = 0, written_ = 0;  // tokens behind the prompt, of what goes on
  double prefill_rate_ = 0, decode_rate_ = 0;
};

}  // namespace arenascope::app
