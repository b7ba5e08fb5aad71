// SPDX-License-Identifier: MIT
// From ONNX's operators to a graph of ops. Constants are folded on the way; what cannot be lowered is noted in the
// model, operator by operator, and everything that does not depend on it is lowered all the same.
// To add an operator: a handler in one of the lower_*.cpp and a line in that file's table.
#pragma once
#include <arenascope/graph/builder.h>
#include <arenascope/models/host_array.h>
#include <arenascope/models/model.h>
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

// A tensor of the file, as far as it is known.
struct Value {
  enum class Kind { Unknown, Constant, Tensor, Sequence, Nothing };  // the last: an optional value that is not there
  std::string name;
  Kind kind = Kind::Unknown;
  DType dtype = DType::F32;
  Words words;        // of strings: its I64 numbers are places among these
  int32_t small = 0;  // the file's code of a type that lies in a wider one (small_types.h)
  Dims sizes;
  std::vector<int64_t> wide;                     // all of them, where there are more than kMaxDims (wide_shapes.h)
  Tensor tensor;                                 // of constants: once an op needs it
  std::shared_ptr<const HostArray> array;        // its numbers, if small and known while opening
  Tensor given;                                  // of an input: the host's, where it was told
  bool for_given_inputs = false;                 // `array` holds for OpenOptions::inputs only
  std::vector<std::shared_ptr<Value>> elements;  // of a sequence, whose length is known while opening
  std::shared_ptr<Value> keys;                   // of a map, which goes by its values: known while opening
  bool waits = false;                            // Unknown until what is before it has run
  bool random = false;                           // its numbers are drawn, so that only their distribution is told
  WeightSource source;                           // of constants: their contiguous bytes
};
using ValuePtr = std::shared_ptr<Value>;

class Lowering;

// One node being lowered: its sources and attributes, and where its results go. The first error is kept.
class OpCall {
 public:
  OpCall(Lowering& lowering, const ir::Node& node, std::vector<ValuePtr> inputs);

  const ir::Node& node() const { return node_; }
  std::string title() const;  // operator and name, or what it makes: "Loop decode"
  int64_t opset() const { return node_.opset; }
  Lowering& lowering() { return lowering_; }
  GraphBuilder& g() { return builder_; }

  // Sources.
  size_t input_count() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  const Value& value(size_t i);  // an empty one, and an error, where there is none
  Tensor in(size_t i);           // as a tensor of the graph; undefined, and an error, where there is none
  Tensor in_f32(size_t i);       // cast if need be
  const Dims& sizes(size_t i) { return value(i).sizes; }
  int rank(size_t i) { return value(i).sizes.rank(); }
  // Numbers that must be known while opening; nullopt, without an error, where the source is left out.
  std::optional<std::vector<int64_t>> ints(size_t i);
  std::optional<std::vector<double>> floats(size_t i);
  std::shared_ptr<const HostArray> known(size_t i);       // null where it is not known
  bool known_bytes(size_t i, std::vector<uint8_t>& out);  // of U8, however many; false where they are not known
  // Strings that must be known while opening, element by element; nullopt, and an error, where they are not.
  std::optional<std::vector<std::string>> strings(size_t i);
  const Words& words(size_t i);  // null, and an error, where source i holds none

  // Attributes.
  bool has_attr(const char* name) const { return node_.attributes.count(name) != 0; }
  const ir::Attribute* attr(const char* name) const;
  int64_t attr_int(const char* name, int64_t fallback) const;
  int32_t attr_type(const char* name, int32_t fallback) const;  // a type's code; -1: no type has so large a one
  float attr_float(const char* name, float fallback) const;
  std::string attr_string(const char* name, const std::string& fallback) const;
  std::vector<int64_t> attr_ints(const char* name) const;
  // The axis counted from the outermost; an error if it is none of `rank` dimensions.
  int axis(int64_t axis, int rank);
  // Axes from source i (from opset `since` on) or the attribute "axes".
  std::vector<int> axes(size_t i, int64_t since, int rank);

  // Ops. Names: the first result's, with ":suffix" for what comes before it.
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
  Tensor scalar(double value, DType dtype, const char* suffix);  // of no dimensions

