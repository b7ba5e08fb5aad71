// SPDX-License-Identifier: MIT
#include "engine/models/onnx/onnx.h"
#include "engine/models/onnx/free_dimensions.h"

namespace arenascope::models {

bool has_onnx() { return ARENASCOPE_HAS_ONNX != 0; }

Result<Model> open_onnx(std::span<const std::byte> bytes, const std::filesystem::path& folder,
                        const OpenOptions& options) {
  auto file = ir::parse_onnx(MappedFile::copy_of(bytes), folder);
  if (!file) return file.error();
  return lower_with_sizes(std::move(*file), options);
}

Result<Model> open_onnx(const std::filesystem::path& path, const OpenOptions& options) {
  auto file = ir::read_onnx(path);
  if (!file) return file.error();
  auto model = lower_with_sizes(std::move(*file), options);
  if (!model) return model;
  model->name = name_of(path);
  model->path = path;
  return model;
}

}  // namespace arenascope::models
