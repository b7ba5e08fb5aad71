// SPDX-License-Identifier: MIT
// The only file that uses protobuf's ONNX classes: converts them to the plain values of onnx_ir.h.
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>
#include "engine/models/mapped_file.h"
#include "engine/models/onnx/onnx_functions.h"
#include "engine/models/onnx/onnx_ir.h"
#include "engine/models/onnx/onnx_payloads.h"
#include "engine/models/onnx/onnx_schema.h"
#include "engine/models/onnx/small_types.h"
#include "engine/models/onnx/sparse_tensors.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstring>

namespace arenascope::models::ir {
namespace {

namespace pb = google::protobuf;

// Nested messages in a file: 100 is protobuf's own limit; a level of subgraphs needs three.
constexpr int kMaxNesting = 100;
constexpr int32_t kNewestType = 26;  // the file's code of INT2
constexpr const char* kSparseValue = "sparse_value";
constexpr int kAttributeDefaults = 11;  // FunctionProto.attribute_proto, which older headers do not know

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

template <class Message>
std::map<std::string, int64_t> opsets_of(const Message& message) {
  std::map<std::string, int64_t> out;
  for (const auto& set : message.opset_import()) out[domain_of(set.domain())] = set.version();
  return out;
}

// The kind of an attribute: as the file states it, or else the kind of the value that it contains.
int32_t kind_of(const onnx::AttributeProto& a) {
  if (a.type() != onnx::AttributeProto::UNDEFINED) return a.type();
  return a.has_f()          ? Attribute::kFloat
         : a.has_i()        ? Attribute::kInt
         : a.has_s()        ? Attribute::kString
         : a.has_t()        ? Attribute::kTensor
         : a.has_g()        ? Attribute::kGraph
         : a.floats_size()  ? Attribute::kFloats
         : a.strings_size() ? Attribute::kStrings
                            : Attribute::kInts;
}

template <class Message>
Status parse_message(std::span<const std::byte> bytes, Message& message) {
  if (bytes.size() > INT_MAX) return Error{fmt::format("its {} bytes are more than protobuf's 2 GiB", bytes.size())};
  pb::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  pb::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(kMaxNesting);
  coded.SetTotalBytesLimit(INT_MAX);
  if (!message.ParsePartialFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
    return Error{fmt::format("it is damaged or no ONNX: protobuf stops at byte {} of {}", coded.CurrentPosition(),
                             bytes.size())};
  return {};
}

template <class To, class From>
std::vector<std::byte> converted(const From& from) {
  std::vector<std::byte> out(static_cast<size_t>(from.size()) * sizeof(To));
  for (int i = 0; i < from.size(); ++i) {
    const auto value = static_cast<To>(from.Get(i));
    std::memcpy(out.data() + static_cast<size_t>(i) * sizeof(To), &value, sizeof(To));
  }
  return out;
}

// The numbers of a typed field, as contiguous bytes of `dtype`.
std::vector<std::byte> typed_bytes(const onnx::TensorProto& t, DType dtype) {
  if (t.data_type() == kComplex64) return converted<float>(t.float_data());
  switch (dtype) {
    case DType::F32: return converted<float>(t.float_data());
    case DType::F64: return converted<double>(t.double_data());
    case DType::I64: return converted<int64_t>(t.int64_data());
    case DType::U64: return converted<uint64_t>(t.uint64_data());
    case DType::U32: return converted<uint32_t>(t.uint64_data());
    case DType::I32: return converted<int32_t>(t.int32_data());
    case DType::I16: return converted<int16_t>(t.int32_data());
    case DType::U16:
    case DType::F16:
    case DType::BF16: return converted<uint16_t>(t.int32_data());
    case DType::I8: return converted<int8_t>(t.int32_data());
    case DType::U8: return converted<uint8_t>(t.int32_data());
    case DType::Bool: return converted<uint8_t>(t.int32_data());
    default: return {};
  }
}

class Converter {
 public:
  // `payloads` are those that were cut out of `file`.
  Converter(std::shared_ptr<const MappedFile> file, std::vector<std::span<const std::byte>> payloads,
            std::filesystem::path folder, std::map<std::string, int64_t> opsets = {})
      : file_(std::move(file)),
        payloads_(std::move(payloads)),
        folder_(std::move(folder)),
        opsets_(std::move(opsets)) {}

  enum class Data : uint8_t { Required, MayBeMissing };
  // `segments`: all parts of a tensor that is stored in segments.
  Result<TensorData> tensor(const onnx::TensorProto& t, const std::string& what, Data data = Data::Required,
                            const std::vector<const onnx::TensorProto*>& segments = {}) {
    TensorData out;
    out.name = t.name();
    out.type = t.data_type();
    out.dtype = stored_dtype(t.data_type());
    if (t.data_type() < 1 || t.data_type() > kNewestType)
      return Error{fmt::format("{} is of {}, which there is not", what,
                               t.data_type() == 0 ? "no type" : fmt::format("type {}", t.data_type()))};
    const std::vector<int64_t> sizes(t.dims().begin(), t.dims().end());
    if (sizes.size() > kMaxDims) {
      const auto folded = fold_outermost(sizes);
      if (!folded) return Error{fmt::format("{} has invalid dimensions: {}", what, sizes.size())};
      out.sizes = *folded, out.full_shape = sizes;
    } else {
      out.sizes = Dims(sizes);
    }
    auto count = checked_element_count(out.sizes);
    if (!count) return Error{fmt::format("{}: {}", what, count.error().message)};
    if (t.data_type() == kStringType && t.has_segment())
      return Error{fmt::format("{} is of strings, and cut into segments", what)};
    if (t.data_type() == kStringType) return strings(t, *count, std::move(out), what);
    if (!out.dtype) return out;  // COMPLEX128 and the like: known by name, never read
    auto bytes = checked_byte_count(out.sizes, *out.dtype);
    if (!bytes) return Error{fmt::format("{}: {}", what, bytes.error().message)};
    out.byte_count = *bytes;
    if (t.has_segment()) return joined(segments.empty() ? std::vector{&t} : segments, std::move(out), what);
    if (t.data_location() == onnx::TensorProto::EXTERNAL) return external(t, *count, std::move(out), what, data);
    if (const SmallType* small = small_type(t.data_type())) return unpacked(t, *small, *count, std::move(out), what);
    if (t.has_raw_data()) {
      const auto number = payload_number(t.raw_data());
      if (!number || *number >= payloads_.size()) return Error{fmt::format("{}: its data cannot be found", what)};
      out.source = WeightSource(payloads_[*number], file_);
    } else {
      auto owned = MappedFile::of_memory(typed_bytes(t, *out.dtype));
      out.source = WeightSource(owned->bytes(), owned);
    }
    if (static_cast<int64_t>(out.bytes().size()) != out.byte_count)
      return Error{fmt::format("{} has {} bytes of data, its shape {} of {} needs {}", what, out.bytes().size(),
                               to_string(out.sizes), arenascope::name(*out.dtype), out.byte_count)};
    return out;
  }

  static Result<TensorData> strings(const onnx::TensorProto& t, int64_t count, TensorData out,
                                    const std::string& what) {
    if (t.string_data_size() != count)
      return Error{fmt::format("{} has {} strings, its shape {} needs {}", what, t.string_data_size(),
                               to_string(out.sizes), count)};
    StringInterner string_table;
    std::vector<std::byte> index_list(static_cast<size_t>(count) * sizeof(int64_t));
    for (int i = 0; i < t.string_data_size(); ++i) {
      const int64_t place = string_table.place(t.string_data(i));
      std::memcpy(index_list.data() + static_cast<size_t>(i) * sizeof place, &place, sizeof place);
    }
    out.strings = string_table.take();
    out.byte_count = static_cast<int64_t>(index_list.size());
    auto owned = MappedFile::of_memory(std::move(index_list));
    out.source = WeightSource(owned->bytes(), owned);
    return out;
  }

  // Each segment states its half-open range of elements; together they cover each element once.
  Result<TensorData> joined(std::vector<const onnx::TensorProto*> parts, TensorData out,
                            const std::string& what) const {
    std::sort(parts.begin(), parts.end(),
              [](const auto* a, const auto* b) { return a->segment().begin() < b->segment().begin(); });
    const int64_t each = element_bytes(*out.dtype);
    std::vector<std::vector<std::byte>> typed(parts.size());
    std::vector<std::span<const std::byte>> spans;
    int64_t at = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const onnx::TensorProto& t = *parts[i];
      const int64_t begin = t.segment().begin(), end = t.segment().end();
      if (small_type(t.data_type()) || t.data_location() == onnx::TensorProto::EXTERNAL || t.data_type() != out.type ||
          !std::equal(t.dims().begin(), t.dims().end(), parts[0]->dims().begin(), parts[0]->dims().end()))
        return Error{fmt::format("{} is cut into segments that do not fit each other", what)};
      if (t.has_raw_data()) {
        const auto number = payload_number(t.raw_data());
        if (!number || *number >= payloads_.size()) return Error{fmt::format("{}: its data cannot be found", what)};
        spans.push_back(payloads_[*number]);
      } else {
        typed[i] = typed_bytes(t, *out.dtype);
        spans.push_back(typed[i]);
      }
      const auto bytes = static_cast<int64_t>(spans.back().size());
      if (begin != at || end < begin || end > out.byte_count / each || bytes != (end - begin) * each)
        return Error{fmt::format("{}: a segment from {} to {} has {} bytes of data, where {} are read", what, begin,
                                 end, bytes, at)};
      at = end;
    }
    if (at * each != out.byte_count) return Error{fmt::format("{}: its segments end at {}", what, at)};
    std::vector<std::byte> bytes;
    bytes.reserve(static_cast<size_t>(out.byte_count));
    for (const auto& span : spans) bytes.insert(bytes.end(), span.begin(), span.end());
    auto owned = MappedFile::of_memory(std::move(bytes));
    out.source = WeightSource(owned->bytes(), owned);
    return out;
  }

  // Numbers of less than a type of ours: read into the wider one. In the typed field an entry is a byte of the packed
  // form.
  Result<TensorData> unpacked(const onnx::TensorProto& t, const SmallType& type, int64_t count, TensorData out,
                              const std::string& what) const {
    std::vector<std::byte> field;
    std::span<const std::byte> packed;
    if (t.has_raw_data()) {
      const auto number = payload_number(t.raw_data());
      if (!number || *number >= payloads_.size()) return Error{fmt::format("{}: its data cannot be found", what)};
      packed = payloads_[*number];
    } else {
      for (int i = 0; i < t.int32_data_size(); ++i) field.push_back(static_cast<std::byte>(t.int32_data(i)));
      packed = field;
    }
    if (static_cast<int64_t>(packed.size()) != packed_bytes(type, count))
      return Error{fmt::format("{} has {} bytes of data, its shape {} of {} needs {}", what, packed.size(),
                               to_string(out.sizes), type_name(type.code), packed_bytes(type, count))};
    auto owned = MappedFile::of_memory(unpack(type, packed, count));
    out.source = WeightSource(owned->bytes(), owned);
    return out;
  }

  Result<TensorData> sparse(const onnx::SparseTensorProto& s, const std::string& what) {
    auto values = tensor(s.values(), what);
    if (!values) return values.error();
    auto index_list = tensor(s.indices(), what + ": the indices");
    if (!index_list) return index_list.error();
    auto made = with_zeros(*values, *index_list, {s.dims().begin(), s.dims().end()});
    if (!made) return Error{fmt::format("{}: {}", what, made.error().message)};
    return made;
  }

  Result<Graph> graph(const onnx::GraphProto& g, const Scope* outer) {
    Graph out;
    out.name = g.name();
    std::map<std::string, bool> held;
    std::map<std::string, std::vector<const onnx::TensorProto*>> segments;
    for (const auto& t : g.initializer())
      if (t.has_segment()) segments[t.name()].push_back(&t);
    for (const auto& t : g.initializer()) {
      if (t.has_segment() && segments[t.name()][0] != &t) continue;  // read with the first of them
      const std::string what = fmt::format("the weight '{}'", t.name());
      auto converted = tensor(t, what, Data::MayBeMissing,
                              t.has_segment() ? segments[t.name()] : std::vector<const onnx::TensorProto*>());
      if (!converted) return converted.error();
      held[t.name()] = true;
      out.weights.push_back(std::move(*converted));
    }
    for (const auto& s : g.sparse_initializer()) {
      auto converted = sparse(s, fmt::format("the weight '{}'", s.values().name()));
      if (!converted) return converted.error();
      held[converted->name] = true;
      out.weights.push_back(std::move(*converted));
    }
    for (const auto& v : g.input())
      if (!held.count(v.name())) out.inputs.push_back(value(v));
    for (const auto& v : g.output()) out.outputs.push_back(value(v));
    for (const auto& v : g.value_info()) out.values.push_back(value(v));
    Scope scope{outer, {}};
    for (const auto& v : out.inputs) scope.names.insert(v.name);
    for (const auto& w : out.weights) scope.names.insert(w.name);
    for (const auto& n : g.node()) scope.names.insert(n.output().begin(), n.output().end());
    out.nodes.reserve(static_cast<size_t>(g.node_size()));
    for (const auto& n : g.node()) {
      auto converted = node(n, scope);
      if (!converted) return converted.error();
      out.nodes.push_back(std::move(*converted));
    }
    if (auto sorted = sort_nodes(out, outer); !sorted) return sorted.error();
    return out;
  }

  Result<Function> function(const onnx::FunctionProto& f) {
    function_opsets_ = opsets_of(f);
    Function out;
    out.name = f.name();
    out.inputs.assign(f.input().begin(), f.input().end());
    out.outputs.assign(f.output().begin(), f.output().end());
    Scope scope{nullptr, {f.input().begin(), f.input().end()}};
    Graph body;
    for (const auto& n : f.node()) scope.names.insert(n.output().begin(), n.output().end());
    for (const auto& n : f.node()) {
      auto converted = node(n, scope);
      if (!converted) return converted.error();
      body.nodes.push_back(std::move(*converted));
    }
    if (auto sorted = sort_nodes(body, &scope); !sorted) return sorted.error();
    out.nodes = std::move(body.nodes);
    const pb::UnknownFieldSet& unknown = f.GetReflection()->GetUnknownFields(f);
    for (int i = 0; i < unknown.field_count(); ++i) {
      const pb::UnknownField& field = unknown.field(i);
      onnx::AttributeProto usual;
      if (field.number() != kAttributeDefaults || field.type() != pb::UnknownField::TYPE_LENGTH_DELIMITED ||
          !usual.ParsePartialFromString(field.length_delimited()))
        continue;
      auto converted = attribute(usual, {}, scope);
      if (!converted) return converted.error();
      out.usual.emplace(usual.name(), std::move(*converted));
    }
    function_opsets_.clear();
    return out;
  }

  const MissingData& missing() const { return missing_; }

 private:
  struct ExternalData {
    std::string location;
    int64_t offset = 0, length = -1;
  };

  static Result<ExternalData> external_data(const onnx::TensorProto& t, const std::string& what) {
    ExternalData out;
    for (const auto& entry : t.external_data()) {
      const auto number = [&](int64_t& to) {
        const char* begin = entry.value().c_str();
        char* end = nullptr;
        errno = 0;
        to = std::strtoll(begin, &end, 10);
        return errno == 0 && end != begin && *end == '\0';
      };
      if (entry.key() == "location") out.location = entry.value();
      if ((entry.key() == "offset" && !number(out.offset)) || (entry.key() == "length" && !number(out.length)))
        return Error{fmt::format("{}: the {} of its external data, '{}', is not a number", what, entry.key(),
                                 entry.value().substr(0, 64))};
    }
    return out;
  }

  Result<TensorData> external(const onnx::TensorProto& t, int64_t count, TensorData out, const std::string& what,
                              Data data) {
    const SmallType* small = small_type(t.data_type());
    const int64_t expected = small ? packed_bytes(*small, count) : out.byte_count;
    auto entry = external_data(t, what);
    if (!entry) return entry.error();
    auto file = external_file(entry->location);
    if (!file) return Error{fmt::format("{}: {}", what, file.error().message)};
    const auto bytes = *file ? (*file)->bytes() : std::span<const std::byte>();
    auto part = external_part(bytes, entry->offset, entry->length, expected);
    if (!part) return Error{fmt::format("{}: {}", what, part.error().message)};
    if (!*file || !*part) {
      const std::string why = *file ? fmt::format("'{}' has {} bytes, {} needs {} from byte {}", entry->location,
                                                  bytes.size(), what, expected, entry->offset)
                                    : fmt::format("'{}' was not found", entry->location);
      if (data == Data::Required) return Error{fmt::format("{} has no data: {}", what, why)};
      if (missing_.tensors++ == 0) missing_.file = entry->location, missing_.why = why;
      out.source = WeightSource::absent(fmt::format("{} has no data: {}", what, why));
    } else if (small) {
      auto owned = MappedFile::of_memory(unpack(*small, **part, count));
      out.source = WeightSource(owned->bytes(), owned);
    } else {
      out.source = WeightSource(**part, std::move(*file));
    }
    return out;
  }

  // Mapped once, even if it contains several weights. Null: there is no such file.
  Result<std::shared_ptr<const MappedFile>> external_file(const std::string& location) {
    if (const auto known = external_.find(location); known != external_.end()) return known->second;
    auto path = find_external(folder_, location);
    if (!path) return path.error();
    std::shared_ptr<const MappedFile> found;
    if (*path) {
      auto file = MappedFile::open(**path);
      if (!file) return Error{fmt::format("its external data cannot be read: {}", file.error().message)};
      found = std::move(*file);
    }
    return external_.emplace(location, std::move(found)).first->second;
  }

  static ValueType value(const onnx::ValueInfoProto& v) {
    ValueType out;
    out.name = v.name();
    const onnx::TypeProto* specified = &v.type();
    if (!v.has_type()) return out;
    if (specified->has_optional_type()) {
      out.kind = ValueType::Kind::Optional;
      specified = &specified->optional_type().elem_type();
    }
    if (specified->has_sequence_type()) {
      out.kind = out.kind == ValueType::Kind::Optional ? ValueType::Kind::OptionalSequence : ValueType::Kind::Sequence;
      specified = &specified->sequence_type().elem_type();
    }
    if (specified->has_map_type()) {
      out.kind = ValueType::Kind::Map;
      specified = &specified->map_type().value_type();
    }
    if (specified->has_tensor_type())
      read_type(specified->tensor_type(), out);
    else if (specified->has_sparse_tensor_type() && out.kind == ValueType::Kind::Tensor)  // it is held with its zeros
      read_type(specified->sparse_tensor_type(), out);
    else
      out.kind = ValueType::Kind::Other;
    return out;
  }

  // Exporters write "?", "-1" or "None" for a size that is not known, also for several sizes that differ.
  static bool is_name(const std::string& symbol) {
    const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_' || c >= 0x80; };
    return symbol != "None" && std::any_of(symbol.begin(), symbol.end(), is_letter);
  }

  template <class Type>
  static void read_type(const Type& type, ValueType& out) {
    out.type = type.elem_type();
    out.dtype = stored_dtype(type.elem_type());
    out.has_shape = type.has_shape();
    for (const auto& d : type.shape().dim()) {
      out.sizes.push_back(d.has_dim_value() ? d.dim_value() : -1);
      out.symbols.push_back(is_name(d.dim_param()) ? d.dim_param() : "");
    }
  }

  Result<Attribute> attribute(const onnx::AttributeProto& a, const Node& node, const Scope& scope) {
    Attribute to;
    to.kind = kind_of(a);
    to.f = a.f();
    to.i = a.i();
    to.s = a.s();
    to.floats.assign(a.floats().begin(), a.floats().end());
    to.ints.assign(a.ints().begin(), a.ints().end());
    to.strings.assign(a.strings().begin(), a.strings().end());
    to.passed_on = a.ref_attr_name();
    const bool is_sparse = a.has_sparse_tensor() && a.name() == kSparseValue;
    to.odd = (a.has_sparse_tensor() && !is_sparse) || a.tensors_size() || a.graphs_size() || a.has_tp();
    if (is_sparse) {
      auto converted = sparse(a.sparse_tensor(), fmt::format("{}: the tensor in '{}'", node.label(), a.name()));
      if (!converted) return converted.error();
      to.odd = to.odd || !converted->dtype;
      to.sparse = std::make_shared<TensorData>(std::move(*converted));
    }
    if (a.has_t()) {
      const bool is_constant = node.op == "Constant" && node.domain.empty();
      auto converted = tensor(a.t(), fmt::format("{}: the tensor in '{}'", node.label(), a.name()),
                              is_constant ? Data::MayBeMissing : Data::Required);
      if (!converted) return converted.error();
      to.tensor = std::make_shared<TensorData>(std::move(*converted));
    }
    if (a.has_g()) {
      auto converted = graph(a.g(), &scope);
      if (!converted)
        return Error{fmt::format("{}, in its graph '{}': {}", node.label(), a.name(), converted.error().message)};
      to.graph = std::make_shared<Graph>(std::move(*converted));
    }
    return to;
  }

  // The opset of a domain: that of the function or the file, or the newest known one if neither imports the domain.
  int64_t opset_of(const std::string& domain) const {
    for (const auto* specified : {&function_opsets_, &opsets_})
      if (const auto found = specified->find(domain); found != specified->end()) return found->second;
    return domain.empty() ? 1 : std::max<int64_t>(Schemas::newest_opset(domain), 1);
  }

  Result<Node> node(const onnx::NodeProto& n, const Scope& scope) {
    Node out;
    out.op = n.op_type();
    out.domain = domain_of(n.domain());
    out.name = n.name();
    out.opset = opset_of(out.domain);
    out.inputs.assign(n.input().begin(), n.input().end());
    out.outputs.assign(n.output().begin(), n.output().end());
    for (const auto& a : n.attribute()) {
      auto converted = attribute(a, out, scope);
      if (!converted) return converted.error();
      const auto [at, added] = out.attributes.emplace(a.name(), std::move(*converted));
      at->second.repeated = !added;
    }
    return out;
  }

  std::shared_ptr<const MappedFile> file_;
  std::vector<std::span<const std::byte>> payloads_;
  std::filesystem::path folder_;
  std::map<std::string, std::shared_ptr<const MappedFile>> external_;  // by location; null: not found
  MissingData missing_;
  std::map<std::string, int64_t> opsets_, function_opsets_;  // by domain
};

}  // namespace

Result<File> parse_onnx(const std::shared_ptr<const MappedFile>& file, const std::filesystem::path& folder) {
  if (file->bytes().empty()) return Error{"it is empty"};
  auto cut = cut_payloads(file->bytes(), OnnxMessage::Model);
  if (!cut) return cut.error();
  onnx::ModelProto proto;
  if (auto parsed = parse_message(cut->skeleton, proto); !parsed) return parsed.error();
  cut->skeleton = {};
  if (!proto.has_graph()) return Error{"it has no ONNX graph"};
  if (proto.graph().output_size() == 0) return Error{"its graph has no outputs"};
  File out;
  out.ir_version = proto.ir_version();
  out.producer = proto.producer_name();
  out.opsets = opsets_of(proto);
  Converter converter(file, std::move(cut->payloads), folder, out.opsets);
  for (const auto& f : proto.functions()) {
    auto function = converter.function(f);
    if (!function) return Error{fmt::format("the function '{}': {}", f.name(), function.error().message)};
    out.functions.emplace(std::pair(domain_of(f.domain()), f.name()),
                          std::make_shared<const Function>(std::move(*function)));
  }
  auto graph = converter.graph(proto.graph(), nullptr);
  if (!graph) return graph.error();
  out.graph = std::move(*graph);
  out.missing = converter.missing();
  if (auto ok = check_functions(out); !ok) return ok.error();
  return out;
}

Result<File> read_onnx(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  auto parsed = parse_onnx(*file, path.parent_path());
  if (!parsed) return Error{fmt::format("{}: {}", path.string(), parsed.error().message)};
  return parsed;
}

Result<TensorData> parse_tensor(const std::shared_ptr<const MappedFile>& file) {
  auto cut = cut_payloads(file->bytes(), OnnxMessage::Tensor);
  if (!cut) return cut.error();
  onnx::TensorProto proto;
  if (auto parsed = parse_message(cut->skeleton, proto); !parsed) return parsed.error();
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) return Error{"a tensor by itself has no external data"};
  return Converter(file, std::move(cut->payloads), {}).tensor(proto, "the tensor");
}

