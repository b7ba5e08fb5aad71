// SPDX-License-Identifier: MIT
#include "onnx_maker.h"

#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <algorithm>

namespace arenascope::models::test {

struct OnnxMaker::Proto {
  onnx::ModelProto model;
};

namespace {

void describe(onnx::ValueInfoProto& value, const std::string& name, const std::vector<int64_t>& sizes, int type) {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  for (int64_t size : sizes) {
    auto* d = tensor->mutable_shape()->add_dim();
    if (size >= 0)
      d->set_dim_value(size);
    else
      d->set_dim_param("n" + std::to_string(-size));
  }
  tensor->mutable_shape();
}

onnx::TensorProto& add_weight(onnx::ModelProto& model, const std::string& name, const std::vector<int64_t>& sizes,
                              int type) {
  auto* t = model.mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(type);
  for (int64_t size : sizes) t->add_dims(size);
  return *t;
}

}  // namespace

OnnxMaker::OnnxMaker(int64_t opset) : proto_(std::make_unique<Proto>()) {
  proto_->model.set_ir_version(8);
  proto_->model.add_opset_import()->set_version(opset);
  proto_->model.mutable_graph()->set_name("made");
}
OnnxMaker::~OnnxMaker() = default;

OnnxMaker& OnnxMaker::input(const std::string& name, const std::vector<int64_t>& sizes, int type) {
  describe(*proto_->model.mutable_graph()->add_input(), name, sizes, type);
  return *this;
}

OnnxMaker& OnnxMaker::symbolic_input(const std::string& name, const std::vector<std::string>& sizes, int type) {
  auto& value = *proto_->model.mutable_graph()->add_input();
  describe(value, name, {}, type);
  for (const std::string& size : sizes) {
    auto* d = value.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim();
    if (!size.empty() && size.find_first_not_of("0123456789") == size.npos)
      d->set_dim_value(std::stoll(size));
    else if (!size.empty())
      d->set_dim_param(size);
  }
  return *this;
}

OnnxMaker& OnnxMaker::map_input(const std::string& name, int keys, int values) {
  auto& value = *proto_->model.mutable_graph()->add_input();
  value.set_name(name);
  auto* map = value.mutable_type()->mutable_map_type();
  map->set_key_type(keys);
  map->mutable_value_type()->mutable_tensor_type()->set_elem_type(values);
  return *this;
}

OnnxMaker& OnnxMaker::sequence_input(const std::string& name, int type) {
  auto& value = *proto_->model.mutable_graph()->add_input();
  value.set_name(name);
  value.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(type);
  return *this;
}

OnnxMaker& OnnxMaker::output(const std::string& name, const std::vector<int64_t>& sizes, int type) {
  describe(*proto_->model.mutable_graph()->add_output(), name, sizes, type);
  return *this;
}

OnnxMaker& OnnxMaker::value(const std::string& name, const std::vector<int64_t>& sizes, int type) {
  describe(*proto_->model.mutable_graph()->add_value_info(), name, sizes, type);
  return *this;
}

OnnxMaker& OnnxMaker::weight(const std::string& name, const std::vector<int64_t>& sizes,
                             const std::vector<float>& numbers) {
  auto& t = add_weight(proto_->model, name, sizes, kFloat);
  for (float v : numbers) t.add_float_data(v);
  return *this;
}

OnnxMaker& OnnxMaker::weight(const std::string& name, const std::vector<int64_t>& sizes,
                             const std::vector<int64_t>& numbers) {
  auto& t = add_weight(proto_->model, name, sizes, kInt64);
  for (int64_t v : numbers) t.add_int64_data(v);
  return *this;
}

OnnxMaker& OnnxMaker::weight(const std::string& name, const std::vector<int64_t>& sizes,
                             const std::vector<std::string>& strings) {
  auto& t = add_weight(proto_->model, name, sizes, kString);
  for (const std::string& s : strings) t.add_string_data(s);
  return *this;
}

OnnxMaker& OnnxMaker::raw_weight(const std::string& name, const std::vector<int64_t>& sizes, const std::string& bytes,
                                 int type) {
  add_weight(proto_->model, name, sizes, type).set_raw_data(bytes);
  return *this;
}

namespace {

void fill_sparse(onnx::SparseTensorProto& s, const std::string& name, const std::vector<int64_t>& sizes,
                 const std::vector<int64_t>& indices, const std::vector<float>& numbers) {
  for (const int64_t size : sizes) s.add_dims(size);
  s.mutable_values()->set_name(name);
  s.mutable_values()->set_data_type(kFloat);
  s.mutable_values()->add_dims(static_cast<int64_t>(numbers.size()));
  for (const float v : numbers) s.mutable_values()->add_float_data(v);
  onnx::TensorProto& at = *s.mutable_indices();
  at.set_data_type(kInt64);
  at.add_dims(static_cast<int64_t>(numbers.size()));
  if (indices.size() != numbers.size())
    at.add_dims(static_cast<int64_t>(indices.size() / std::max<size_t>(numbers.size(), 1)));
  at.set_raw_data(indices.data(), indices.size() * sizeof(int64_t));
}

}  // namespace

OnnxMaker& OnnxMaker::sparse_weight(const std::string& name, const std::vector<int64_t>& sizes,
                                    const std::vector<int64_t>& indices, const std::vector<float>& numbers) {
  fill_sparse(*proto_->model.mutable_graph()->add_sparse_initializer(), name, sizes, indices, numbers);
  return *this;
}

OnnxMaker& OnnxMaker::sparse_constant(const std::string& name, const std::vector<int64_t>& sizes,
                                      const std::vector<int64_t>& indices, const std::vector<float>& numbers) {
  auto& node = *proto_->model.mutable_graph()->add_node();
  node.set_op_type("Constant");
  node.add_output(name);
  auto& a = *node.add_attribute();
  a.set_name("sparse_value");
  a.set_type(onnx::AttributeProto::SPARSE_TENSOR);
  fill_sparse(*a.mutable_sparse_tensor(), name, sizes, indices, numbers);
  return *this;
}

OnnxMaker& OnnxMaker::sparse_input(const std::string& name, const std::vector<int64_t>& sizes, int type) {
  auto& value = *proto_->model.mutable_graph()->add_input();
  value.set_name(name);
  auto* sparse = value.mutable_type()->mutable_sparse_tensor_type();
  sparse->set_elem_type(type);
  for (const int64_t size : sizes) sparse->mutable_shape()->add_dim()->set_dim_value(size);
  return *this;
}

OnnxMaker& OnnxMaker::segment(const std::string& name, const std::vector<int64_t>& sizes, int64_t begin,
                              const std::vector<float>& numbers) {
  auto& t = add_weight(proto_->model, name, sizes, kFloat);
  t.mutable_segment()->set_begin(begin);
  t.mutable_segment()->set_end(begin + static_cast<int64_t>(numbers.size()));
  for (float v : numbers) t.add_float_data(v);
  return *this;
}

OnnxMaker& OnnxMaker::external_weight(const std::string& name, const std::vector<int64_t>& sizes,
                                      const std::vector<std::pair<std::string, std::string>>& entries, int type) {
  auto& t = add_weight(proto_->model, name, sizes, type);
  t.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : entries) {
    auto* entry = t.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return *this;
}

OnnxMaker& OnnxMaker::node(const std::string& op, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs, const std::vector<Attr>& attributes,
                           const std::string& name, const std::string& domain) {
  auto* n = proto_->model.mutable_graph()->add_node();
  n->set_op_type(op);
  n->set_name(name);
  n->set_domain(domain);
  for (const auto& i : inputs) n->add_input(i);
  for (const auto& o : outputs) n->add_output(o);
  for (const Attr& attr : attributes) {
    auto* a = n->add_attribute();
    a->set_name(attr.name);
    if (!attr.passed_on.empty()) a->set_ref_attr_name(attr.passed_on);
    if (const auto* i = std::get_if<int64_t>(&attr.value)) a->set_i(*i), a->set_type(onnx::AttributeProto::INT);
    if (const auto* f = std::get_if<float>(&attr.value)) a->set_f(*f), a->set_type(onnx::AttributeProto::FLOAT);
    if (const auto* s = std::get_if<std::string>(&attr.value)) a->set_s(*s), a->set_type(onnx::AttributeProto::STRING);
    if (const auto* v = std::get_if<std::vector<int64_t>>(&attr.value)) {
      a->set_type(onnx::AttributeProto::INTS);
      for (int64_t i : *v) a->add_ints(i);
    }
    if (const auto* v = std::get_if<std::vector<float>>(&attr.value)) {
      a->set_type(onnx::AttributeProto::FLOATS);
      for (float f : *v) a->add_floats(f);
    }
    if (const auto* v = std::get_if<std::vector<std::string>>(&attr.value)) {
      a->set_type(onnx::AttributeProto::STRINGS);
      for (const std::string& s : *v) a->add_strings(s);
    }
    if (const auto* g = std::get_if<const OnnxMaker*>(&attr.value)) {
      a->set_type(onnx::AttributeProto::GRAPH);
      *a->mutable_g() = (*g)->proto_->model.graph();
    }
  }
  return *this;
}

OnnxMaker& OnnxMaker::opset(const std::string& domain, int64_t version) {
  auto* set = proto_->model.add_opset_import();
  set->set_domain(domain);
  set->set_version(version);
  return *this;
}

OnnxMaker& OnnxMaker::function(const std::string& name, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs, const std::vector<std::string>& attributes,
                               int64_t opset) {
  auto& f = *proto_->model.add_functions();
  f.set_name(name);
  f.set_domain("own");
  for (const auto& i : inputs) f.add_input(i);
  for (const auto& o : outputs) f.add_output(o);
  for (const auto& a : attributes) f.add_attribute(a);
  f.add_opset_import()->set_version(opset);
  f.mutable_node()->Swap(proto_->model.mutable_graph()->mutable_node());
  return *this;
}

std::vector<std::byte> OnnxMaker::bytes() const {
  const std::string text = proto_->model.SerializeAsString();
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

Result<Model> OnnxMaker::open(const OpenOptions& options, const std::filesystem::path& folder) const {
  return open_onnx(bytes(), folder, options);
}

namespace {

template <class Message>
std::vector<std::byte> file_of(const Message& message) {
  const std::string text = message.SerializeAsString();
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

void add_values(onnx::MapProto& map, const std::vector<float>& values) {
  for (const float value : values) {
    auto* tensor = map.mutable_values()->add_tensor_values();
    tensor->set_data_type(kFloat);
    tensor->add_float_data(value);
  }
}

}  // namespace

std::vector<std::byte> map_file(const std::vector<std::string>& keys, const std::vector<float>& values) {
  onnx::MapProto map;
  map.set_key_type(kString);
  for (const std::string& key : keys) map.add_string_keys(key);
  add_values(map, values);
  return file_of(map);
}

std::vector<std::byte> map_file(const std::vector<int64_t>& keys, const std::vector<float>& values) {
  onnx::MapProto map;
  map.set_key_type(kInt64);
  for (const int64_t key : keys) map.add_keys(key);
  add_values(map, values);
  return file_of(map);
}

std::vector<std::byte> sequence_file(const std::vector<std::vector<float>>& lines) {
  onnx::SequenceProto sequence;
  for (const auto& line : lines) {
    auto* tensor = sequence.add_tensor_values();
    tensor->set_data_type(kFloat);
    tensor->add_dims(static_cast<int64_t>(line.size()));
    for (const float value : line) tensor->add_float_data(value);
  }
  return file_of(sequence);
}

}  // namespace arenascope::models::test
