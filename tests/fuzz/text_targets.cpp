// SPDX-License-Identifier: MIT
// Planner inputs, lessons, chat templates and settings.
#include <arenascope/allocator_sim/caching_settings.h>
#include <arenascope/lesson/lesson.h>
#include <arenascope/memory/device.h>
#include <arenascope/models/chat_template.h>
#include <arenascope/planner/check.h>
#include <arenascope/planner/csv.h>
#include <arenascope/planner/planner.h>
#include <arenascope/schedule/spread_plan.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/targets.h"

namespace arenascope::fuzz {

namespace {

using trace::ByteSpan;

std::string_view text_of(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void plan_with_all(const planner::Problem& problem) {
  planner::Options options;
  options.budget_steps = 50;
  for (const planner::Planner* planner : planner::all_planners()) {
    const auto plan = planner->plan(problem, options);
    if (!plan) continue;
    const Status valid = planner::check(problem, *plan);
    if (!valid) std::fprintf(stderr, "%s\n", valid.error().message.c_str());
    require(valid.ok(), "a planner's plan is invalid");
    require(plan->arena_bytes >= plan->lower_bound, "an arena is smaller than its lower bound");
  }
}

void run_csv(ByteSpan input) {
  auto problem = planner::read_csv(text_of(input));
  if (!problem) return require(!problem.error().message.empty(), "an error without a message");
  if (problem->size() > 64 || !planner::validate(*problem)) return;
  plan_with_all(*problem);
  require(planner::read_csv(planner::write_csv(*problem)).ok(), "a written CSV cannot be read");
}

// Six bytes per interval: any bytes are a valid problem.
void run_planner(ByteSpan input) {
  planner::Problem problem;
  problem.alignment = 1;
  for (size_t i = 0; i + 6 <= input.size() && problem.size() < 48; i += 6) {
    planner::Interval interval;
    interval.lower = input[i];
    interval.upper = interval.lower + 1 + input[i + 1];
    interval.size = 1 + input[i + 2] + 256 * Bytes{input[i + 3]};
    interval.alignment = Bytes{1} << (input[i + 4] % 8);
    const auto number = static_cast<int32_t>(problem.size());
    if (number > 0 && input[i + 5] < 64) problem.in_place.push_back({input[i + 5] % number, number, 0});
    problem.intervals.push_back(interval);
  }
  if (planner::validate(problem)) plan_with_all(problem);
}

void run_lesson(ByteSpan input) {
  const auto lesson = lesson::parse("input.lesson", text_of(input));
  if (!lesson) return require(!lesson.error().message.empty(), "an error without a message");
  for (const lesson::LessonStep& step : lesson->steps) (void)lesson::parts_of(step.text);
}

void run_chat_template(ByteSpan input) {
  const auto parsed = models::ChatTemplate::parse(text_of(input), "<s>", "</s>");
  if (!parsed) return;
  for (const bool answer : {false, true})
    (void)parsed->render({{"system", "Be brief."}, {"user", "Hello"}, {"assistant", "Hi"}, {"user", "?"}}, answer);
}

void run_settings(ByteSpan input) {
  const std::string_view text = text_of(input);
  if (const auto settings = allocator_sim::parse_caching_settings(text, {})) {
    const auto again = allocator_sim::parse_caching_settings(allocator_sim::to_string(*settings), {});
    const bool defaults = *settings == allocator_sim::CachingSettings{};
    require(defaults || (again && *again == *settings), "printed allocator settings differ when parsed");
  }
  (void)parse_banks(text);
  (void)parse_device(text);
}

std::vector<std::string> csv_seeds() {
  return {"id,lower,upper,size\na,0,2,64\nb,1,3,64\n",
          "buffer_id,start,end,size,alignment,offset,gaps,hint\n1,0,9,100,4,,\"2-3 5-6@0:64\",7\n2,1,4,64,,0,,\n"};
}

std::vector<std::string> planner_seeds() {
  std::string bytes;
  for (int i = 0; i < 120; ++i) bytes += static_cast<char>(i * 37);
  return {bytes, bytes.substr(0, 12), std::string(6, 1)};
}

std::vector<std::string> lesson_seeds() {
  std::vector<std::string> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(ARENASCOPE_SOURCE_DIR "/resources/lessons", error)) {
    if (entry.path().extension() != ".md") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return all;
}

std::vector<std::string> chat_template_seeds() {
  return {
      "{% for m in messages %}{{ '<|' + m['role'] + '|>' + m.content | trim }}{% if not loop.last %}, {% endif %}{% "
      "endfor %}{% if add_generation_prompt %}{{ bos_token }}{% endif %}",
      "{%- set ns = namespace(n=0, names=[]) -%}{% for m in messages if m.role != 'system' %}{% set ns.n = ns.n + 1 "
      "%}{% "
      "set ns.names = ns.names + [m.role | upper] %}{% else %}{{ raise_exception('none') }}{% endfor %}{{ ns.names[1:] "
      "}}",
      "{% macro f(x) %}{{ x.split(' ')[-1] ~ x | length }}{% endmacro %}{{ f('a b') if messages[0].content is string "
      "}}"};
}

std::vector<std::string> settings_seeds() {
  return {"max_split_size_mb:128,expandable_segments:True", "roundup_power2_divisions:[256:1,512:2,>:4]",
          "garbage_collection_threshold:0.8", "sram=512K,hbm=8M,host", "cuda:1"};
}

constexpr Target kTargets[] = {{"csv", run_csv, csv_seeds},
                               {"planner", run_planner, planner_seeds},
                               {"lesson", run_lesson, lesson_seeds},
                               {"chat-template", run_chat_template, chat_template_seeds},
                               {"settings", run_settings, settings_seeds}};

}  // namespace

std::span<const Target> text_targets() { return kTargets; }

}  // namespace arenascope::fuzz