  // Results.
  size_t output_count() const { return node_.outputs.size(); }
  bool wants(size_t i) const { return i < node_.outputs.size() && !node_.outputs[i].empty(); }
  void out(size_t i, const Tensor& tensor);
  void out(size_t i, HostArray array);
  void out(size_t i, ValuePtr value);  // the same value under another name
  // Numbers of a small type, which `tensor` holds as the wider one that it is stored as.
  void out_small(size_t i, const Tensor& tensor, int32_t code);
  // All that another call for the same node came to, over other sources.
  void take_over(OpCall&& other);
  // Strings, known while opening.
  void out_strings(size_t i, const Dims& sizes, std::span<const std::string> strings);
  // Result i holds places among these.
  void mark_words(size_t i, Words words);
  // Of the numbers of `places` (those of source i, or a tensor) the elements of a table; folded where they are known.
  // Named as the call's own result.
  ValuePtr look_up(size_t source, HostArray table, const char* suffix = "");
  ValuePtr look_up(const ValuePtr& places, HostArray table, const char* suffix = "");
  // What `x` holds with another dimension of 1, and values side by side: of numbers, or of strings with all of their words. Null, and
  // an error, where they do not fit.
  ValuePtr with_axis(const ValuePtr& x, int axis, const std::string& suffix);
  ValuePtr concat(std::span<const ValuePtr> parts, int axis, const char* suffix);
  // Values of strings as places among the words of all of them. False, and an error: one holds numbers.
  bool join_words(std::vector<ValuePtr>& parts, Words& all);
  Tensor tensor_of(const ValuePtr& value);  // undefined, and an error, where it is none
  void out_constant(size_t i, DType dtype, const Dims& sizes, WeightSource source);

  void refuse(std::string why) {
    if (status_.ok()) status_ = Error{std::move(why)};
  }
  // The same where source i is computed: the node is opened when the run has made its value; `given`: also where it is an
  // input of the model, whose numbers are data and not sizes.
  void wait_for(size_t i, std::string why, bool given = false);
  bool waits() const { return waits_; }
  // A part of the node could not be lowered: neither can the node, and it waits for what the part waits for.
  void fail_as(const OpCall& part) {
    waits_ = waits_ || part.waits_;
    refuse(part.status().error().message);
  }
  // A part of the node is made, if any: this one, a Loop or an If whose graph is a model of its own, goes round when the run has
  // made its sources (lower_rest.cpp).
  // `behind`: what makes the node's results of those of `later`.
  void leave(ir::Node later, std::string why, std::vector<ir::Node> behind = {});
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
  bool waits_ = false;
  std::vector<ir::Node> later_;
};

using Handler = void (*)(OpCall& call);
struct HandlerEntry {
  const char* op;
  Handler handler;
};

// Each lower_*.cpp's operators.
std::span<const HandlerEntry> pointwise_handlers();
std::span<const HandlerEntry> product_handlers();
std::span<const HandlerEntry> window_handlers();
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
std::span<const HandlerEntry> sampling_handlers();
std::span<const HandlerEntry> cast_handlers();
std::span<const HandlerEntry> state_handlers();
std::span<const HandlerEntry> signal_handlers();
std::span<const HandlerEntry> choice_handlers();
std::span<const HandlerEntry> region_handlers();
std::span<const HandlerEntry> roi_handlers();
std::span<const HandlerEntry> flex_attention_handlers();
std::span<const HandlerEntry> learned_handlers();
std::span<const HandlerEntry> count_handlers();
std::span<const HandlerEntry> place_handlers();
std::span<const HandlerEntry> loop_handlers();
std::span<const HandlerEntry> scan_handlers();
std::span<const HandlerEntry> matrix_handlers();
std::span<const HandlerEntry> sequence_handlers();
std::span<const HandlerEntry> random_handlers();
std::span<const HandlerEntry> training_handlers();
std::span<const HandlerEntry> string_handlers();
std::span<const HandlerEntry> label_handlers();
std::span<const HandlerEntry> map_handlers();
std::span<const HandlerEntry> image_handlers();
// Of operators of numbers as well, where a source holds strings.
std::span<const HandlerEntry> word_handlers();
// Numbers that are known as strings.
void cast_to_words(OpCall& c);
// MurmurHash3 of strings.
void hash_words(OpCall& c);
std::span<const HandlerEntry> experimental_handlers();
std::span<const HandlerEntry> linear_model_handlers();
std::span<const HandlerEntry> tree_handlers();
// Of ONNX Runtime's own domain.
std::span<const HandlerEntry> contrib_pointwise_handlers();
std::span<const HandlerEntry> contrib_norm_handlers();
std::span<const HandlerEntry> contrib_attention_handlers();
std::span<const HandlerEntry> contrib_cache_handlers();
std::span<const HandlerEntry> contrib_product_handlers();
std::span<const HandlerEntry> contrib_block_handlers();
std::span<const HandlerEntry> contrib_expert_handlers();
std::span<const HandlerEntry> contrib_quantised_handlers();
std::span<const HandlerEntry> contrib_rest_handlers();
std::span<const HandlerEntry> contrib_blocked_handlers();
std::span<const HandlerEntry> contrib_branch_handlers();
std::span<const HandlerEntry> contrib_delta_handlers();
std::span<const HandlerEntry> contrib_hash_handlers();
std::span<const HandlerEntry> contrib_ngram_handlers();
std::span<const HandlerEntry> contrib_packed_handlers();
std::span<const HandlerEntry> contrib_state_handlers();
std::span<const HandlerEntry> contrib_window_handlers();
// Whether the node's results are drawn.
bool draws_numbers(const ir::Node& node);
// Dropout as in a run that does not learn, but was told to drop: source 0 with a part of its numbers 0 and the others larger; result 1 tells which are kept.
void drop_at_random(OpCall& c, double ratio);
// A tensor as a value of that name.
ValuePtr tensor_value(std::string name, const Tensor& tensor);
// The same, of the strings or the small type that `like` holds.
ValuePtr value_like(const Value& like, std::string name, const Tensor& tensor);
// `x` rounded or cut off as a cast to the small type `code` does it; undefined, and an error, where it is none. Named
// as the call's own result.
Tensor to_small_type(OpCall& c, const Tensor& x, int32_t code, bool saturate, const char* suffix);
// A convolution's parameters from the attributes; false, and an error, where they do not fit.
bool read_convolution(OpCall& c, const Dims& x, const Dims& weight, ConvParams& params);
// By name, with "DOMAIN::" before it where that is not ONNX's own.
const std::unordered_map<std::string_view, Handler>& all_handlers();
Handler find_handler(const std::string& domain, const std::string& op);
Handler find_word_handler(const std::string& domain, const std::string& op);

