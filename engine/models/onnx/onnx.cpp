// SPDX-License-Identifier: MIT
#include "engine/models/onnx/onnx.h"
#include "engine/models/onnx/file_graph.h"
#include "engine/models/onnx/free_dimensions.h"

namespace arenascope::models {

namespace {

Result<Model> open_file(ir::File file, const OpenOptions& options) {
  auto file_graph = ir::describe_file(file);
  auto model = lower_with_sizes(std::move(file), options);
  if (model) model->file_graph = std::move(file_graph);
  return model;
}

}  // namespace

Result<Model> open_onnx(std::span<const std::byte> bytes, const std::filesystem::path& folder,
                        const OpenOptions& options) {
  auto file = ir::parse_onnx(MappedFile::copy_of(bytes), folder);
  if (!file) return file.error();
  return open_file(std::move(*file), options);
}

Result<Model> open_onnx(const std::filesystem::path& path, const OpenOptions& options) {
  auto file = ir::read_onnx(path);
  if (!file) return file.error();
  auto model = open_file(std::move(*file), options);
  if (!model) return model;
  model->name = name_of(path);
  model->path = path;
  return model;
}

}  // namespace arenascope::models
