// SPDX-License-Identifier: MIT
// Lowers ONNX operators to a graph of ops. Constants are folded on the way. An operator that cannot be lowered is
// recorded in Model::problems, and everything that does not depend on it is lowered all the same. To add an operator,
// write a handler in one of the lower_*.cpp files and add a row to that file's table.
#pragma once
#include <arenascope/graph/builder.h>
#include <arenascope/graph/provenance.h>
#include <arenascope/models/host_array.h>
#include <arenascope/models/model.h>
#include "engine/models/onnx/dimension_equations.h"
#include "engine/models/onnx/onnx_ir.h"
#include "engine/models/onnx/onnx_schema.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arenascope::models {

// A tensor of the file with everything that is known about it.
struct Value {
  enum class Kind { Unknown, Constant, Tensor, Sequence, Nothing };  // Nothing: an empty optional
  std::string name;
  Kind kind = Kind::Unknown;
  DType dtype = DType::F32;
  StringTable strings;  // string tensors: the I64 elements are indices into this table
  int32_t small = 0;    // ONNX type code if the type is stored in a wider one (small_types.h)
  Dims sizes;
  std::vector<int64_t> full_shape;               // all dimensions if there are more than kMaxDims (high_rank_shapes.h)
  Tensor tensor;                                 // of constants: created when an op needs it
  std::shared_ptr<const HostArray> array;        // the elements, if few and known at compile time
  Tensor placeholder;                            // of unknown values: a tensor that is only shown
  Tensor given;                                  // the given host tensor of an input
  std::set<std::string> given_inputs;            // `array` is valid only for the given values of these inputs
  std::vector<std::shared_ptr<Value>> elements;  // of a sequence whose length is known at compile time
  std::shared_ptr<Value> keys;                   // the keys of a map known at compile time; this value holds its values
  bool needs_runtime_value = false;              // Unknown until the graph before it has run
  bool random = false;                           // depends on random numbers: only its distribution is defined
  WeightSource source;                           // of constants: their contiguous bytes
};
using ValuePtr = std::shared_ptr<Value>;

class Lowering;

// A node being lowered: its inputs, attributes and outputs. Only the first error is kept.
class OpCall {
 public:
  OpCall(Lowering& lowering, const ir::Node& node, std::vector<ValuePtr> inputs);

  const ir::Node& node() const { return node_; }
  std::string title() const;  // operator and name, or operator and first output: "Loop decode"
  int64_t opset() const { return node_.opset; }
  Lowering& lowering() { return lowering_; }
  GraphBuilder& g() { return builder_; }

  // Inputs.
  size_t input_count() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  const Value& value(size_t i);  // an empty value and an error if the input is missing
  Tensor in(size_t i);           // as a tensor of the graph; undefined and an error if there is none
  Tensor in_f32(size_t i);       // converted to f32 if necessary
  const Dims& sizes(size_t i) { return value(i).sizes; }
  int rank(size_t i) { return value(i).sizes.rank(); }
  // Elements that must be known at compile time; nullopt without an error if the input is omitted.
  std::optional<std::vector<int64_t>> ints(size_t i);
  std::optional<std::vector<double>> floats(size_t i);
  std::shared_ptr<const HostArray> known(size_t i);       // null if not known at compile time
  bool known_bytes(size_t i, std::vector<uint8_t>& out);  // U8 of any length; false if not known
  // Strings that must be known at compile time, one per element; nullopt and an error if they are not.
  std::optional<std::vector<std::string>> strings(size_t i);
  const StringTable& string_table(size_t i);  // null and an error if input i is not a string tensor

  // Attributes.
  bool has_attr(const char* name) const { return node_.attributes.count(name) != 0; }
  const ir::Attribute* attr(const char* name) const;
  int64_t attr_int(const char* name, int64_t fallback) const;
  int32_t attr_type(const char* name, int32_t fallback) const;  // an ONNX type code; -1 if the value is out of range
  float attr_float(const char* name, float fallback) const;
  std::string attr_string(const char* name, const std::string& fallback) const;
  std::vector<int64_t> attr_ints(const char* name) const;
  // The normalised axis, counted from the outermost; an error if it is out of range for `rank`.
  int axis(int64_t axis, int rank);
  // Axes from input i (opset `since` and later) or from the attribute "axes".
  std::vector<int> axes(size_t i, int64_t since, int rank);

