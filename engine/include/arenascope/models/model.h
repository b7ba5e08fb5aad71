// SPDX-License-Identifier: MIT
// A model as the rest of the river sees it: a graph of ops, its inputs and outputs, and how its weights' bytes
// come to be. Opening one allocates no weights, so that planning stays a matter of metadata.
#pragma once
#include <arenascope/graph/graph.h>
#include <arenascope/memory/execution_context.h>
#include <arenascope/models/weight_source.h>
#include <arenascope/models/words.h>

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

// An input or output as the file names it. Sizes of -1 are not known.
struct ValueInfo {
  std::string name;
  DType dtype = DType::F32;
  Dims sizes;
  Tensor tensor;  // undefined when the model could not be lowered
  // Inputs of models that bring data of their own (the zoo): writes the contiguous bytes; empty elsewhere.
  std::function<Status(std::byte* out)> write_default;
  Words words = nullptr;  // it holds strings: its numbers are places among these
  bool complex = false;   // of COMPLEX64: each number is the bytes of two f32, the real part first

  const char* type_name() const { return words ? "string" : complex ? "complex64" : arenascope::name(dtype); }
};

// An input that is drawn anew for each turn of a loop: `write` makes its contiguous bytes, others for another `draw`.
struct DrawnInput {
  std::string name;
  std::function<Status(uint64_t draw, std::byte* out)> write;
};

// One weight: a leaf of the graph and where its contiguous bytes (tensor->byte_count()) come from.
struct Weight {
  Tensor tensor;
  WeightSource source;
};

// A leaf that the graph itself writes, and that keeps its bytes from run to run: a cache of keys, a parameter that is
// trained, what an optimiser remembers. The one who runs the graph gives it memory of that kind, zeros unless `write`
// makes its contiguous bytes.
struct State {
  std::string name;
  Tensor tensor;
  MemoryKind kind = MemoryKind::KVCache;
  std::function<Status(std::byte* out)> write;
};

// Of a model that writes text.
struct LanguageInfo {
  int64_t context = 0;  // tokens that it can see at once; 0: no limit of its own
  int64_t vocabulary = 0;
  int64_t window = 0;  // tokens that local layers see, by "kq_mask_local" where it is an input; 0: there are none
};

// How the bytes of loaded weights came to be where they are.
struct LoadedBytes {
  Bytes borrowed = 0;    // used where they lie in a mapped file, or made whenever they are read
  Bytes misaligned = 0;  // of these, weights whose elements lie at odd addresses: copied if they are not packed anyway
  Bytes made = 0;        // written to memory of their own: seeded, turned round, computed
};

// A dimension of an input that the file leaves open, and what it was opened with.
struct FreeDimension {
  std::string input;
  int axis = 0;        // counted from the outermost
  std::string symbol;  // what the file calls it; "": nothing
  int64_t size = 1;
  bool told = false;  // by OpenOptions; else it was assumed
  // What OpenOptions::dims calls it: its symbol, or "INPUT:AXIS" where it has none.
  std::string key() const { return symbol.empty() ? input + ":" + std::to_string(axis) : symbol; }
};

// Statistics that batch normalisation keeps beside its parameters, and what they are behind a batch: nothing of the graph
// reads `next`.
struct Statistic {
  Tensor kept, next;
};

struct Model;

// Values on the host, by name.
struct GivenInputs {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, Words> words;               // of those that hold strings
  std::map<std::string, int64_t> sequence_lengths;  // of sequences, whose tensors are NAME[0], NAME[1], …
  std::set<std::string> complex;                    // those of COMPLEX64, see ValueInfo
  // Of a map, by whose name its values go, these are the keys.
  static std::string keys_of(const std::string& map) { return map + ":keys"; }
};

// A loop of which only a run tells how often it goes round: its body is a model that runs turn by turn, with what the turn before
// it made. Its outputs are the condition where it has one, the states and what a turn leaves, by the names of output().
struct Turns {
  std::string title;                 // "Loop decode"
  int64_t first = 0, end = 0;        // turns, half-open
  std::string number;                // the input that is a turn's number; "": nothing asks for it
  bool conditional = true;           // it ends behind the turn whose condition is false
  std::vector<std::string> states;   // inputs, one for each state; "": the body does not ask for it
  std::vector<std::string> sources;  // by state: what the first turn is given; "": nothing
  std::vector<std::string>
      left;  // by what each turn leaves: what those before `first` left, behind each other; "": none
  std::vector<std::string> results;  // what comes of the states, and then of what the turns left
  // For the values of its inputs. It fits other numbers of the same sizes too, unless opened `by_value`.
  std::function<Result<Model>(const GivenInputs& values, int64_t turn, bool by_value)> open;

  // The body's output: 0 the condition, then the states, then what a turn leaves.
  std::string output(size_t place) const;
};

// What of a file is opened when the graph before it has run, as its sizes hang on values: boxes that stay, numbers that are
// not zero. It is a model of its own, and may have such a part again.
struct Rest {
  std::string why;                   // the first node that waits, and for what
  int64_t node_count = 0;            // operators of the file
  size_t first_need = 0;             // Model::outputs from here on are not the file's: they are what `open` wants
  std::vector<std::string> outputs;  // of the file, that it gives
  std::map<std::string, int64_t> sequence_lengths;  // of needs that are sequences
  std::shared_ptr<const Turns> turns;  // goes round before `open` is called, which wants its results too; or null
  // By the names of the needs, their values on the host. Errors: values that nothing can be made of, no memory.
  std::function<Result<Model>(const GivenInputs& values)> open;
};

