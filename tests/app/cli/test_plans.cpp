// SPDX-License-Identifier: GPL-3.0-or-later
// Every planner with every order, for models whose weights are never generated.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/test_data.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

// The names listed by the command: "available planners: all, none, …; available orders: all, …".
std::set<std::string> listed(const std::string& text, const std::string& head) {
  std::set<std::string> names;
  const size_t begin = text.find(head);
  if (begin == std::string::npos) return names;
  std::istringstream in(text.substr(begin + head.size(), text.find_first_of(";\n", begin) - begin - head.size()));
  for (std::string name; std::getline(in >> std::ws, name, ',');)
    if (name != "all") names.insert(name);
  return names;
}

void check_everything(const std::string& model) {
  const std::string names = cli({"plan", model, "--planner", "?"}).err;
  const auto planners = listed(names, "planners: "), orders = listed(names, "orders: ");
  CHECK(planners.size() >= 10);
  CHECK(orders.size() >= 4);
  for (const char* name : {"none", "two-level", "greedy-by-size", "search"}) CHECK(planners.count(name) == 1);
  for (const char* name : {"depth-first", "breadth-first", "search"}) CHECK(orders.count(name) == 1);

  const Ended ended = cli({"plan", model, "--planner", "all", "--order", "all", "--json"});
  REQUIRE(ended.status == 0);
  MESSAGE(model << ": " << ended.cpu_seconds << " s of processor, " << ended.wall_seconds << " s, "
                << ended.peak_bytes / 1000000 << " MB");
  if (!kSanitized) {
    CHECK(ended.cpu_seconds < 1);   // the requested budget
    CHECK(ended.wall_seconds < 5);  // the machine may be shared
    CHECK(ended.peak_bytes < 200'000'000);
  }
  const Json object = Json::parse(ended.out, nullptr, false);
  REQUIRE(object.is_object());
  CHECK(object["buffers"] > 50);

  std::set<std::pair<std::string, std::string>> pairs;
  std::map<std::string, int64_t> searched, bound, none;
  int64_t best = INT64_MAX;
  for (const Json& result : object["results"]) {
    const std::string planner = result["planner"], order = result["order"];
    CAPTURE(planner);
    CAPTURE(order);
    CHECK(pairs.emplace(planner, order).second);
    CHECK(planners.count(planner) == 1);
    CHECK(orders.count(order) == 1);
    const int64_t arena = result["arena_bytes"], lower = result["lower_bound_bytes"];
    CHECK(lower > 0);
    CHECK(arena >= lower);
    CHECK(result["ratio"].get<double>() == doctest::Approx(double(arena) / double(lower)));
    CHECK(result["seconds"] >= 0.0);
    CHECK(bound.emplace(order, lower).first->second == lower);  // the lower bound depends on the order only
    if (planner == "search") searched[order] = arena;
    if (planner == "none") none[order] = arena;
    best = std::min(best, arena);
  }
  CHECK(pairs.size() == planners.size() * orders.size());
  for (const Json& result : object["results"]) {
    const std::string order = result["order"];
    CAPTURE(order);
    CHECK(searched[order] <= result["arena_bytes"]);
  }
  for (const auto& [order, arena] : none) CHECK(arena > best);  // reuse saves memory
}

}  // namespace

TEST_CASE("resnet50 with every planner and order") { check_everything("zoo:resnet50"); }
TEST_CASE("llama_13b with every planner and order") { check_everything("zoo:llama_13b"); }

namespace {

Json planned(std::vector<std::string> arguments, int status = 0) {
  arguments.insert(arguments.begin(), "plan");
  arguments.push_back("--json");
  const Ended ended = cli(arguments);
  CAPTURE(ended.err);
  CHECK(ended.status == status);
  if (!kSanitized) CHECK(ended.cpu_seconds < 6);
  const Json object = Json::parse(ended.out, nullptr, false);
  REQUIRE(object.is_object());
  return object;
}

Json moves_of(const std::string& model, const std::string& paths, const std::string& base,
              std::vector<std::string> more) {
  more.insert(more.begin(), {"zoo:" + model, "--dim", "devices=2", "--weight-paths", paths, "--moves", base});
  const Json object = planned(more);
  // The peak never rises, and no order is below the result of the search.
  CHECK(object["peak_bytes"] <= object["base_peak_bytes"]);
  CHECK(object["search_peak_bytes"] <= object["peak_bytes"]);
  CHECK(object["search_lower_bound_bytes"] <= object["search_peak_bytes"]);
  CHECK(object["adopted"] == (object["peak_bytes"] < object["base_peak_bytes"]));
  int64_t before = 0, after = 0;  // the classes add up to the peak
  for (const auto& [name, bytes] : object["base_peak"].items()) before += bytes.get<int64_t>();
  for (const auto& [name, bytes] : object["peak"].items()) after += bytes.get<int64_t>();
  CHECK(before == object["base_peak_bytes"]);
  CHECK(after == object["peak_bytes"]);
  int64_t last = object["base_peak_bytes"];
  for (const Json& move : object["moves"]) {
    CHECK(move["peak_before_bytes"] == last);
    CHECK(move["peak_after_bytes"] <= last);
    CHECK(move["from_step"] < move["to_step"]);
    last = move["peak_after_bytes"];
  }
  if (object["adopted"].get<bool>()) CHECK(last == object["peak_bytes"]);
  return object;
}

constexpr const char* kCopies = "copies of weights";

}  // namespace

