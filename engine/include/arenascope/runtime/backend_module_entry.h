// SPDX-License-Identifier: MIT
// A backend module uses this macro once, in one of its source files, at namespace scope:
//   ARENASCOPE_BACKEND_MODULE("opencl", list_devices, open_device, nullptr)
// with   std::vector<DeviceStatus> list_devices();   must not be empty
//        Result<std::unique_ptr<Backend>> open_device(const BackendOptions&);
// and, instead of nullptr, for a module with a benchmark:
//        Status measure_device(const BackendOptions&, bool quick,
//                              const std::function<void(const arenascope_measurement&)>& report);
#pragma once
#include <exception>

#include <arenascope/runtime/backend_module.h>

namespace arenascope::module_detail {

template <auto List>
void list(void* to, void (*report)(void*, const arenascope_device_status*)) {
  try {
    for (const DeviceStatus& status : List()) {
      std::vector<arenascope_pair> facts;
      for (const auto& [name, value] : status.facts) facts.push_back({name.c_str(), value.c_str()});
      const arenascope_device_status device{status.device.c_str(), status.description.c_str(), status.missing.c_str(),
                                            facts.data(), facts.size()};
      report(to, &device);
    }
  } catch (const std::exception& error) {
    const arenascope_device_status device{"", "", error.what(), nullptr, 0};
    report(to, &device);
  }
}

inline BackendOptions options_of(const arenascope_pair* options, size_t count) {
  BackendOptions given;
  for (size_t i = 0; i < count; ++i) given[options[i].name] = options[i].value;
  return given;
}

template <auto Open>
void* open(const arenascope_pair* options, size_t count, void* to, void (*why)(void*, const char*)) {
  try {
    auto backend = Open(options_of(options, count));
    if (backend) return backend->release();
    why(to, backend.error().message.c_str());
  } catch (const std::exception& error) {
    why(to, error.what());
  }
  return nullptr;
}

template <auto Measure>
bool measure(const arenascope_pair* options, size_t count, bool quick, void* to,
             void (*report)(void*, const arenascope_measurement*), void (*why)(void*, const char*)) {
  try {
    const Status done = Measure(options_of(options, count), quick,
                                [&](const arenascope_measurement& measurement) { report(to, &measurement); });
    if (!done) why(to, done.error().message.c_str());
    return done.ok();
  } catch (const std::exception& error) {
    why(to, error.what());
  }
  return false;
}
template <auto Measure>
constexpr auto measure_entry() -> decltype(arenascope_backend_module::measure) {
  if constexpr (Measure == nullptr)
    return nullptr;
  else
    return measure<Measure>;
}

}  // namespace arenascope::module_detail

#define ARENASCOPE_BACKEND_MODULE(NAME, LIST, OPEN, MEASURE)                                           \
  extern "C" __attribute__((visibility("default"))) const arenascope_backend_module*                   \
  arenascope_backend_module_entry() {                                                                  \
    static const arenascope_backend_module table{sizeof(arenascope_backend_module),                    \
                                                 arenascope::kBackendModuleVersion,                    \
                                                 arenascope::backend_module_build(),                   \
                                                 NAME,                                                 \
                                                 arenascope::module_detail::list<LIST>,                \
                                                 arenascope::module_detail::open<OPEN>,                \
                                                 arenascope::module_detail::measure_entry<MEASURE>()}; \
    return &table;                                                                                     \
  }
