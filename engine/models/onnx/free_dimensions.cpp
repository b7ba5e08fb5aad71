// SPDX-License-Identifier: MIT
#include "engine/models/onnx/free_dimensions.h"
#include "engine/models/onnx/dimension_equations.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include <arenascope/models/npy.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/models/onnx/lowering.h"

namespace arenascope::models {
namespace {

// Candidates in the order in which they are tried. Image sides: classifiers, then detectors, then a line of text, then
// the smallest that survives several strides of two. Sequence lengths: short ones, then those of windows over audio.
// Token counts.
constexpr int64_t kSides[] = {224, 320, 640, 48, 96, 32};
constexpr int64_t kLengths[] = {128, 512, 1024, 4096, 16000, 32};
constexpr int64_t kTokens[] = {128, 32, 16, 8, 512, 1};
constexpr int64_t kChannels[] = {3, 1};  // each with every one of these
constexpr size_t kAttempts = std::size(kSides) * std::size(kChannels);

struct Open {
  std::string key, symbol;
  int axis = 0, rank = 0;
  bool counts = false;   // the input is of integers
  bool batched = false;  // the dimension before it is known and is not a batch of one, so that this may be the batch
};

bool has_word(const std::string& symbol, std::initializer_list<std::string_view> strings) {
  std::string name = symbol;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::any_of(strings.begin(), strings.end(),
                     [&](std::string_view word) { return name.find(word) != name.npos; });
}

int64_t size_of(const Open& open, size_t n) {
  const size_t attempt = n / std::size(kChannels);
  const int64_t channels = kChannels[n % std::size(kChannels)];
  if (has_word(open.symbol, {"batch", "past"})) return 1;
  if (has_word(open.symbol, {"height", "width"})) return kSides[attempt];
  if (has_word(open.symbol, {"channel"})) return channels;
  if (has_word(open.symbol, {"seq", "length", "time", "token"})) return (open.counts ? kTokens : kLengths)[attempt];
  if (open.axis == 0 || open.batched) return 1;
  if (open.rank >= 4) return open.axis == 1 ? channels : kSides[attempt];
  return (open.counts ? kTokens : kLengths)[attempt];
}

FreeDimension free_dimension(const ir::ValueType& input, size_t axis) {
  return {input.name, static_cast<int>(axis), input.symbols[axis], 1, false};
}

std::string shape_text(const std::vector<int64_t>& sizes) {
  std::string text;
  for (int64_t size : sizes) {
    if (!text.empty()) text += 'x';
    text += size < 0 ? std::string(1, '?') : fmt::format("{}", size);
  }
  return text;
}

// Shapes as sizes of the dimensions that a file leaves open.
Status tell_shapes(const ir::File& file, OpenOptions& options) {
  for (const auto& [name, shape] : options.shapes) {
    const auto input = std::find_if(file.graph.inputs.begin(), file.graph.inputs.end(),
                                    [&, &name = name](const ir::ValueType& i) { return i.name == name; });
    if (input == file.graph.inputs.end()) return Error{fmt::format("there is no input '{}' to have a shape", name)};
    bool fits = input->sizes.size() == shape.size();
    for (size_t i = 0; fits && i < shape.size(); ++i) fits = input->sizes[i] < 0 || input->sizes[i] == shape[i];
    if (!fits)
      return Error{
          fmt::format("the input '{}' is {}, it cannot be {}", name, shape_text(input->sizes), shape_text(shape))};
    for (size_t i = 0; i < shape.size(); ++i) {
      if (input->sizes[i] >= 0) continue;
      const std::string key = free_dimension(*input, i).key();
      const auto [specified, added] = options.dims.try_emplace(key, shape[i]);
      if (!added && specified->second != shape[i])
        return Error{fmt::format("dimension {} is specified as {} and {}", key, specified->second, shape[i])};
    }
  }
  return {};
}

// A size that no input has would leave the one that was meant assumed.
Status check_names(const ir::File& file, const OpenOptions& options) {
  std::set<std::string> known;
  for (const ir::ValueType& input : file.graph.inputs)
    for (size_t i = 0; i < input.sizes.size(); ++i)
      if (input.sizes[i] < 0) known.insert(free_dimension(input, i).key());
  for (const auto& [name, size] : options.dims) {
    if (known.count(name) != 0) continue;
    return Error{known.empty() ? fmt::format("there is no size '{}': the file leaves none open", name)
                               : fmt::format("there is no size '{}'; there {} {}", name,
                                             known.size() == 1 ? "is" : "are", fmt::join(known, ", "))};
  }
  return {};
}

std::vector<Open> open_dimensions(const ir::File& file, const OpenOptions& options) {
  std::vector<Open> out;
  for (const ir::ValueType& input : file.graph.inputs) {
    if (!input.has_shape || options.inputs.count(input.name)) continue;
    const bool counts = input.dtype == DType::I64 || input.dtype == DType::I32;
    for (size_t i = 0; i < input.sizes.size(); ++i) {
      const FreeDimension free = free_dimension(input, i);
      if (input.sizes[i] >= 0 || options.dims.count(free.key())) continue;
      const bool batched = i == 1 && input.sizes[0] > 1;
      out.push_back({free.key(), free.symbol, free.axis, static_cast<int>(input.sizes.size()), counts, batched});
    }
  }
  return out;
}

// A scalar input, such as a sampling rate: an If or the trip count of a Loop may depend on it.
struct Scalar {
  std::string name;
  DType dtype;
  Dims sizes;
};

std::vector<Scalar> open_scalars(const ir::File& file, const OpenOptions& options) {
  std::vector<Scalar> out;
  if (std::none_of(file.graph.nodes.begin(), file.graph.nodes.end(),
                   [](const ir::Node& n) { return n.op == "If" || n.op == "Loop"; }))
    return out;
  for (const ir::ValueType& input : file.graph.inputs) {
    const bool alone = input.has_shape && (input.sizes.empty() || input.sizes == std::vector<int64_t>{1});
    const bool whole = input.dtype == DType::I64 || input.dtype == DType::I32 || input.dtype == DType::Bool;
    if (alone && whole && options.inputs.count(input.name) == 0)
      out.push_back({input.name, *input.dtype, Dims(input.sizes)});
  }
  return out;
}

constexpr size_t kScalarAttempts = 2;

int64_t value_of(const Scalar& scalar, size_t attempt) {
  constexpr int64_t rates[kScalarAttempts] = {16000, 8000}, others[kScalarAttempts] = {1, 0};
  return scalar.name == "sr" || has_word(scalar.name, {"rate"}) ? rates[attempt] : others[attempt];
}

void write_whole(DType dtype, int64_t value, std::byte* out) {
  const auto narrow = static_cast<int32_t>(value);
  const auto truth = static_cast<uint8_t>(value != 0);
  if (dtype == DType::I64)
    std::memcpy(out, &value, sizeof value);
  else if (dtype == DType::I32)
    std::memcpy(out, &narrow, sizeof narrow);
  else
    std::memcpy(out, &truth, sizeof truth);
}

// How far a model is from being one graph that can be run; what waits for a run counts less than what cannot be.
size_t lacks(const Model& model) { return 2 * model.problems.size() + (model.deferred ? 1 : 0); }

using Solved = std::map<std::string, LinearSize>;  // free dimensions as expressions of others

// False if a size would be less than 1; a past may be empty.
bool add_solved(const Solved& solved, std::map<std::string, int64_t>& dims) {
  for (const auto& [key, expression] : solved) {
    const auto size = expression.value(dims);
    if (!size || *size < (has_word(key, {"past"}) ? 0 : 1)) return false;
    dims[key] = *size;
  }
  return true;
}

// The sizes of one attempt: assumed ones for dimensions that no equation determines, an empty past if the specified
// sizes leave it no tokens. Without the equations if they have no solution of valid sizes.
std::map<std::string, int64_t> sizes_of(const std::vector<Open>& open, const Solved& solved,
                                        const OpenOptions& specified, size_t attempt) {
  for (const bool empty_past : {false, true}) {
    auto dims = specified.dims;
    for (const Open& dimension : open)
      if (!solved.contains(dimension.key))
        dims.try_emplace(dimension.key,
                         empty_past && has_word(dimension.symbol, {"past"}) ? 0 : size_of(dimension, attempt));
    if (add_solved(solved, dims)) return dims;
  }
  return sizes_of(open, {}, specified, attempt);
}

// With the first sizes that leave no problem, or the fewest.
Result<Model> try_sizes(const ir::File& file, const std::vector<Open>& open, const Solved& solved,
                        const OpenOptions& specified) {
  std::optional<Model> best;
  std::map<std::string, int64_t> before;
  Error failed;
  for (size_t attempt = 0; attempt < kAttempts; ++attempt) {
    OpenOptions tried = specified;
    tried.dims = sizes_of(open, solved, specified, attempt);
    if (attempt > 0 && tried.dims == before) continue;  // no other dimension is free
    auto model = Lowering(file, tried).run();
    if (!model) failed = model.error();
    if (model && (!best || lacks(*model) < lacks(*best))) best = std::move(*model);
    if (best && lacks(*best) == 0) break;
    before = std::move(tried.dims);
  }
  if (!best) return failed;
  return std::move(*best);
}

// A shape rule that does not hold in a file must not make it worse: then the equations are not used.
Result<Model> try_coherent_sizes(const ir::File& file, const std::vector<Open>& open, const OpenOptions& specified) {
  std::vector<std::string> keys;
  for (const Open& dimension : open)
    if (std::find(keys.begin(), keys.end(), dimension.key) == keys.end()) keys.push_back(dimension.key);
  const Solved solved = equations_of(file, keys, specified).solved();
  auto model = try_sizes(file, open, solved, specified);
  if (solved.empty() || (model && lacks(*model) == 0)) return model;
  auto independent = try_sizes(file, open, {}, specified);
  return independent && (!model || lacks(*independent) < lacks(*model)) ? std::move(independent) : std::move(model);
}

// With values for what the model is given alone; they are what a run has then.
Result<Model> try_values(const ir::File& file, const std::vector<Open>& open, OpenOptions specified,
                         const std::vector<Scalar>& scalars, size_t attempt) {
  for (const Scalar& scalar : scalars) {
    auto tensor = host_tensor(scalar.sizes, scalar.dtype);
    if (!tensor) return tensor.error();
    write_whole(scalar.dtype, value_of(scalar, attempt), (*tensor)->data());
    specified.inputs[scalar.name] = std::move(*tensor);
  }
  auto model = try_coherent_sizes(file, open, specified);
  if (!model) return model;
  for (const Scalar& scalar : scalars) {
    const int64_t value = value_of(scalar, attempt);
    model->assumed_values[scalar.name] = value;
    for (ValueInfo& input : model->inputs)
      if (input.name == scalar.name)
        input.write_default = [value, dtype = scalar.dtype](std::byte* out) {
          write_whole(dtype, value, out);
          return Status();
        };
  }
  return model;
}

}  // namespace

Result<Model> lower_with_sizes(ir::File file, const OpenOptions& given) {
  OpenOptions specified = given;
  if (auto ok = check_names(file, given); !ok) return ok.error();
  if (auto ok = tell_shapes(file, specified); !ok) return ok.error();
  const std::vector<Open> open = open_dimensions(file, specified);
  const std::vector<Scalar> scalars = open_scalars(file, specified);
  if (open.empty() && scalars.empty()) return Lowering(std::move(file), specified).run();
  auto model = try_coherent_sizes(file, open, specified);
  for (size_t i = 0; model && lacks(*model) > 0 && !scalars.empty() && i < kScalarAttempts; ++i)
    if (auto better = try_values(file, open, specified, scalars, i); better && lacks(*better) < lacks(*model))
      model = std::move(better);
  if (!model) return model;
  for (FreeDimension& free : model->free_dimensions) free.specified = specified.dims.count(free.key()) != 0;
  return model;
}

}  // namespace arenascope::models
