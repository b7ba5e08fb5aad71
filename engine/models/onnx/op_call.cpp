// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>

namespace arenascope::models {

OpCall::OpCall(Lowering& lowering, const ir::Node& node, std::vector<ValuePtr> inputs)
    : lowering_(lowering),
      node_(node),
      inputs_(std::move(inputs)),
      outputs_(node.outputs.size()),
      builder_(lowering.context()) {}

const Value& OpCall::value(size_t i) {
  static const Value none;
  if (has(i)) return *inputs_[i];
  fail(fmt::format("input {} is missing", i));
  return none;
}

Tensor OpCall::in(size_t i) {
  if (!has(i)) {
    fail(fmt::format("input {} is missing", i));
    return {};
  }
  Status status;
  Tensor tensor = lowering_.materialise(*inputs_[i], status);
  if (!status.ok()) fail(status.error().message);
  return tensor;
}

Tensor OpCall::in_f32(size_t i) {
  const Tensor x = in(i);
  return x && x.dtype() != DType::F32 ? cast(x, DType::F32, ":f32") : x;
}

std::shared_ptr<const HostArray> OpCall::known(size_t i) {
  if (!has(i) || !inputs_[i]->array) return nullptr;
  lowering_.note_fixed_inputs(*inputs_[i]);
  return inputs_[i]->array;
}

bool OpCall::known_bytes(size_t i, std::vector<uint8_t>& out) {
  const Value& from = value(i);
  if (!ok() || from.dtype != DType::U8) return false;
  const auto array = known(i);
  const bool given = !array && from.given && from.given->contiguous() && from.given->data();
  if (!array && !given && from.kind != Value::Kind::Constant) return false;
  out.resize(static_cast<size_t>(element_count(from.sizes)));  // there are that many
  auto* to = reinterpret_cast<std::byte*>(out.data());
  if (array) {
    array->to_bytes(to);
  } else if (given) {
    lowering_.note_fixed_inputs(from);
    std::copy_n(from.given->data(), out.size(), to);
  } else {
    return from.source.write(to).ok();
  }
  return true;
}

void OpCall::wait_for(size_t i, std::string why, bool given) {
  if (ok() && has(i) && inputs_[i]->kind == Value::Kind::Tensor && (given || !inputs_[i]->tensor->has(kFlagInput)))
    needs_runtime_value_ = true;
  fail(std::move(why));
}

void OpCall::defer_as_loop(ir::Node later, std::string why, std::vector<ir::Node> after) {
  if (!ok()) return;
  needs_runtime_value_ = true;
  later_ = std::move(after);
  later_.insert(later_.begin(), std::move(later));
  for (ir::Node& node : later_) node.continues = true;
  fail(std::move(why));
}

std::optional<std::vector<int64_t>> OpCall::ints(size_t i) {
  if (!has(i)) return std::nullopt;
  const auto array = known(i);
  if (!array) {
    wait_for(i, fmt::format("'{}' must be known at compile time", inputs_[i]->name));
    return std::nullopt;
  }
  std::vector<int64_t> out;
  for (int64_t e = 0; e < array->count(); ++e) out.push_back(array->integer(e));
  return out;
}

std::optional<std::vector<double>> OpCall::floats(size_t i) {
  if (!has(i)) return std::nullopt;
  const auto array = known(i);
  if (!array) {
    wait_for(i, fmt::format("'{}' must be known at compile time", inputs_[i]->name));
    return std::nullopt;
  }
  std::vector<double> out;
  for (int64_t e = 0; e < array->count(); ++e) out.push_back(array->number(e));
  return out;
}

const ir::Attribute* OpCall::attr(const char* name) const {
  const auto found = node_.attributes.find(name);
  return found == node_.attributes.end() ? nullptr : &found->second;
}

int64_t OpCall::attr_int(const char* name, int64_t fallback) const {
  const auto* a = attr(name);
  return a ? a->i : fallback;
}

int32_t OpCall::attr_type(const char* name, int32_t fallback) const {
  const int64_t code = attr_int(name, fallback);
  return code == static_cast<int32_t>(code) ? static_cast<int32_t>(code) : -1;
}

float OpCall::attr_float(const char* name, float fallback) const {
  const auto* a = attr(name);
  return a ? a->f : fallback;
}

std::string OpCall::attr_string(const char* name, const std::string& fallback) const {
  const auto* a = attr(name);
  return a ? a->s : fallback;
}

std::vector<int64_t> OpCall::attr_ints(const char* name) const {
  const auto* a = attr(name);
  return a ? a->ints : std::vector<int64_t>();
}

int OpCall::axis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    fail(fmt::format("axis {} is out of range for {} dimensions", axis, rank));
    return 0;
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int> OpCall::axes(size_t i, int64_t since, int rank) {
  std::vector<int64_t> given;
  if (opset() < since)
    given = attr_ints("axes");
  else if (auto from = ints(i))
    given = *from;
  std::vector<int> out;
  for (int64_t a : given) {
    const int resolved = axis(a, rank);
    if (std::find(out.begin(), out.end(), resolved) != out.end()) fail(fmt::format("axis {} is listed twice", a));
    out.push_back(resolved);
  }
  return out;
}

std::string OpCall::title() const {
  return fmt::format("{} {}", node_.op, node_.name.empty() ? name_of("") : node_.name);
}

std::string OpCall::name_of(const char* suffix) const {
  std::string name = node_.name;
  for (const std::string& output : node_.outputs)
    if (!output.empty()) {
      name = output;
      break;
    }
  return name + suffix;
}

bool OpCall::check_broadcast(size_t i, size_t j) {
  const Dims a = sizes(i), b = sizes(j);
  if (ok() && !broadcast(a, b)) fail("shapes do not broadcast");
  return ok();
}

Tensor OpCall::apply(Op op, std::span<const Tensor> sources, const OpParams& params, const char* suffix) {
  if (!ok()) return {};
  Tensor made = builder_.op(op, sources, params, name_of(suffix));
  if (made && made->byte_count() > Lowering::kMaxTensorBytes) {
    fail(fmt::format("the output of shape {} takes {} bytes, more than the limit of {} bytes per tensor",
                     to_string(made.sizes()), made->byte_count(), Lowering::kMaxTensorBytes));
    return {};
  }
  return made;
}

Tensor OpCall::reshape(const Tensor& x, const Dims& sizes, const char* suffix) {
  if (!ok() || !x) return {};
  if (x.sizes() == sizes) return x;
  return builder_.reshape(x, sizes, name_of(suffix));
}

Tensor OpCall::permute(const Tensor& x, std::span<const int> axes, const char* suffix) {
  if (!x) return {};
  PermuteParams params{};
  bool same = true;
  for (int i = 0; i < kMaxDims; ++i) {
    params.axes[i] = static_cast<int8_t>(static_cast<size_t>(i) < axes.size() ? axes[static_cast<size_t>(i)] : -1);
    same = same && (static_cast<size_t>(i) >= axes.size() || params.axes[i] == i);
  }
  return same ? x : op_with(Op::Permute, {x}, params, suffix);
}

Tensor OpCall::slice(const Tensor& x, int axis, int64_t start, int64_t end, int64_t step, const char* suffix) {
  return ok() && x ? builder_.slice(x, axis, start, end, step, name_of(suffix)) : Tensor();
}

Tensor OpCall::cast(const Tensor& x, DType dtype, const char* suffix) {
  return x && x.dtype() == dtype ? x : op_with(Op::Cast, {x}, CastParams{dtype}, suffix);
}

Tensor OpCall::expand(const Tensor& x, const Dims& sizes, const char* suffix) {
  if (x && x.sizes() == sizes) return x;
  auto bytes = x ? checked_byte_count(sizes, x.dtype()) : Result<Bytes>(0);
  if (!bytes) {
    fail(bytes.error().message);
    return {};
  }
  if (*bytes > Lowering::kMaxTensorBytes) {
    fail(fmt::format("a tensor of shape {} takes {} bytes, more than the limit of {} bytes per tensor",
                     to_string(sizes), *bytes, Lowering::kMaxTensorBytes));
    return {};
  }
  return op_with(Op::Expand, {x}, ReshapeParams{sizes}, suffix);
}

Tensor OpCall::mul_mat(const Tensor& a, const Tensor& b, const Tensor& bias, float scale, const char* suffix) {
  return bias ? op_with(Op::MulMat, {a, b, bias}, MulMatParams{scale}, suffix)
              : op_with(Op::MulMat, {a, b}, MulMatParams{scale}, suffix);
}

Tensor OpCall::constant(HostArray array, const char* suffix) {
  const ValuePtr value = lowering_.make_constant(name_of(suffix), std::move(array));
  Status status;
  Tensor tensor = lowering_.materialise(*value, status);
  if (!status.ok()) fail(status.error().message);
  return tensor;
}

Tensor OpCall::scalar(double value, DType dtype, const char* suffix) {
  HostArray array = HostArray::make(dtype, {});
  array.set(0, value);
  return constant(std::move(array), suffix);
}

ValuePtr tensor_value(std::string name, const Tensor& tensor) {
  auto value = std::make_shared<Value>();
  value->name = std::move(name);
  value->kind = Value::Kind::Tensor;
  value->dtype = tensor.dtype();
  value->sizes = tensor.sizes();
  value->tensor = tensor;
  return value;
}

ValuePtr value_like(const Value& like, std::string name, const Tensor& tensor) {
  ValuePtr value = tensor_value(std::move(name), tensor);
  value->strings = like.strings;
  value->small = like.small;
  return value;
}

void OpCall::out(size_t i, const Tensor& tensor) {
  if (tensor && i < outputs_.size()) outputs_[i] = tensor_value(node_.outputs[i], tensor);
}

void OpCall::out(size_t i, HostArray array) {
  if (i < outputs_.size()) outputs_[i] = lowering_.make_constant(node_.outputs[i], std::move(array));
}

void OpCall::out(size_t i, ValuePtr value) {
  if (i < outputs_.size()) outputs_[i] = std::move(value);
}

void OpCall::out_small(size_t i, const Tensor& tensor, int32_t code) {
  out(i, tensor);
  if (i < outputs_.size() && outputs_[i]) outputs_[i]->small = code;
}

void OpCall::adopt_results(OpCall&& other) {
  outputs_ = std::move(other.outputs_);
  if (status_.ok()) status_ = other.status();
  needs_runtime_value_ = other.needs_runtime_value_;
  later_ = std::move(other.later_);
}

void OpCall::out_constant(size_t i, DType dtype, const Dims& sizes, WeightSource source) {
  auto bytes = checked_byte_count(sizes, dtype);
  if (!bytes) return fail(bytes.error().message);
  if (*bytes > Lowering::kMaxTensorBytes)
    return fail(fmt::format("the output of shape {} takes {} bytes, more than the limit of {} bytes per tensor",
                            to_string(sizes), *bytes, Lowering::kMaxTensorBytes));
  if (i >= outputs_.size()) return;
  auto value = std::make_shared<Value>();
  value->name = node_.outputs[i];
  value->kind = Value::Kind::Constant;
  value->dtype = dtype;
  value->sizes = sizes;
  value->source = std::move(source);
  outputs_[i] = std::move(value);
}

}  // namespace arenascope::models
