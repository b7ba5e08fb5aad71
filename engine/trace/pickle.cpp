// SPDX-License-Identifier: MIT
// Follows the opcode list in the documentation of CPython's pickletools.
#include "engine/trace/pickle.h"

#include <algorithm>
#include <new>
#include <unordered_map>

namespace arenascope::trace {

const PickleValue* PickleValue::get(std::string_view key) const {
  if (type != Dict) return nullptr;
  const size_t looked_at = std::min<size_t>(items.size(), 2 * kKeysLookedAt);
  for (size_t i = 0; i + 1 < looked_at; i += 2) {
    if (items[i]->type == Text && items[i]->text == key) return items[i + 1];
  }
  return nullptr;
}

std::string_view PickleValue::text_of(std::string_view key) const {
  const PickleValue* v = get(key);
  return v != nullptr && v->type == Text ? v->text : std::string_view();
}

int64_t PickleValue::integer_of(std::string_view key, int64_t otherwise) const {
  const PickleValue* v = get(key);
  return v != nullptr && (v->type == Integer || v->type == Bool) ? v->integer : otherwise;
}

namespace {

class Machine {
 public:
  Machine(ByteSpan bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  Result<Pickle> run() {
    while (cursor_ < bytes_.size()) {
      const size_t op_offset = cursor_;
      const uint8_t op = bytes_[cursor_++];
      if (op == '.') {
        if (stack_.empty()) return broken(op_offset);
        pickle_.root = stack_.back();
        return std::move(pickle_);
      }
      if (!step(op)) return refused_.empty() ? broken(op_offset) : Result<Pickle>(Error{refused_});
    }
    return Error{name_ + ": the pickle ends after " + std::to_string(bytes_.size()) + " bytes without a STOP opcode."};
  }

 private:
  using V = PickleValue;

  Error broken(size_t offset) const {
    return Error{name_ + ": the pickle is malformed at byte " + std::to_string(offset) + "."};
  }
  bool refuse(std::string what) {
    refused_ = name_ + ": the pickle contains " + what + ", which is code or an object; the file was not opened.";
    return false;
  }

  bool read_bytes(size_t n, ByteSpan& out) {
    if (n > bytes_.size() - cursor_) return false;
    out = bytes_.subspan(cursor_, n);
    cursor_ += n;
    return true;
  }
  bool number(size_t n, uint64_t& out) {
    ByteSpan b;
    if (!read_bytes(n, b)) return false;
    out = 0;
    for (size_t i = 0; i < n; ++i) out |= uint64_t{b[i]} << (8 * i);
    return true;
  }
  bool read_line(std::string& out) {
    out.clear();
    while (cursor_ < bytes_.size() && bytes_[cursor_] != '\n') {
      const uint8_t c = bytes_[cursor_++];
      if (out.size() < 200) out += c >= 0x20 && c < 0x7f ? static_cast<char>(c) : '?';
    }
    if (cursor_ == bytes_.size()) return false;
    ++cursor_;
    return true;
  }
  V& make(V::Type type) {
    V& v = pickle_.values.emplace_back();
    v.type = type;
    stack_.push_back(&v);
    return v;
  }
  bool integer(int64_t v) {
    make(V::Integer).integer = v;
    return true;
  }
  bool text(V::Type type, size_t length_bytes) {
    uint64_t n = 0;
    ByteSpan b;
    if (!number(length_bytes, n) || n > bytes_.size() || !read_bytes(static_cast<size_t>(n), b)) return false;
    make(type).text = {reinterpret_cast<const char*>(b.data()), b.size()};
    return true;
  }
  // Reads a little-endian two's complement integer of any length, clamped to 64 bits.
  bool long_number(size_t length_bytes) {
    uint64_t n = 0;
    ByteSpan b;
    if (!number(length_bytes, n) || n > bytes_.size() || !read_bytes(static_cast<size_t>(n), b)) return false;
    if (b.empty()) return integer(0);
    const bool negative = (b.back() & 0x80) != 0;
    uint64_t v = negative ? UINT64_MAX : 0;
    for (size_t i = 0; i < b.size(); ++i) {
      if (i < 8) {
        v = (v & ~(uint64_t{0xff} << (8 * i))) | uint64_t{b[i]} << (8 * i);
      } else if (b[i] != (negative ? 0xff : 0)) {
        return integer(negative ? INT64_MIN : INT64_MAX);
      }
    }
    const auto s = static_cast<int64_t>(v);
    if ((s < 0) != negative) return integer(negative ? INT64_MIN : INT64_MAX);
    return integer(s);
  }

  // Pops the topmost mark and returns the items above it.
  bool above_mark(std::vector<const V*>& items) {
    if (marks_.empty() || marks_.back() > stack_.size()) return false;
    const auto from = stack_.begin() + static_cast<ptrdiff_t>(marks_.back());
    items.assign(from, stack_.end());
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return true;
  }
  bool tuple_of(size_t n) {
    if (stack_.size() < n + (marks_.empty() ? 0 : marks_.back())) return false;
    std::vector<const V*> items(stack_.end() - static_cast<ptrdiff_t>(n), stack_.end());
    stack_.resize(stack_.size() - n);
    make(V::List).items = std::move(items);
    return true;
  }
  bool append_to(V::Type type, const std::vector<const V*>& items) {
    if (stack_.empty() || stack_.back()->type != type || (type == V::Dict && items.size() % 2 != 0)) return false;
    auto& to = stack_.back()->items;
    to.insert(to.end(), items.begin(), items.end());
    return true;
  }
  bool pop(size_t n, std::vector<const V*>& items) {
    if (stack_.size() < n + 1) return false;
    items.assign(stack_.end() - static_cast<ptrdiff_t>(n), stack_.end());
    stack_.resize(stack_.size() - n);
    return true;
  }
  bool remember(uint64_t key) {
    if (stack_.empty()) return false;
    memo_[key] = stack_.back();
    return true;
  }
  bool recall(size_t length_bytes) {
    uint64_t key = 0;
    if (!number(length_bytes, key)) return false;
    const auto it = memo_.find(key);
    if (it == memo_.end()) return false;
    stack_.push_back(it->second);
    return true;
  }
  static std::string shown(const V* v) {
    std::string out;
    if (v->type == V::Text) {
      for (char c : v->text.substr(0, 200)) out += c >= 0x20 && c < 0x7f ? c : '?';
    }
    return out;
  }

  // Opcode families, most frequent first; each forwards unknown opcodes to the next. False: malformed or refused.
  bool step(uint8_t op) { return scalar(op); }

  bool scalar(uint8_t op) {
    uint64_t n = 0;
    ByteSpan b;
    switch (op) {
      case 'N': make(V::None); return true;
      case 0x88: make(V::Bool).integer = 1; return true;
      case 0x89: make(V::Bool).integer = 0; return true;
      case 'J': return number(4, n) && integer(static_cast<int32_t>(n));  // BININT
      case 'K': return number(1, n) && integer(static_cast<int64_t>(n));  // BININT1
      case 'M': return number(2, n) && integer(static_cast<int64_t>(n));  // BININT2
      case 0x8a: return long_number(1);                                   // LONG1
      case 0x8b: return long_number(4);                                   // LONG4
      case 'G': {                                                         // BINFLOAT, big-endian
        if (!read_bytes(8, b)) return false;
        for (size_t i = 0; i < 8; ++i) n = n << 8 | b[i];
        make(V::Real).real = __builtin_bit_cast(double, n);
        return true;
      }
      case 0x8c: return text(V::Text, 1);  // SHORT_BINUNICODE
      case 'X': return text(V::Text, 4);   // BINUNICODE
      case 0x8d: return text(V::Text, 8);  // BINUNICODE8
      case 'U': return text(V::Text, 1);   // SHORT_BINSTRING
      case 'T': return text(V::Text, 4);   // BINSTRING
      case 'C': return text(V::Raw, 1);    // SHORT_BINBYTES
      case 'B': return text(V::Raw, 4);    // BINBYTES
      case 0x8e:                           // BINBYTES8
      case 0x96: return text(V::Raw, 8);   // BYTEARRAY8
      default: return memo(op);
    }
  }

  bool memo(uint8_t op) {
    uint64_t n = 0;
    switch (op) {
      case 'q': return number(1, n) && remember(n);  // BINPUT
      case 'r': return number(4, n) && remember(n);  // LONG_BINPUT
      case 0x94: return remember(memo_.size());      // MEMOIZE
      case 'h': return recall(1);                    // BINGET
      case 'j': return recall(4);                    // LONG_BINGET
      default: return container(op);
    }
  }

  bool container(uint8_t op) {
    std::vector<const V*> items;
    switch (op) {
      case ']':                                                          // EMPTY_LIST
      case ')':                                                          // EMPTY_TUPLE
      case 0x8f: make(V::List); return true;                             // EMPTY_SET
      case '}': make(V::Dict); return true;                              // EMPTY_DICT
      case 'a': return pop(1, items) && append_to(V::List, items);       // APPEND
      case 'e':                                                          // APPENDS
      case 0x90: return above_mark(items) && append_to(V::List, items);  // ADDITEMS
      case 's': return pop(2, items) && append_to(V::Dict, items);       // SETITEM
      case 'u': return above_mark(items) && append_to(V::Dict, items);   // SETITEMS
      case 'l':                                                          // LIST
      case 't':                                                          // TUPLE
      case 0x91:                                                         // FROZENSET
        if (!above_mark(items)) return false;
        make(V::List).items = std::move(items);
        return true;
      case 'd':  // DICT
        if (!above_mark(items) || items.size() % 2 != 0) return false;
        make(V::Dict).items = std::move(items);
        return true;
      case 0x85: return tuple_of(1);
      case 0x86: return tuple_of(2);
      case 0x87: return tuple_of(3);
      default: return stack(op);
    }
  }

  bool stack(uint8_t op) {
    uint64_t n = 0;
    std::vector<const V*> items;
    switch (op) {
      case 0x80: return number(1, n) && n <= 5;                        // PROTO
      case 0x95: return number(8, n) && n <= bytes_.size() - cursor_;  // FRAME
      case '(': marks_.push_back(stack_.size()); return true;          // MARK
      case '0':                                                        // POP
        if (!marks_.empty() && marks_.back() == stack_.size()) return marks_.pop_back(), true;
        if (stack_.empty()) return false;
        return stack_.pop_back(), true;
      case '1': return above_mark(items);                                           // POP_MARK
      case '2': return !stack_.empty() && (stack_.push_back(stack_.back()), true);  // DUP
      default: return code(op);
    }
  }

  // Refuses opcodes that would run code or build objects, with an error that names them.
  bool code(uint8_t op) {
    uint64_t n = 0;
    std::string module, member;
    switch (op) {
      case 'c':  // GLOBAL
      case 'i':  // INST
        if (!read_line(module) || !read_line(member)) return false;
        return refuse(module + "." + member);
      case 0x93: {  // STACK_GLOBAL
        if (stack_.size() < 2) return false;
        return refuse(shown(stack_[stack_.size() - 2]) + "." + shown(stack_.back()));
      }
      case 'R': return refuse("a call (REDUCE)");
      case 'b': return refuse("an object's state (BUILD)");
      case 'o': return refuse("an object (OBJ)");
      case 0x81: return refuse("an object (NEWOBJ)");
      case 0x92: return refuse("an object (NEWOBJ_EX)");
      case 0x82: return number(1, n) && refuse("extension " + std::to_string(n));
      case 0x83: return number(2, n) && refuse("extension " + std::to_string(n));
      case 0x84: return number(4, n) && refuse("extension " + std::to_string(n));
      case 'P': return read_line(module) && refuse("the persistent object " + module);
      case 'Q': return refuse("a persistent object");
      case 0x97: return refuse("an out-of-band buffer");
      default: return false;
    }
  }

  ByteSpan bytes_;
  size_t cursor_ = 0;
  const std::string name_;
  std::string refused_;
  Pickle pickle_;
  std::vector<V*> stack_;
  std::vector<size_t> marks_;  // stack sizes
  std::unordered_map<uint64_t, V*> memo_;
};

}  // namespace

Result<Pickle> read_pickle(ByteSpan bytes, const std::string& name) {
  try {
    return Machine(bytes, name).run();
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the pickle."};
  }
}

}  // namespace arenascope::trace
