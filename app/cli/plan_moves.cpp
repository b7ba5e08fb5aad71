// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan_moves.h"

#include <arenascope/base/step_number.h>
#include <arenascope/graph/order_ge.h>
#include <arenascope/graph/order_peak.h>
#include <arenascope/graph/order_search.h>
#include <fmt/format.h>

#include "app/common/format.h"

namespace arenascope::cli {
namespace {

Json class_json(const PeakByClass& bytes) {
  Json out = Json::object();
  for (size_t c = 0; c < kLiveClasses; ++c)
    if (bytes[c] > 0) out[name(static_cast<LiveClass>(c))] = bytes[c];
  return out;
}

struct Played {
  GeOrder by_type, both;
  OrderSearchResult search;
  PeakByClass before, after;
  double share() const {
    return both.base_peak > 0 ? 1 - static_cast<double>(both.peak) / static_cast<double>(both.base_peak) : 0;
  }
};

Result<Played> play(const Graph& graph, const MovesArguments& arguments) {
  const OrderOptions& options = arguments.ordering;
  GeOptions ge;
  ge.base = arguments.base;
  ge.by_lifetime = false;
  Played out;
  auto by_type = optimise_like_ge(graph, ge, options);
  if (!by_type) return by_type.error();
  ge.by_lifetime = ge.peaks = true;
  auto both = optimise_like_ge(graph, ge, options);
  if (!both) return both.error();
  auto searched = search_order(graph, options);
  if (!searched) return searched.error();
  out.by_type = std::move(*by_type);
  out.both = std::move(*both);
  out.search = std::move(*searched);
  out.before = peak_by_class(graph, out.both.base, options.keep_outputs);
  out.after = peak_by_class(graph, out.both.order, options.keep_outputs);
  return out;
}

void print_json_of(const Context& context, const models::Model& model, const MovesArguments& arguments,
                   const Played& played) {
  Json moves = Json::array();
  for (const GeMove& move : played.both.moves)
    moves.push_back({{"node", model.graph.node(move.node).name.str()},
                     {"reader", model.graph.node(move.reader).name.str()},
                     {"rule", name(move.rule)},
                     {"from_step", move.from.value},
                     {"to_step", move.to.value},
                     {"bytes", move.bytes},
                     {"peak_before_bytes", move.peak_before},
                     {"peak_after_bytes", move.peak_after}});
  print_json(context, {{"model", model.name},
                       {"base", arguments.base},
                       {"parameter_bytes", model.parameter_bytes},
                       {"weight_paths", arguments.paths.paths},
                       {"weight_path_bytes", arguments.paths.path_bytes},
                       {"base_peak_bytes", played.both.base_peak},
                       {"type_peak_bytes", played.by_type.peak},
                       {"peak_bytes", played.both.peak},
                       {"saved_share", played.share()},
                       {"adopted", played.both.taken},
                       {"search_peak_bytes", played.search.peak},
                       {"search_lower_bound_bytes", played.search.lower_bound},
                       {"search_optimal", played.search.optimal},
                       {"base_peak", class_json(played.before)},
                       {"peak", class_json(played.after)},
                       {"moves", moves}});
}

void print_text_of(const models::Model& model, const MovesArguments& arguments, const Played& played) {
  constexpr size_t kShown = 20;
  const GeOrder& ge = played.both;
  if (arguments.paths.paths > 0)
    cli::print("{} paths from weights to matmuls, {} of copies\n", arguments.paths.paths,
               app::format_bytes(arguments.paths.path_bytes));
  cli::print("{} in order {}: peak {}\n", model.name, arguments.base, app::format_bytes(ge.base_peak));
  for (size_t i = 0; i < std::min(kShown, ge.moves.size()); ++i) {
    const GeMove& move = ge.moves[i];
    cli::print("  {:>4} by {:<8} {:<36.36} from {:>5} to {:>5}, before {:<28.28} {:>12}  {} → {}\n", i + 1,
               name(move.rule), model.graph.node(move.node).name.str(), step_number(move.from), step_number(move.to),
               model.graph.node(move.reader).name.str(), app::format_bytes(move.bytes),
               app::format_bytes(move.peak_before), app::format_bytes(move.peak_after));
  }
  if (ge.moves.size() > kShown) cli::print("  … {} more; --json lists them\n", ge.moves.size() - kShown);
  cli::print("type rule {}, both rules {}: {:.2f} % less{}\n", app::format_bytes(played.by_type.peak),
             app::format_bytes(ge.peak), 100 * played.share(),
             ge.taken ? "" : "; the peak does not drop, so the order is kept");
  cli::print("search {}{}\n\n", app::format_bytes(played.search.peak), played.search.optimal ? ", optimal" : "");
  cli::print("{:<20} {:>14} {:>14} {:>14}\n", "live at the peak", "before", "after", "saved");
  for (size_t c = 0; c < kLiveClasses; ++c)
    if (played.before[c] > 0 || played.after[c] > 0)
      cli::print("{:<20} {:>14} {:>14} {:>14}\n", name(static_cast<LiveClass>(c)), app::format_bytes(played.before[c]),
                 app::format_bytes(played.after[c]), app::format_bytes(played.before[c] - played.after[c]));
}

}  // namespace

Result<WeightPathOptions> parse_weight_paths(const std::string& text) {
  WeightPathOptions out;
  std::string way = text;
  if (out.shared = way.ends_with("-shared"); out.shared) way.resize(way.size() - 7);
  out.trans_data = way == "trans-data";
  if (way == "cast" || way == "trans-data") return out;
  return Error{fmt::format(
      "--weight-paths: unknown value '{}'; available: cast, cast-shared, trans-data, trans-data-shared", text)};
}

int plan_moves(const Context& context, const models::Model& model, const MovesArguments& arguments) {
  auto played = play(model.graph, arguments);
  if (!played) return fail(kUsage, played.error().message);
  if (context.json)
    print_json_of(context, model, arguments, *played);
  else
    print_text_of(model, arguments, *played);
  return kDone;
}

}  // namespace arenascope::cli