  // False, with an error, if the shapes of these inputs do not broadcast as in NumPy.
  bool check_broadcast(size_t i, size_t j);

  // Ops. Names: the first output's name, with ":suffix" for intermediate tensors.
  Tensor op(Op op, std::initializer_list<Tensor> sources, const char* suffix = "") {
    return apply(op, sources, {}, suffix);
  }
  template <class P>
  Tensor op_with(Op op, std::initializer_list<Tensor> sources, const P& params, const char* suffix = "") {
    OpParams bytes;
    bytes.set(params);
    return apply(op, sources, bytes, suffix);
  }
  template <class P>
  Tensor op_list(Op op, std::span<const Tensor> sources, const P& params, const char* suffix = "") {
    OpParams bytes;
    bytes.set(params);
    return apply(op, sources, bytes, suffix);
  }
  Tensor apply(Op op, std::span<const Tensor> sources, const OpParams& params, const char* suffix);
  Tensor apply(Op op, std::initializer_list<Tensor> sources, const OpParams& params, const char* suffix) {
    return apply(op, std::span<const Tensor>(sources.begin(), sources.size()), params, suffix);
  }
  Tensor reshape(const Tensor& x, const Dims& sizes, const char* suffix = "");
  Tensor permute(const Tensor& x, std::span<const int> axes, const char* suffix = "");
  Tensor slice(const Tensor& x, int axis, int64_t start, int64_t end, int64_t step = 1, const char* suffix = "");
  Tensor cast(const Tensor& x, DType dtype, const char* suffix = "");
  Tensor expand(const Tensor& x, const Dims& sizes, const char* suffix = "");
  Tensor mul_mat(const Tensor& a, const Tensor& b, const Tensor& bias = {}, float scale = 1, const char* suffix = "");
  // A constant as a tensor of the graph.
  Tensor constant(HostArray array, const char* suffix);
  Tensor scalar(double value, DType dtype, const char* suffix);  // rank 0

  // Outputs.
  size_t output_count() const { return node_.outputs.size(); }
  bool has_output(size_t i) const { return i < node_.outputs.size() && !node_.outputs[i].empty(); }
  void out(size_t i, const Tensor& tensor);
  void out(size_t i, HostArray array);
  void out(size_t i, ValuePtr value);  // the same value under another name
  // Output of a small type; `tensor` has the wider type in which it is stored.
  void out_small(size_t i, const Tensor& tensor, int32_t code);
  // Uses the outputs of another call for the same node with different inputs.
  void adopt_results(OpCall&& other);
  // Strings known at compile time.
  void out_strings(size_t i, const Dims& sizes, std::span<const std::string> strings);
  // Marks output i as indices into this string table.
  void set_string_table(size_t i, StringTable string_table);
  // Gathers elements of `table` by the indices in `indices` (input i, or a tensor); folded if the indices are known.
  // The result has the call's name and `suffix`.
  ValuePtr lookup(size_t source, HostArray table, const char* suffix = "");
  ValuePtr lookup(const ValuePtr& indices, HostArray table, const char* suffix = "");
  // Unsqueeze and concatenation of values; the string tables of string tensors are merged. Null, with an error, if types
  // or shapes do not match.
  ValuePtr with_axis(const ValuePtr& x, int axis, const std::string& suffix);
  ValuePtr concat(std::span<const ValuePtr> parts, int axis, const char* suffix);
  // Rewrites string tensors as indices into one common table. False, with an error, if one of them is not a string tensor.
  bool unify_string_tables(std::vector<ValuePtr>& parts, StringTable& all);
  Tensor tensor_of(const ValuePtr& value);  // undefined and an error if it is not a tensor
  void out_constant(size_t i, DType dtype, const Dims& sizes, WeightSource source);

