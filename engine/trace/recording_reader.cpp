// SPDX-License-Identifier: MIT
#include <arenascope/trace/event_sorter.h>
#include <arenascope/trace/recording.h>
#include "engine/trace/codec.h"
#include "engine/trace/input_file.h"

#include <cstring>
#include <new>

namespace arenascope::trace {

namespace {

constexpr size_t kReadAt = size_t{1} << 20;

// The kind of data at the start of a byte sequence.
enum class Next { Packet, Cut, Garbage };

// Finds the packet that begins at bytes[0]. Cut: it extends past `bytes`; `needed` is its length if known.
Next split(ByteSpan bytes, ByteSpan& packet, size_t& whole, size_t& needed) {
  needed = 0;
  WireReader in(bytes);
  uint64_t key = 0, length = 0;
  if (bytes.empty()) return Next::Cut;
  if (bytes[0] != (kTracePacketField << 3 | static_cast<uint32_t>(WireType::Bytes))) return Next::Garbage;
  if (!in.varint(key)) return Next::Cut;
  if (!in.varint(length)) return bytes.size() > 11 ? Next::Garbage : Next::Cut;
  const size_t head = bytes.size() - in.left();
  if (length > WireWriter::kLargestMessage) return Next::Garbage;
  needed = head + static_cast<size_t>(length);
  if (length > in.left()) return Next::Cut;
  packet = bytes.subspan(head, static_cast<size_t>(length));
  whole = needed;
  return Next::Packet;
}

// Our message in a TracePacket; empty if there is none. False if the packet is malformed before it.
bool ours(ByteSpan packet, ByteSpan& message) {
  WireReader in(packet);
  while (in.next()) {
    if (in.field == kRecordingField && in.type == WireType::Bytes) {
      message = in.payload;
      return true;
    }
  }
  return in.ok();
}

// Reads packets in sequence.
class Reading {
 public:
  Reading(std::string name, int64_t total, Sink& sink, const ReadOptions& options)
      : name_(std::move(name)),
        total_(total),
        sink_(sink),
        options_(options),
        sorter_(sink),
        decoding_(options.in_file_order ? sink : sorter_) {}

  // Consumes whole packets from the front of `bytes`. `needed`: length of the next packet, 0 if unknown.
  Result<size_t> take(ByteSpan bytes, size_t& needed) {
    size_t done = 0;
    while (!garbage_) {
      ByteSpan packet;
      size_t whole = 0;
      const Next next = split(bytes.subspan(done), packet, whole, needed);
      if (next == Next::Garbage) garbage_ = true;
      if (next != Next::Packet) break;
      ByteSpan message;
      const bool fine = ours(packet, message);
      if (report_.packets == 0 && (!fine || message.empty())) break;  // the first packet identifies the format
      if (!fine) {
        broken("a packet is malformed");
      } else if (!message.empty()) {
        const Status status = decoding_.take(message);
        if (!status.ok()) {
          if (report_.packets == 0)
            return Error{name_ + ": cannot open the recording: " + status.error().message + "."};
          broken(status.error().message);
        }
      }
      ++report_.packets;
      done += whole;
      report_.bytes += static_cast<int64_t>(whole);
      if ((report_.packets & 0xfff) == 0 && options_.progress &&
          !options_.progress(static_cast<double>(report_.bytes) / static_cast<double>(std::max<int64_t>(total_, 1)))) {
        return Error{name_ + ": reading was stopped."};
      }
    }
    return done;
  }
  bool garbage() const { return garbage_; }

  Result<ReadReport> finish(int64_t rest) {
    if (report_.packets == 0) {
      return Error{name_ + (total_ == 0 ? ": the file is empty, not a recording."
                                        : ": not a recording: the recording header is missing.")};
    }
    sorter_.flush();
    report_.dropped_bytes = rest;
    report_.closed = decoding_.closed();
    std::string& problem = report_.problem;
    if (rest > 0) {
      problem =
          name_ +
          (garbage_ ? ": from byte " + std::to_string(report_.bytes) + " on the file is not a recording; "
                    : ": the recording is truncated within a packet at byte " + std::to_string(report_.bytes) + "; ") +
          std::to_string(rest) + " bytes were skipped.";
    }
    if (report_.broken_packets > 0) {
      if (!problem.empty()) problem += ' ';
      problem += name_ + ": " + std::to_string(report_.broken_packets) + " of " + std::to_string(report_.packets) +
                 " packets were skipped, the first because " + first_broken_ + ".";
    }
    if (!problem.empty()) {
      sink_.describe(Problem{Severity::Warning, problem, 0, RunId::none(), NodeId::none(), ProblemKind::LeftOut});
    }
    sink_.flush();
    if (options_.progress) options_.progress(1.0);
    return report_;
  }

 private:
  void broken(const std::string& why) {
    if (report_.broken_packets++ == 0) first_broken_ = why;
  }

  const std::string name_;
  const int64_t total_;
  Sink& sink_;
  const ReadOptions& options_;
  ReadReport report_;
  StreamSorter sorter_;
  Decoding decoding_;
  std::string first_broken_;
  bool garbage_ = false;
};

}  // namespace

bool is_recording_file(ByteSpan head) {
  ByteSpan packet, message;
  size_t whole = 0, needed = 0;
  return split(head, packet, whole, needed) == Next::Packet && ours(packet, message) && !message.empty();
}

Result<ReadReport> read_recording(ByteSpan bytes, const std::string& name, Sink& sink, const ReadOptions& options) {
  Reading reading(name, static_cast<int64_t>(bytes.size()), sink, options);
  size_t needed = 0;
  const Result<size_t> done = reading.take(bytes, needed);
  if (!done.ok()) return done.error();
  return reading.finish(static_cast<int64_t>(bytes.size() - *done));
}

Result<ReadReport> read_recording(const std::filesystem::path& path, Sink& sink, const ReadOptions& options) {
  const std::string name = path.string();
  const Result<InputFile> input = InputFile::open(path);
  if (!input.ok()) return input.error();
  const int64_t total = input->size();
  try {
    Reading reading(name, total, sink, options);
    std::vector<uint8_t> buffer;
    size_t begin = 0, end = 0;  // valid range of the buffer
    int64_t read = 0;
    for (;;) {
      size_t needed = 0;
      const Result<size_t> done = reading.take(ByteSpan(buffer).subspan(begin, end - begin), needed);
      if (!done.ok()) return done.error();
      begin += *done;
      const auto left = static_cast<size_t>(std::max<int64_t>(total - read, 0));
      if (reading.garbage() || left == 0 || needed > end - begin + left || (needed != 0 && needed <= end - begin))
        break;
      if (begin != 0 && end != begin) std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
      const size_t want = std::max(needed, end + kReadAt) - end;
      if (buffer.size() < end + want) buffer.resize(end + want);
      const Result<size_t> n = input->read(buffer.data() + end, std::min(want, left));
      if (!n.ok()) return n.error();
      if (*n == 0) break;  // the file was truncated while it was read
      end += *n;
      read += static_cast<int64_t>(*n);
    }
    return reading.finish(total - read + static_cast<int64_t>(end - begin));
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

}  // namespace arenascope::trace