// CANN article: llama 13B from 45.42 to 33.37 G (-26.53 %), Baichuan 13B from 18.89 to 6.91 G (-63.42 %). Both save
// 12 G, as these graphs do: the float16 copies of half the weights, which an order by levels creates first.
TEST_CASE("GE's rules save the weight copies that an order by levels creates too early") {
  const Json baichuan = moves_of("baichuan_13b", "cast", "breadth-first", {"--prefill", "--tokens", "4096"});
  const Json llama = moves_of("llama_13b", "cast", "breadth-first", {"--training", "--tokens", "1536"});
  for (const Json* graph : {&baichuan, &llama}) {
    const double saved = (*graph)["base_peak_bytes"].get<double>() - (*graph)["peak_bytes"].get<double>();
    MESSAGE((*graph)["model"].get<std::string>()
            << ": " << (*graph)["base_peak_bytes"].get<double>() / 1e9 << " to "
            << (*graph)["peak_bytes"].get<double>() / 1e9 << " GB, " << 100 * (*graph)["saved_share"].get<double>()
            << " % less, " << saved / (1 << 30) << " GiB of "
            << (*graph)["weight_path_bytes"].get<double>() / (1 << 30));
    // The whole saving is copies, and the type rule alone achieves it.
    const double copies = (*graph)["base_peak"][kCopies].get<double>() - (*graph)["peak"].value(kCopies, 0.0);
    CHECK(saved <= copies + 1);
    CHECK(copies > 11.0 * (1 << 30));
    CHECK((*graph)["type_peak_bytes"].get<double>() < 1.01 * (*graph)["peak_bytes"].get<double>());
    CHECK((*graph)["adopted"] == true);
  }
  CHECK(baichuan["saved_share"] > 0.6);  // the article: 0.6342
  CHECK(llama["saved_share"] > 0.25);    // the article: 0.2653
}

TEST_CASE("GE's rules do not apply to chains of two copies or to orders that already delay copies") {
  const std::vector<std::string> prompt = {"--prefill", "--tokens", "512"};
  // A TransData after each cast: its input is used by the cast only.
  const Json chain = moves_of("baichuan_13b", "trans-data", "breadth-first", prompt);
  const Json cast = moves_of("baichuan_13b", "cast", "breadth-first", prompt);
  CHECK(chain["saved_share"] < cast["saved_share"]);
  CHECK(chain["search_peak_bytes"].get<double>() < 0.5 * chain["peak_bytes"].get<double>());
  // Depth first creates each copy right before its matmul, so nothing can be saved.
  const Json lazy = moves_of("baichuan_13b", "cast", "depth-first", prompt);
  CHECK(lazy["adopted"] == false);
  CHECK(lazy["base_peak_bytes"] <= cast["peak_bytes"]);
  // Shared copies live from the forward to the backward pass in any order.
  const std::vector<std::string> training = {"--training", "--tokens", "1536"};
  const Json shared = moves_of("llama_13b", "cast-shared", "breadth-first", training);
  const Json apart = moves_of("llama_13b", "cast", "breadth-first", training);
  CHECK(shared["saved_share"] < apart["saved_share"]);
}

TEST_CASE("negative savings have a unit") {
  const Ended ended = cli({"plan", "zoo:baichuan_13b", "--dim", "devices=2", "--prefill", "--tokens", "512",
                           "--weight-paths", "cast", "--moves", "breadth-first"});
  CHECK(ended.status == 0);
  const size_t table = ended.out.find("live at the peak");
  REQUIRE(table != std::string::npos);
  const size_t negative = ended.out.find(" -", table);
  REQUIRE(negative != std::string::npos);
  CHECK(ended.out.substr(negative, 16).find("iB") != std::string::npos);
}

TEST_CASE("plan over streams and banks from the command line") {
  const Json streams = planned({"zoo:resnet50", "--streams", "2"});
  CHECK(streams["streams"] == 2);
  CHECK(streams["nodes"].size() == 2);
  CHECK(streams["events"] > 0);
  CHECK(streams["arena_bytes"] >= streams["lower_bound_bytes"]);
  const Json banks = planned({"zoo:resnet50", "--banks", "sram=2M,host"});
  REQUIRE(banks["banks"].size() == 2);
  CHECK(banks["banks"][0]["used_bytes"] <= 2 << 20);
  CHECK(banks["banks"][0]["tensors"] > 0);
  CHECK(banks["banks"][0]["traffic_share"].get<double>() + banks["banks"][1]["traffic_share"].get<double>() ==
        doctest::Approx(1));
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--streams", "0"},
                                                {"--streams", "2", "--banks", "a"},
                                                {"--banks", "a=x"},
                                                {"--moves", "sideways"},
                                                {"--weight-paths", "both"}}) {
    std::vector<std::string> all{"plan", "zoo:mul_mat"};
    all.insert(all.end(), wrong.begin(), wrong.end());
    CHECK(cli(all).status == 2);
  }
  CHECK(cli({"plan", "zoo:mul_mat", "--banks", "a=8"}).status == 1);
}

