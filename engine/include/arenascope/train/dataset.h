// SPDX-License-Identifier: MIT
// Training examples: the values of a model's first input and the expected classes.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace arenascope::train {

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t count() const = 0;         // examples of an epoch
  virtual DType dtype() const = 0;           // of the numbers: F32, I64
  virtual int64_t numbers_each() const = 0;  // of an example
  virtual int64_t targets_each() const = 0;  // rows of logits of an example
  // Writes example i: numbers_each() of dtype(), and targets_each() classes, -1 for rows that do not count.
  virtual void put(int64_t i, std::byte* numbers, int64_t* targets) const = 0;
  // Error: a class out of range, with its position.
  virtual Status fits(int64_t classes) const = 0;
};

// A text of token ids (uint16, little endian), cut into sequences of `tokens`: the target of each token is the token
// after it. An incomplete sequence at the end is ignored.
class TokenText final : public Dataset {
 public:
  // Errors name the file: it cannot be read, has an odd number of bytes, is too short for one piece.
  static Result<TokenText> read(const std::string& path, int64_t tokens);

  int64_t count() const override { return static_cast<int64_t>(ids_.size() - 1) / tokens_; }
  DType dtype() const override { return DType::I64; }
  int64_t numbers_each() const override { return tokens_; }
  int64_t targets_each() const override { return tokens_; }
  void put(int64_t i, std::byte* numbers, int64_t* targets) const override;
  Status fits(int64_t classes) const override;

 private:
  std::string path_;
  std::vector<uint16_t> ids_;
  int64_t tokens_ = 1;
};

// minGPT's task (Karpathy 2020): random digits followed by the same digits sorted. An example of `tokens` tokens has
// (tokens + 1) / 2 digits and all but the last of the sorted ones; targets start at the first sorted digit.
class SortTask final : public Dataset {
 public:
  // Error: a number of tokens that is not odd, or fewer than 3; fewer than two digits.
  static Result<SortTask> create(uint64_t seed, int64_t tokens, int64_t digits, int64_t count = 4096);

  int64_t count() const override { return count_; }
  DType dtype() const override { return DType::I64; }
  int64_t numbers_each() const override { return tokens_; }
  int64_t targets_each() const override { return tokens_; }
  void put(int64_t i, std::byte* numbers, int64_t* targets) const override;
  Status fits(int64_t classes) const override;

 private:
  uint64_t seed_ = 0;
  int64_t tokens_ = 0, digits_ = 0, count_ = 0;
};

// The sequence length and vocabulary size of a language model; 0 for an image model.
struct SequenceShape {
  int64_t tokens = 0, vocabulary = 0;
};

// As the command line has it: "IMAGES,LABELS" (image_data.h), "sort:SEED", or a file of token numbers. Errors: those of
// each, and a text or digits for a model that is not a language model.
Result<std::unique_ptr<Dataset>> open_dataset(const std::string& spec, const SequenceShape& shape);

}  // namespace arenascope::train
