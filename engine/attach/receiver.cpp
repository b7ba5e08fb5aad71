// SPDX-License-Identifier: MIT
#include <arenascope/attach/receiver.h>
#include <arenascope/trace/event_sorter.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include "engine/attach/arenascope_client.h"
#include "engine/attach/shared_rings.h"
#include "engine/attach/socket.h"

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

namespace arenascope::attach {

using trace::ByteSpan;
using trace::Sink;

namespace {

constexpr size_t kReadAt = size_t{1} << 18;

// One program. It is greeted once its first packet is complete.
struct Connection {
  Connection(File from, Sink& sink, IdCounters& numbers, int64_t process)
      : file(std::move(from)), remapper(sink, numbers, process), stream(remapper) {}
  File file;
  IdRemapper remapper;
  Stream stream;
  std::optional<SharedRings> rings;
  std::vector<uint8_t> greeting;  // bytes received so far
  bool greeted = false, over = false;
  Nanoseconds since = arenascope_now();
  Program program;
};

// Answers a greeting: "ASCP", the version, and the length of the error message followed by the message (empty:
// accepted).
bool answer(int file, const std::string& refusal) {
  std::string out = "ASCP";
  for (const size_t number : {size_t{ARENASCOPE_PROTOCOL_VERSION}, refusal.size()})
    for (int i = 0; i < 4; ++i) out += static_cast<char>(number >> (8 * i) & 0xff);
  out += refusal;
  return ::send(file, out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(out.size());
}

// Receives bytes and an attached file descriptor. Returns as recv() does.
ssize_t receive(int file, std::span<uint8_t> room, File& sent) {
  union {
    cmsghdr align;
    char bytes[CMSG_SPACE(4 * sizeof(int))];
  } control{};
  iovec part{room.data(), room.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  const ssize_t n = ::recvmsg(file, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0) return n;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(c) + i * sizeof(int), sizeof number);
      sent = File(number);  // keep only the newest; others are closed
    }
  }
  return n;
}

}  // namespace

struct Receiver::State {
  State(std::vector<std::shared_ptr<Sink>> to, Listening at, const ListenOptions& options)
      : sinks(std::move(to)),
        sorter(sinks),
        listening(std::move(at)),
        max_programs(options.max_programs),
        forwarded(options.forwarded),
        wake(::eventfd(0, EFD_CLOEXEC)) {}

  void work();
  void accept();
  void read(Connection& c);
  void take(Connection& c, ByteSpan bytes, File sent);
  void greet(Connection& c);
  void refuse(Connection& c, const std::string& why);
  void finish(Connection& c);
  void publish();

  trace::SinkList sinks;
  trace::StreamSorter sorter;
  const Listening listening;
  const size_t max_programs;
  const bool forwarded;
  const File wake;
  std::atomic<bool> stopping{false};
  IdCounters numbers;
  std::vector<std::unique_ptr<Connection>> connections;  // only used by the receiver thread
  std::vector<Program> over;                             // likewise
  std::vector<uint8_t> room = std::vector<uint8_t>(kReadAt);
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::vector<Program> programs;  // as last published
  bool idle = true;               // no program is connected
  std::thread thread;
};