TEST_CASE("buffers that are pinned to an offset are counted, and planned without it as well") {
  const TempFolder folder;
  const auto planned = [&](const std::string& rows) {
    const std::string file = folder / "buffers.csv";
    std::ofstream(file) << "id,lower,upper,size,offset\n" << rows;
    const Ended text = cli({"plan", file}), json = cli({"plan", file, "--json"});
    CHECK(text.status == 0);
    REQUIRE(json.status == 0);
    return std::pair(text.out, Json::parse(json.out));
  };
  {
    // Each buffer above the other ones, although c could use the memory of a.
    const auto [text, json] = planned("a,0,2,1024,0\nb,1,3,512,1024\nc,2,4,1024,1536\n");
    CHECK(text.find("3 of 3 buffers are pinned") != std::string::npos);
    CHECK(json["pinned_buffers"] == 3);
    CHECK(json["results"][0]["arena_bytes"] == 2560);
    CHECK(json["unpinned_results"][0]["arena_bytes"] == 1536);
    CHECK(json["unpinned_results"][0]["lower_bound_bytes"] == 1536);
    CHECK(json["unpinned_results"].size() == json["results"].size());
  }
  {
    const auto [text, json] = planned("a,0,2,1024,\nb,1,3,512,4096\nc,2,4,1024,\n");
    CHECK(text.find("1 of 3 buffers are pinned") != std::string::npos);
    CHECK(json["results"][0]["arena_bytes"] == 4608);
    CHECK(json["unpinned_results"][0]["arena_bytes"] == 1536);
  }
  {
    const auto [text, json] = planned("a,0,2,1024,\nb,1,3,512,\n");
    CHECK(text.find("pinned") == std::string::npos);
    CHECK_FALSE(json.contains("pinned_buffers"));
    CHECK_FALSE(json.contains("unpinned_results"));
  }
}

TEST_CASE("a published plan of 56 buffers, as given and planned again") {
  const std::filesystem::path file = data_folder() / "../cases/csv/idealloc_iree_first.csv";
  if (data_folder().empty() || !std::filesystem::exists(file)) {
    MESSAGE("skipped: no cases/csv in ../shared");
    return;
  }
  const Ended text = cli({"plan", file.string()}), ended = cli({"plan", file.string(), "--json"});
  REQUIRE(ended.status == 0);
  CHECK(text.out.find("56 of 56 buffers are pinned") != std::string::npos);
  CHECK(text.out.find("6.97 MiB") != std::string::npos);
  CHECK(text.out.find("5.44 MiB") != std::string::npos);
  const Json json = Json::parse(ended.out);
  CHECK(json["pinned_buffers"] == 56);
  CHECK(json["results"][0]["arena_bytes"].get<double>() / (1 << 20) == doctest::Approx(6.97).epsilon(0.001));
  CHECK(json["unpinned_results"][0]["arena_bytes"].get<double>() / (1 << 20) == doctest::Approx(5.44).epsilon(0.001));
}

TEST_CASE("what-if lists free changes first") {
  const Json answer = planned({"zoo:resnet50", "--no-rewrite", "--no-fusion", "--capacity", "7340032", "--what-if"});
  CHECK(answer["fits"] == true);
  CHECK(answer["extra_flops"] == 0);
  CHECK(answer["extra_bytes"] == 0);
  REQUIRE(!answer["steps"].empty());
  CHECK(answer["steps"][0]["method"] == "in-place");
  CHECK(answer["after"]["arena_bytes"] <= 7'340'032);
  for (const char* model : {"zoo:squeezenet", "zoo:mnist_cnn", "zoo:unet"}) {
    CAPTURE(model);
    const Json whole = planned({model});
    const int64_t bound = whole["lower_bound_bytes"];
    for (const double share : {0.95, 0.8, 0.6, 0.4}) {
      const auto capacity = static_cast<int64_t>(share * static_cast<double>(bound));
      const Ended ended = cli({"plan", model, "--capacity", std::to_string(capacity), "--what-if", "--json"});
      const Json object = Json::parse(ended.out, nullptr, false);
      REQUIRE(object.is_object());
      CHECK(object["fits"] == (ended.status == 0));
      // Never fails if the lower bound fits, and no step leaves the peak unchanged.
      if (ended.status != 0) CHECK(object["after"]["lower_bound_bytes"] > capacity);
      for (const Json& step : object["steps"]) CHECK(step["peak_after_bytes"] < step["peak_before_bytes"]);
    }
  }
}
