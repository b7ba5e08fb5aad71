// SPDX-License-Identifier: MIT
#include "onnx_malformed.h"

#include <onnx/onnx_pb.h>

#include <cmath>
#include <limits>
#include <map>

namespace arenascope::models::test {
namespace {

using Kind = onnx::AttributeProto;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kIntegers[] = {0,
                                 -1,
                                 1,
                                 2,
                                 3,
                                 -2,
                                 7,
                                 1000,
                                 kMax,
                                 kMin,
                                 kMax - 1,
                                 kMin + 1,
                                 int64_t{1} << 31,
                                 int64_t{1} << 32,
                                 int64_t{1} << 40,
                                 -(int64_t{1} << 31)};
constexpr float kNumbers[] = {0, -1, 1, 0.5F, 1e38F, -1e38F, 1e-38F, INFINITY, -INFINITY, NAN, 1e9F, 2};
// Strings that operators accept, and others.
constexpr const char* kStrings[] = {
    "",         "odd",     "linear",        "nearest",    "cubic",         "constant",
    "edge",     "reflect", "wrap",          "SUM",        "AVERAGE",       "LEFT",
    "RIGHT",    "add",     "mul",           "max",        "min",           "none",
    "mean",     "sum",     "zeros",         "border",     "SAME_UPPER",    "SAME_LOWER",
    "VALID",    "NOTSET",  "bidirectional", "reverse",    "tanh",          "ij,jk->ik",
    "...i->i",  "ii->i",   "half_pixel",    "asymmetric", "align_corners", "tf_crop_and_resize",
    "LOGISTIC", "SOFTMAX", "RBF",           "POLY",       "BRANCH_LEQ",    "LEAF",
    "(a+)+$",   "[",       "\xff\xfe"};

template <class T, size_t N>
T any_of(const T (&all)[N], Mutator& random) {
  return all[random.below(N)];
}

std::string any_string(Mutator& random) {
  return random.below(20) == 0 ? std::string(1000, 'i') : std::string(any_of(kStrings, random));
}

void set_sizes(onnx::TensorShapeProto& shape, const std::vector<int64_t>& sizes) {
  shape.clear_dim();
  for (const int64_t size : sizes) shape.add_dim()->set_dim_value(size);
}

onnx::TensorProto whole_numbers(const std::string& name, const std::vector<int64_t>& sizes,
                                const std::vector<int64_t>& numbers, int type = onnx::TensorProto::INT64) {
  onnx::TensorProto out;
  out.set_name(name);
  out.set_data_type(type);
  for (const int64_t size : sizes) out.add_dims(size);
  for (const int64_t n : numbers) {
    if (type == onnx::TensorProto::INT64)
      out.add_int64_data(n);
    else
      out.add_int32_data(static_cast<int32_t>(n));
  }
  return out;
}

// ---- out of a schema

class Maker {
 public:
  Maker(const ir::Schema& schema, const std::string& domain, int64_t opset, Mutator& random)
      : schema_(schema), random_(random) {
    model_.set_ir_version(8);
    auto* set = model_.add_opset_import();
    set->set_version(domain.empty() ? opset : 21);
    if (!domain.empty()) {
      set = model_.add_opset_import();
      set->set_domain(domain);
      set->set_version(opset);
    }
    node().set_domain(domain);
    node().set_op_type(std::string(schema.op));
    const size_t rank = random.below(6);
    for (size_t d = 0; d < rank; ++d) sizes_.push_back(1 + static_cast<int64_t>(random.below(4)));
  }

  std::vector<std::byte> make() {
    for (const ir::Formal& formal : schema_.inputs) {
      size_t count = 1;
      if (formal.option == ir::Formal::Option::Optional) count = random_.below(2);
      if (formal.option == ir::Formal::Option::Variadic) count = static_cast<size_t>(formal.least) + random_.below(3);
      for (size_t i = 0; i < count; ++i) add_source(formal);
      if (count == 0) node().add_input("");
    }
    while (node().input_size() > 0 && node().input(node().input_size() - 1).empty())
      node().mutable_input()->RemoveLast();
    for (const ir::AttributeRule& rule : schema_.attributes)
      if (rule.required || random_.below(5) < 2) add_attribute(rule);
    for (const ir::Formal& formal : schema_.outputs)
      if (formal.option != ir::Formal::Option::Optional || random_.below(3) == 0) add_result();
    const std::string text = model_.SerializeAsString();
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
  }

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  onnx::NodeProto& node() { return graph().node_size() ? *graph().mutable_node(0) : *graph().add_node(); }

