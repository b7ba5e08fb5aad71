// SPDX-License-Identifier: MIT
#include "engine/lesson/generate_tokens.h"

#include <algorithm>

#include <arenascope/generate/generator.h>
#include <arenascope/generate/sampler.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/trace/recorder.h>
#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {

Result<GenerateRequest> parse_generate_request(const Action& action) {
  GenerateRequest order;
  const auto n = parse_integer(action.arguments[0]);
  if (!n || *n < 1 || *n > 1024)
    return Error{fmt::format("invalid number of tokens '{}': expected 1 to 1024", action.arguments[0])};
  order.tokens = static_cast<int>(*n);
  for (const std::string& token : split(action.arguments[1], ",")) {
    const auto id = parse_integer(token);
    if (!id || *id < 0 || *id > INT32_MAX) return Error{fmt::format("'{}' is not a token id", token)};
    order.prompt.push_back(static_cast<int32_t>(*id));
  }
  if (order.prompt.empty()) return Error{"the prompt has no tokens"};
  return order;
}

Result<std::shared_ptr<trace::Session>> generate_tokens(const std::string& spec, const Settings& settings,
                                                        const Action& action) {
  auto order = parse_generate_request(action);
  if (!order) return order.error();
  auto recorder = std::make_unique<trace::Recorder>();
  auto session = std::make_shared<trace::Session>();
  recorder->add_sink(session);
  GeneratorOptions options;
  options.run = runner_options(settings);
  options.run.recorder = recorder.get();
  auto opened = Generator::open(spec, options);
  if (!opened) return opened.error();
  Generator& generator = **opened;
  const auto length = static_cast<int64_t>(order->prompt.size()) + order->tokens;
  const int64_t rows = generator.context() > 0 ? std::min(length, generator.context()) : length;
  if (auto ok = generator.set_capacity(rows); !ok) return ok.error();
  auto sampler = Sampler::create({});
  if (!sampler) return sampler.error();
  std::vector<int32_t> fed = order->prompt;
  for (int written = 0; written < order->tokens; ++written) {
    auto logits = generator.feed(fed);
    if (!logits) return logits.error();
    auto next = sampler->pick(*logits);
    if (!next) return next.error();
    fed = {*next};
  }
  recorder->drain();
  recorder->drain();  // a run's end follows its events
  opened->reset();
  recorder->drain();
  return session;
}

}  // namespace arenascope::lesson