class Lowering {
 public:
  Lowering(ir::File file, const OpenOptions& options);

  // The model; its problems say what could not be lowered. Error: no memory for the pool.
  Result<Model> run();
  // Of a part of a file that a run has left: with what is known of its names already, and where its layers lie; "": as in a file.
  Result<Model> go_on(std::span<const ValuePtr> known, const std::string& layer = {});
  // What is drawn, is drawn anew for each run (Model::drawn_inputs).
  void draw_for_each_run() { draws_for_each_run_ = true; }
  bool draws_for_each_run() const { return draws_for_each_run_; }
  // How often this node was asked for numbers before: each turn of a loop that is written out draws others.
  uint32_t next_draw(const ir::Node& node) { return draws_[&node]++; }
  // An input that the graph is given by itself. Error: no memory.
  Result<Tensor> add_drawn_input(const std::string& name, DType dtype, const Dims& sizes,
                                 std::function<Status(uint64_t draw, std::byte* out)> write);
  // Whether a node in a graph inside the node at hand waits for values of the run.
  bool inner_waits() const { return inner_waits_; }
  bool trying() const { return trying_; }  // try_subgraph()
  const std::string& layer() const { return layer_; }

  // One tensor takes at most this much: a file that asks for more is a mistake or an attack.
  static constexpr Bytes kMaxTensorBytes = Bytes{1} << 36;

  Context& context() { return context_; }
  // The constant as a leaf: one for each name and bytes of the file, however often a loop's turns define it anew.
  Tensor materialise(Value& value, Status& status) { return materialise(value, value.source.bytes().data(), status); }
  Tensor materialise(Value& value, const std::byte* made_of, Status& status);
  // Whether strings are read by a node's operator.
  static bool reads_words(const ir::Node& node);
  void note_fixed_inputs() { uses_given_ = true; }
  const OpenOptions& options() const { return options_; }
  int64_t channel_block() const { return file_.channel_block.channels; }
  // A name for a value, by which nodes that are put off find it.
  void name_value(const std::string& name, ValuePtr value) { define(name, std::move(value)); }
  ValuePtr value_named(const std::string& name) const { return find(name); }
  void note_statistic(const Tensor& kept, const Tensor& next) { model_.statistics.push_back({kept, next}); }
  // The input that tells what is dropped, and a number of its own for who asks. Error: no memory.
  Result<Tensor> dropout_input(uint32_t& sequence);
  ValuePtr make_constant(std::string name, HostArray array) const;
  // Lowers a graph inside a node, with these values for its inputs; its outputs, in order. Nodes that fail are noted.
  Result<std::vector<ValuePtr>> lower_subgraph(const ir::Graph& graph, std::span<const ValuePtr> inputs = {});
  // The same to see what types its outputs have: what fails there is nothing that the model lacks.
  Result<std::vector<ValuePtr>> try_subgraph(const ir::Graph& graph, std::span<const ValuePtr> inputs);

