// SPDX-License-Identifier: MIT
#include <arenascope/runtime/backend_module.h>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace arenascope {
namespace {

namespace fs = std::filesystem;

#define ARENASCOPE_TEXT(x) #x
#define ARENASCOPE_TEXT_OF(x) ARENASCOPE_TEXT(x)

std::string executable_folder() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string() : path.parent_path().string();
}

// The build tree that contains the folder, or "". Executables are at most four folders below its root.
std::string build_tree(const fs::path& folder) {
  std::error_code error;
  fs::path at = folder;
  for (int depth = 0; depth < 5 && at.has_relative_path(); ++depth, at = at.parent_path())
    if (fs::exists(at / "CMakeCache.txt", error)) return at.string();
  return "";
}

}  // namespace

const char* backend_module_build() {
  return ARENASCOPE_VERSION_TEXT ", " __VERSION__ ", interface " ARENASCOPE_TEXT_OF(__GXX_ABI_VERSION)
#ifdef __SANITIZE_ADDRESS__
      ", address sanitizer"
#endif
#ifdef __SANITIZE_THREAD__
      ", thread sanitizer"
#endif
#ifdef _GLIBCXX_DEBUG
      ", checked library"
#endif
      ;
}

std::vector<std::string> backend_module_folders() {
  std::vector<std::string> folders;
  if (const char* given = std::getenv("ARENASCOPE_MODULES")) {
    std::string_view rest(given);
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  const std::string folder = executable_folder();
  if (folder.empty()) return folders;
  folders.push_back(folder);
  if (const std::string tree = build_tree(folder); !tree.empty()) folders.push_back(tree + "/lib/arenascope");
  folders.push_back((fs::path(folder).parent_path() / ARENASCOPE_MODULE_FOLDER).string());
  return folders;
}

Result<BackendModule> load_backend_module(std::string_view name, const std::vector<std::string>& folders) {
  const std::string file = fmt::format("arenascope-{}.so", name);
  std::string path, searched;
  std::error_code error;
  for (const std::string& folder : folders) {
    if (const fs::path at = fs::path(folder) / file; fs::exists(at, error)) {
      path = at.string();
      break;
    }
    searched += (searched.empty() ? "" : ", ") + folder;
  }
  if (path.empty()) return Error{fmt::format("the module {} is not installed (searched: {})", file, searched)};
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char* why = dlerror();
    return Error{fmt::format("the module {} cannot be loaded: {}", path, why ? why : "no reason given")};
  }
  const auto entry = reinterpret_cast<arenascope_backend_module_entry_type>(dlsym(handle, kBackendModuleEntry));
  if (!entry) return Error{fmt::format("{} is not a backend module: it does not export {}", path, kBackendModuleEntry)};
  const arenascope_backend_module* table = entry();
  if (!table || table->size < sizeof(arenascope_backend_module) || table->version != kBackendModuleVersion)
    return Error{fmt::format("the module {} has a different interface version than this program", path)};
  if (std::string_view(table->build) != backend_module_build())
    return Error{fmt::format("the module {} was built differently ({}) from this program ({})", path, table->build,
                             backend_module_build())};
  if (table->backend != name)
    return Error{fmt::format("the module {} is for {}, not for {}", path, table->backend, name)};
  return BackendModule(table, path);
}

std::vector<DeviceStatus> BackendModule::devices() const {
  std::vector<DeviceStatus> out;
  table_->list(&out, [](void* to, const arenascope_device_status* device) {
    DeviceStatus status{device->device, device->description, device->missing, {}};
    for (size_t i = 0; i < device->fact_count; ++i)
      status.facts.emplace_back(device->facts[i].name, device->facts[i].value);
    static_cast<std::vector<DeviceStatus>*>(to)->push_back(std::move(status));
  });
  return out;
}

namespace {

// The pairs point to the strings of `options`.
std::vector<arenascope_pair> pairs_of(const BackendOptions& options) {
  std::vector<arenascope_pair> pairs;
  for (const auto& [name, value] : options) pairs.push_back({name.c_str(), value.c_str()});
  return pairs;
}

}  // namespace

Result<std::unique_ptr<Backend>> BackendModule::open(const BackendOptions& options) const {
  const std::vector<arenascope_pair> pairs = pairs_of(options);
  std::string why = "no reason given";
  void* backend = table_->open(pairs.data(), pairs.size(), &why,
                               [](void* to, const char* text) { *static_cast<std::string*>(to) = text; });
  if (!backend) return Error{why};
  return std::unique_ptr<Backend>(static_cast<Backend*>(backend));
}

Status BackendModule::measure(const BackendOptions& options, bool quick,
                              const std::function<void(const arenascope_measurement&)>& report) const {
  if (!table_->measure) return Error{fmt::format("the module {} has no benchmark", backend())};
  struct Listener {
    const std::function<void(const arenascope_measurement&)>& report;
    std::string why = "no reason given";
  } listener{report};
  const std::vector<arenascope_pair> pairs = pairs_of(options);
  const bool done = table_->measure(
      pairs.data(), pairs.size(), quick, &listener,
      [](void* to, const arenascope_measurement* measurement) { static_cast<Listener*>(to)->report(*measurement); },
      [](void* to, const char* text) { static_cast<Listener*>(to)->why = text; });
  return done ? Status() : Status(Error{listener.why});
}

}  // namespace arenascope
