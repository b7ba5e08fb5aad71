// SPDX-License-Identifier: MIT
#include "engine/attach/stream.h"
#include "engine/attach/arenascope_client.h"

namespace arenascope::attach {

using trace::ByteSpan;
using trace::WireReader;
using trace::WireType;

namespace {

constexpr uint32_t kVersionField = 1, kProgramField = 15, kGreetingField = 100;
constexpr uint32_t kRunEndField = 6, kLossField = 13, kEventsField = 14;
constexpr int64_t kMaxBroken = 1000;
constexpr uint64_t kLargestRank = 1 << 24;

bool is_of_log(ByteSpan message) {
  WireReader in(message);
  return in.next() && in.field != kEventsField && in.field != kLossField && in.field != kRunEndField;
}

bool same_token(const std::string& a, const std::string& b) {  // constant time
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

}  // namespace

std::optional<Greeting> read_greeting(ByteSpan message) {
  Greeting greeting;
  bool found = false, version = false;
  WireReader in(message);
  while (in.next()) {
    if (in.field == kVersionField && in.type == WireType::Varint) version = true;
    if (in.field == kProgramField && in.type == WireType::Bytes) greeting.program = in.text().substr(0, 256);
    if (in.field != kGreetingField || in.type != WireType::Bytes) continue;
    found = true;
    WireReader own(in.payload);
    while (own.next()) {
      if (own.type == WireType::Bytes && own.field == 3) greeting.token = own.text().substr(0, 256);
      if (own.type != WireType::Varint) continue;
      if (own.field == 1) greeting.protocol = own.number;
      if (own.field == 2 && own.number <= INT32_MAX) greeting.process = static_cast<int64_t>(own.number);
      if (own.field == 4) greeting.client = own.number;
      if (own.field == 5 && own.number - 1 <= kLargestRank) greeting.rank = static_cast<int64_t>(own.number - 1);
    }
    if (!own.ok()) return std::nullopt;
  }
  if (!in.ok() || !found || !version) return std::nullopt;
  return greeting;
}

std::string refusal_of(const Greeting& greeting, const std::string& token) {
  if (greeting.protocol != ARENASCOPE_PROTOCOL_VERSION) {
    const bool newer = greeting.protocol > ARENASCOPE_PROTOCOL_VERSION;
    return "the program uses protocol version " + std::to_string(greeting.protocol) + ", this Arenascope version " +
           std::to_string(ARENASCOPE_PROTOCOL_VERSION) +
           (newer ? "; a newer Arenascope is needed." : "; rebuild it with the arenascope_client.h of this version.");
  }
  if (!token.empty() && !same_token(greeting.token, token)) return "the token does not match the one shown.";
  return "";
}

// Parses complete packets from the front; `done` is their size in bytes.
Status Stream::take_packets(ByteSpan bytes, size_t& done) {
  done = 0;
  while (done < bytes.size()) {
    const auto split = trace::split_packet(bytes.subspan(done));
    if (split.next == trace::NextPacket::Garbage) return Error{"the data is not a recording"};
    if (split.needed > kLargestPacket) return Error{"oversized packet of " + std::to_string(split.needed) + " bytes"};
    if (split.next == trace::NextPacket::Cut) break;
    if (const Status status = decoder_.take(split.message); !status.ok()) {
      if (broken_++ == 0) first_broken_ = status.error().message;
      if (broken_ > kMaxBroken) return Error{"too many malformed packets"};
    }
    if (is_of_log(split.message)) log_bytes_ += split.bytes;
    done += split.bytes;
  }
  return {};
}

Status Stream::take(ByteSpan bytes) {
  if (failed_) return Error{"the program has already been rejected"};
  size_t done = 0;
  Status status;
  if (rest_.empty()) {
    status = take_packets(bytes, done);
    rest_.assign(bytes.begin() + static_cast<ptrdiff_t>(done), bytes.end());
  } else {
    rest_.insert(rest_.end(), bytes.begin(), bytes.end());
    status = take_packets(rest_, done);
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(done));
  }
  failed_ = !status.ok();
  return status;
}

}  // namespace arenascope::attach
