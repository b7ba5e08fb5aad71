// SPDX-License-Identifier: MIT
// The object pool beside a scratch buffer, the estimate of its size, and the description of a tensor field by field.
#include <arenascope/schedule/describe.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/program_context.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr int64_t kMaxPool = 1 << 20;

// A pool and a scratch buffer, with early ggml's way of setting the scratch buffer aside.
class ScratchLens {
 public:
  static Result<ScratchLens> make(Bytes pool, Bytes scratch) {
    auto context = Context::create({.mem_size = static_cast<size_t>(pool)});
    if (!context) return context.error();
    auto memory = make_cpu_context();
    auto storage = Storage::allocate(*memory, {}, MemoryKind::Workspace, scratch);
    if (!storage) return storage.error();
    ScratchLens lens(std::move(*context), std::move(memory), std::move(*storage));
    lens.push(LensEvent::Start, {});
    return lens;
  }

  // False after an object that does not fit.
  Result<bool> perform(LensRun& run, const std::string& step) {
    const std::vector<std::string> tokens = split(step, " ");
    const std::string verb = tokens.empty() ? "" : tokens[0];
    const bool one = tokens.size() == 1, set = context_.scratch().storage.allocated();
    if (verb == "set" && one && !set) {
      context_.set_scratch({memory_of_scratch_, used_});
      return push(LensEvent::ScratchSet, {std::to_string(memory_of_scratch_.bytes())});
    }
    if (verb == "unset" && one && set) return put_aside(LensEvent::ScratchUnset);
    if (verb == "save" && one && set) return put_aside(LensEvent::ScratchSaved);
    if (verb == "load" && one && !set) {
      context_.set_scratch({memory_of_scratch_, used_});
      return push(LensEvent::ScratchLoaded, {});
    }
    if (verb == "tensor" && tokens.size() > 2) return tensor(run, tokens);
    return lens_expected(run, "operations", "set; unset; save; load; tensor NAME SIZES", step);
  }

  std::vector<LensFrame> frames;

 private:
  ScratchLens(Context context, std::shared_ptr<ExecutionContext> memory, Storage scratch)
      : memory_(std::move(memory)), memory_of_scratch_(std::move(scratch)), context_(std::move(context)) {}

  bool put_aside(LensEvent event) {
    used_ = context_.set_scratch({}).used;
    return push(event, {});
  }

  Result<bool> tensor(LensRun& run, const std::vector<std::string>& tokens) {
    std::vector<std::string> sizes_text(tokens.begin() + 2, tokens.end());
    auto sizes = lens_integers(run, join(sizes_text, " "), "operations", kMaxDims, 1, 4096);
    if (!sizes) return sizes.error();
    const bool outside = context_.scratch().storage.allocated();
    const Bytes before = context_.scratch().used;
    auto made = context_.new_tensor(DType::F32, Dims(std::span<const int64_t>(*sizes)), tokens[1]);
    if (!made) {
      push(LensEvent::Full, {made.error().message});
      return false;
    }
    if (!outside) return push(LensEvent::Object, {});
    const Bytes bytes = (*made)->byte_count(), end = context_.scratch().used;
    if (end - bytes > before) data_.push_back({before, end - bytes - before, CellKind::Padding, "", true, -1});
    data_.push_back({end - bytes, bytes, CellKind::Data, tokens[1], true, -1});
    return push(LensEvent::InScratch, {tokens[1], std::to_string(bytes), std::to_string(end - bytes)});
  }

  bool push(LensEvent event, std::vector<std::string> arguments) {
    LensFrame frame = pool_frame(context_);
    if (event != LensEvent::Object) {
      frame.event = event;
      frame.arguments = std::move(arguments);
    }
    const bool outside = context_.scratch().storage.allocated();
    frame.values["scratch"] = static_cast<double>(outside ? context_.scratch().used : used_);
    frame.strips.push_back({"scratch", LensUnit::Bytes, memory_of_scratch_.bytes(), data_});
    for (LensCell& cell : data_) cell.current = false;
    frames.push_back(std::move(frame));
    return true;
  }

  std::shared_ptr<ExecutionContext> memory_;
  Storage memory_of_scratch_;
  Context context_;
  Bytes used_ = 0;  // of the scratch buffer while it is not set
  std::vector<LensCell> data_;
};

