// SPDX-License-Identifier: MIT
// How a conversation is written as a text: the template that a GGUF file's metadata has (tokenizer.chat_template), in the
// part of Jinja (Ronacher) that published templates use: for, if, set, filters, tests, slices, namespaces; no macros.
#pragma once
#include <arenascope/base/result.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace arenascope::models {

struct ChatMessage {
  std::string role;  // "system", "user", "assistant"
  std::string content;
};

class ChatTemplate {
 public:
  // Reads the template of a GGUF file. Errors name the file: it cannot be read, has no template, or the template uses
  // an unsupported construct.
  static Result<ChatTemplate> open(const std::filesystem::path& path);
  // Parses a template; `begin` and `end` are the values of its variables bos_token and eos_token.
  static Result<ChatTemplate> parse(std::string_view text, std::string begin = {}, std::string end = {});
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  // With `answer` the text ends where the assistant's answer begins. Errors: the template rejects the conversation or uses
  // an unsupported construct.
  Result<std::string> render(const std::vector<ChatMessage>& messages, bool answer) const;

 private:
  struct Parsed;
  explicit ChatTemplate(std::unique_ptr<Parsed> parsed);
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace arenascope::models
