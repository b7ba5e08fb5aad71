// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/engine_errors.h>

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace arenascope::views {

namespace {

// Format strings of the engine's errors with %1, %2… for their arguments; a test compares them with its sources.
constexpr const char* kFrames[] = {
    QT_TRANSLATE_NOOP("EngineError", "a 64-bit integer"),
    QT_TRANSLATE_NOOP("EngineError", "a positive integer"),
    QT_TRANSLATE_NOOP("EngineError", "expected an integer from %1 to %2, found '%3'"),
    QT_TRANSLATE_NOOP("EngineError", "expected a number from %1 to %2, found '%3'"),
    QT_TRANSLATE_NOOP("EngineError", "expected 'on' or 'off', found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "expected one of %1, found '%2'"),
    QT_TRANSLATE_NOOP("EngineError", "expected NAME=VALUE, found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "expected NAME=N with an integer N, found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "expected NAME=N,N,… with integers, found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "expected NAME=FILE, found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "expected high, normal or low, found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "expected time or memory, found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "expected seconds from 0 to 1000000, found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "expected a number, found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "unknown option '%1%2'"),
    QT_TRANSLATE_NOOP("EngineError", "unknown backend '%1'; available:%2"),
    QT_TRANSLATE_NOOP("EngineError", "unknown backend '%1': expected one of%2"),
    QT_TRANSLATE_NOOP("EngineError", "unknown planner '%1'; available:%2"),
    QT_TRANSLATE_NOOP("EngineError", "unknown order '%1'; available:%2"),
    QT_TRANSLATE_NOOP("EngineError", "unknown allocator '%1'; available: caching, power-of-two, plain"),
    QT_TRANSLATE_NOOP("EngineError", "unknown memory strategy '%1'; available: planned, eager, none"),
    QT_TRANSLATE_NOOP("EngineError", "unknown op '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "unknown adapter '%1'; available: %2, %3"),
    QT_TRANSLATE_NOOP("EngineError", "unknown space '%1'; available: %2"),
    QT_TRANSLATE_NOOP("EngineError", "unknown query '%1'; available:%2"),
    QT_TRANSLATE_NOOP("EngineError", "%1 is not a power of two"),
    QT_TRANSLATE_NOOP("EngineError", "%1 is negative"),
    QT_TRANSLATE_NOOP("EngineError", "adapter '%1' not found: it was not built or not installed"),
    QT_TRANSLATE_NOOP("EngineError", "'%1' has no host; expected ssh:HOST or ssh:USER@HOST"),
    QT_TRANSLATE_NOOP("EngineError", "no program given"),
    QT_TRANSLATE_NOOP("EngineError", "%1: cannot be started: %2"),
    QT_TRANSLATE_NOOP("EngineError", "%1 cannot be started: %2"),
    QT_TRANSLATE_NOOP("EngineError", "cannot start ssh: %1"),
    QT_TRANSLATE_NOOP("EngineError", "%1: cannot copy %2 to %3"),
    QT_TRANSLATE_NOOP("EngineError", "the file became shorter while it was read"),
    QT_TRANSLATE_NOOP("EngineError", "%1: the file cannot be read"),
    QT_TRANSLATE_NOOP("EngineError", "%1 is not a directory"),
    QT_TRANSLATE_NOOP("EngineError", "%1 is not a regular file"),
    QT_TRANSLATE_NOOP("EngineError", "%1 had %2 bytes when it was opened and has %3 now"),
    QT_TRANSLATE_NOOP("EngineError", "%1 was written to after it was opened"),
    QT_TRANSLATE_NOOP("EngineError", "%1: a part of the file could not be read"),
    QT_TRANSLATE_NOOP("EngineError", "%1 does not exist"),
    QT_TRANSLATE_NOOP("EngineError", "%1 contains no model.onnx"),
    QT_TRANSLATE_NOOP("EngineError", "%1: out of memory while opening the model"),
    QT_TRANSLATE_NOOP("EngineError", "%1: training steps are available for zoo models only"),
    QT_TRANSLATE_NOOP(
        "EngineError",
        "no model specified: expected a .onnx, .gguf or .safetensors file, a directory with a model.onnx, or zoo:NAME"),
    QT_TRANSLATE_NOOP("EngineError", "the zoo has no '%1'; it has %2"),
    QT_TRANSLATE_NOOP("EngineError", "zoo:%1 has no training step; %2"),
    QT_TRANSLATE_NOOP("EngineError", "zoo:bert_base: %1 tokens exceed the maximum of 512"),
    QT_TRANSLATE_NOOP("EngineError", "not a GGUF file"),
    QT_TRANSLATE_NOOP("EngineError", "the file ends inside its header"),
    QT_TRANSLATE_NOOP("EngineError", "it is a big-endian GGUF file; little-endian files are supported"),
    QT_TRANSLATE_NOOP("EngineError",
                      "it is file %1 of %2 of a split model; merge them with 'llama-gguf-split --merge'"),
    QT_TRANSLATE_NOOP("EngineError", "its GGUF version is %1: 2 and 3 are supported (little endian)"),
    QT_TRANSLATE_NOOP("EngineError", "it claims %1 metadata entries in %2 bytes"),
    QT_TRANSLATE_NOOP("EngineError", "it claims %1 tensors in %2 bytes"),
    QT_TRANSLATE_NOOP("EngineError", "it ends before its tensors' data begins"),
    QT_TRANSLATE_NOOP("EngineError", "general.alignment must be a power of two"),
    QT_TRANSLATE_NOOP("EngineError", "the table of tensors ends at tensor %1 of %2"),
    QT_TRANSLATE_NOOP("EngineError", "the tensor '%1' is duplicated"),
    QT_TRANSLATE_NOOP("EngineError", "the tensor '%1' has %2 dimensions: at most 4 are supported"),
    QT_TRANSLATE_NOOP("EngineError", "the tensor '%1' has type %2, which is not a ggml type"),
    QT_TRANSLATE_NOOP("EngineError", "the tensor '%1' needs %2 bytes at %3, the file has %4 of data"),
    QT_TRANSLATE_NOOP("EngineError", "the tensor '%1' shares bytes with another"),
    QT_TRANSLATE_NOOP("EngineError", "the tensor '%1': %2"),
    QT_TRANSLATE_NOOP("EngineError", "the metadata entry '%1' is duplicated or has no name"),
    QT_TRANSLATE_NOOP("EngineError", "'%1' extends past the end of the file"),
    QT_TRANSLATE_NOOP("EngineError", "the value of '%1' extends past the end of the file"),
    QT_TRANSLATE_NOOP("EngineError", "'%1' declares %2 numbers, more than the file contains"),
    QT_TRANSLATE_NOOP("EngineError", "'%1' declares %2 strings, more than the file contains"),
    QT_TRANSLATE_NOOP("EngineError", "its architecture '%1' is not supported"),
    QT_TRANSLATE_NOOP("EngineError", "missing tensor '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "tensor '%1' has shape %2, expected %3"),
    QT_TRANSLATE_NOOP("EngineError", "it has no '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "it ends within the length of its table"),
    QT_TRANSLATE_NOOP("EngineError", "it claims a table of %1 bytes in a file of %2"),
    QT_TRANSLATE_NOOP("EngineError", "its table does not begin with '{': not a safetensors file"),
    QT_TRANSLATE_NOOP("EngineError", "its tensors cover %1 of %2 bytes"),
    QT_TRANSLATE_NOOP("EngineError", "byte %1 of its table: %2"),
    QT_TRANSLATE_NOOP("EngineError", "'%1' is of type '%2', which is not supported"),
    QT_TRANSLATE_NOOP("EngineError", "it is not a .npy file"),
    QT_TRANSLATE_NOOP("EngineError", "its .npy version is %1: 1 to 3 are supported"),
    QT_TRANSLATE_NOOP("EngineError", "its type '%1' is not supported"),
    QT_TRANSLATE_NOOP("EngineError", "it is empty"),
    QT_TRANSLATE_NOOP("EngineError", "it has no ONNX graph"),
    QT_TRANSLATE_NOOP("EngineError", "its graph has no outputs"),
    QT_TRANSLATE_NOOP("EngineError", "it is damaged or no ONNX: protobuf stops at byte %1 of %2"),
    QT_TRANSLATE_NOOP("EngineError", "it is damaged or no ONNX: messages are nested deeper than %1"),
    QT_TRANSLATE_NOOP("EngineError", "the input '%1' is duplicated"),
    QT_TRANSLATE_NOOP("EngineError", "the weight '%1' is duplicated"),
    QT_TRANSLATE_NOOP("EngineError", "%1 reads '%2', which nothing writes"),
    QT_TRANSLATE_NOOP("EngineError", "the output '%1' is written by nothing"),
    QT_TRANSLATE_NOOP("EngineError", "%1 depends on its own result: the graph has a cycle"),
    QT_TRANSLATE_NOOP("EngineError", "its external data '%1' is an absolute path"),
    QT_TRANSLATE_NOOP("EngineError", "its external data '%1' leaves the model's folder"),
    QT_TRANSLATE_NOOP("EngineError", "its external data '%1' cannot be read: %2"),
    QT_TRANSLATE_NOOP("EngineError", "its external data has %1 bytes, its shape needs %2"),
    QT_TRANSLATE_NOOP("EngineError", "%1 has no data: %2"),
    QT_TRANSLATE_NOOP("EngineError", "%1 has %2 bytes of data, its shape %3 of %4 needs %5"),
    QT_TRANSLATE_NOOP("EngineError", "input %1 is missing"),
    QT_TRANSLATE_NOOP("EngineError", "shapes do not broadcast"),
    QT_TRANSLATE_NOOP("EngineError", "shapes %1 and %2 do not broadcast: %3 against %4 in dimension -%5"),
    QT_TRANSLATE_NOOP("EngineError", "shape %1 has the negative size %2"),
    QT_TRANSLATE_NOOP("EngineError", "shape %1 has more than 2^63-1 elements"),
    QT_TRANSLATE_NOOP("EngineError", "dimension %1 is specified as %2 and %3"),
    QT_TRANSLATE_NOOP("EngineError", "there is no input '%1' to have a shape"),
    QT_TRANSLATE_NOOP("EngineError", "the weight has no data source"),
    QT_TRANSLATE_NOOP("EngineError", "%1 needs %2 of memory, and %3 are free (%4%5)"),
    QT_TRANSLATE_NOOP("EngineError", "%1: %2. It can be planned without being run (plan only); %3 would need less."),
    QT_TRANSLATE_NOOP("EngineError", "out of memory on cpu: %1 bytes requested, the machine has %2"),
    QT_TRANSLATE_NOOP("EngineError", "out of memory on cpu: the system cannot provide %1 bytes"),
    QT_TRANSLATE_NOOP("EngineError", "out of memory on %1: %2 bytes requested, %3 reserved and %4 in use (%5)"),
    QT_TRANSLATE_NOOP("EngineError", "out of memory on %1: %2 bytes are more than any device has"),
    QT_TRANSLATE_NOOP("EngineError",
                      "out of memory on %1: %2 bytes of %3 memory do not fit, %4 of the limit of %5 are reserved"),
    QT_TRANSLATE_NOOP("EngineError", "the limit of %1 of addresses (ulimit -v) is too small: at least %2 are required"),
    QT_TRANSLATE_NOOP("EngineError", "out of memory while reading it"),
    QT_TRANSLATE_NOOP("EngineError", "out of memory"),
    QT_TRANSLATE_NOOP("EngineError", "it was cancelled"),
    QT_TRANSLATE_NOOP("EngineError", "planning was cancelled"),
    QT_TRANSLATE_NOOP("EngineError", "the memory plan does not fit in %1 bytes: %2"),
    QT_TRANSLATE_NOOP("EngineError", "no memory is left to plan"),
    QT_TRANSLATE_NOOP("EngineError", "there is no planner '%1'; there are:%2"),
    QT_TRANSLATE_NOOP("EngineError", "there is no order '%1'; there are:%2"),
    QT_TRANSLATE_NOOP("EngineError", "the plan of %1 is wrong: %2"),
    QT_TRANSLATE_NOOP("EngineError", "invalid capacity of %1 bytes: it must be at least 1"),
    QT_TRANSLATE_NOOP("EngineError", "%1 cannot be run: %2"),
    QT_TRANSLATE_NOOP("EngineError", "'%1' has no data: every input and weight must be bound before a run"),
    QT_TRANSLATE_NOOP("EngineError", "%1 has no input '%2'"),
    QT_TRANSLATE_NOOP("EngineError", "%1 has no input '%2'; it has%3"),
    QT_TRANSLATE_NOOP("EngineError", "input '%1' must be %2 %3, but %4 %5 was given"),
    QT_TRANSLATE_NOOP("EngineError", "%1: input '%2' must be %3 %4, but the file contains %5 %6"),
    QT_TRANSLATE_NOOP("EngineError", "%1, iteration %2: %3"),
    QT_TRANSLATE_NOOP("EngineError", "values of the loop need %1 bytes, but only %2 bytes of memory are free"),
    QT_TRANSLATE_NOOP("EngineError", "backend '%1' cannot be used: %2"),
    QT_TRANSLATE_NOOP("EngineError", "backend '%1' has no option '%2'"),
    QT_TRANSLATE_NOOP("EngineError", "backend 'cpu' supports precision high and normal, not '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "the module %1 is not installed (searched: %2)"),
    QT_TRANSLATE_NOOP("EngineError", "the module %1 cannot be loaded: %2"),
    QT_TRANSLATE_NOOP("EngineError", "the module %1 has a different interface version than this program"),
    QT_TRANSLATE_NOOP("EngineError", "its driver did not answer within %1 s"),
    QT_TRANSLATE_NOOP("EngineError", "its driver crashed: signal %1 (%2)"),
    QT_TRANSLATE_NOOP("EngineError", "its driver ended the process with status %1"),
    QT_TRANSLATE_NOOP("EngineError", "the number of threads must be between 1 and %1, not %2"),
    QT_TRANSLATE_NOOP("EngineError", "cannot use processor %1: it is not in the affinity mask of this program"),
    QT_TRANSLATE_NOOP("EngineError", "%1 is not a generative language model"),
    QT_TRANSLATE_NOOP("EngineError", "%1 has a context of %2 tokens, %3 are too many"),
    QT_TRANSLATE_NOOP("EngineError", "the text has the %1 tokens that %2 sees"),
    QT_TRANSLATE_NOOP("EngineError", "%1 cannot be trained: %2"),
    QT_TRANSLATE_NOOP("EngineError", "%1: it cannot be read"),
    QT_TRANSLATE_NOOP("EngineError", "expected IMAGES,LABELS, found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "expected IMAGES,LABELS (only language models accept tokens), found '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "an event packet is malformed"),
    QT_TRANSLATE_NOOP("EngineError", "a description is malformed"),
    QT_TRANSLATE_NOOP("EngineError", "a packet is malformed"),
    QT_TRANSLATE_NOOP("EngineError", "the data is not a recording"),
    QT_TRANSLATE_NOOP("EngineError", "too many malformed packets"),
    QT_TRANSLATE_NOOP("EngineError", "the recording contains no allocations with addresses"),
    QT_TRANSLATE_NOOP("EngineError", "line 1: unknown column '%1'"),
    QT_TRANSLATE_NOOP("EngineError", "line 1: column '%1' appears twice"),
    QT_TRANSLATE_NOOP("EngineError", "line 1: column '%1' is missing"),
    QT_TRANSLATE_NOOP("EngineError", "line %1: %2: expected %3, found '%4'"),
    QT_TRANSLATE_NOOP("EngineError", "line %1: %2"),
    QT_TRANSLATE_NOOP("EngineError", "the file is empty"),
    QT_TRANSLATE_NOOP("EngineError", "%1: cannot be opened"),
    QT_TRANSLATE_NOOP("EngineError", "%1: out of memory while reading"),
    QT_TRANSLATE_NOOP("EngineError", "the query is empty"),
    QT_TRANSLATE_NOOP("EngineError", "expected one statement, found more"),
    QT_TRANSLATE_NOOP("EngineError", "cannot create the folder %1: %2"),
    QT_TRANSLATE_NOOP("EngineError", "cannot open the model of this checkpoint: %1"),
    QT_TRANSLATE_NOOP("EngineError", "tensor '%1', which '%2' needs, is missing"),
    QT_TRANSLATE_NOOP("EngineError", "tensor '%1' is %2 %3, expected %4 %5"),
    QT_TRANSLATE_NOOP("EngineError", "unknown experiment '%1'; expected %2"),
    QT_TRANSLATE_NOOP("EngineError", "%1: expected an integer from %2 to %3, found '%4'"),
    QT_TRANSLATE_NOOP("EngineError", "graph: expected at most %1 lines, found %2"),
    QT_TRANSLATE_NOOP("EngineError", "graph: expected NAME = OP INPUTS, separated by semicolons"),
    QT_TRANSLATE_NOOP("EngineError", "expected 1 to %1 elements, found %2"),
    QT_TRANSLATE_NOOP("EngineError", "element %1 is at byte %2, outside the storage of %3 bytes"),
    QT_TRANSLATE_NOOP("EngineError", "rule, position %1: expected %2, found %3"),
    QT_TRANSLATE_NOOP("EngineError", "a rule has at most %1 characters, found %2"),
    QT_TRANSLATE_NOOP("EngineError", "nothing has run"),
    QT_TRANSLATE_NOOP("EngineError", "no graph is open"),
    QT_TRANSLATE_NOOP("EngineError", "no plan is open"),
    QT_TRANSLATE_NOOP("EngineError", "no tensor is named '%1' in the open graph"),
};

constexpr int kDeepest = 4;           // a file, a node and a tensor before the cause
constexpr int kMaxSeparators = 3;     // colons within one of them
constexpr qsizetype kLongest = 1024;  // characters of a translated message: names in files may be long

struct Frame {
  QRegularExpression pattern;
  const char* source;
};

std::vector<Frame> compile_frames() {
  static const QRegularExpression placeholder(QStringLiteral("%\\d"));
  std::vector<Frame> frames;
  for (const char* source : kFrames) {
    const QString text = QString::fromUtf8(source);
    QString pattern;
    qsizetype at = 0;
    for (auto found = placeholder.globalMatch(text); found.hasNext();) {
      const QRegularExpressionMatch match = found.next();
      pattern += QRegularExpression::escape(text.mid(at, match.capturedStart() - at)) + QStringLiteral("(.*?)");
      at = match.capturedEnd();
    }
    pattern += QRegularExpression::escape(text.mid(at));
    frames.push_back({QRegularExpression(QRegularExpression::anchoredPattern(pattern),
                                         QRegularExpression::DotMatchesEverythingOption),
                      source});
  }
  // The most specific frame that matches is the longest one.
  std::ranges::stable_sort(frames, std::ranges::greater(),
                           [](const Frame& f) { return std::string_view(f.source).size(); });
  return frames;
}

// The error in the user's language; null: no frame matches it.
std::optional<QString> translated(const QString& error, int depth) {
  static const std::vector<Frame> frames = compile_frames();
  if (depth == 0 || error.isEmpty()) return std::nullopt;
  const auto in_language = [&](const QString& part) { return translated(part, depth - 1).value_or(part); };
  for (const Frame& frame : frames) {
    const QRegularExpressionMatch match = frame.pattern.match(error);
    if (!match.hasMatch()) continue;
    const QString text = QCoreApplication::translate("EngineError", frame.source);
    // In one pass: an argument may contain a percent sign. A quoted one is a name.
    const std::string_view source = frame.source;
    QString out;
    for (qsizetype i = 0; i < text.size(); ++i) {
      const bool is_argument = text[i] == u'%' && i + 1 < text.size() && text[i + 1].isDigit();
      if (!is_argument) {
        out += text[i];
        continue;
      }
      const QString argument = match.captured(text[++i].digitValue());
      const bool is_quoted = source.find(std::string("'%") + text[i].toLatin1()) != std::string_view::npos;
      out += is_quoted ? argument : in_language(argument.trimmed());  // a list begins with a space
    }
    return out;
  }
  // "FILE: cause", "NODE: cause", the first of which may contain a colon, too.
  const QString separator = QCoreApplication::translate("EngineError", ": ");
  qsizetype colon = error.indexOf(QLatin1String(": "));
  for (int tried = 0; colon >= 0 && tried < kMaxSeparators;
       ++tried, colon = error.indexOf(QLatin1String(": "), colon + 2))
    if (const auto cause = translated(error.mid(colon + 2), depth - 1)) return error.left(colon) + separator + *cause;
  return std::nullopt;
}

}  // namespace

QString engine_error_text(const QString& error) {
  const QString stop = QCoreApplication::translate("EngineError", ".");
  const bool is_english = stop == QLatin1String(".");
  if (is_english || error.size() > kLongest) return error;
  const bool is_sentence = error.endsWith(u'.');
  const auto text = translated(is_sentence ? error.chopped(1) : error, kDeepest);
  if (text) return is_sentence ? *text + stop : *text;
  return is_sentence ? translated(error, kDeepest).value_or(error) : error;
}

QString engine_error_text(std::string_view error) {
  return engine_error_text(QString::fromUtf8(error.data(), static_cast<qsizetype>(error.size())));
}

}  // namespace arenascope::views
