// SPDX-License-Identifier: MIT
// Backends in shared libraries that are loaded at run time, so that the program starts without their drivers.
// A module has one C entry point, `arenascope_backend_module_entry`, which returns the table below. The table uses C types,
// but open() returns a C++ Backend: program and module must be built alike, which the table's build string verifies.
// A loaded module is never unloaded: its allocations may outlive everything else.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/runtime/backend.h>

extern "C" {
struct arenascope_pair {
  const char* name;
  const char* value;
};
struct arenascope_device_status {
  const char* device;       // "opencl:0"
  const char* description;  // human-readable name
  const char* missing;      // why the device cannot be used; "" if it can
  const arenascope_pair* facts;
  size_t fact_count;
};
// A measurement of a module, with the same measurement of a library for comparison; both in `unit`.
struct arenascope_measurement {
  const char* name;
  double value;
  const char* unit;
  const char* peer;   // name of the library; "" without a comparison
  double peer_value;  // 0 without a comparison
  double target;      // target of value ÷ peer_value, or of `value` without a comparison
  int at_least;       // nonzero: the target is a minimum; zero: a maximum
};
struct arenascope_backend_module {
  uint32_t size;        // of this struct, in bytes
  uint32_t version;     // kBackendModuleVersion of the module's build
  const char* build;    // backend_module_build() of the module's build
  const char* backend;  // "opencl"
  // Calls `report` for each device; at least once, with the reason if there is no device.
  void (*list)(void* to, void (*report)(void* to, const arenascope_device_status* status));
  // Returns a new arenascope::Backend, which the caller deletes, or null after calling `why` with an error message.
  void* (*open)(const arenascope_pair* options, size_t option_count, void* to, void (*why)(void* to, const char* text));
  // Benchmarks a device against the vendor's libraries and calls `report` for each measurement; `quick`: a short smoke test.
  // Returns false after calling `why` with an error message. Null: the module has no benchmark.
  bool (*measure)(const arenascope_pair* options, size_t option_count, bool quick, void* to,
                  void (*report)(void* to, const arenascope_measurement* measurement),
                  void (*why)(void* to, const char* text));
};
typedef const arenascope_backend_module* (*arenascope_backend_module_entry_type)(void);
}

namespace arenascope {

inline constexpr uint32_t kBackendModuleVersion = 2;
inline constexpr const char* kBackendModuleEntry = "arenascope_backend_module_entry";

// Identifies the C++ ABI of this build: version, compiler, sanitizers.
const char* backend_module_build();

// A device of a backend, or the reason why there is none.
struct DeviceStatus {
  std::string device;                                      // "opencl:0"
  std::string description;                                 // human-readable name
  std::string missing;                                     // why it cannot be used; empty if it can
  std::vector<std::pair<std::string, std::string>> facts;  // name, value with unit
};

// Options of a backend by name: "device" → "0", and those that the backend documents.
using BackendOptions = std::map<std::string, std::string>;

class BackendModule {
 public:
  std::string_view backend() const { return table_->backend; }
  const std::string& path() const { return path_; }
  // Starts the module's driver in this process.
  std::vector<DeviceStatus> devices() const;
  // The same, but starts the driver in a child process (arenascope-probe), which may crash. Errors: it did, or it did not
  // answer; the probe is not installed.
  Result<std::vector<DeviceStatus>> probe_devices() const;
  // Errors: no such device, unknown option, an error of the driver.
  Result<std::unique_ptr<Backend>> open(const BackendOptions& options = {}) const;
  // Calls `report` for each measurement, whose strings are valid during the call. Errors: those of open(), no benchmark.
  Status measure(const BackendOptions& options, bool quick,
                 const std::function<void(const arenascope_measurement&)>& report) const;

 private:
  friend Result<BackendModule> load_backend_module(std::string_view, const std::vector<std::string>&);
  BackendModule(const arenascope_backend_module* table, std::string path) : table_(table), path_(std::move(path)) {}
  const arenascope_backend_module* table_;
  std::string path_;
};

// Search path of modules, in this order: the folders of the environment variable ARENASCOPE_MODULES (separated by colons);
// the folder of the executable; lib/arenascope of the build tree that contains the executable; the library folder of its
// installation.
std::vector<std::string> backend_module_folders();

// Loads arenascope-NAME.so. Errors: not found (the message lists the searched folders), cannot be loaded (a required library
// is missing), not a backend module, built differently.
Result<BackendModule> load_backend_module(std::string_view name,
                                          const std::vector<std::string>& folders = backend_module_folders());

}  // namespace arenascope
