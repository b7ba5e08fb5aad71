// SPDX-License-Identifier: MIT
// A stack machine for the opcodes of protocols 0 to 5 that make plain values, after Python's pickletools.
#include "engine/audit/pickle_value.h"

#include <fmt/format.h>

#include <cstring>

namespace arenascope::audit {

const Pickled* Pickled::find(std::string_view key) const {
  if (type != Type::Dictionary) return nullptr;
  const Pickled* found = nullptr;  // the last one, as a dictionary has it
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i]->type == Type::Text && items[i]->text == key) found = items[i + 1];
  return found;
}

int64_t Pickled::number(std::string_view key, int64_t otherwise) const {
  const Pickled* v = find(key);
  return v != nullptr && v->type == Type::Integer ? v->integer : otherwise;
}

std::string_view Pickled::string(std::string_view key) const {
  const Pickled* v = find(key);
  return v != nullptr && v->type == Type::Text ? std::string_view(v->text) : std::string_view();
}

const std::vector<const Pickled*>& Pickled::list(std::string_view key) const {
  static const std::vector<const Pickled*> none;
  const Pickled* v = find(key);
  return v != nullptr && v->type == Type::List ? v->items : none;
}

class PickleReader {
 public:
  PickleReader(ByteSpan bytes, Pickle& pickle) : bytes_(bytes), pickle_(pickle) {}

  // False if it is damaged or contains more than plain values; where() is the byte offset.
  bool run() {
    while (at_ < bytes_.size()) {
      op_at_ = at_;
      const uint8_t op = bytes_[at_++];
      if (op == '.') {
        if (stack_.empty()) return false;
        pickle_.root_ = stack_.back();
        return true;
      }
      if (!values(op) && !containers(op) && !memory(op)) return false;
    }
    op_at_ = at_;
    return false;
  }
  size_t where() const { return op_at_; }

 private:
  using Type = Pickled::Type;
  using List = std::vector<const Pickled*>;

  bool has(uint64_t n) const { return n <= bytes_.size() - at_; }
  bool fixed(size_t n, uint64_t& v) {
    if (!has(n)) return false;
    v = 0;
    for (size_t i = n; i-- > 0;) v = v << 8 | bytes_[at_ + i];
    at_ += n;
    return true;
  }
  bool take(size_t length_bytes, std::string_view& v) {
    uint64_t n = 0;
    if (!fixed(length_bytes, n) || !has(n)) return false;
    v = {reinterpret_cast<const char*>(bytes_.data() + at_), static_cast<size_t>(n)};
    at_ += static_cast<size_t>(n);
    return true;
  }
  bool line(std::string& v) {
    const void* end = at_ < bytes_.size() ? std::memchr(bytes_.data() + at_, '\n', bytes_.size() - at_) : nullptr;
    if (end == nullptr) return false;
    const auto length = static_cast<size_t>(static_cast<const uint8_t*>(end) - (bytes_.data() + at_));
    v.assign(reinterpret_cast<const char*>(bytes_.data() + at_), length);
    at_ += length + 1;
    return true;
  }
  Pickled& push(Type type) {
    Pickled& v = pickle_.values_.emplace_back();
    v.type = type;
    stack_.push_back(&v);
    return v;
  }
  bool push_integer(int64_t v) {
    push(Type::Integer).integer = v;
    return true;
  }
  bool push_text(size_t length_bytes) {
    std::string_view v;
    if (!take(length_bytes, v)) return false;
    push(Type::Text).text = v;
    return true;
  }
  // Two's complement of any length, as far as 64 bits hold it.
  bool push_long(size_t length_bytes) {
    std::string_view v;
    if (!take(length_bytes, v)) return false;
    uint64_t bits = !v.empty() && (v.back() & 0x80) != 0 ? UINT64_MAX : 0;
    for (size_t i = std::min<size_t>(v.size(), 8); i-- > 0;) bits = bits << 8 | static_cast<uint8_t>(v[i]);
    return push_integer(static_cast<int64_t>(bits));
  }

