// SPDX-License-Identifier: MIT
#include <arenascope/run/backends.h>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/base/format_bytes.h>
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/run/backend_options.h>
#include <arenascope/runtime/thread_pool.h>

#include <limits>
#include <mutex>
#include <set>

#include <fmt/format.h>

namespace arenascope {
namespace {

constexpr std::string_view kModules[] = {"opencl", "cuda"};
constexpr std::string_view kLinkedIn[] = {"cpu", "reference"};

void list_module(std::string_view name, std::vector<BackendStatus>& out) {
  auto module = load_backend_module(name);
  if (!module) {
    out.push_back({std::string(name), "", "", module.error().message, {}});
    return;
  }
  auto devices = module->probe_devices();
  if (!devices) {
    out.push_back({std::string(name), "", "", devices.error().message, {}});
    return;
  }
  for (DeviceStatus& device : *devices)
    out.push_back({std::string(name), std::move(device.device), std::move(device.description),
                   std::move(device.missing), std::move(device.facts)});
}

// Opens a device once a child process has started its driver: one that crashes is an error and not the end of this process.
Result<std::unique_ptr<Backend>> open_device(const BackendModule& module, const BackendOptions& options) {
  static std::mutex mutex;
  static std::set<std::string> works;  // paths of modules
  {
    const std::scoped_lock lock(mutex);
    if (works.count(module.path()) == 0) {
      if (auto devices = module.probe_devices(); !devices) return devices.error();
      works.insert(module.path());
    }
  }
  return module.open(options);
}

}  // namespace

std::vector<BackendStatus> list_backends() {
  std::vector<BackendStatus> out;
  const auto cpu = cpu::make_cpu_backend();
  out.push_back(
      {"cpu",
       to_string(cpu->device()),
       cpu->description(),
       "",
       {{"processors", fmt::format("{}", usable_processors())}, {"memory", format_bytes(physical_memory())}}});
  out.push_back({"reference", "cpu", "float64 reference, one thread, for checking the others", "", {}});
  for (std::string_view name : kModules) list_module(name, out);
  return out;
}

bool is_backend_name(std::string_view spec) {
  for (std::string_view name : kLinkedIn)
    if (spec == name) return true;
  const size_t colon = spec.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view number = spec.substr(colon + 1);
    if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != std::string_view::npos)
      return false;
  }
  for (std::string_view name : kModules)
    if (spec.substr(0, colon) == name) return true;
  return false;
}

std::string backend_names() {
  std::string names;
  for (std::string_view name : kLinkedIn) names += fmt::format(" {}", name);
  for (std::string_view name : kModules) names += fmt::format(" {}", name);
  return names;
}

Result<std::unique_ptr<Backend>> open_backend(const std::string& spec, BackendOptions options) {
  if (!is_backend_name(spec))
    return Error{fmt::format("unknown backend '{}': expected one of{}", spec, backend_names())};
  const size_t colon = spec.find(':');
  options = options_for(std::string_view(spec).substr(0, colon), options);
  cpu::CpuOptions of_cpu;
  if (const auto option = options.find("precision"); option != options.end() && spec == "cpu") {
    const auto precision = parse_precision(option->second);
    if (!precision || *precision == Precision::Low)
      return Error{fmt::format("backend 'cpu' supports precision high and normal, not '{}'", option->second)};
    of_cpu.rounds = *precision == Precision::Normal;
    options.erase(option);
  }
  if (const auto option = options.find("weights"); option != options.end() && spec == "cpu") {
    if (option->second != "packed" && option->second != "as-given" && option->second != "widest")
      return Error{
          fmt::format("backend 'cpu': option 'weights' must be packed, widest or as-given, not '{}'", option->second)};
    of_cpu.packs = option->second != "as-given";
    if (option->second == "widest") of_cpu.max_weights = std::numeric_limits<double>::infinity();
    options.erase(option);
  }
  if ((spec == "cpu" || spec == "reference") && !options.empty())
    return Error{fmt::format("backend '{}' has no option '{}'", spec, options.begin()->first)};
  if (spec == "cpu") return cpu::make_cpu_backend(of_cpu);
  if (spec == "reference") return reference::make_reference_backend();
  if (colon != std::string::npos) options["device"] = spec.substr(colon + 1);
  auto module = load_backend_module(spec.substr(0, colon));
  auto backend = module ? open_device(*module, options) : Result<std::unique_ptr<Backend>>(module.error());
  if (!backend) return Error{fmt::format("backend '{}' cannot be used: {}", spec, backend.error().message)};
  return backend;
}

const char* name(Precision precision) {
  switch (precision) {
    case Precision::High: return "high";
    case Precision::Normal: return "normal";
    case Precision::Low: return "low";
  }
  return "?";
}

std::optional<Precision> parse_precision(std::string_view text) {
  for (auto precision : {Precision::High, Precision::Normal, Precision::Low})
    if (text == name(precision)) return precision;
  return std::nullopt;
}

Result<Devices> open_devices(const std::string& spec, BackendOptions options, std::optional<Precision> precision) {
  if (precision) options["precision"] = name(*precision);
  auto main = open_backend(spec, std::move(options));
  if (!main) return main.error();
  Devices devices{std::move(*main), nullptr};
  if (!devices.main->runs_on_host_threads()) devices.host = cpu::make_cpu_backend();
  return devices;
}

}  // namespace arenascope