  int type_for(const ir::Formal& formal) {
    auto [at, added] = types_.try_emplace(formal.type, 0);
    if (!added) return at->second;
    if ((formal.allowed >> onnx::TensorProto::FLOAT & 1) && random_.below(4) != 0)
      return at->second = onnx::TensorProto::FLOAT;
    if ((formal.allowed >> onnx::TensorProto::INT64 & 1) && random_.below(4) != 0)
      return at->second = onnx::TensorProto::INT64;
    std::vector<int> all;
    for (int code = 1; code <= 26; ++code)
      if (formal.allowed >> code & 1) all.push_back(code);
    return at->second = all.empty() ? int{onnx::TensorProto::FLOAT} : all[random_.below(all.size())];
  }

  void add_source(const ir::Formal& formal) {
    const int type = type_for(formal);
    const std::string name = "x" + std::to_string(node().input_size());
    node().add_input(name);
    std::vector<int64_t> sizes = sizes_;
    if (random_.below(3) == 0 && !sizes.empty()) sizes.resize(random_.below(sizes.size() + 1));
    if (random_.below(4) == 0)
      for (int64_t& size : sizes) size = 1 + static_cast<int64_t>(random_.below(4));
    const bool reports =
        type == onnx::TensorProto::INT64 || type == onnx::TensorProto::INT32 || type == onnx::TensorProto::BOOL;
    if (reports && random_.below(3) != 0) {
      const size_t count = random_.below(2) == 0 ? sizes_.size() : 1 + random_.below(2);
      std::vector<int64_t> numbers(count);
      for (int64_t& n : numbers) n = type == onnx::TensorProto::BOOL ? 1 : static_cast<int64_t>(random_.below(4));
      *graph().add_initializer() = whole_numbers(name, {static_cast<int64_t>(count)}, numbers, type);
      return;
    }
    auto* value = graph().add_input();
    value->set_name(name);
    auto* specified = value->mutable_type();
    if ((formal.allowed & ir::kSequences) && (formal.allowed & ((ir::TypeSet{1} << 32) - 1)) == 0)
      specified = specified->mutable_sequence_type()->mutable_elem_type();
    specified->mutable_tensor_type()->set_elem_type(type);
    set_sizes(*specified->mutable_tensor_type()->mutable_shape(), sizes);
  }

  // A graph with as many inputs as the node, which it returns as outputs.
  void fill(onnx::GraphProto& g) {
    const int count = 1 + static_cast<int>(random_.below(4));
    for (int i = 0; i < count; ++i) {
      const std::string at = std::to_string(i);
      auto* value = g.add_input();
      value->set_name("in" + at);
      if (random_.below(2)) value->mutable_type()->mutable_tensor_type()->set_elem_type(i == 0 ? 7 : i == 1 ? 9 : 1);
      auto* inner = g.add_node();
      inner->set_op_type("Identity");
      inner->add_input("in" + at);
      inner->add_output("out" + at);
      if (i == 0 && random_.below(2)) continue;
      g.add_output()->set_name("out" + at);
    }
    if (schema_.op == "If") g.clear_input(), g.clear_node(), g.clear_output();
    if (g.output_size() == 0) g.add_output()->set_name(node().input_size() ? node().input(0) : "none");
  }