namespace {

template <class Message>
Result<std::shared_ptr<MappedFile>> bytes_of(const Message& message) {
  std::vector<std::byte> bytes(message.ByteSizeLong());
  if (!message.SerializePartialToArray(bytes.data(), static_cast<int>(bytes.size()))) return Error{"it is damaged"};
  return MappedFile::of_memory(std::move(bytes));
}

Status add_tensor(const onnx::TensorProto& tensor, Parsed& out) {
  auto bytes = bytes_of(tensor);
  if (!bytes) return bytes.error();
  auto data = parse_tensor(*bytes);
  if (!data) return data.error();
  out.tensors.push_back(std::move(*data));
  return {};
}

Status add_sequence(const onnx::SequenceProto& sequence, Parsed& out) {
  if (sequence.sequence_values_size() + sequence.map_values_size() + sequence.optional_values_size() +
          sequence.sparse_tensor_values_size() !=
      0)
    return Error{"a sequence of something else than tensors"};
  out.sequence = true;
  for (const auto& tensor : sequence.tensor_values())
    if (auto ok = add_tensor(tensor, out); !ok) return ok;
  return {};
}

Status add_map(const onnx::MapProto& map, Parsed& out) {
  const auto& values = map.values().tensor_values();
  const bool string_table = map.key_type() == kStringType;
  const int count = string_table ? map.string_keys_size() : map.keys_size();
  if (map.values().sequence_values_size() + map.values().map_values_size() != 0 || values.size() != count)
    return Error{fmt::format("a map of {} keys and {} values that are tensors", count, values.size())};
  onnx::TensorProto keys, all;
  keys.add_dims(count);
  keys.set_data_type(string_table ? kStringType : onnx::TensorProto::INT64);
  for (const auto& key : map.string_keys()) keys.add_string_data(key);
  for (const int64_t key : map.keys()) keys.add_int64_data(key);
  all.add_dims(count);
  all.set_data_type(count > 0 ? values[0].data_type() : static_cast<int>(onnx::TensorProto::FLOAT));
  for (const auto& value : values) {
    if (value.data_type() != all.data_type()) return Error{"a map of values of different types"};
    if (value.string_data_size() > 1) return Error{"a map of values that are not one number or string each"};
    if (value.string_data_size() == 1) all.add_string_data(value.string_data(0));
    all.mutable_raw_data()->append(value.raw_data());
    all.mutable_float_data()->MergeFrom(value.float_data());
    all.mutable_double_data()->MergeFrom(value.double_data());
    all.mutable_int64_data()->MergeFrom(value.int64_data());
    all.mutable_int32_data()->MergeFrom(value.int32_data());
  }
  if (all.raw_data().empty()) all.clear_raw_data();
  if (auto ok = add_tensor(all, out); !ok) return ok;
  return add_tensor(keys, out);
}

}  // namespace

