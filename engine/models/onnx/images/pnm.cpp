// SPDX-License-Identifier: MIT
// Netpbm images: P1 to P6, samples up to 65535, scaled to 255.
#include <fmt/format.h>
#include "engine/models/onnx/images/image.h"

namespace arenascope::models::images {
namespace {

bool is_space(uint8_t c) { return c == ' ' || (c >= 9 && c <= 13); }

class Reader {
 public:
  explicit Reader(Encoded file) : file_(file) {}

  // Reads the number after white space and comments; a missing one or one of more than five digits is an error. `digits` is 1 for P1.
  bool next(int64_t& out, int digits = 5) {
    for (; at_ < file_.size() && (is_space(file_[at_]) || file_[at_] == '#'); ++at_)
      if (file_[at_] == '#')
        while (at_ + 1 < file_.size() && file_[at_] != '\n') ++at_;
    int count = 0;
    for (out = 0; at_ < file_.size() && file_[at_] >= '0' && file_[at_] <= '9' && count < digits; ++at_, ++count)
      out = 10 * out + (file_[at_] - '0');
    return count > 0 && (digits == 1 || at_ == file_.size() || is_space(file_[at_]));
  }
  void skip(size_t bytes) { at_ += bytes; }
  Encoded rest() const { return at_ < file_.size() ? file_.subspan(at_) : Encoded(); }

 private:
  Encoded file_;
  size_t at_ = 0;
};

uint8_t scaled(int64_t value, int64_t most) { return static_cast<uint8_t>((value * 255 + most / 2) / most); }

Result<Image> read_text(Reader& reader, Image image, char kind, int64_t most) {
  for (size_t i = 0; i < image.rgb.size(); i += kind == '3' ? 1 : 3) {
    int64_t value = 0;
    if (!reader.next(value, kind == '1' ? 1 : 5) || value > most) return Error{"its numbers are truncated"};
    const uint8_t byte = kind == '1' ? (value != 0 ? 0 : 255) : scaled(value, most);
    for (size_t c = 0; c < (kind == '3' ? size_t{1} : size_t{3}); ++c) image.rgb[i + c] = byte;
  }
  return image;
}

Result<Image> read_bits(Encoded from, Image image) {
  const size_t line = (static_cast<size_t>(image.width) + 7) / 8;
  if (from.size() < line * static_cast<size_t>(image.height)) return Error{"its pixels are truncated"};
  for (int64_t y = 0; y < image.height; ++y)
    for (size_t x = 0; x < static_cast<size_t>(image.width); ++x) {
      const bool black = (from[line * static_cast<size_t>(y) + x / 8] >> (7 - x % 8) & 1) != 0;
      for (size_t c = 0; c < 3; ++c) image.row(y)[3 * x + c] = black ? 0 : 255;
    }
  return image;
}

Result<Image> read_bytes(Encoded from, Image image, bool colours, int64_t most) {
  const size_t each = most > 255 ? 2 : 1, step = colours ? 1 : 3;
  if (from.size() / each < image.rgb.size() / step) return Error{"its pixels are truncated"};
  for (size_t i = 0, k = 0; i < image.rgb.size(); i += step, k += each) {
    const int64_t value = each == 2 ? from[k] * 256 + from[k + 1] : from[k];
    if (value > most) return Error{fmt::format("a pixel value of {} exceeds the maximum of {}", value, most)};
    for (size_t c = 0; c < step; ++c) image.rgb[i + c] = scaled(value, most);
  }
  return image;
}

}  // namespace

Result<Image> decode_pnm(Encoded file) {
  const char kind = static_cast<char>(file[1]);
  Reader reader(file);
  reader.skip(2);
  int64_t width = 0, height = 0, most = 1;
  const bool bits = kind == '1' || kind == '4';
  if (!reader.next(width) || !reader.next(height) || (!bits && !reader.next(most)) || most < 1 || most > 65535)
    return Error{"its header is damaged"};
  auto image = make_image(height, width, file.size());
  if (!image) return image.error();
  if (kind <= '3') return read_text(reader, std::move(*image), kind, most);
  reader.skip(1);
  return bits ? read_bits(reader.rest(), std::move(*image))
              : read_bytes(reader.rest(), std::move(*image), kind == '6', most);
}

}  // namespace arenascope::models::images