  void add_attribute(const ir::AttributeRule& rule) {
    auto* a = node().add_attribute();
    a->set_name(std::string(rule.name));
    a->set_type(static_cast<Kind::AttributeType>(rule.kind));
    const auto small = [&] { return static_cast<int64_t>(random_.below(5)) - 1; };
    const size_t count = random_.below(3) ? sizes_.size() : random_.below(4);
    switch (rule.kind) {
      case Kind::FLOAT: a->set_f(rule.usual ? rule.usual->f : 0.5F); break;
      case Kind::INT: a->set_i(random_.below(2) && rule.usual ? rule.usual->i : small()); break;
      case Kind::STRING: a->set_s(random_.below(2) && rule.usual ? rule.usual->s : any_string(random_)); break;
      case Kind::TENSOR: *a->mutable_t() = whole_numbers("", {1}, {small()}); break;
      case Kind::GRAPH: fill(*a->mutable_g()); break;
      case Kind::FLOATS:
        for (size_t i = 0; i < count; ++i) a->add_floats(0.5F);
        break;
      case Kind::INTS:
        for (size_t i = 0; i < count; ++i) a->add_ints(small());
        break;
      case Kind::STRINGS:
        for (size_t i = 0; i < count; ++i) a->add_strings(any_string(random_));
        break;
      default: break;
    }
  }

  void add_result() {
    const std::string name = "y" + std::to_string(node().output_size());
    node().add_output(name);
    auto* value = graph().add_output();
    value->set_name(name);
    value->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }

  const ir::Schema& schema_;
  Mutator& random_;
  onnx::ModelProto model_;
  std::vector<int64_t> sizes_;
  std::map<std::string_view, int> types_;
};

// ---- made hostile

class Hostile {
 public:
  Hostile(onnx::ModelProto& model, Mutator& random) : model_(model), random_(random) {}

  void fix_values(std::span<const std::string> values) {
    onnx::GraphProto& g = *model_.mutable_graph();
    for (int i = std::min(static_cast<int>(values.size()), g.input_size()) - 1; i >= 0; --i) {
      onnx::TensorProto t;
      if (!t.ParseFromString(values[static_cast<size_t>(i)])) continue;
      int64_t count = 1;
      for (const int64_t size : t.dims()) count = size > 16 || count > 16 ? 17 : count * std::max<int64_t>(size, 0);
      const bool whole = t.data_type() == onnx::TensorProto::INT64 || t.data_type() == onnx::TensorProto::INT32 ||
                         t.data_type() == onnx::TensorProto::BOOL;
      if (!(whole && count <= 16) && !(t.data_type() == onnx::TensorProto::FLOAT && count <= 8 && random_.below(2)))
        continue;
      if (random_.below(4) == 0) continue;
      t.set_name(g.input(i).name());
      *g.add_initializer() = t;
      g.mutable_input()->DeleteSubrange(i, 1);
    }
  }

  void change() {
    switch (random_.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: return change_attribute();
      case 5:
      case 6:
      case 7: return change_constant();
      case 8:
      case 9:
      case 10: return change_shape();
      case 11: return change_type();
      case 12: return change_sources();
      case 13: return change_results();
      case 14: return add_attribute();
      default: return change_opset();
    }
  }

 private:
  // One of the graph's, or of a graph inside.
  onnx::NodeProto* any_node(onnx::GraphProto& g) {
    if (g.node_size() == 0) return nullptr;
    onnx::NodeProto* node = g.mutable_node(static_cast<int>(random_.below(static_cast<size_t>(g.node_size()))));
    for (auto& a : *node->mutable_attribute())
      if (a.has_g() && random_.below(2))
        if (onnx::NodeProto* inner = any_node(*a.mutable_g())) return inner;
    return node;
  }

  void change_value(onnx::AttributeProto& a) {
    const auto list = [&](auto& values, auto any) {
      switch (random_.below(5)) {
        case 0: values.Clear(); break;
        case 1:
          for (int i = 0; i < 1000; ++i) *values.Add() = any();
          break;
        case 2: *values.Add() = any(); break;
        case 3:
          if (values.size() > 0) values.RemoveLast();
          break;
        default:
          if (values.size() > 0) values[static_cast<int>(random_.below(static_cast<size_t>(values.size())))] = any();
      }
    };
    switch (a.type()) {
      case Kind::FLOAT: a.set_f(any_of(kNumbers, random_)); break;
      case Kind::INT: a.set_i(any_of(kIntegers, random_)); break;
      case Kind::STRING: a.set_s(any_string(random_)); break;
      case Kind::FLOATS: list(*a.mutable_floats(), [&] { return any_of(kNumbers, random_); }); break;
      case Kind::INTS: list(*a.mutable_ints(), [&] { return any_of(kIntegers, random_); }); break;
      case Kind::STRINGS: list(*a.mutable_strings(), [&] { return any_string(random_); }); break;
      case Kind::TENSOR: change_tensor(*a.mutable_t()); break;
      case Kind::GRAPH: change_graph(*a.mutable_g()); break;
      default: break;
    }
  }

