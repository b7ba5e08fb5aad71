// SPDX-License-Identifier: GPL-3.0-or-later
#include "writing.h"

#include <arenascope/generate/generator.h>
#include <arenascope/generate/sampler.h>
#include <arenascope/models/chat_template.h>
#include <arenascope/models/tokenizer.h>
#include <arenascope/trace/recorder.h>

#include <QRegularExpression>
#include <algorithm>
#include <cmath>

namespace arenascope::app {
namespace {

constexpr size_t kShown = 10;
constexpr int64_t kRows = 1024;  // of the cache, so that one can go on; no more than the model sees

}  // namespace

// What the thread works with from one call to the next.
struct Writing::Engine {
  std::shared_ptr<trace::Recorder> recorder = std::make_shared<trace::Recorder>();
  std::shared_ptr<trace::Session> session = std::make_shared<trace::Session>();
  std::unique_ptr<models::Tokenizer> tokenizer;  // null: tokens stay numbers
  std::unique_ptr<Generator> generator;
  std::unique_ptr<Sampler> sampler;
  models::Utf8Stream letters;
  std::vector<float> logits;
  std::vector<int32_t> waiting;  // chosen, and not in the cache yet
  Nanoseconds prefill = 0;
  int64_t prompt = 0, decoded = 0;

  ~Engine() {
    generator.reset();
    recorder->stop();
  }
  // Of the newest run that was recorded.
  trace::RunId newest_run() {
    recorder->drain();
    recorder->drain();  // a run's end follows behind its events
    const size_t runs = session->snapshot()->runs.size();
    return runs > 0 ? trace::RunId(runs - 1) : trace::RunId::none();
  }
  Status feed(const std::vector<int32_t>& ids) {
    auto out = generator->feed(ids);
    if (!out) return out.error();
    logits.assign(out->begin(), out->end());
    return {};
  }
  WrittenToken token_of(int32_t id, bool given) {
    WrittenToken out;
    out.id = id, out.name = name_of(id), out.text = text_of(id), out.given = given;
    return out;
  }
  QString name_of(int32_t id) const {
    return tokenizer ? QString::fromStdString(tokenizer->name_of(id)) : QString::number(id);
  }
  QString text_of(int32_t id) {
    return tokenizer ? QString::fromStdString(letters.add(tokenizer->bytes_of(id))) : QString::number(id) + u' ';
  }