LensFrames scratch(LensRun& run) {
  auto pool = lens_integer(run, "pool", 64, kMaxPool);
  auto bytes = lens_integer(run, "scratch", 64, kMaxPool);
  if (!pool || !bytes) return pool ? bytes.error() : pool.error();
  const std::vector<std::string> steps = split(lens_value(run, "operations"), ";");
  if (steps.size() > kMaxLensLines) return lens_count(run, "operations", 0, kMaxLensLines, steps.size());
  auto lens = ScratchLens::make(*pool, *bytes);
  if (!lens) return lens.error();
  for (const std::string& step : steps) {
    auto done = lens->perform(run, trimmed(step));
    if (!done) return done.error();
    if (!*done) break;
  }
  return std::move(lens->frames);
}

// --- size

// The summands of a pool's size, as in ggml's example: data, overheads, and some bytes to spare. Then a pool of this
// size is filled.
class SizeLens {
 public:
  SizeLens() { frames.push_back({LensEvent::Start, {}, {{"estimate", LensUnit::Bytes, 0, {}}}, {}}); }

  void add(const std::string& expression, int64_t bytes) {
    for (LensCell& cell : estimate_.cells) cell.current = false;
    if (bytes > 0) estimate_.cells.push_back({estimate_.length, bytes, CellKind::Description, expression, true, -1});
    estimate_.length += bytes;
    LensFrame frame{LensEvent::Summand,
                    {expression, std::to_string(bytes), std::to_string(estimate_.length)},
                    {estimate_},
                    {{"estimate", static_cast<double>(estimate_.length)}, {"summand", static_cast<double>(bytes)}}};
    frames.push_back(std::move(frame));
  }

  Status fill(const std::vector<Dims>& shapes) {
    for (LensCell& cell : estimate_.cells) cell.current = false;
    auto context = Context::create({.mem_size = static_cast<size_t>(estimate_.length)});
    if (!context) return context.error();
    std::vector<Tensor> sources;
    for (size_t i = 0; i < shapes.size(); ++i) {
      auto made = context->new_tensor(DType::F32, shapes[i], std::string(1, static_cast<char>('a' + i)));
      if (!push(*context, made ? Status() : Status(made.error()))) return {};
      sources.push_back(*made);
    }
    auto graph = context->new_graph(sources.size());
    push(*context, graph ? Status() : Status(graph.error()));
    return {};
  }

  std::vector<LensFrame> frames;

 private:
  bool push(const Context& context, const Status& done) {
    LensFrame frame = pool_frame(context);
    frame.strips.insert(frame.strips.begin(), estimate_);
    frame.values["estimate"] = static_cast<double>(estimate_.length);
    frame.values["spare"] = frame.values["estimate"] - frame.values["used"];
    if (!done) {
      frame.event = LensEvent::Full;
      frame.arguments = {done.error().message};
    }
    frames.push_back(std::move(frame));
    return done.ok();
  }

  LensStrip estimate_{"estimate", LensUnit::Bytes, 0, {}};
};

LensFrames size(LensRun& run) {
  auto spare = lens_integer(run, "spare", 0, kMaxPool);
  if (!spare) return spare.error();
  const std::vector<std::string> texts = split(lens_value(run, "tensors"), ";");
  if (texts.empty() || texts.size() > 8) return lens_count(run, "tensors", 1, 8, texts.size());
  std::vector<Dims> shapes;
  SizeLens lens;
  for (size_t i = 0; i < texts.size(); ++i) {
    auto sizes = lens_integers(run, texts[i], "tensors", kMaxDims, 1, 64);
    if (!sizes) return sizes.error();
    shapes.emplace_back(std::span<const int64_t>(*sizes));
    lens.add(fmt::format("data({})", static_cast<char>('a' + i)), element_count(shapes.back()) * 4);
  }
  const auto overhead = static_cast<int64_t>(Context::tensor_overhead(0));
  lens.add(fmt::format("{} × tensor_overhead()", shapes.size()), static_cast<int64_t>(shapes.size()) * overhead);
  lens.add("graph_overhead()", static_cast<int64_t>(Context::graph_overhead(shapes.size())));
  if (*spare > 0) lens.add(std::to_string(*spare), *spare);
  if (auto done = lens.fill(shapes); !done) return done.error();
  return std::move(lens.frames);
}

// --- fields

struct Flag {
  const char* name;
  TensorFlags flag;
};
constexpr Flag kFlags[] = {
    {"input", kFlagInput}, {"output", kFlagOutput}, {"parameter", kFlagParameter}, {"weight", kFlagWeight}};

const char* field_name(trace::ObjectPartKind kind) {
  using Part = trace::ObjectPartKind;
  switch (kind) {
    case Part::Type: return "type";
    case Part::Op: return "op";
    case Part::Flags: return "flags";
    case Part::Sizes: return "sizes (ne)";
    case Part::Strides: return "strides (nb)";
    case Part::OpParams: return "op_params";
    case Part::Sources: return "src";
    case Part::Name: return "name";
    case Part::View: return "view_src, view_offs";
    case Part::Storage: return "data";
    case Part::References: return "references";
    case Part::Padding: return "padding";
    default: return "other";
  }
}

