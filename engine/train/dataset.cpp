// SPDX-License-Identifier: MIT
#include <arenascope/train/dataset.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <arenascope/base/counted_random.h>
#include <arenascope/train/image_data.h>

namespace arenascope::train {

Result<TokenText> TokenText::read(const std::string& path, int64_t tokens) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{fmt::format("{}: it cannot be read", path)};
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return Error{fmt::format("{}: it cannot be read", path)};
  if (bytes.size() % 2 != 0)
    return Error{fmt::format("{}: {} bytes are not a multiple of two, the size of a token", path, bytes.size())};
  if (tokens < 1) return Error{fmt::format("pieces of {} tokens", tokens)};
  TokenText out;
  out.path_ = path;
  out.tokens_ = tokens;
  out.ids_.resize(bytes.size() / 2);
  for (size_t i = 0; i < out.ids_.size(); ++i)
    out.ids_[i] =
        static_cast<uint16_t>(static_cast<uint8_t>(bytes[2 * i]) | static_cast<uint8_t>(bytes[2 * i + 1]) << 8);
  if (static_cast<int64_t>(out.ids_.size()) <= tokens)
    return Error{fmt::format("{}: {} tokens are too few for a sequence of {} and the next token", path, out.ids_.size(),
                             tokens)};
  return out;
}

void TokenText::put(int64_t i, std::byte* numbers, int64_t* targets) const {
  for (int64_t t = 0; t < tokens_; ++t) {
    const auto at = static_cast<size_t>(i * tokens_ + t);
    const int64_t id = ids_[at];
    std::memcpy(numbers + t * static_cast<int64_t>(sizeof id), &id, sizeof id);
    targets[t] = ids_[at + 1];
  }
}

Status TokenText::fits(int64_t classes) const {
  const auto outside = std::find_if(ids_.begin(), ids_.end(), [&](uint16_t id) { return id >= classes; });
  if (outside == ids_.end()) return {};
  return Error{fmt::format("{}: token {} at position {} is out of range for a vocabulary of {}", path_, *outside,
                           outside - ids_.begin(), classes)};
}

Result<SortTask> SortTask::create(uint64_t seed, int64_t tokens, int64_t digits, int64_t count) {
  if (tokens < 3 || tokens % 2 == 0)
    return Error{
        fmt::format("digits and the same sorted without the last one are an odd number of tokens, not {}", tokens)};
  if (digits < 2 || count < 1) return Error{fmt::format("{} examples of {} different digits", count, digits)};
  SortTask out;
  out.seed_ = seed, out.tokens_ = tokens, out.digits_ = digits, out.count_ = count;
  return out;
}

void SortTask::put(int64_t i, std::byte* numbers, int64_t* targets) const {
  const auto length = static_cast<size_t>((tokens_ + 1) / 2);
  CountedRandom random(seed_, static_cast<uint64_t>(i));
  std::vector<int64_t> all(length);
  for (int64_t& digit : all) digit = static_cast<int64_t>(random.next() % static_cast<uint64_t>(digits_));
  all.insert(all.end(), all.begin(), all.end());
  std::sort(all.begin() + static_cast<ptrdiff_t>(length), all.end());
  std::memcpy(numbers, all.data(), static_cast<size_t>(tokens_) * sizeof(int64_t));
  for (size_t t = 0; t < static_cast<size_t>(tokens_); ++t) targets[t] = t + 1 < length ? -1 : all[t + 1];
}

Status SortTask::fits(int64_t classes) const {
  if (digits_ <= classes) return {};
  return Error{fmt::format("{} different digits are more than the {} tokens that the model knows", digits_, classes)};
}

Result<std::unique_ptr<Dataset>> open_dataset(const std::string& spec, const SequenceShape& shape) {
  const auto kept = [](auto data) -> Result<std::unique_ptr<Dataset>> {
    if (!data) return data.error();
    using Made = std::remove_reference_t<decltype(*data)>;
    return std::unique_ptr<Dataset>(std::make_unique<Made>(std::move(*data)));
  };
  if (spec.find(',') != std::string::npos) return kept(read_image_pair(spec));
  if (shape.tokens < 1)
    return Error{fmt::format("expected IMAGES,LABELS (only language models accept tokens), found '{}'", spec)};
  if (!spec.starts_with("sort:")) return kept(TokenText::read(spec, shape.tokens));
  uint64_t seed = 0;
  const char *begin = spec.data() + 5, *end = spec.data() + spec.size();
  const auto [rest, problem] = std::from_chars(begin, end, seed);
  if (problem != std::errc() || rest != end)
    return Error{fmt::format("expected sort:SEED with a number, found '{}'", spec)};
  return kept(SortTask::create(seed, shape.tokens, shape.vocabulary));
}

}  // namespace arenascope::train
