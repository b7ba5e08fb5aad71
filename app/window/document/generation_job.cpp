// SPDX-License-Identifier: GPL-3.0-or-later
#include "generation_job.h"

#include <arenascope/generate/generator.h>
#include <arenascope/generate/sampler.h>
#include <arenascope/models/chat_template.h>
#include <arenascope/models/tokenizer.h>
#include <arenascope/trace/recorder.h>

#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "autosave.h"
#include "saved_mark.h"

namespace arenascope::app {
namespace {

constexpr size_t kShown = 10;
constexpr int64_t kRows = 1024;  // initial capacity of the KV cache, for continuations; limited by the context length

}  // namespace

// State of the worker thread between calls.
struct GenerationJob::Engine {
  std::shared_ptr<trace::Recorder> recorder = std::make_shared<trace::Recorder>();
  std::shared_ptr<trace::Session> session = std::make_shared<trace::Session>();
  std::shared_ptr<Autosave> autosave;  // null: nothing is kept
  SavedMark saved;
  std::unique_ptr<models::Tokenizer> tokenizer;  // null: tokens are shown as ids
  std::unique_ptr<Generator> generator;
  std::unique_ptr<Sampler> sampler;
  models::Utf8Stream letters;
  std::vector<float> logits;
  std::vector<int32_t> waiting;  // sampled, but not in the KV cache yet
  Nanoseconds prefill = 0;
  int64_t prompt = 0, decoded = 0;

  ~Engine() {
    generator.reset();
    recorder->stop();
    if (unsaved()) autosave->keep();
  }
  bool unsaved() const {
    if (!autosave) return false;
    const auto snapshot = session->snapshot();
    return snapshot->event_count > 0 && !saved.covers(*snapshot, true);
  }
  // The newest recorded run.
  trace::RunId newest_run() {
    recorder->drain();
    recorder->drain();  // a run's end is recorded after its events
    const size_t runs = session->snapshot()->runs.size();
    return runs > 0 ? trace::RunId(runs - 1) : trace::RunId::none();
  }
  Status feed(const std::vector<int32_t>& ids) {
    auto out = generator->feed(ids);
    if (!out) return out.error();
    logits.assign(out->begin(), out->end());
    return {};
  }
  GeneratedToken token_of(int32_t id, bool given) {
    GeneratedToken out;
    out.id = id, out.name = name_of(id), out.text = text_of(id), out.given = given;
    return out;
  }
  QString name_of(int32_t id) const {
    return tokenizer ? QString::fromStdString(tokenizer->name_of(id)) : QString::number(id);
  }
  QString text_of(int32_t id) {
    return tokenizer ? QString::fromStdString(letters.add(tokenizer->bytes_of(id))) : QString::number(id) + u' ';
  }

  Status open(const std::string& spec, const GenerationRequest& request, const RunSettings& settings) {
    SamplerOptions options{static_cast<float>(request.temperature), request.top_k, 1, request.seed};
    auto made = Sampler::create(options);
    if (!made) return made.error();
    sampler = std::make_unique<Sampler>(*made);
    GeneratorOptions generate;
    generate.run.backend = settings.backend.toStdString();
    generate.run.threads = settings.threads;
    generate.run.planner = settings.planner.toStdString();
    generate.run.order = settings.order.toStdString();
    generate.run.budget_seconds = settings.budget_seconds;
    generate.run.fuse = settings.fuse;
    generate.run.recorder = recorder.get();
    recorder->add_sink(session);
    if (settings.autosave) {
      const QString name = QFileInfo(QString::fromStdString(spec)).completeBaseName();
      autosave = Autosave::create_rolling(name, settings.recording_limit_bytes());
    }
    if (autosave) recorder->add_sink(autosave);
    recorder->start();
    if (!spec.starts_with("zoo:")) {
      auto opened = models::Tokenizer::open(spec);
      if (!opened) return opened.error();
      tokenizer = std::move(*opened);
    }
    auto opened = Generator::open(spec, generate);
    if (!opened) return opened.error();
    generator = std::move(*opened);
    return {};
  }