void Receiver::State::accept() {
  for (;;) {
    File file(::accept4(listening.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!file.valid()) return;
    int64_t process = 0;
    if (listening.token.empty() && !is_own_user(file.get(), process)) continue;
    if (forwarded) process = 0;  // the peer is the forwarding process, not the program
    if (connections.size() >= max_programs) {
      answer(file.get(), "the maximum number of attached programs is reached");
      continue;
    }
    auto c = std::make_unique<Connection>(std::move(file), sorter, numbers, process);
    c->program.process = process;
    connections.push_back(std::move(c));
  }
}

void Receiver::State::refuse(Connection& c, const std::string& why) {
  answer(c.file.get(), why);
  c.program.problem = why;
  c.over = true;
}

// Called once the first packet is complete.
void Receiver::State::greet(Connection& c) {
  const auto split = trace::split_packet(c.greeting);
  if (split.next == trace::NextPacket::Cut && c.greeting.size() < kLargestGreeting) return;
  const auto greeting = split.next == trace::NextPacket::Whole ? read_greeting(split.message) : std::nullopt;
  if (!greeting) return refuse(c, "the first packet is not a valid greeting");
  c.program.name = greeting->program;
  if (c.program.process == 0) c.program.process = greeting->process;
  if (const std::string why = refusal_of(*greeting, listening.token); !why.empty()) return refuse(c, why);
  c.program.rank = greeting->rank;
  c.remapper.call(c.program.name, c.program.rank);
  c.greeted = true;
  if (!answer(c.file.get(), "")) c.over = true;
  const std::vector<uint8_t> rest(c.greeting.begin() + static_cast<ptrdiff_t>(split.bytes), c.greeting.end());
  c.greeting = {};
  if (!rest.empty()) take(c, rest, File());
}

void Receiver::State::take(Connection& c, ByteSpan bytes, File sent) {
  if (sent.valid() && !c.rings && !c.greeted) {
    auto rings = SharedRings::map(sent.release());
    if (rings)
      c.rings.emplace(std::move(*rings));
    else
      c.program.problem = rings.error().message;
  }
  if (!c.greeted) {
    c.greeting.insert(c.greeting.end(), bytes.begin(), bytes.end());
    return greet(c);
  }
  if (const Status status = c.stream.take(bytes); !status.ok()) {
    c.program.problem = status.error().message;
    c.over = true;
  }
}

void Receiver::State::read(Connection& c) {
  File sent;
  const ssize_t n = receive(c.file.get(), room, sent);
  if (n > 0) return take(c, ByteSpan(room).first(static_cast<size_t>(n)), std::move(sent));
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  c.over = true;
}

void Receiver::State::finish(Connection& c) {
  if (c.greeted) {
    const Nanoseconds now = forwarded ? c.remapper.latest() : arenascope_now();
    if (c.rings && c.program.problem.empty()) c.program.rescued = take_unsent(c.rings->bytes(), c.stream);
    c.remapper.finish(now);
    if (c.program.problem.empty() && c.stream.broken_packets() > 0)
      c.program.problem = std::to_string(c.stream.broken_packets()) + " packets were skipped, the first because " +
                          c.stream.first_broken();
    if (!c.program.problem.empty())
      sinks.describe(trace::Problem{
          trace::Severity::Warning,
          c.program.name + " (process " + std::to_string(c.program.process) + "): " + c.program.problem + ".", now,
          trace::RunId::none(), NodeId::none(), trace::ProblemKind::LeftOut});
  }
  c.program.events = c.remapper.events_taken();
  c.program.lost = c.remapper.events_lost();
  c.program.refused = c.remapper.refused();
  c.program.ended = true;
  over.push_back(c.program);
}

void Receiver::State::publish() {
  std::vector<Program> now = over;
  for (const auto& c : connections) {
    c->program.events = c->remapper.events_taken();
    c->program.lost = c->remapper.events_lost();
    c->program.refused = c->remapper.refused();
    now.push_back(c->program);
  }
  {
    std::lock_guard lock(mutex);
    programs = std::move(now);
    idle = connections.empty();
  }
  changed.notify_all();
}

void Receiver::State::work() {
  constexpr Nanoseconds kGreetingPatience = 10'000'000'000;
  constexpr int kQuiet = 50;  // ms after which nothing older is expected
  std::vector<pollfd> files;
  for (bool last = false; !last;) {
    last = stopping.load();
    files.assign({{listening.socket.get(), POLLIN, 0}, {wake.get(), POLLIN, 0}});
    for (const auto& c : connections) files.push_back({c->file.get(), POLLIN, 0});
    const int pause = sorter.empty() ? 1000 : kQuiet;
    ::poll(files.data(), files.size(), last ? 0 : pause);
    const size_t known = connections.size();
    bool received = false;
    for (size_t i = 0; i < known; ++i) {
      Connection& c = *connections[i];
      if (files[i + 2].revents != 0) received = true, read(c);
      if (!c.greeted && arenascope_now() - c.since > kGreetingPatience) c.over = true;
    }
    if (files[0].revents != 0) accept();
    for (size_t i = connections.size(); i-- > 0;) {
      if (!connections[i]->over) continue;
      finish(*connections[i]);
      connections.erase(connections.begin() + static_cast<ptrdiff_t>(i));
    }
    if (received && !connections.empty())
      sinks.flush();
    else
      sorter.flush();
    publish();
  }
  for (const auto& c : connections) {
    for (size_t before = SIZE_MAX; !c->over && before != 0;) {  // drain the socket
      pollfd ready{c->file.get(), POLLIN, 0};
      before = ::poll(&ready, 1, 0) > 0 ? 1 : 0;
      if (before != 0) read(*c);
    }
    finish(*c);
  }
  connections.clear();
  sorter.flush();
  publish();
}

Result<std::unique_ptr<Receiver>> Receiver::listen(std::vector<std::shared_ptr<Sink>> sinks,
                                                   const ListenOptions& options) {
  auto listening = options.tcp ? listen_on_loopback() : listen_in(options.folder);
  if (!listening) return listening.error();
  auto state = std::make_unique<State>(std::move(sinks), std::move(*listening), options);
  State* s = state.get();
  s->thread = std::thread([s] { s->work(); });
  return std::unique_ptr<Receiver>(new Receiver(std::move(state)));
}

Receiver::Receiver(std::unique_ptr<State> state) : state_(std::move(state)) {}
Receiver::~Receiver() { stop(); }

const std::string& Receiver::address() const { return state_->listening.address; }

std::vector<Program> Receiver::programs() const {
  std::lock_guard lock(state_->mutex);
  return state_->programs;
}

bool Receiver::wait(Nanoseconds longest) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, std::chrono::nanoseconds(longest), [&] { return state_->idle; });
}

void Receiver::stop() {
  if (!state_->thread.joinable()) return;
  state_->stopping = true;
  const uint64_t one = 1;
  (void)!::write(state_->wake.get(), &one, sizeof one);
  state_->thread.join();
  if (!state_->listening.path.empty()) ::unlink(state_->listening.path.c_str());
}

}  // namespace arenascope::attach