std::string list_of(std::span<const int64_t> numbers) { return fmt::format("{}", fmt::join(numbers, " ")); }

std::string content_of(trace::ObjectPartKind kind, const TensorImpl& tensor) {
  using Part = trace::ObjectPartKind;
  switch (kind) {
    case Part::Type: return name(tensor.dtype);
    case Part::Op: return name(tensor.op);
    case Part::Sizes: return list_of(tensor.sizes.span());
    case Part::Strides: return list_of(tensor.strides.span());
    case Part::Name: return tensor_name(tensor);
    case Part::Sources: return std::to_string(tensor.sources.size());
    case Part::Flags: {
      std::vector<std::string> set;
      for (const Flag& flag : kFlags)
        if (tensor.has(flag.flag)) set.emplace_back(flag.name);
      return fmt::format("{} ({})", tensor.flags, set.empty() ? "0" : join(set, " | "));
    }
    default: return "–";
  }
}

Result<Tensor> described_tensor(Context& context, LensRun& run) {
  auto sizes = lens_integers(run, lens_value(run, "shape"), "shape", kMaxDims, 1, 4096);
  if (!sizes) return sizes.error();
  auto made = context.new_tensor(DType::F32, Dims(std::span<const int64_t>(*sizes)), "a");
  if (!made) return made;
  for (const std::string& token : split(lens_value(run, "flags"), " ,")) {
    const auto flag = std::ranges::find(kFlags, token, &Flag::name);
    if (flag == std::end(kFlags)) return lens_expected(run, "flags", "input, output, parameter, weight", token);
    made->set_flag(flag->flag);
  }
  return made;
}

LensFrames fields(LensRun& run) {
  auto context = Context::create({.mem_size = 4096, .no_alloc = true});
  if (!context) return context.error();
  auto tensor = described_tensor(*context, run);
  if (!tensor) return tensor.error();
  const trace::ObjectInfo object = describe_context(*context).objects.back();
  LensStrip strip{"description", LensUnit::Bytes, object.size, {}}, bits{"flag bits", LensUnit::Bits, 32, {}};
  for (int bit = 31; bit >= 0; --bit) {
    const bool set = (((*tensor)->flags >> bit) & 1) != 0;
    bits.cells.push_back({31 - bit, 1, set ? CellKind::SetBit : CellKind::ClearBit, set ? "1" : "0", false, -1});
  }
  std::vector<LensFrame> frames{{LensEvent::Start, {}, {strip, bits}, {}}};
  for (const trace::ObjectPart& part : object.parts) {
    for (LensCell& cell : strip.cells) cell.current = false;
    const bool flags = part.kind == trace::ObjectPartKind::Flags;
    for (LensCell& cell : bits.cells) cell.current = flags && cell.kind == CellKind::SetBit;
    const bool padding = part.kind == trace::ObjectPartKind::Padding;
    strip.cells.push_back({part.offset, part.bytes,
                           padding ? CellKind::Padding
                           : flags ? CellKind::Value
                                   : CellKind::Description,
                           padding ? "" : field_name(part.kind), true, -1});
    frames.push_back({LensEvent::Field,
                      {field_name(part.kind), std::to_string(part.offset), std::to_string(part.bytes),
                       content_of(part.kind, *tensor->impl())},
                      {strip, bits},
                      {{"offset", static_cast<double>(part.offset)},
                       {"bytes", static_cast<double>(part.bytes)},
                       {"flags", static_cast<double>((*tensor)->flags)},
                       {"size", static_cast<double>(object.size)}}});
  }
  return frames;
}

constexpr LensParameter kScratch[] = {
    {"pool", "1024"},
    {"scratch", "512"},
    {"operations", "tensor a 4 2; set; tensor b 8 4; save; tensor params 3; load; tensor c 4 8; unset; tensor d 2"}};
constexpr LensParameter kSize[] = {{"tensors", "4 2; 3 2"}, {"spare", "1024"}};
constexpr LensParameter kFields[] = {{"shape", "4 2"}, {"flags", "parameter output"}};

constexpr LensExperiment kObjectLenses[] = {
    {"size", "the estimated size of a pool, and the pool that is filled", kSize, size},
    {"scratch", "a pool and a scratch buffer that is set, put aside and set again", kScratch, scratch},
    {"fields", "the description of a tensor, field by field, and its flags", kFields, fields},
};

}  // namespace

std::span<const LensExperiment> object_lenses() { return kObjectLenses; }

}  // namespace arenascope::lesson
