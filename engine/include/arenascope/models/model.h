// SPDX-License-Identifier: MIT
// A model as the other modules see it: a graph of ops, its inputs and outputs, and the sources of its weights.
// Opening a model allocates no weights, so planning only needs metadata.
#pragma once
#include <arenascope/graph/graph.h>
#include <arenascope/memory/execution_context.h>
#include <arenascope/models/string_table.h>
#include <arenascope/models/weight_source.h>
#include <arenascope/trace/info.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace arenascope::models {

// An input or output, named as in the file. A size of -1 is unknown.
struct ValueInfo {
  std::string name;
  DType dtype = DType::F32;
  Dims sizes;
  Tensor tensor;  // undefined when the model could not be lowered
  // Default data of models that bring their own (the zoo): writes the contiguous bytes. Empty for other models.
  std::function<Status(std::byte* out)> write_default;
  StringTable strings = nullptr;  // string tensors: the I64 elements are indices into this table
  bool complex = false;           // COMPLEX64: each element holds two f32, real part first

  const char* type_name() const { return strings ? "string" : complex ? "complex64" : arenascope::name(dtype); }
};

// An input with new random numbers for each iteration of a loop. `write` fills its contiguous bytes; the result
// depends on `draw`.
struct RandomInput {
  std::string name;
  std::function<Status(uint64_t draw, std::byte* out)> write;
};

// A weight: a leaf tensor and the source of its contiguous bytes (tensor->byte_count()).
struct Weight {
  Tensor tensor;
  WeightSource source;
};

// A tensor as its file stores it. A type without a DType has its name in the file's format, such as iq2_xs or F8_E4M3.
struct FileTensor {
  std::string name, type;
  Dims sizes;
  Bytes bytes = 0;                 // in the file
  std::optional<DType> loaded_as;  // a run stores the same values in this type; none: the type cannot be run
};

// A leaf tensor that the graph itself writes and that keeps its contents between runs: a KV cache, a trained
// parameter, optimiser state. The caller allocates it in memory of that kind. It is zero-initialised unless `write`
// fills its contiguous bytes.
struct State {
  std::string name;
  Tensor tensor;
  MemoryKind kind = MemoryKind::KVCache;
  std::function<Status(std::byte* out)> write;
};

// Properties of a language model.
struct LanguageInfo {
  int64_t context = 0;  // context length in tokens; 0: unlimited
  int64_t vocabulary = 0;
  // tokens visible to sliding-window layers ("kq_mask_local" if it is an input); 0: no such layers
  int64_t window = 0;
};

// Weights without data: the external files that should contain it are absent or too short.
struct MissingData {
  int64_t tensors = 0;
  std::string file;  // the first of these files, as the model names it
  std::string why;   // "'FILE' was not found"
};

// A dimension that the file leaves open, and the size chosen for it.
struct FreeDimension {
  std::string input;
  int axis = 0;        // counted from the outermost dimension
  std::string symbol;  // symbolic name in the file; "" if it has none
  int64_t size = 1;
  bool specified = false;  // set by OpenOptions; false if the size was assumed
  // The key in OpenOptions::dims: the symbol, or "INPUT:AXIS" if there is none.
  std::string key() const { return symbol.empty() ? input + ":" + std::to_string(axis) : symbol; }
};

// Running statistics of batch normalisation, and their values after the current batch. No node of the graph reads
// `next`.
struct Statistic {
  Tensor kept, next;
};

struct Model;

// Input values on the host, by name.
struct GivenInputs {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, StringTable> strings;  // tables of string tensors
  // number of tensors per sequence; they are named NAME[0], NAME[1], …
  std::map<std::string, int64_t> sequence_lengths;
  std::set<std::string> complex;  // names of COMPLEX64 tensors, see ValueInfo
  // The name under which the keys of a map are stored; its values are stored under the map's own name.
  static std::string keys_of(const std::string& map) { return map + ":keys"; }
};

// A loop whose trip count is known only at run time. Its body is a model of its own that is run once per iteration
// and reads the states of the previous one. Outputs of the body, named by output(): the condition if there is one,
// the states, then the scan outputs.
struct LoopSpec {
  std::string title;                 // "Loop decode"
  int64_t first = 0, end = 0;        // iterations, half-open
  std::string number;                // the body's input for the iteration number; "" if unused
  bool conditional = true;           // stop after the iteration whose condition is false
  std::vector<std::string> states;   // body inputs, one per state; "" if the body does not read it
  std::vector<std::string> sources;  // initial value per state; "" if it has none
  std::vector<std::string>
      left;  // per scan output: the concatenated outputs of iterations before `first`; "" if there are none
  std::vector<std::string> results;  // names of the final states, then of the scan outputs
  // Compiles the body for these input values. The result is valid for other values of the same sizes too, unless
  // `by_value`.
  std::function<Result<Model>(const GivenInputs& values, int64_t iteration, bool by_value)> open;

  // Name of a body output: 0 is the condition, then the states, then the scan outputs.
  std::string output(size_t place) const;
};

// The part of a file that is compiled after the graph before it has run, because its shapes depend on computed values
// (boxes kept by NMS, non-zero elements). It is a model of its own and may have a deferred subgraph too.
struct DeferredSubgraph {
  std::string why;         // the first node that needs a run-time value, and which value
  int64_t node_count = 0;  // operators of the file
  size_t first_need = 0;   // Model::outputs from this index on are not outputs of the file but inputs of `open`
  std::vector<std::string> outputs;                 // outputs of the file that this part computes
  std::map<std::string, int64_t> sequence_lengths;  // of inputs of `open` that are sequences
  std::shared_ptr<const LoopSpec> loop;  // a loop that runs before `open`, which reads its results too; may be null
  // Compiles the part. `values`: host tensors by name. Errors: values without a valid result, out of memory.
  std::function<Result<Model>(const GivenInputs& values)> open;
};