  void fail(std::string why) {
    if (status_.ok()) status_ = Error{std::move(why)};
  }
  // As fail(), but if input i is computed the node is deferred until its value is known. `given`: also if it is an
  // input of the model whose elements are data, not sizes.
  void wait_for(size_t i, std::string why, bool given = false);
  bool needs_runtime_value() const { return needs_runtime_value_; }
  // Fails because a part of the node failed; the node needs the same run-time value as the part.
  void fail_as(const OpCall& part) {
    needs_runtime_value_ = needs_runtime_value_ || part.needs_runtime_value_;
    fail(part.status().error().message);
  }
  // Defers `later`, a Loop or If whose subgraph becomes a model of its own, until the run has computed its inputs
  // (deferred_subgraph.cpp). `after`: nodes that compute this node's outputs from those of `later`.
  void defer_as_loop(ir::Node later, std::string why, std::vector<ir::Node> after = {});
  std::span<const ir::Node> later() const { return later_; }
  bool ok() const { return status_.ok() && builder_.ok(); }
  Status status() const { return status_.ok() ? builder_.status() : status_; }
  std::string name_of(const char* suffix) const;
  const std::vector<ValuePtr>& outputs() const { return outputs_; }
  const std::vector<ValuePtr>& inputs() const { return inputs_; }

 private:
  Lowering& lowering_;
  const ir::Node& node_;
  std::vector<ValuePtr> inputs_;
  std::vector<ValuePtr> outputs_;
  GraphBuilder builder_;
  Status status_;
  bool needs_runtime_value_ = false;
  std::vector<ir::Node> later_;
};

using Handler = void (*)(OpCall& call);
struct HandlerEntry {
  const char* op;
  Handler handler;
};

// Handlers of each lower_*.cpp.
std::span<const HandlerEntry> pointwise_handlers();
std::span<const HandlerEntry> matmul_handlers();
std::span<const HandlerEntry> conv_pool_handlers();
std::span<const HandlerEntry> resize_handlers();
std::span<const HandlerEntry> movement_handlers();
std::span<const HandlerEntry> shape_handlers();
std::span<const HandlerEntry> norm_handlers();
std::span<const HandlerEntry> reduce_handlers();
std::span<const HandlerEntry> recurrent_handlers();
std::span<const HandlerEntry> quantised_handlers();
std::span<const HandlerEntry> scatter_handlers();
std::span<const HandlerEntry> loss_handlers();
std::span<const HandlerEntry> attention_handlers();
std::span<const HandlerEntry> grid_sample_handlers();
std::span<const HandlerEntry> cast_handlers();
std::span<const HandlerEntry> causal_conv_linear_attention_handlers();
std::span<const HandlerEntry> signal_handlers();
std::span<const HandlerEntry> compress_nonzero_unique_handlers();
std::span<const HandlerEntry> deform_conv_nms_handlers();
std::span<const HandlerEntry> roi_handlers();
std::span<const HandlerEntry> flex_attention_handlers();
std::span<const HandlerEntry> ml_preprocessing_handlers();
std::span<const HandlerEntry> tfidf_vectorizer_handlers();
std::span<const HandlerEntry> max_unpool_tensor_scatter_handlers();
std::span<const HandlerEntry> loop_handlers();
std::span<const HandlerEntry> scan_handlers();
std::span<const HandlerEntry> det_inverse_handlers();
std::span<const HandlerEntry> sequence_handlers();
std::span<const HandlerEntry> random_handlers();
std::span<const HandlerEntry> training_handlers();
std::span<const HandlerEntry> string_handlers();
std::span<const HandlerEntry> label_encoder_handlers();
std::span<const HandlerEntry> cast_map_dict_vectorizer_handlers();
std::span<const HandlerEntry> image_decoder_handlers();
// Handlers for string tensors of operators that also take numbers.
std::span<const HandlerEntry> string_tensor_handlers();
// Cast of numbers known at compile time to strings.
void cast_to_strings(OpCall& c);
std::span<const HandlerEntry> experimental_handlers();
std::span<const HandlerEntry> linear_svm_handlers();
std::span<const HandlerEntry> tree_ensemble_handlers();
// Operators of the domain com.microsoft.
std::span<const HandlerEntry> contrib_pointwise_handlers();
std::span<const HandlerEntry> contrib_norm_handlers();
std::span<const HandlerEntry> contrib_attention_handlers();
std::span<const HandlerEntry> contrib_group_query_attention_handlers();
std::span<const HandlerEntry> contrib_fused_matmul_conv_handlers();
std::span<const HandlerEntry> contrib_matmul_nbits_handlers();
std::span<const HandlerEntry> contrib_moe_handlers();
std::span<const HandlerEntry> contrib_quantised_handlers();
std::span<const HandlerEntry> contrib_misc_handlers();
std::span<const HandlerEntry> contrib_gated_delta_net_handlers();
std::span<const HandlerEntry> contrib_varlen_causal_conv_handlers();
// True if the node's outputs are random.
bool is_random(const ir::Node& node);
// Dropout in training mode: sets elements of input 0 to 0 with probability `ratio` and scales the others; output 1 is
// the mask.
void training_dropout(OpCall& c, double ratio);
// A value of that name that holds a tensor.
ValuePtr tensor_value(std::string name, const Tensor& tensor);
// The same with the string table or the small type of `like`.
ValuePtr value_like(const Value& like, std::string name, const Tensor& tensor);
// `x` rounded (saturating or not) as a cast to the small type `code` does; undefined and an error if `code` is no
// small type. The result has the call's name and `suffix`.
Tensor to_small_type(OpCall& c, const Tensor& x, int32_t code, bool saturate, const char* suffix);
// Reads convolution parameters from the attributes; false and an error if they do not match the shapes.
bool read_convolution(OpCall& c, const Dims& x, const Dims& weight, ConvParams& params);
// Keyed by name, prefixed "DOMAIN::" for domains other than ai.onnx.
const std::unordered_map<std::string_view, Handler>& all_handlers();
Handler find_handler(const std::string& domain, const std::string& op);
Handler find_string_tensor_handler(const std::string& domain, const std::string& op);