  void change_attribute() {
    onnx::NodeProto* node = any_node(*model_.mutable_graph());
    if (!node || node->attribute_size() == 0) return change_constant();
    const int at = static_cast<int>(random_.below(static_cast<size_t>(node->attribute_size())));
    onnx::AttributeProto& a = *node->mutable_attribute(at);
    const size_t what = random_.below(10);
    if (what == 0) {
      node->mutable_attribute()->DeleteSubrange(at, 1);
    } else if (what == 1) {
      a.set_type(static_cast<Kind::AttributeType>(random_.below(15)));
    } else if (what == 2) {
      onnx::AttributeProto other;
      other.set_name(a.name());
      if (random_.below(2))
        other.set_type(Kind::INT), other.set_i(1);
      else
        other.set_type(Kind::STRING), other.set_s("1");
      a = other;
    } else {
      change_value(a);
    }
  }

  void change_graph(onnx::GraphProto& g) {
    switch (random_.below(5)) {
      case 0:
        if (g.input_size()) g.mutable_input()->RemoveLast();
        break;
      case 1:
        if (g.output_size()) g.mutable_output()->RemoveLast();
        break;
      case 2:
        if (g.node_size()) g.mutable_node()->RemoveLast();
        break;
      case 3:
        if (g.output_size()) *g.add_output() = g.output(0);
        break;
      default: g.add_input()->set_name("more");
    }
  }

  void change_tensor(onnx::TensorProto& t) {
    const auto one = [&](auto& values, auto any) {
      if (values.size() > 0) values[static_cast<int>(random_.below(static_cast<size_t>(values.size())))] = any();
    };
    if (!t.raw_data().empty() && t.data_type() == onnx::TensorProto::INT64 && t.raw_data().size() % 8 == 0) {
      for (size_t i = 0; i < t.raw_data().size() / 8; ++i) {  // as numbers of their own
        int64_t n = 0;
        std::copy_n(t.raw_data().data() + i * 8, 8, reinterpret_cast<char*>(&n));
        t.add_int64_data(n);
      }
      t.clear_raw_data();
    }
    switch (random_.below(6)) {
      case 0: t.clear_dims(); break;
      case 1: t.add_dims(any_of(kIntegers, random_)); break;
      case 2:
        if (t.dims_size() == 1 && t.int64_data_size() > 0) {  // one more or less
          t.add_int64_data(any_of(kIntegers, random_));
          t.set_dims(0, t.int64_data_size());
        } else if (t.dims_size() > 0) {
          t.set_dims(0, any_of(kIntegers, random_));
        }
        break;
      case 3:
        if (t.dims_size() == 1)
          t.set_dims(0, 0), t.clear_int64_data(), t.clear_raw_data(), t.clear_float_data(), t.clear_int32_data();
        break;
      default:
        one(*t.mutable_int64_data(), [&] { return any_of(kIntegers, random_); });
        one(*t.mutable_int32_data(), [&] { return static_cast<int32_t>(any_of(kIntegers, random_)); });
        one(*t.mutable_float_data(), [&] { return any_of(kNumbers, random_); });
        if (!t.raw_data().empty() && t.data_type() == onnx::TensorProto::FLOAT && t.raw_data().size() % 4 == 0) {
          const float n = any_of(kNumbers, random_);
          std::copy_n(reinterpret_cast<const char*>(&n), 4,
                      t.mutable_raw_data()->data() + random_.below(t.raw_data().size() / 4) * 4);
        }
    }
  }

  void change_constant() {
    onnx::GraphProto& g = *model_.mutable_graph();
    if (g.initializer_size() == 0) return change_shape();
    change_tensor(*g.mutable_initializer(static_cast<int>(random_.below(static_cast<size_t>(g.initializer_size())))));
  }

