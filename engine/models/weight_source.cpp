// SPDX-License-Identifier: MIT
#include <arenascope/models/weight_source.h>
#include "engine/models/mapped_file.h"
#include "engine/models/seeded.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

namespace arenascope::models {

// A function that writes the bytes; one thread at a time.
struct WeightSource::Generator {
  explicit Generator(Writer function) : write(std::move(function)) {}
  const Writer write;
  mutable std::mutex writing;
};

WeightSource::WeightSource(Writer write) : generator_(std::make_shared<const Generator>(std::move(write))) {}

WeightSource::WeightSource(std::span<const std::byte> bytes, std::shared_ptr<const MappedFile> file)
    : bytes_(bytes), file_(std::move(file)) {}

WeightSource::WeightSource(SeededNumbers numbers) : WeightSource(Writer(std::move(numbers))) {}

WeightSource WeightSource::absent(std::string why) {
  WeightSource out([why = std::move(why)](std::byte*) -> Status { return Error{why}; });
  out.absent_ = true;
  return out;
}

WeightSource WeightSource::converted(const WeightSource& stored, Writer write) {
  WeightSource out(std::move(write));
  out.converted_from_ = stored.origin();
  return out;
}

Status WeightSource::unchanged() const { return file_ ? file_->unchanged() : Status(); }

Status WeightSource::write(std::byte* out) const {
  if (generator_ && generator_->write) {
    const std::lock_guard lock(generator_->writing);
    return generator_->write(out);
  }
  if (!file_) return Error{"the weight has no data source"};
  if (auto same = unchanged(); !same) return same;
  constexpr size_t kSlice = size_t{4} << 20;
  for (size_t at = 0; at < bytes_.size(); at += kSlice) {
    const auto slice = bytes_.subspan(at, std::min(kSlice, bytes_.size() - at));
    std::memcpy(out + at, slice.data(), slice.size());
    file_->drop_pages(slice);
  }
  return {};
}

void WeightSource::drop_pages(size_t offset, size_t bytes) const noexcept {
  if (file_ && offset <= bytes_.size())
    file_->drop_pages(bytes_.subspan(offset, std::min(bytes, bytes_.size() - offset)));
}

void WeightSource::advise_dontneed() const noexcept {
  if (file_) file_->drop_pages(file_->bytes());
}

Result<WeightReader> WeightReader::read(const WeightSource& source, size_t bytes) {
  WeightReader out;
  if (!source.bytes().empty()) {
    if (auto same = source.unchanged(); !same) return same.error();
    out.source_ = source;
    return out;
  }
  out.made_.resize(bytes);
  if (auto written = source.write(out.made_.data()); !written) return written.error();
  return out;
}

std::string WeightSource::origin() const {
  if (!can_borrow()) return converted_from_;
  return fmt::format("{}:{}", file_->path().string(), bytes_.data() - file_->bytes().data());
}

bool WeightSource::can_borrow() const { return file_ && file_->is_file() && !bytes_.empty(); }

Result<Storage> WeightSource::borrow(ExecutionContext& context) const {
  if (auto same = unchanged(); !same) return same.error();
  auto block = context.borrow_mapped(bytes_.data(), static_cast<Bytes>(bytes_.size()), file_);
  if (!block) return block.error();
  return Storage(std::move(*block));
}

Result<Storage> WeightSource::restorable(ExecutionContext& context, Bytes bytes) const {
  auto block = context.reserve_restorable(bytes, [source = *this](std::byte* out) { return source.write(out); });
  if (!block) return block.error();
  return Storage(std::move(*block));
}

}  // namespace arenascope::models