class Lowering {
 public:
  Lowering(ir::File file, const OpenOptions& options);

  // The model; Model::problems lists what could not be lowered. Error: no memory for the pool.
  Result<Model> run();
  // Lowers a deferred part of a file. `known`: values it already has; `layer`: the layer that contains it, "" for
  // none.
  Result<Model> lower_continuation(std::span<const ValuePtr> known, const std::string& layer = {});
  // Resample random numbers for every run (Model::random_inputs).
  void resample_each_run() { resamples_each_run_ = true; }
  bool resamples_each_run() const { return resamples_each_run_; }
  // Number of earlier random calls of this node: every iteration of an unrolled loop gets different numbers.
  uint32_t next_random_call(const ir::Node& node) { return random_calls_[&node]++; }
  // Adds an input that the runner fills with random numbers. Error: out of memory.
  Result<Tensor> add_random_input(const std::string& name, DType dtype, const Dims& sizes,
                                  std::function<Status(uint64_t draw, std::byte* out)> write);
  // True if a node in a subgraph of the current node needs a run-time value.
  bool subgraph_needs_runtime_value() const { return subgraph_needs_runtime_value_; }
  bool trying() const { return trying_; }  // try_subgraph()
  const std::string& layer() const { return layer_; }

  // Limit of one tensor's size; larger ones indicate a damaged or malicious file.
  static constexpr Bytes kMaxTensorBytes = Bytes{1} << 36;