  onnx::TypeProto_Tensor* any_input() {
    onnx::GraphProto& g = *model_.mutable_graph();
    if (g.input_size() == 0) return nullptr;
    onnx::TypeProto* type =
        g.mutable_input(static_cast<int>(random_.below(static_cast<size_t>(g.input_size()))))->mutable_type();
    if (type->has_optional_type()) type = type->mutable_optional_type()->mutable_elem_type();
    if (type->has_sequence_type()) type = type->mutable_sequence_type()->mutable_elem_type();
    return type->mutable_tensor_type();
  }

  void change_shape() {
    onnx::TypeProto_Tensor* input = any_input();
    if (!input) return;
    onnx::TensorShapeProto& shape = *input->mutable_shape();
    const size_t rank = static_cast<size_t>(shape.dim_size());
    switch (random_.below(8)) {
      case 0:
        if (rank > 0) shape.mutable_dim()->RemoveLast();
        break;
      case 1: shape.add_dim()->set_dim_value(1 + static_cast<int64_t>(random_.below(3))); break;
      case 2: shape.clear_dim(); break;
      case 3:
        for (int i = 0; i < 10; ++i) shape.add_dim()->set_dim_value(1);
        break;
      case 4:
        if (rank > 0) shape.mutable_dim(static_cast<int>(random_.below(rank)))->set_dim_value(0);
        break;
      case 5:
        if (rank > 0) shape.mutable_dim(static_cast<int>(random_.below(rank)))->set_dim_param("open");
        break;
      default:
        if (rank > 0)
          shape.mutable_dim(static_cast<int>(random_.below(rank)))->set_dim_value(any_of(kIntegers, random_));
    }
  }

  void change_type() {
    if (onnx::TypeProto_Tensor* input = any_input()) input->set_elem_type(static_cast<int>(random_.below(28)));
  }

  void change_sources() {
    onnx::NodeProto* node = any_node(*model_.mutable_graph());
    if (!node) return;
    const size_t count = static_cast<size_t>(node->input_size());
    switch (random_.below(4)) {
      case 0:
        if (count > 0) node->mutable_input()->RemoveLast();
        break;
      case 1: node->add_input(count > 0 ? node->input(0) : ""); break;
      case 2:
        if (count > 0) node->set_input(static_cast<int>(random_.below(count)), "");
        break;
      default:
        if (count > 1) node->mutable_input()->SwapElements(0, static_cast<int>(1 + random_.below(count - 1)));
    }
  }

  void change_results() {
    onnx::NodeProto* node = any_node(*model_.mutable_graph());
    if (!node) return;
    if (random_.below(2) && node->output_size() > 1)
      node->mutable_output()->RemoveLast();
    else
      node->add_output("more" + std::to_string(random_.below(1000)));
  }

  void add_attribute() {
    onnx::NodeProto* node = any_node(*model_.mutable_graph());
    if (!node) return;
    auto* a = node->add_attribute();
    static constexpr const char* kNames[] = {"axis",  "axes",     "keepdims",          "to",    "dtype",
                                             "alpha", "nonsense", "iterations before", "group", "size"};
    a->set_name(any_of(kNames, random_));
    a->set_type(Kind::INT);
    a->set_i(any_of(kIntegers, random_));
  }

  void change_opset() {
    if (model_.opset_import_size() > 0)
      model_.mutable_opset_import(0)->set_version(static_cast<int64_t>(random_.below(30)));
  }

  onnx::ModelProto& model_;
  Mutator& random_;
};

}  // namespace

std::vector<std::byte> model_of_schema(const ir::Schema& schema, const std::string& domain, int64_t opset,
                                       Mutator& random) {
  return Maker(schema, domain, opset, random).make();
}

std::vector<std::byte> make_hostile(std::span<const std::byte> model, std::span<const std::string> values,
                                    Mutator& random) {
  onnx::ModelProto proto;
  if (!proto.ParsePartialFromArray(model.data(), static_cast<int>(model.size()))) return {model.begin(), model.end()};
  Hostile hostile(proto, random);
  hostile.fix_values(values);
  for (size_t changes = 1 + random.below(4); changes > 0; --changes) hostile.change();
  std::string text;
  proto.SerializePartialToString(&text);
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace arenascope::models::test
