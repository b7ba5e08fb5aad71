// SPDX-License-Identifier: MIT
// The fields of PyTorch's memory snapshots.
#include <functional>
#include "import_fields_common.h"

#include "engine/trace/pickle.h"
#include "test_data.h"
#include "tests/engine/trace/pickled.h"

using namespace arenascope;
using namespace arenascope::test::fields;
using arenascope::test::pickle_of;

namespace {

void change_values(Json& value, const std::string& path, const std::function<bool()>& changes, Found& found) {
  if (value.is_array())
    for (Json& item : value) change_values(item, path + "[]", changes, found);
  if (!value.is_object()) return;
  for (auto& [key, item] : value.items()) {
    const std::string own = path.empty() ? key : path + "." + key;
    const Json before = item;
    if (item.is_structured()) {
      item = item.is_array() ? Json::array() : Json::object();
      found.add(own, changes());
      item = before;
      const ImportField* field = find_import_field(ImportFormat::PytorchSnapshot, own);
      if (field == nullptr || !field->shown.empty()) change_values(item, own, changes, found);
      continue;
    }
    // Sizes are rounded up: one and many more.
    for (const int64_t more : {int64_t{1}, int64_t{3} << 20, int64_t{-1} << 60}) {
      if (item.is_number()) item = more > -1 ? before.get<int64_t>() + more : 1;
      if (before.is_string()) item = more == 1 ? before.get<std::string>() + "x" : std::string("other");
      if (before.is_boolean()) item = !before.get<bool>();
      found.add(own, changes());
      item = before;
    }
  }
}

Json made_snapshot() {
  const Json frames = Json::array({{{"name", "empty"}, {"filename", "empty.py"}, {"line", 3}}});
  const auto entry = [&](const char* action, int64_t address, int64_t size, int64_t time) {
    return Json{{"action", action}, {"addr", address},          {"size", size},       {"time_us", time}, {"stream", 0},
                {"frames", frames}, {"compile_context", "N/A"}, {"user_metadata", ""}};
  };
  Json segment{{"device", 0},
               {"address", 0x1000000},
               {"total_size", 20 << 20},
               {"allocated_size", 9},
               {"active_size", 9},
               {"requested_size", 9},
               {"stream", 0},
               {"segment_type", "large"},
               {"segment_pool_id", {0, 1}},
               {"is_expandable", false},
               {"frames", frames}};
  segment["blocks"] = Json::array({
      {{"address", 0x1000000},
       {"size", 4 << 20},
       {"requested_size", 4000000},
       {"state", "active_allocated"},
       {"frames", frames},
       {"history", Json::array()}},
      {{"address", 0x1400000},
       {"size", 16 << 20},
       {"requested_size", 0},
       {"state", "inactive"},
       {"frames", Json::array()}},
  });
  Json settings{{"max_split_size", 4 << 20}, {"expandable_segments", false}};
  for (const char* key : {"PYTORCH_CUDA_ALLOC_CONF", "garbage_collection_threshold", "pinned_num_register_threads",
                          "release_lock_on_cudamalloc", "pinned_use_cuda_host_register",
                          "graph_capture_record_stream_reuse", "roundup_power2_divisions"})
    settings[key] = 1;
  return Json{
      {"segments", Json::array({segment})},
      {"device_traces",
       Json::array(
           {Json::array({entry("alloc", 0x1400000, 5 << 20, 2000), entry("free_requested", 0x1400000, 5 << 20, 2500),
                         entry("free_completed", 0x1400000, 5 << 20, 3000), entry("alloc", 0x1400000, 31 << 19, 3020),
                         entry("free_completed", 0x1400000, 31 << 19, 3040)}),
            Json::array()})},
      {"allocator_settings", settings},
      {"external_annotations", Json::array({{{"stage", "START"}, {"name", "step"}, {"device", 0}, {"time_us", 1900}},
                                            {{"stage", "END"}, {"name", "step"}, {"device", 0}, {"time_us", 3100}}})}};
}

void walk(const PickleValue& value, const std::string& path, int depth, Paths& paths) {
  if (depth > 8) return;
  if (value.type == PickleValue::List)
    for (const PickleValue* item : value.items) walk(*item, path + "[]", depth + 1, paths);
  if (value.type != PickleValue::Dict) return;
  for (size_t i = 0; i + 1 < value.items.size(); i += 2) {
    const std::string own = (path.empty() ? "" : path + ".") + std::string(value.items[i]->text);
    paths.insert(own);
    const ImportField* field = find_import_field(ImportFormat::PytorchSnapshot, own);
    if (field == nullptr || !field->shown.empty()) walk(*value.items[i + 1], own, depth + 1, paths);
  }
}

}  // namespace

TEST_CASE("each field of a PyTorch snapshot is shown or ignored as listed") {
  Json snapshot = made_snapshot();
  const std::string before = imported_text(pickle_of(snapshot));
  REQUIRE(before != "refused");
  Found found;
  change_values(
      snapshot, "", [&] { return imported_text(pickle_of(snapshot)) != before; }, found);
  found.check(ImportFormat::PytorchSnapshot);
}

TEST_CASE("the available PyTorch snapshots have no unlisted field") {
  ARENASCOPE_NEEDS_DATA("traces/kineto_resnet50_gpu.pt.trace.json.gz");
  size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::data_folder() / "traces")) {
    if (entry.path().extension() != ".pickle") continue;
    CAPTURE(entry.path().string());
    const std::string bytes = contents(entry.path());
    const auto value = read_pickle(as_bytes(bytes), entry.path().string());
    REQUIRE(value.ok());
    Paths paths;
    walk(*value->root, "", 0, paths);
    check_known(ImportFormat::PytorchSnapshot, paths);
    ++read;
  }
  CHECK(read == 3);
}