Result<Parsed> parse_value(const std::shared_ptr<const MappedFile>& file, ValueType::Kind kind) {
  Parsed out;
  if (kind == ValueType::Kind::Sequence) {
    onnx::SequenceProto proto;
    if (auto ok = parse_message(file->bytes(), proto); !ok) return ok.error();
    if (auto ok = add_sequence(proto, out); !ok) return ok.error();
    return out;
  }
  if (kind == ValueType::Kind::Map) {
    onnx::MapProto proto;
    if (auto ok = parse_message(file->bytes(), proto); !ok) return ok.error();
    if (auto ok = add_map(proto, out); !ok) return ok.error();
    return out;
  }
  if (kind == ValueType::Kind::Optional || kind == ValueType::Kind::OptionalSequence) {
    onnx::OptionalProto proto;
    if (auto ok = parse_message(file->bytes(), proto); !ok) return ok.error();
    out.there = proto.has_tensor_value() || proto.has_sequence_value();
    Status ok;
    if (proto.has_tensor_value()) ok = add_tensor(proto.tensor_value(), out);
    if (proto.has_sequence_value()) ok = add_sequence(proto.sequence_value(), out);
    if (!ok) return ok.error();
    return out;
  }
  auto data = parse_tensor(file);
  if (!data) return data.error();
  out.tensors.push_back(std::move(*data));
  return out;
}

std::vector<std::byte> serialize_tensor(const std::string& name, DType dtype, const Dims& sizes,
                                        std::span<const std::byte> bytes, const StringTable& string_table,
                                        bool complex) {
  onnx::TensorProto proto;
  proto.set_name(name);
  for (int32_t type = 1; type <= 16; ++type)
    if (to_dtype(type) == dtype) proto.set_data_type(type);
  if (complex) proto.set_data_type(kComplex64);
  for (int64_t size : sizes) proto.add_dims(size);
  if (string_table) {
    proto.set_data_type(kStringType);
    for (size_t i = 0; i + sizeof(int64_t) <= bytes.size(); i += sizeof(int64_t)) {
      int64_t place = 0;
      std::memcpy(&place, bytes.data() + i, sizeof place);
      proto.add_string_data(std::string(string_at(string_table, place)));
    }
  } else {
    proto.set_raw_data(bytes.data(), bytes.size());
  }
  std::vector<std::byte> out(proto.ByteSizeLong());
  proto.SerializeToArray(out.data(), static_cast<int>(out.size()));
  return out;
}

}  // namespace arenascope::models::ir