  Status open(const std::string& spec, const WritingWish& wish, const RunSettings& settings) {
    SamplerOptions options{static_cast<float>(wish.temperature), wish.top_k, 1, wish.seed};
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

  Result<std::vector<int32_t>> ids_of(const std::string& spec, const WritingWish& wish) {
    std::string text = wish.prompt.toStdString();
    if (wish.chat) {
      auto asked = models::ChatTemplate::open(spec);
      if (!asked) return asked.error();
      auto rendered = asked->render({{"user", text}}, true);
      if (!rendered) return rendered.error();
      text = *rendered;
    }
    if (tokenizer) return tokenizer->encode(text, {!wish.chat, wish.chat});
    std::vector<int32_t> ids;
    for (const QString& word : wish.prompt.split(QRegularExpression(QStringLiteral("[ ,]+")), Qt::SkipEmptyParts))
      ids.push_back(word.toInt());
    return ids;
  }
};

namespace {

std::vector<WrittenToken::Candidate> best_of(const std::vector<float>& logits,
                                             const std::function<QString(int32_t)>& name) {
  std::vector<int32_t> ids(logits.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
  const size_t shown = std::min(kShown, ids.size());
  std::partial_sort(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(shown), ids.end(), [&](int32_t a, int32_t b) {
    const float x = logits[static_cast<size_t>(a)], y = logits[static_cast<size_t>(b)];
    return x > y || (x == y && a < b);
  });
  std::vector<WrittenToken::Candidate> out;
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

// From the thread to the window.
struct Writing::News {
  std::vector<WrittenToken> tokens;
  trace::RunId run_of_last = trace::RunId::none();  // in which the newest token before these was computed
  std::shared_ptr<trace::Session> session;
  QString title, problem;
  double prefill_rate = 0, decode_rate = 0;
  bool ended = false, done = false;
};

Writing::Writing(QObject* parent) : BackgroundJob(parent) {}

Writing::~Writing() { finish(); }

void Writing::tell_news(const Part& part, News news) {
  const bool last = news.done;
  tell(
      part, [this, news = std::move(news)] { take(news); }, last);
}

void Writing::take(const News& news) {
  if (news.run_of_last.valid() && !tokens_.empty()) tokens_.back().run = news.run_of_last;
  tokens_.insert(tokens_.end(), news.tokens.begin(), news.tokens.end());
  if (!news.tokens.empty() && !news.tokens.back().given) written_ += static_cast<int>(news.tokens.size());
  if (!news.problem.isEmpty()) problem_ = news.problem;
  if (news.prefill_rate > 0) prefill_rate_ = news.prefill_rate;
  if (news.decode_rate > 0) decode_rate_ = news.decode_rate;
  ended_ = ended_ || news.ended;
  if (news.session) Q_EMIT session_begun(news.session, news.title);
}

double Writing::share() const {
  return wanted_ > 0 && written_ > 0 ? static_cast<double>(written_) / static_cast<double>(wanted_) : -1;
}

// The prompt, as tokens that were fed; false where there is nothing to go on from.
bool Writing::read_prompt(const Part& part, Engine& engine, const std::string& spec, const WritingWish& wish,
                          const RunSettings& settings) {
  const auto fail = [&](const Error& error) {
    News news;
    news.problem = QString::fromStdString(error.message), news.done = true;
    tell_news(part, std::move(news));
    return false;
  };
  if (auto ok = engine.open(spec, wish, settings); !ok) return fail(ok.error());
  auto ids = engine.ids_of(spec, wish);
  if (!ids) return fail(ids.error());
  Generator& generator = *engine.generator;
  const auto count = static_cast<int64_t>(ids->size());
  const int64_t wanted = std::max<int64_t>(count + wish.tokens, kRows), context = generator.context();
  if (auto ok = generator.set_capacity(context > 0 ? std::min(wanted, context) : wanted); !ok) return fail(ok.error());
  if (auto ok = engine.feed(*ids); !ok) return fail(ok.error());
  engine.prefill = generator.busy();
  News news;
  const trace::RunId run = engine.newest_run();
  for (int64_t i = 0; i < count; ++i) {
    WrittenToken token = engine.token_of((*ids)[static_cast<size_t>(i)], true);
    token.position = i, token.row = generator.table().row(0, i), token.run = run;
    news.tokens.push_back(std::move(token));
  }
  news.session = engine.session, news.title = QString::fromStdString(generator.name());
  news.prefill_rate = rate(count, engine.prefill);
  tell_news(part, std::move(news));
  return true;
}

void Writing::write(const Part& part, Engine& engine, int tokens) {
  Generator& generator = *engine.generator;
  News last;
  for (int i = 0; i < tokens && !part.stop.stop_requested() && !last.ended && last.problem.isEmpty(); ++i) {
    News news;
    Status ok;
    if (!engine.waiting.empty()) {
      ok = engine.feed(engine.waiting);
      if (ok) {
        engine.waiting.clear();
        news.run_of_last = engine.newest_run();
        news.decode_rate = rate(++engine.decoded, generator.busy() - engine.prefill);
      }
    }
    auto id = ok ? engine.sampler->pick(engine.logits) : Result<int32_t>(ok.error());
    if (!id) {
      last.problem = QString::fromStdString(id.error().message);
      break;
    }
    WrittenToken token = engine.token_of(*id, false);
    token.best = best_of(engine.logits, [&](int32_t other) { return engine.name_of(other); });
    token.position = generator.position();
    token.row = generator.next_row();
    news.tokens.push_back(std::move(token));
    engine.waiting = {*id};
    last.ended = engine.tokenizer && engine.tokenizer->ends(*id);
    tell_news(part, std::move(news));
  }
  last.done = true;
  tell_news(part, std::move(last));
}

void Writing::begin(const QString& spec, const WritingWish& wish, const RunSettings& settings) {
  finish();  // behind its token
  tokens_.clear();
  problem_.clear();
  prefill_rate_ = decode_rate_ = 0;
  ended_ = false;
  wanted_ = wish.tokens, written_ = 0;
  engine_ = std::make_shared<Engine>();
  start([this, engine = engine_, model = spec.toStdString(), wish, settings](const Part& part) {
    if (read_prompt(part, *engine, model, wish, settings)) write(part, *engine, wish.tokens);
  });
}

void Writing::go_on(int tokens) {
  if (!can_go_on()) return;
  wanted_ = tokens, written_ = 0;
  start([this, engine = engine_, tokens](const Part& part) { write(part, *engine, tokens); });
}

}  // namespace arenascope::app
