// SPDX-License-Identifier: MIT
// Labelled images in the idx format (LeCun, "The MNIST database"), gzip or not.
#pragma once
#include <arenascope/tensor/shape.h>
#include <arenascope/train/dataset.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace arenascope::train {

class ImageData final : public Dataset {
 public:
  Dims sizes;                   // of one image
  std::vector<uint8_t> pixels;  // of all images, concatenated
  std::vector<uint8_t> labels;

  int64_t count() const override { return static_cast<int64_t>(labels.size()); }
  DType dtype() const override { return DType::F32; }
  int64_t numbers_each() const override { return element_count(sizes); }
  int64_t targets_each() const override { return 1; }
  void put(int64_t i, std::byte* numbers, int64_t* targets) const override;
  Status fits(int64_t classes) const override;
};

// Errors, each naming the file: it cannot be read, is not an idx file of bytes, is shorter or longer than its header states;
// different numbers of images and labels.
Result<ImageData> read_images(const std::filesystem::path& images, const std::filesystem::path& labels);

// "IMAGES,LABELS" as the command line has it. Errors as above, or not a pair of names.
Result<ImageData> read_image_pair(const std::string& names);

}  // namespace arenascope::train