  Context& context() { return context_; }
  // The constant as a leaf tensor, one per name and bytes in the file, even if an unrolled loop defines it
  // repeatedly.
  Tensor materialise(Value& value, Status& status) { return materialise(value, value.source.bytes().data(), status); }
  Tensor materialise(Value& value, const std::byte* made_of, Status& status);
  // True if the node's operator reads strings.
  static bool reads_strings(const ir::Node& node);
  // The graph is valid only for the given values of the inputs that this value's array depends on.
  void note_fixed_inputs(const Value& value) {
    fixed_inputs_.insert(value.given_inputs.begin(), value.given_inputs.end());
  }
  const OpenOptions& options() const { return options_; }
  // Names a value so that deferred nodes find it.
  void name_value(const std::string& name, ValuePtr value) { define(name, std::move(value)); }
  ValuePtr value_named(const std::string& name) const { return find(name); }
  void note_statistic(const Tensor& kept, const Tensor& next) { model_.statistics.push_back({kept, next}); }
  // The input with the dropout seed; `sequence` is a distinct number per caller. Error: out of memory.
  Result<Tensor> dropout_input(uint32_t& sequence);
  ValuePtr make_constant(std::string name, HostArray array) const;
  // Lowers a subgraph of a node with these input values and returns its outputs in order. Failing nodes are recorded.
  Result<std::vector<ValuePtr>> lower_subgraph(const ir::Graph& graph, std::span<const ValuePtr> inputs = {});
  // As lower_subgraph() of what the node's operator consists of: these nodes are not nodes of the file.
  Result<std::vector<ValuePtr>> lower_expansion(const ir::Node& node, const ir::Graph& graph,
                                                std::span<const ValuePtr> inputs);
  // As lower_subgraph(), to infer the output types only: failures are not recorded.
  Result<std::vector<ValuePtr>> try_subgraph(const ir::Graph& graph, std::span<const ValuePtr> inputs);

  // Scope in which lowered nodes get a sublayer of the current layer: "Loop x", and within it "iteration 3".
  class Within {
   public:
    Within(Lowering& lowering, std::string_view part);
    ~Within();
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    Lowering& lowering_;
    std::string before_;
  };

 private:
  // Scope in which added nodes are lowered from this node of the file. Those of an enclosing node stay its own.
  class FromFileNode {
   public:
    FromFileNode(Lowering& lowering, const ir::Node& node);
    ~FromFileNode();
    FromFileNode(const FromFileNode&) = delete;
    FromFileNode& operator=(const FromFileNode&) = delete;

   private:
    Lowering& lowering_;
    std::shared_ptr<const FileNode> outer_;
  };

  void note_file_node();
  void set_layer(std::string layer);
  Result<Model> lower(std::span<const ValuePtr> known);
  void add_input(const ir::ValueType& type);
  ValuePtr add_tensor_input(const std::string& name, const ir::ValueType& type);
  Tensor string_placeholder(const std::string& name, ir::ValueType type);
  ValuePtr add_map_input(const ir::ValueType& type);
  Status add_output(const std::string& name, const ir::ValueType& type, const ValuePtr& value,
                    std::vector<Tensor>& roots);
  void add_weight(const ir::TensorData& data);
  void lower_nodes(const ir::Graph& graph, bool outermost);
  void lower_node(const ir::Node& node);
  void lower_call(const ir::Function& function, const ir::Node& node);
  std::string call_label(const ir::Node& node);
  void lower_within(const ir::Node& node, const std::string& label, const std::vector<ir::Node>& nodes);
  void lower_by_handler(const ir::Node& node, const std::vector<ValuePtr>& inputs);
  // The model function that a node calls, or the function body of an operator without a handler; null if neither
  // exists.
  const ir::Function* own_function(const ir::Node& node) const;
  const ir::Function* body_of(const ir::Node& node);
  std::string unsupported_reason(const ir::Node& node, const std::vector<ValuePtr>& inputs, const ir::Function* body);
  std::string schema_mismatch(const ir::Node& node, const std::vector<ValuePtr>& inputs);
  void define_results(const ir::Node& node, const std::vector<ValuePtr>& inputs, const std::vector<ValuePtr>& results,
                      const std::vector<ValuePtr>& folded);
  bool fold_node(const ir::Node& node, const std::vector<ValuePtr>& inputs, std::vector<ValuePtr>& results);
  void emit_placeholder(const ir::Node& node, const std::vector<ValuePtr>& inputs);
  // `why` is completed with the names and shapes of `inputs`, in the file's order.
  void add_problem(const ir::Node& node, const std::string& why, std::span<const ValuePtr> inputs = {});
  Status finish_graph();
  void defer(const ir::Node& node, const std::string& why);
  struct Part;
  Status build_deferred_subgraph(std::vector<Tensor>& roots);
  Status build_deferred_loop(const ir::Node& node, DeferredSubgraph& rest, std::set<std::string>& handed,
                             std::vector<Tensor>& roots);
  void build_loop_spec(const ir::Node& node, LoopSpec& iterations, Part& body);
  Status pass_values(const std::vector<std::string>& names, Part& part, DeferredSubgraph& rest,
                     std::set<std::string>& handed, std::vector<Tensor>& roots);
  ValuePtr find(const std::string& name) const;
  std::vector<ValuePtr> inputs_of(const ir::Node& node) const;  // null: omitted or unknown
  void define(const std::string& name, ValuePtr value) { scopes_.back()[name] = std::move(value); }
  std::optional<Dims> input_sizes(ir::ValueType& type);
  std::optional<Dims> given_sizes(const std::string& name, const ir::ValueType& type, const Tensor& given);
  ValuePtr placeholder(const ir::Node& node, const std::string& output, std::span<const Tensor> sources);
  std::optional<int64_t> symbol_size(const std::string& symbol) const;
  std::optional<Dims> declared_sizes(const ir::ValueType& type) const;

