// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/bench_opencl.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>

#include <arenascope/graph/builder.h>

#include <arenascope/runtime/thread_pool.h>

#include <arenascope/run/runner.h>

#include "engine/bench/measure.h"

namespace arenascope::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNetworks[] = {"bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50",
                                     "shufflenet",   "squeezenet",  "vgg19",        "zfnet512"};

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A temporary cache directory. The environment variable for the cache of the driver is read at its first use, so this
// must be created before any device is opened.
struct CacheFolder {
  fs::path path = fs::temp_directory_path() / fmt::format("arenascope-bench-opencl-{}", ::getpid());
  CacheFolder() {
    std::error_code error;
    fs::create_directories(path / "driver", error);
    ::setenv("POCL_CACHE_DIR", (path / "driver").c_str(), 1);
  }
  ~CacheFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

class Rows {
 public:
  Rows(const BenchOptions& options, fs::path data) : options_(options), data_(std::move(data)) {}

  bool is_selected(std::string_view name) const {
    return options_.only.empty() || name.find(options_.only) != std::string::npos;
  }
  void report_progress(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }
  std::string network(const std::string& name) const { return (data_ / "onnx" / "light" / name).string(); }
  bool has(const std::string& name) const { return fs::exists(network(name)); }

  RunnerOptions device() const {
    RunnerOptions o;
    o.backend = "opencl";
    o.backend_options["cache"] = (cache_.path / "programs").string();
    o.backend_options["profiling"] = "off";
    o.budget_seconds = 0.2;
    return o;
  }
  RunnerOptions host() const {
    RunnerOptions o;
    o.threads = options_.threads;
    o.budget_seconds = 0.2;
    return o;
  }

  // Throughput relative to the CPU backend, interleaved, in CPU time per core, as on an otherwise idle machine.
  Status against_cpu(const std::string& name, const std::function<Result<models::Model>()>& open, double amount,
                     const char* unit, double target) {
    if (!is_selected(name)) return {};
    report_progress(name);
    std::unique_ptr<Runner> runners[2];
    for (int i = 0; i < 2; ++i) {
      auto model = open();
      if (!model) return model.error();
      auto runner = Runner::open(std::move(*model), i == 0 ? device() : host());
      if (!runner) return runner.error();
      runners[i] = std::move(*runner);
    }
    const int rounds = options_.quick ? 3 : 25;
    const double processors = options_.threads > 0 ? options_.threads : usable_processors();
    std::vector<double> seconds[2], ratios;
    for (int round = -3; round < rounds; ++round) {  // warm-up: compile, record, run
      double taken[2];
      for (int i : {round & 1, 1 - (round & 1)}) {
        const double begin = processor_seconds();
        if (auto ran = runners[i]->run(); !ran) return ran.error();
        taken[i] = (processor_seconds() - begin) / processors;
      }
      if (round < 0) continue;
      for (int i = 0; i < 2; ++i) seconds[i].push_back(taken[i]);
      ratios.push_back(taken[1] / taken[0]);
    }
    BenchRow row;
    row.name = name;
    row.unit = unit;
    row.value = amount / median(seconds[0]);
    row.peer = "cpu backend";
    row.peer_value = amount / median(seconds[1]);
    row.ratio = median(ratios);
    row.target = target;
    row.passed = row.ratio >= target;
    rows.push_back(row);
    return {};
  }

  Status product() {
    return against_cpu(
        "matmul 1024x1024x1024",
        [] {
          models::Model model;
          auto context = Context::create({.no_alloc = true, .grow = true});
          if (!context) return Result<models::Model>(context.error());
          GraphBuilder b(*context);
          const Tensor x = b.input("a", {1024, 1024}), y = b.input("b", {1024, 1024}),
                       out = b.mul_mat(x, y, {}, "product");
          b.output(out);
          auto graph = context->new_graph(8);
          if (!b.ok() || !graph) return Result<models::Model>(Error{"cannot create the matmul graph"});
          if (auto ok = graph->expand(out); !ok) return Result<models::Model>(ok.error());
          model.name = "product";
          model.graph = *graph;
          for (const Tensor& t : {x, y}) {
            models::ValueInfo value;
            value.name = t->name;
            value.tensor = t;
            value.dtype = DType::F32;
            value.sizes = Dims{1024, 1024};
            model.inputs.push_back(std::move(value));
          }
          models::ValueInfo value;
          value.name = "product";
          value.tensor = out;
          value.dtype = DType::F32;
          value.sizes = Dims{1024, 1024};
          model.outputs.push_back(std::move(value));
          return Result<models::Model>(std::move(model));
        },
        2.0 * 1024 * 1024 * 1024 / 1e9, "GFLOP/s", 0.9);
  }