  Result<std::vector<int32_t>> ids_of(const std::string& spec, const GenerationRequest& request) {
    std::string text = request.prompt.toStdString();
    if (request.chat) {
      auto asked = models::ChatTemplate::open(spec);
      if (!asked) return asked.error();
      auto rendered = asked->render({{"user", text}}, true);
      if (!rendered) return rendered.error();
      text = *rendered;
    }
    if (tokenizer) return tokenizer->encode(text, {!request.chat, request.chat});
    std::vector<int32_t> ids;
    for (const QString& word : request.prompt.split(QRegularExpression(QStringLiteral("[ ,]+")), Qt::SkipEmptyParts))
      ids.push_back(word.toInt());
    return ids;
  }
};

namespace {

std::vector<GeneratedToken::Candidate> best_of(const std::vector<float>& logits,
                                               const std::function<QString(int32_t)>& name) {
  std::vector<int32_t> ids(logits.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
  const size_t shown = std::min(kShown, ids.size());
  std::partial_sort(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(shown), ids.end(), [&](int32_t a, int32_t b) {
    const float x = logits[static_cast<size_t>(a)], y = logits[static_cast<size_t>(b)];
    return x > y || (x == y && a < b);
  });
  std::vector<GeneratedToken::Candidate> out;
  if (ids.empty()) return out;
  const auto most = static_cast<double>(logits[static_cast<size_t>(ids[0])]);
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
  for (size_t i = 0; i < shown; ++i) {
    const float logit = logits[static_cast<size_t>(ids[i])];
    out.push_back({ids[i], name(ids[i]), logit, std::exp(static_cast<double>(logit) - most) / sum});
  }
  return out;
}

double rate(int64_t tokens, Nanoseconds time) {
  return time > 0 ? static_cast<double>(tokens) * 1e9 / static_cast<double>(time) : 0;
}

}  // namespace

// Sent from the worker thread to the UI thread.
struct GenerationJob::Update {
  std::vector<GeneratedToken> tokens;
  trace::RunId run_of_last = trace::RunId::none();  // run that computed the newest token before `tokens`
  std::shared_ptr<trace::Session> session;
  QString title, problem;
  double prefill_rate = 0, decode_rate = 0;
  bool ended = false;
};

GenerationJob::GenerationJob(views::TaskList* tasks) : task_(tasks, views::Task::OnCancel::Keep) {
  connect(&task_, &views::Task::changed, this, &GenerationJob::changed);
}

std::shared_ptr<const trace::Session> GenerationJob::session() const { return engine_ ? engine_->session : nullptr; }

void GenerationJob::mark_saved(const trace::Snapshot& snapshot) {
  if (engine_) engine_->saved.set(snapshot);
}

bool GenerationJob::will_be_kept() const { return !tokens_.empty() && engine_ && engine_->unsaved(); }

void GenerationJob::post_update(GenerationJob* job, const views::TaskRun& execution, Update update) {
  execution.post([job, update = std::move(update)] {
    job->apply(update);
    Q_EMIT job->changed();
  });
}

void GenerationJob::apply(const Update& update) {
  if (update.run_of_last.valid() && !tokens_.empty()) tokens_.back().run = update.run_of_last;
  tokens_.insert(tokens_.end(), update.tokens.begin(), update.tokens.end());
  if (!update.problem.isEmpty()) problem_ = update.problem;
  if (update.prefill_rate > 0) prefill_rate_ = update.prefill_rate;
  if (update.decode_rate > 0) decode_rate_ = update.decode_rate;
  ended_ = ended_ || update.ended;
  if (update.session) Q_EMIT session_begun(update.session, update.title);
}

// Feeds the prompt; false if there is nothing to continue from.
bool GenerationJob::read_prompt(GenerationJob* job, const views::TaskRun& execution, Engine& engine,
                                const std::string& spec, const GenerationRequest& request,
                                const RunSettings& settings) {
  const auto fail = [&](const Error& error) {
    Update update;
    update.problem = QString::fromStdString(error.message);
    post_update(job, execution, std::move(update));
    return false;
  };
  if (auto ok = engine.open(spec, request, settings); !ok) return fail(ok.error());
  auto ids = engine.ids_of(spec, request);
  if (!ids) return fail(ids.error());
  Generator& generator = *engine.generator;
  const auto count = static_cast<int64_t>(ids->size());
  const int64_t rows = std::max<int64_t>(count + request.tokens, kRows), context = generator.context();
  if (auto ok = generator.set_capacity(context > 0 ? std::min(rows, context) : rows); !ok) return fail(ok.error());
  if (auto ok = engine.feed(*ids); !ok) return fail(ok.error());
  engine.prefill = generator.busy();
  Update update;
  const trace::RunId run = engine.newest_run();
  for (int64_t i = 0; i < count; ++i) {
    GeneratedToken token = engine.token_of((*ids)[static_cast<size_t>(i)], true);
    token.position = i, token.row = generator.table().row(0, i), token.run = run;
    update.tokens.push_back(std::move(token));
  }
  update.session = engine.session, update.title = QString::fromStdString(generator.name());
  update.prefill_rate = rate(count, engine.prefill);
  post_update(job, execution, std::move(update));
  return true;
}

void GenerationJob::generate(GenerationJob* job, const views::TaskRun& execution, Engine& engine, int tokens) {
  Generator& generator = *engine.generator;
  Update last;
  for (int i = 0; i < tokens && !execution.stop().stop_requested() && !last.ended && last.problem.isEmpty(); ++i) {
    Update update;
    Status ok;
    if (!engine.waiting.empty()) {
      ok = engine.feed(engine.waiting);
      if (ok) {
        engine.waiting.clear();
        update.run_of_last = engine.newest_run();
        update.decode_rate = rate(++engine.decoded, generator.busy() - engine.prefill);
      }
    }
    auto id = ok ? engine.sampler->pick(engine.logits) : Result<int32_t>(ok.error());
    if (!id) {
      last.problem = QString::fromStdString(id.error().message);
      break;
    }
    GeneratedToken token = engine.token_of(*id, false);
    token.best = best_of(engine.logits, [&](int32_t other) { return engine.name_of(other); });
    token.position = generator.position();
    token.row = generator.next_row();
    update.tokens.push_back(std::move(token));
    engine.waiting = {*id};
    last.ended = engine.tokenizer && engine.tokenizer->ends(*id);
    post_update(job, execution, std::move(update));
    execution.progress(static_cast<double>(i + 1) / tokens);
  }
  post_update(job, execution, std::move(last));
}

void GenerationJob::begin(const QString& spec, const GenerationRequest& request, const RunSettings& settings) {
  tokens_.clear();
  problem_.clear();
  prefill_rate_ = decode_rate_ = 0;
  ended_ = false;
  engine_ = std::make_shared<Engine>();
  task_.start(tr("Generating text…"),
              [this, engine = engine_, model = spec.toStdString(), request, settings](const views::TaskRun& execution) {
                if (read_prompt(this, execution, *engine, model, request, settings))
                  generate(this, execution, *engine, request.tokens);
              });
}

void GenerationJob::resume(int tokens) {
  if (!can_resume()) return;
  task_.start(tr("Generating text…"), [this, engine = engine_, tokens](const views::TaskRun& execution) {
    generate(this, execution, *engine, tokens);
  });
}

}  // namespace arenascope::app
