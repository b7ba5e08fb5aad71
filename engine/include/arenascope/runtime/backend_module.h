// SPDX-License-Identifier: MIT
// Backends that are shared libraries, loaded at run time, so that the program starts where their driver is missing.
// A module has one C entry point, `arenascope_backend_module_entry`, which returns the table below. Across it go C
// types, but what open() hands out is a C++ Backend: both sides must be built alike, and the table says how its was.
// A module that has been loaded stays loaded: memory that it handed out may outlive everything else.
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
  const char* description;  // in words
  const char* missing;      // one sentence why it cannot be used, "" if it can
  const arenascope_pair* facts;
  size_t fact_count;
};
// A figure that a module measured, beside the same of a library; both in `unit`.
struct arenascope_measurement {
  const char* name;
  double value;
  const char* unit;
  const char* peer;   // "" without one
  double peer_value;  // 0 without a peer
  double wanted;      // the bound on value ÷ peer_value, or on `value` without a peer
  int at_least;       // the bound is the least that is wanted, else the most
};
struct arenascope_backend_module {
  uint32_t size;        // of this struct, in bytes
  uint32_t version;     // kBackendModuleVersion of the module's build
  const char* build;    // backend_module_build() of the module's build
  const char* backend;  // "opencl"
  // Calls `tell` for each device; at least once, if only to say why there is none.
  void (*list)(void* to, void (*tell)(void* to, const arenascope_device_status* status));
  // A new arenascope::Backend, which the caller deletes, or null after having called `why` with a sentence.
  void* (*open)(const arenascope_pair* options, size_t option_count, void* to, void (*why)(void* to, const char* text));
  // Measures a device against its own libraries and calls `tell` for each figure; `quick` only shows that it works. False
  // after having called `why` with a sentence. Null: the module has nothing to measure by itself.
  bool (*measure)(const arenascope_pair* options, size_t option_count, bool quick, void* to,
                  void (*tell)(void* to, const arenascope_measurement* figure),
                  void (*why)(void* to, const char* text));
};
typedef const arenascope_backend_module* (*arenascope_backend_module_entry_type)(void);
}

namespace arenascope {

inline constexpr uint32_t kBackendModuleVersion = 2;
inline constexpr const char* kBackendModuleEntry = "arenascope_backend_module_entry";

// How C++ objects look in this build: library version, compiler, sanitizers.
const char* backend_module_build();

// A device of a backend, or why there is none.
struct DeviceStatus {
  std::string device;                                      // "opencl:0"
  std::string description;                                 // in words
  std::string missing;                                     // one sentence; empty when it is there
  std::vector<std::pair<std::string, std::string>> facts;  // name, value with unit
};

// What a backend is opened with: "device" → "0", and the options that the backend documents.
using BackendOptions = std::map<std::string, std::string>;

class BackendModule {
 public:
  std::string_view backend() const { return table_->backend; }
  const std::string& path() const { return path_; }
  std::vector<DeviceStatus> devices() const;
  // Errors: no such device, an option that the backend has not, or what the driver says.
  Result<std::unique_ptr<Backend>> open(const BackendOptions& options = {}) const;
  // Calls `tell` for each figure, whose texts last as long as the call. Errors: as open(), nothing to measure.
  Status measure(const BackendOptions& options, bool quick,
                 const std::function<void(const arenascope_measurement&)>& tell) const;

 private:
  friend Result<BackendModule> load_backend_module(std::string_view, const std::vector<std::string>&);
  BackendModule(const arenascope_backend_module* table, std::string path) : table_(table), path_(std::move(path)) {}
  const arenascope_backend_module* table_;
  std::string path_;
};

// Where modules are looked for, in this order: the folders of the environment variable ARENASCOPE_MODULES (parted by
// colons); beside the executable; lib/arenascope of a build tree that the executable lies in; the library folder of
// the installation that it belongs to.
std::vector<std::string> backend_module_folders();

// Loads the file arenascope-NAME.so. Errors: not found (the sentence says where it was looked for), cannot be
// loaded (a library that it needs is missing), is no module, was built otherwise.
Result<BackendModule> load_backend_module(std::string_view name,
                                          const std::vector<std::string>& folders = backend_module_folders());

}  // namespace arenascope