  Status networks() {
    for (const auto& [name, spec] : {std::pair<std::string, std::string>("resnet50", network("resnet50")),
                                     {"squeezenet", network("squeezenet")},
                                     {"mobilenet", "zoo:mobilenet_v2"}}) {
      if (!spec.starts_with("zoo:") && !has(name)) continue;
      if (auto ok = against_cpu(
              name, [&] { return models::open_model(spec, {}); }, 1, "runs/s", 0.5);
          !ok)
        return ok;
    }
    return {};
  }

  // Seconds from opening the model to its first result.
  Status first_results() {
    if (!has("squeezenet") || !is_selected("first result of squeezenet")) return {};
    for (const auto& [cache, target] : {std::pair("cold", 20.0), std::pair("warm", 0.5)}) {
      report_progress(fmt::format("first result of squeezenet, {} cache", cache));
      RunnerOptions o = device();
      o.backend_options["cache"] = (cache_.path / "first").string();
      o.planner = "two-level";
      double seconds = 1e9;
      for (int round = 0; round < (target < 1 ? 5 : 1); ++round) {
        const auto begin = std::chrono::steady_clock::now();
        auto runner = Runner::open(network("squeezenet"), o);
        if (!runner) return runner.error();
        if (auto ran = (*runner)->run(); !ran) return ran.error();
        if (auto got = (*runner)->output(0); !got) return got.error();
        seconds = std::min(seconds, since(begin));
      }
      rows.push_back({fmt::format("first result of squeezenet, {} cache", cache), seconds, "s", "", 0, 0, target,
                      seconds <= target});
    }
    return {};
  }

  // Bytes that a strategy reserves for activations, and the peak of live tensor bytes.
  struct Peak {
    Bytes reserved = 0, live = 0;
  };
  Result<Peak> peak(const std::string& spec, MemoryStrategy strategy, const char* pool) {
    RunnerOptions o = device();
    o.strategy = strategy;
    o.planner = "search";
    o.backend_options["pool"] = pool;
    auto runner = Runner::open(spec, o);
    if (!runner) return runner.error();
    if (auto ran = (*runner)->run(); !ran) return ran.error();
    Peak peak;
    for (const Device device : (*runner)->context().devices()) {
      if (device.is_cpu()) continue;
      const MemoryStats stats = (*runner)->context().stats(device, MemoryKind::Workspace);
      peak = {stats.peak_reserved, stats.peak};
    }
    return peak;
  }

  Status memory() {
    for (const char* name : kNetworks) {
      const std::string row = fmt::format("memory of {}", name);
      if (!has(name) || !is_selected(row)) continue;
      report_progress(row);
      auto bounded = peak(network(name), MemoryStrategy::Eager, "bounded");
      auto any = peak(network(name), MemoryStrategy::Eager, "any");
      auto plan = peak(network(name), MemoryStrategy::Planned, "bounded");
      auto none = peak(network(name), MemoryStrategy::None, "bounded");
      for (const auto* p : {&bounded, &any, &plan, &none})
        if (!*p) return p->error();
      const auto add = [&](const char* what, const Peak& p, const Peak& live, double target) {
        const double ratio = static_cast<double>(p.reserved) / static_cast<double>(live.live);
        rows.push_back({row + ", " + what, static_cast<double>(p.reserved), "bytes", "live peak",
                        static_cast<double>(live.live), ratio, target, target == 0 || ratio <= target});
      };
      add("pool", *bounded, *bounded, 1.25);
      add("pool that takes any larger block", *any, *bounded, 0);
      add("plan", *plan, *bounded, 0);
      add("no reuse", *none, *bounded, 0);
    }
    return {};
  }

  std::vector<BenchRow> rows;

 private:
  CacheFolder cache_;
  BenchOptions options_;
  fs::path data_;
};

}  // namespace

Result<std::vector<BenchRow>> bench_opencl(const BenchOptions& options, const std::string& data_folder) {
  Rows rows(options, data_folder);
  // The cold cache is measured first, before other benchmarks fill it.
  for (auto part : {&Rows::first_results, &Rows::product, &Rows::networks, &Rows::memory})
    if (auto ok = (rows.*part)(); !ok) return ok.error();
  return std::move(rows.rows);
}

}  // namespace arenascope::app