  bool values(uint8_t op) {
    uint64_t n = 0;
    std::string text;
    switch (op) {
      case 0x80: return fixed(1, n) && n <= 5;
      case 0x95: return fixed(8, n) && has(n);
      case 'N': push(Type::None); return true;
      case 0x88: return push_integer(1);
      case 0x89: return push_integer(0);
      case 'K': return fixed(1, n) && push_integer(static_cast<int64_t>(n));
      case 'M': return fixed(2, n) && push_integer(static_cast<int64_t>(n));
      case 'J': return fixed(4, n) && push_integer(static_cast<int32_t>(static_cast<uint32_t>(n)));
      case 0x8a: return push_long(1);
      case 0x8b: return push_long(4);
      case 'I':
      case 'L': return line(text) && push_integer(std::strtoll(text.c_str(), nullptr, 10));
      case 'F':
        if (!line(text)) return false;
        push(Type::Real).real = std::strtod(text.c_str(), nullptr);
        return true;
      case 'G': {
        if (!fixed(8, n)) return false;
        push(Type::Real).real = __builtin_bit_cast(double, __builtin_bswap64(n));
        return true;
      }
      case 'V':
      case 'S':
        if (!line(text)) return false;
        push(Type::Text).text = text;
        return true;
      case 0x8c:
      case 'U':
      case 'C': return push_text(1);
      case 'X':
      case 'T':
      case 'B': return push_text(4);
      case 0x8d:
      case 0x8e: return push_text(8);
      default: return false;
    }
  }

  bool above_mark(List& items) {
    if (marks_.empty() || marks_.back() > stack_.size()) return false;
    items.assign(stack_.begin() + static_cast<ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return true;
  }
  bool top(size_t n, List& items) {
    if (stack_.size() < n) return false;
    items.assign(stack_.end() - static_cast<ptrdiff_t>(n), stack_.end());
    stack_.resize(stack_.size() - n);
    return true;
  }
  bool make(Type type, List items) {
    push(type).items = std::move(items);
    return true;
  }
  bool append(Type type, const List& items) {
    if (stack_.empty() || stack_.back()->type != type || (type == Type::Dictionary && items.size() % 2 != 0))
      return false;
    auto& to = stack_.back()->items;
    to.insert(to.end(), items.begin(), items.end());
    return true;
  }

  bool containers(uint8_t op) {
    List items;
    switch (op) {
      case '(': marks_.push_back(stack_.size()); return true;
      case '0': return top(1, items);
      case '1': return above_mark(items);
      case '2':
        if (stack_.empty()) return false;
        stack_.push_back(stack_.back());
        return true;
      case ']':
      case ')': return make(Type::List, {});
      case '}': return make(Type::Dictionary, {});
      case 'l':
      case 't': return above_mark(items) && make(Type::List, std::move(items));
      case 'd': return above_mark(items) && items.size() % 2 == 0 && make(Type::Dictionary, std::move(items));
      case 0x85:
      case 0x86:
      case 0x87: return top(op - 0x84u, items) && make(Type::List, std::move(items));
      case 'a': return top(1, items) && append(Type::List, items);
      case 'e': return above_mark(items) && append(Type::List, items);
      case 's': return top(2, items) && append(Type::Dictionary, items);
      case 'u': return above_mark(items) && append(Type::Dictionary, items);
      default: return false;
    }
  }

  bool remember(uint64_t key) {
    if (stack_.empty()) return false;
    memo_[key] = stack_.back();
    return true;
  }
  bool recall(uint64_t key) {
    const auto it = memo_.find(key);
    if (it == memo_.end()) return false;
    stack_.push_back(it->second);
    return true;
  }
  bool memory(uint8_t op) {
    uint64_t n = 0;
    std::string text;
    switch (op) {
      case 0x94: return remember(memo_.size());
      case 'q': return fixed(1, n) && remember(n);
      case 'r': return fixed(4, n) && remember(n);
      case 'p': return line(text) && remember(std::strtoull(text.c_str(), nullptr, 10));
      case 'h': return fixed(1, n) && recall(n);
      case 'j': return fixed(4, n) && recall(n);
      case 'g': return line(text) && recall(std::strtoull(text.c_str(), nullptr, 10));
      default: return false;
    }
  }

  ByteSpan bytes_;
  Pickle& pickle_;
  size_t at_ = 0, op_at_ = 0;
  std::vector<Pickled*> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, Pickled*> memo_;
};

Result<Pickle> Pickle::read(ByteSpan bytes, const std::string& name) {
  Pickle pickle;
  PickleReader reader(bytes, pickle);
  if (!reader.run())
    return Error{
        fmt::format("{}: the pickle is broken, or holds more than plain values, at byte {}.", name, reader.where())};
  return pickle;
}

}  // namespace arenascope::audit
