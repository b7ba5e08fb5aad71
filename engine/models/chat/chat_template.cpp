// SPDX-License-Identifier: MIT
#include <arenascope/models/chat_template.h>

#include <fmt/format.h>

#include "engine/models/chat/template.h"
#include "engine/models/gguf/gguf.h"

namespace arenascope::models {

struct ChatTemplate::Parsed {
  chat::Template text;
  std::string begin, end, title;
};

ChatTemplate::ChatTemplate(std::unique_ptr<Parsed> parsed) : parsed_(std::move(parsed)) {}
ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

Result<ChatTemplate> ChatTemplate::parse(std::string_view text, std::string begin, std::string end) {
  auto parsed = chat::Template::parse(text);
  if (!parsed) return Error{fmt::format("the chat template: {}", parsed.error().message)};
  return ChatTemplate(
      std::make_unique<Parsed>(Parsed{std::move(*parsed), std::move(begin), std::move(end), "the chat template"}));
}

Result<ChatTemplate> ChatTemplate::open(const std::filesystem::path& path) {
  auto file = GgufFile::open(path);
  if (!file) return file.error();
  const auto text = file->text("tokenizer.chat_template");
  if (!text) return Error{fmt::format("{}: it has no chat template", path.string())};
  const auto names = file->texts("tokenizer.ggml.tokens");
  const auto called = [&](const char* key) {
    const auto id = file->integer(key);
    return id && names && *id >= 0 && *id < static_cast<int64_t>(names->size()) ? (*names)[static_cast<size_t>(*id)]
                                                                                : std::string();
  };
  auto out = parse(*text, called("tokenizer.ggml.bos_token_id"), called("tokenizer.ggml.eos_token_id"));
  if (!out) return Error{fmt::format("{}: {}", path.string(), out.error().message)};
  out->parsed_->title = path.string() + ": the chat template";
  return out;
}

Result<std::string> ChatTemplate::render(const std::vector<ChatMessage>& messages, bool answer) const {
  chat::List list;
  for (const ChatMessage& message : messages)
    list.push_back(chat::Value::object({{"role", message.role}, {"content", message.content}}));
  auto out = parsed_->text.render({{"messages", chat::Value::list(std::move(list))},
                                   {"bos_token", parsed_->begin},
                                   {"eos_token", parsed_->end},
                                   {"add_generation_prompt", answer}});
  if (!out) return Error{fmt::format("{}: {}", parsed_->title, out.error().message)};
  return out;
}

}  // namespace arenascope::models
