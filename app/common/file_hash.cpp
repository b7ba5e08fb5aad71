// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/file_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <vector>

#include <fmt/format.h>

namespace arenascope::app {
namespace {

template <class T>
uint64_t little_endian(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

Status hash_range(std::ifstream& file, uint64_t begin, uint64_t end, Xxh64& hash) {
  std::vector<char> buffer(size_t{1} << 20);
  file.seekg(static_cast<std::streamoff>(begin));
  while (begin < end) {
    const auto part = static_cast<std::streamsize>(std::min<uint64_t>(end - begin, buffer.size()));
    if (!file.read(buffer.data(), part)) return Error{"the file became shorter while it was read"};
    hash.add(std::as_bytes(std::span(buffer).first(static_cast<size_t>(part))));
    begin += static_cast<uint64_t>(part);
  }
  return {};
}

}  // namespace

static_assert(std::endian::native == std::endian::little);

uint64_t Xxh64::round(uint64_t lane, uint64_t input) { return std::rotl(lane + input * kPrime2, 31) * kPrime1; }

void Xxh64::add_stripe(const std::byte* bytes) {
  for (size_t i = 0; i < 4; ++i) lanes_[i] = round(lanes_[i], little_endian<uint64_t>(bytes + 8 * i));
}

void Xxh64::add(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (pending_size_ > 0) {
    const size_t taken = std::min(kStripe - pending_size_, bytes.size());
    std::memcpy(pending_ + pending_size_, bytes.data(), taken);
    pending_size_ += taken;
    bytes = bytes.subspan(taken);
    if (pending_size_ < kStripe) return;
    add_stripe(pending_);
    pending_size_ = 0;
  }
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe)) add_stripe(bytes.data());
  if (!bytes.empty()) std::memcpy(pending_, bytes.data(), bytes.size());
  pending_size_ = bytes.size();
}

uint64_t Xxh64::value() const {
  uint64_t hash = kPrime5;
  if (size_ >= kStripe) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
    for (const uint64_t lane : lanes_) hash = (hash ^ round(0, lane)) * kPrime1 + kPrime4;
  }
  hash += size_;
  const std::byte* at = pending_;
  size_t left = pending_size_;
  for (; left >= 8; at += 8, left -= 8)
    hash = std::rotl(hash ^ round(0, little_endian<uint64_t>(at)), 27) * kPrime1 + kPrime4;
  if (left >= 4) {
    hash = std::rotl(hash ^ (little_endian<uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
    at += 4, left -= 4;
  }
  for (; left > 0; ++at, --left) hash = std::rotl(hash ^ (little_endian<uint8_t>(at) * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

Result<std::string> file_hash(const std::filesystem::path& file, uint64_t whole_file) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(file, error);
  std::ifstream in(file, std::ios::binary);
  if (error || !in) return Error{fmt::format("{}: the file cannot be read", file.string())};
  Xxh64 hash;
  const bool whole = size <= whole_file;
  const uint64_t head = whole ? size : whole_file / 2;
  Status read = hash_range(in, 0, head, hash);
  if (read.ok() && !whole) read = hash_range(in, size - whole_file / 2, size, hash);
  if (!read.ok()) return Error{fmt::format("{}: {}", file.string(), read.error().message)};
  return fmt::format("{}:{:016x}", whole ? "xxh64" : "xxh64-ends", hash.value());
}

}  // namespace arenascope::app
