// SPDX-License-Identifier: MIT
#include <arenascope/train/image_data.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/trace/gunzip.h>

namespace arenascope::train {
namespace {

constexpr size_t kLargest = size_t{1} << 32;

struct Idx {
  Dims sizes;
  std::string bytes;  // after the header
};

Result<std::string> plain_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{fmt::format("{}: it cannot be read", path.string())};
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() < 2 || static_cast<uint8_t>(bytes[0]) != 0x1F || static_cast<uint8_t>(bytes[1]) != 0x8B)
    return bytes;
  return trace::gunzip({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, path.string(), kLargest);
}

// Two bytes of 0, the type (8: bytes), the number of dimensions, their sizes in four bytes each, the numbers.
Result<Idx> read_idx(const std::filesystem::path& path, int min_rank) {
  auto bytes = plain_bytes(path);
  if (!bytes) return bytes.error();
  const auto at = [&](size_t i) { return static_cast<uint8_t>((*bytes)[i]); };
  if (bytes->size() < 4 || at(0) != 0 || at(1) != 0 || at(2) != 8)
    return Error{fmt::format("{}: not an idx file of bytes", path.string())};
  const int rank = at(3);
  if (rank < min_rank || rank > 4)
    return Error{fmt::format("{}: expected {} dimensions, found {}", path.string(), min_rank, rank)};
  const size_t head = 4 + 4 * static_cast<size_t>(rank);
  if (bytes->size() < head) return Error{fmt::format("{}: it ends within its header", path.string())};
  Idx out;
  for (int d = 0; d < rank; ++d) {
    int64_t size = 0;
    for (size_t i = 0; i < 4; ++i) size = size << 8 | at(4 + 4 * static_cast<size_t>(d) + i);
    out.sizes.push_back(size);
  }
  const auto count = checked_element_count(out.sizes);
  if (!count || *count != static_cast<int64_t>(bytes->size() - head))
    return Error{
        fmt::format("{}: it has {} bytes of data for {}", path.string(), bytes->size() - head, to_string(out.sizes))};
  out.bytes = bytes->substr(head);
  return out;
}

}  // namespace

void ImageData::put(int64_t i, std::byte* numbers, int64_t* targets) const {
  const auto each = static_cast<size_t>(numbers_each());
  const uint8_t* from = pixels.data() + static_cast<size_t>(i) * each;
  for (size_t p = 0; p < each; ++p) {
    const auto value = static_cast<float>(from[p]);
    std::memcpy(numbers + p * sizeof value, &value, sizeof value);
  }
  *targets = labels[static_cast<size_t>(i)];
}

Status ImageData::fits(int64_t classes) const {
  for (size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= classes)
      return Error{
          fmt::format("label {} of image {} is out of range for the model's {} classes", labels[i], i, classes)};
  return {};
}

Result<ImageData> read_images(const std::filesystem::path& images, const std::filesystem::path& labels) {
  auto pictures = read_idx(images, 2);
  if (!pictures) return pictures.error();
  auto names = read_idx(labels, 1);
  if (!names) return names.error();
  if (names->sizes.rank() != 1 || names->sizes[0] != pictures->sizes[0])
    return Error{fmt::format("{} has {} labels for the {} images of {}", labels.string(), element_count(names->sizes),
                             pictures->sizes[0], images.string())};
  ImageData out;
  for (int d = 1; d < pictures->sizes.rank(); ++d) out.sizes.push_back(pictures->sizes[d]);
  out.pixels.assign(pictures->bytes.begin(), pictures->bytes.end());
  out.labels.assign(names->bytes.begin(), names->bytes.end());
  if (out.count() == 0 || out.numbers_each() == 0) return Error{fmt::format("{}: it has no images", images.string())};
  return out;
}

Result<ImageData> read_image_pair(const std::string& names) {
  const size_t comma = names.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == names.size())
    return Error{fmt::format("expected IMAGES,LABELS, found '{}'", names)};
  return read_images(names.substr(0, comma), names.substr(comma + 1));
}

}  // namespace arenascope::train