  // As long as it lives, what is lowered belongs to a layer within the present one: "Loop x", and in it "turn 3".
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
  void set_layer(std::string layer);
  Result<Model> lower(std::span<const ValuePtr> known);
  void add_input(const ir::ValueType& type);
  ValuePtr add_tensor_input(const std::string& name, const ir::ValueType& type);
  ValuePtr add_map_input(const ir::ValueType& type);
  Status add_output(const std::string& name, const ir::ValueType& type, const ValuePtr& value,
                    std::vector<Tensor>& roots);
  void add_weight(const ir::TensorData& data);
  void lower_nodes(const ir::Graph& graph, bool outermost);
  void lower_node(const ir::Node& node);
  void lower_call(const ir::Function& function, const ir::Node& node);
  void lower_search(const ir::Node& node, const std::vector<ValuePtr>& inputs);
  std::string call_label(const ir::Node& node);
  void lower_within(const ir::Node& node, const std::string& label, const std::vector<ir::Node>& nodes);
  void lower_by_handler(const ir::Node& node, const std::vector<ValuePtr>& inputs);
  // The function of the model that a node calls; what its operator consists of, where that has no handler. Null: none.
  const ir::Function* own_function(const ir::Node& node) const;
  const ir::Function* body_of(const ir::Node& node);
  std::string refusal(const ir::Node& node, const std::vector<ValuePtr>& inputs, const ir::Function* body);
  std::string misfit(const ir::Node& node, const std::vector<ValuePtr>& inputs);
  void define_results(const ir::Node& node, const std::vector<ValuePtr>& inputs, const std::vector<ValuePtr>& results,
                      const std::vector<ValuePtr>& folded);
  bool fold_node(const ir::Node& node, const std::vector<ValuePtr>& inputs, std::vector<ValuePtr>& results);
  void stand_in(const ir::Node& node, const std::vector<ValuePtr>& inputs);
  void add_problem(const ir::Node& node, const std::string& why);
  Status finish_graph();
  void put_off(const ir::Node& node, const std::string& why);
  struct Part;
  Status make_rest(std::vector<Tensor>& roots);
  Status make_turns(const ir::Node& node, Rest& rest, std::set<std::string>& handed, std::vector<Tensor>& roots);
  void make_loop(const ir::Node& node, Turns& turns, Part& body);
  Status hand_over(const std::vector<std::string>& names, Part& part, Rest& rest, std::set<std::string>& handed,
                   std::vector<Tensor>& roots);
  ValuePtr find(const std::string& name) const;
  void define(const std::string& name, ValuePtr value) { scopes_.back()[name] = std::move(value); }
  std::optional<Dims> input_sizes(ir::ValueType& type);
  std::optional<Dims> given_sizes(const std::string& name, const ir::ValueType& type, const Tensor& given);
  int64_t dimension(int64_t size, const std::string& symbol) const;
  std::optional<Dims> declared_sizes(const ir::ValueType& type) const;

  ir::File file_;
  const OpenOptions& options_;
  Model model_;
  Context context_;
  std::vector<std::unordered_map<std::string, ValuePtr>> scopes_;
  std::unordered_map<std::string, const ir::ValueType*> declared_;
  std::vector<Tensor> made_;         // results of lowered nodes, for the graph of a model that is not whole
  std::vector<std::string> layers_;  // of the outermost nodes
  std::string layer_;                // the present one
  std::string layer_of_all_;         // in which all nodes lie; "": each in its own
  bool draws_for_each_run_ = false;
  std::unordered_map<const ir::Node*, uint32_t> draws_;
  bool uses_given_ = false;
  bool whole_ = true;         // no node failed
  bool goes_on_ = false;      // it is the rest of a file
  bool inner_waits_ = false;  // a node in a graph inside the node at hand waits
  bool trying_ = false;
  std::vector<const ir::Node*> put_off_;
  std::deque<ir::Node> later_;  // of these, parts of nodes and nodes of functions
  std::string why_put_off_;
  struct FileLeaf {
    const std::byte* made_of;
    Tensor tensor;
  };
  std::unordered_multimap<std::string, FileLeaf> file_leafs_;  // of constants, by their names
  uint32_t dropouts_ = 0;
  ir::Schemas schemas_;
  const ir::Node* spelled_ = nullptr;            // whose body is being lowered, of an operator that consists of others
  std::string calls_;                            // of functions that are open, as layers
  int64_t unrolled_ = 0;                         // nodes of functions so far
  std::unordered_map<std::string, int> labels_;  // of calls: how often
};

// Whether the operator reads nothing of its source but the shape.
bool reads_shape(const ir::Node& node);
bool any_words(const std::vector<ValuePtr>& inputs);
// Appends all names that a node reads, graphs inside it included (some of them are their own).
void collect_names(const ir::Node& node, std::vector<std::string>& out);
// Of what holds strings that are not known.
Words no_words();
// Attributes of what OpCall::leave() leaves: turns that were made before, the layer that it lies in, and what it is called
// where that is not what the node is.
inline constexpr const char* kTurnsBefore = "turns before";
inline constexpr const char* kLayerOfTurns = "layer of turns";
inline constexpr const char* kTitleOfTurns = "title of turns";
std::string title_of_turns(const ir::Node& node);

// A layer's name for each node, from the names in the file where they tell, else from where the graph is narrow.
std::vector<std::string> name_layers(const ir::Graph& graph);

}  // namespace arenascope::models