struct Model {
  std::string name;    // name_of() the file, or the zoo name
  std::string format;  // "onnx", "gguf", "safetensors", "zoo"
  std::filesystem::path path;
  Context context;
  Graph graph;  // undefined or partial if the model has problems
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<Weight> weights;
  std::vector<State> states;
  std::vector<Statistic> statistics;  // of a training graph
  std::optional<LanguageInfo> language;
  std::map<std::string, int64_t> ops;             // operators in the file, with their counts
  std::map<std::string, int64_t> unsupported;     // the unsupported ones among them
  std::vector<std::string> problems;              // one message each: why the model cannot be run
  std::vector<std::string> unknown_sizes;         // results of nodes that are not supported and declare no shape
  MissingData missing;                            // a model with missing data can be planned, but not run
  Bytes parameter_bytes = 0;                      // of the parameters as the file stores them; see weight_bytes()
  std::vector<FileTensor> file_tensors;           // all tensors of a GGUF or safetensors file, in file order
  int64_t metadata_keys = 0;                      // of such a file
  std::vector<FreeDimension> free_dimensions;     // of inputs, in file order
  std::map<std::string, int64_t> assumed_values;  // scalar integer inputs without a given value that shapes depend on
  std::vector<std::string> fixed_inputs;          // inputs whose given values determined shapes of the graph
  std::vector<std::string> random_outputs;  // outputs computed from random numbers: only their distribution is defined
  std::vector<RandomInput> random_inputs;   // of a loop body (LoopSpec)
  int64_t node_count = 0;       // operators that were lowered, once per iteration and call; for the zoo: graph nodes
  int64_t file_node_count = 0;  // nodes of the file, those of each body and function once; 0: the format has no nodes
  // The graph of the file before lowering; null if it has neither bodies (of If, Loop, Scan) nor local functions.
  std::shared_ptr<const trace::GraphInfo> file_graph;
  std::shared_ptr<const DeferredSubgraph> deferred;  // null if the graph is the whole model

  // The outputs of the file, without the inputs of the deferred subgraph.
  std::span<const ValueInfo> own_outputs() const {
    return std::span(outputs).first(deferred ? deferred->first_need : outputs.size());
  }
  // Bytes of the weights as the graph reads them: the memory that running takes for parameters.
  Bytes weight_bytes() const {
    Bytes sum = 0;
    for (const Weight& weight : weights) sum += weight.tensor->byte_count();
    return sum;
  }
  // The graph contains every node of the file.
  bool complete() const { return graph.defined() && unsupported.empty() && problems.empty(); }
  bool runnable() const { return complete() && missing.tensors == 0; }
  // One sentence for a model that is not runnable().
  std::string why_not_runnable() const;
  // Errors: a file that weights are mapped from has changed since it was opened, so that weights are undefined.
  Status weights_unchanged() const;
};

struct OpenOptions {
  // Host tensors that will be given as inputs, by name. Their shapes determine unknown dimensions. Small integer
  // tensors are also folded where shapes depend on them (for example the target of a Reshape); such a graph is valid
  // for these values only.
  std::map<std::string, Tensor> inputs;
  std::map<std::string, StringTable> strings;  // tables of string tensors: the graph is valid for these strings only
  // Number of tensors per sequence input; `inputs` holds them as NAME[0], NAME[1], …
  std::map<std::string, int64_t> sequence_lengths;
  std::set<std::string> complex;  // names of COMPLEX64 inputs, see ValueInfo
  // Free dimensions by FreeDimension::key(), e.g. batch → 1. ONNX files get default sizes for all others that the
  // model can be lowered with; other formats use 1. FreeDimension::specified is false for these.
  std::map<std::string, int64_t> dims;
  // complete shapes of ONNX inputs by name; they also determine `dims`
  std::map<std::string, std::vector<int64_t>> shapes;
  bool training = false;  // zoo models: build a training step, if the model has one
  bool prefill = false;   // language models: process many tokens at once instead of one
  int64_t tokens = 0;     // language models: sequence length; 0: the default of the architecture
  // Language models: length of the KV cache in tokens. K and V are states of `cache_type` (f32, f16, q8_0). The graph
  // writes the rows given in "cache_rows" (negative: no row). "positions" are the token positions; "kq_mask" [tokens,
  // cache] is added to the scores. With `prefill` the graph takes `tokens` tokens and returns the logits of the
  // `output_rows` rows listed in "output_rows". 0: K and V are inputs and outputs of the graph.
  int64_t cache = 0;
  DType cache_type = DType::F32;
  int64_t output_rows = 1;
  // Language models: number of sequences of `tokens` tokens each, without a KV cache. The graph returns all logits,
  // [sequences·tokens, vocabulary]. 0: not used.
  int64_t sequences = 0;
  // Open as a training forward pass: dropout is active and batch normalisation uses batch statistics (ONNX files,
  // with Model::statistics). `dropout` replaces the file's ratio; the zoo's gpt2 and nano_gpt then apply it after
  // embeddings, attention and feed-forward blocks.
  bool learning = false;
  std::optional<double> dropout;
};

// I64 [2]: seed and training step, from which dropout masks are generated. Only in graphs with dropout.
inline constexpr const char* kDropoutInput = "dropout";

// Display name of a model file: the stem, or the folder's name if the file is called "model".
std::string name_of(const std::filesystem::path& path);

// Opens `zoo:NAME`, an .onnx, .gguf or .safetensors file, or a directory in the ONNX test-case layout (containing
// model.onnx). Errors name the file, what is wrong and where.
Result<Model> open_model(const std::string& spec, const OpenOptions& options = {});

}  // namespace arenascope::models