struct Model {
  std::string name;    // name_of() its file, or the zoo's name
  std::string format;  // "onnx", "gguf", "safetensors", "zoo"
  std::filesystem::path path;
  Context context;
  Graph graph;  // of a model with problems: what could be lowered, or undefined
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<Weight> weights;
  std::vector<State> states;
  std::vector<Statistic> statistics;  // of a graph that is to learn
  std::optional<LanguageInfo> language;
  std::map<std::string, int64_t> ops;          // operators as the file has them, counted
  std::map<std::string, int64_t> unsupported;  // of these, those that cannot be run
  std::vector<std::string> problems;           // one sentence each: why something cannot be run
  Bytes parameter_bytes = 0;
  std::vector<FreeDimension> free_dimensions;     // of inputs, as the file has them
  std::map<std::string, int64_t> assumed_values;  // inputs of one whole number that nobody gave, and the graph hangs on
  std::vector<std::string> fixed_inputs;          // inputs whose given values the shapes of the graph were made from
  std::vector<std::string> random_outputs;        // outputs whose numbers are drawn: their distribution counts
  std::vector<DrawnInput> drawn_inputs;           // of the body of a loop (Turns)
  int64_t node_count = 0;                         // operators in the file (for the zoo: graph nodes)
  LoadedBytes loaded;                             // by load_weights()
  std::shared_ptr<const Rest> rest;               // null: the graph is all of it

  // Those of `outputs` that are the file's.
  std::span<const ValueInfo> own_outputs() const {
    return std::span(outputs).first(rest ? rest->first_need : outputs.size());
  }
  bool runnable() const { return graph.defined() && unsupported.empty() && problems.empty(); }
  // Gives every weight memory (with `keep` those that have none), a block each: Mapped where its bytes lie in a file, and with
  // `lends` where they are only read, on the host, and can be made again (WeightSource::lend()); else Persistent, and written.
  // Errors: no memory, a file that has changed since it was opened.
  Status load_weights(ExecutionContext& execution, bool keep = false, bool lends = false);
  // Errors: a file that weights are borrowed from has changed since it was opened, so that a run might read anything; what was
  // lent could not be made.
  Status weights_unchanged() const;
};

struct OpenOptions {
  // Host tensors that will be given as inputs, by name. Their shapes settle unknown dimensions; small ones also settle
  // what a model computes shapes from (a Reshape whose target is an input, say): such a graph fits these values only.
  std::map<std::string, Tensor> inputs;
  std::map<std::string, Words> words;  // of those that hold strings: a graph fits these only
  // Inputs that are sequences: how many tensors each has, which `inputs` names NAME[0], NAME[1], …
  std::map<std::string, int64_t> sequence_lengths;
  std::set<std::string> complex;  // of those of COMPLEX64, see ValueInfo
  // Free dimensions by FreeDimension::key(), e.g. batch → 1. Of those that nobody tells ONNX files get usual sizes that the
  // model can be lowered with (FreeDimension::told says which), others 1.
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::vector<int64_t>> shapes;  // whole inputs of ONNX files by name; also settle `dims`
  bool training = false;                               // zoo models that have it: a training step
  bool prefill = false;                                // language models: many tokens at once instead of one
  int64_t tokens = 0;  // language models: sequence length; 0: the architecture's usual one
  // Language models: keys and values of so many tokens lie in states of `cache_type` (f32, f16, q8_0), which the graph
  // writes at its input "cache_rows", below 0 nowhere; "positions" says where in their text its tokens stand, and what
  // "kq_mask" [tokens, cache] adds to the scores who sees whom. With `prefill` the graph takes `tokens` at once and gives
  // the logits of the `wanted` ones of "wanted_rows". 0: all that was seen is given and returned.
  int64_t cache = 0;
  DType cache_type = DType::F32;
  int64_t wanted = 1;
  // Language models: so many sequences of `tokens` each at once, no cache, and the logits of all tokens,
  // [sequences·tokens, vocabulary]. 0: as above.
  int64_t sequences = 0;
  // As a training step wants it: what is dropped at random is dropped, and batch normalisation takes the batch's own statistics
  // (ONNX files, with Model::statistics). With `dropout` that share is dropped instead of the file's, and in the zoo's gpt2 and
  // nano_gpt behind embeddings, attention and feed-forward parts.
  bool learning = false;
  std::optional<double> dropout;
};

// I64 [2]: a training's seed and its step, from which a graph that drops at random draws. Not there in others.
inline constexpr const char* kDropoutInput = "dropout";

// What the model in a file is called: the file's stem, or its folder's name where the file is just called "model".
std::string name_of(const std::filesystem::path& path);

// Opens `zoo:NAME`, an .onnx, .gguf or .safetensors file, or a directory in the ONNX test-case layout (model.onnx
// inside). Error: one sentence that names the file, what is wrong with it and where.
Result<Model> open_model(const std::string& spec, const OpenOptions& options = {});

}  // namespace arenascope::models