  ir::File file_;
  const OpenOptions& options_;
  const DimensionEquations symbols_;  // specified sizes of free dimensions
  Model model_;
  Context context_;
  std::vector<std::unordered_map<std::string, ValuePtr>> scopes_;
  std::unordered_map<std::string, const ir::ValueType*> declared_;
  std::vector<Tensor> made_;         // outputs of lowered nodes, for the graph of an incomplete model
  std::vector<std::string> layers_;  // of the top-level nodes
  std::string layer_;                // the current layer
  std::string layer_of_all_;         // the layer of all nodes; "": each node has its own
  bool resamples_each_run_ = false;
  std::unordered_map<const ir::Node*, uint32_t> random_calls_;
  std::set<std::string> fixed_inputs_;
  bool complete_ = true;                       // no node failed
  bool is_continuation_ = false;               // this is a deferred subgraph of a file
  bool subgraph_needs_runtime_value_ = false;  // a node in a subgraph of the current node needs a run-time value
  bool trying_ = false;
  std::vector<const ir::Node*> deferred_;
  std::deque<ir::Node> later_;  // deferred pieces of nodes and nodes of functions
  std::string defer_reason_;
  struct FileLeaf {
    const std::byte* made_of;
    Tensor tensor;
  };
  std::unordered_multimap<std::string, FileLeaf> file_leafs_;  // constants by name
  uint32_t dropouts_ = 0;
  ir::Schemas schemas_;
  const ir::Node* expanding_node_ = nullptr;     // the operator whose function body is being lowered
  std::shared_ptr<const FileNode> file_node_;    // the node of the file that is being lowered
  const ObjectHeader* noted_ = nullptr;          // the last object of the context whose file node is noted
  std::string calls_;                            // the functions being expanded, as layers
  int64_t unrolled_ = 0;                         // number of function nodes so far
  std::unordered_map<std::string, int> labels_;  // number of calls per label
};

// "x is 2×3, w is 4×5": the node's inputs with known shapes, in the file's order.
std::string shapes_text(const ir::Node& node, std::span<const ValuePtr> inputs);
// True if the operator reads only the shape of its input.
bool reads_shape(const ir::Node& node);
bool any_strings(const std::vector<ValuePtr>& inputs);
// Appends the names of all values that a node reads, including reads in its subgraphs (some of which they define
// themselves).
void collect_names(const ir::Node& node, std::vector<std::string>& out);
// Table for strings that are not known at compile time.
StringTable unknown_strings();
// Attributes of nodes created by OpCall::defer_as_loop(): number of unrolled iterations, enclosing layer, and the
// label if it differs from the node's title.
inline constexpr const char* kUnrolledIterations = "iterations before";
inline constexpr const char* kLoopScope = "loop scope";
inline constexpr const char* kLoopLabel = "loop label";
std::string loop_label(const ir::Node& node);

// A layer name per node, derived from the names in the file or, without these, from narrow points of the graph.
std::vector<std::string> name_layers(const ir::Graph& graph);

}  // namespace arenascope::models
