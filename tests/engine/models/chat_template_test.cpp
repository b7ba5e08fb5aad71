// SPDX-License-Identifier: MIT
// Chat templates compared with Jinja 3.1 (with trim_blocks and lstrip_blocks).
#include <arenascope/models/chat_template.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/engine/models/gguf_maker.h"

using namespace arenascope;
using namespace arenascope::models;

namespace {

const std::vector<ChatMessage> kLong{
    {"system", "Be  brief. "}, {"user", " Hi there "}, {"assistant", "Hello"}, {"user", "And now?"}};
const std::vector<ChatMessage> kEmpty{{"user", ""}};

std::string rendered(std::string_view text, const std::vector<ChatMessage>& messages, bool answer = true) {
  auto parsed = ChatTemplate::parse(text, "<s>", "</s>");
  if (!parsed) return "refused: " + parsed.error().message;
  auto out = parsed->render(messages, answer);
  return out ? *out : "refused: " + out.error().message;
}

constexpr std::string_view kIterations = R"({% for m in messages %}
    {{- '<|begin|>' + m['role'] + '\n' -}}
    {%- if m.content is string and not m.content == '' %}{{ m.content | trim }}{% else %}(nothing){% endif %}
{{ '<|end|>\n' }}
{%- endfor %}
{% if add_generation_prompt %}{{ '<|begin|>assistant\n' }}{% endif %})";

constexpr std::string_view kAlternating = R"({%- if messages[0]['role'] == 'system' -%}
  {%- set system = messages[0]['content'] | trim -%}
  {%- set rest = messages[1:] -%}
{%- else -%}
  {%- set system = none -%}
  {%- set rest = messages -%}
{%- endif -%}
{%- for m in rest -%}
  {%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) -%}
    {{ raise_exception('roles must alternate') }}
  {%- endif -%}
  {%- if loop.first and system is not none -%}
    {%- set text = '<<' ~ system ~ '>> ' + m['content'] -%}
  {%- else -%}
    {%- set text = m['content'] -%}
  {%- endif -%}
  {{- bos_token + '[ASK] ' + text.strip() + ' [/ASK]' if m.role == 'user' else ' ' + text + ' ' + eos_token -}}
{%- endfor -%})";

constexpr std::string_view kCounted = R"({# a comment #}
{% set ns = namespace(n=0, names=[]) %}
{% for m in messages if m.role != 'system' %}
{% set ns.n = ns.n + 1 %}
{% set ns.names = ns.names + [m.role | upper] %}
{{ loop.index }}/{{ loop.length }} {{ m.content.split(' ')[-1] }}{% if not loop.last %}, {% endif %}

{% else %}
nothing
{% endfor %}
{{ ns.n }} {{ ns.names | join('+') }} {{ messages | length }} {{ {'a': [1, true, none], 'b': 'x"y'} | tojson }}
  {% if ns.n in [1, 2] %}
few{% elif ns.n > 2 and 'USER' in ns.names %}
many{% endif %}
 {{ missing is defined }} {{ missing | default('?') }}{{ messages[-1].content[1:3] }}{{ (7 // 2) * 3 - 10 % 4 }}
)";

}  // namespace

TEST_CASE("chat templates give the texts of Jinja") {
  CHECK(rendered(kIterations, kLong) ==
        "<|begin|>system\nBe  brief.<|end|>\n<|begin|>user\nHi there<|end|>\n<|begin|>assistant\nHello<|end|>\n"
        "<|begin|>user\nAnd now?<|end|>\n<|begin|>assistant\n");
  CHECK(rendered(kIterations, kEmpty, false) == "<|begin|>user\n(nothing)<|end|>\n");
  CHECK(rendered(kAlternating, kLong) == "<s>[ASK] <<Be  brief.>>  Hi there [/ASK] Hello </s><s>[ASK] And now? [/ASK]");
  CHECK(rendered(kAlternating, kEmpty) == "<s>[ASK]  [/ASK]");
  CHECK(rendered(kCounted, kLong) ==
        "1/3 , \n2/3 Hello, \n3/3 now?\n3 USER+ASSISTANT+USER 4 {\"a\": [1, true, null], \"b\": \"x\\\"y\"}\n"
        "many False ?nd7");
  CHECK(rendered(kCounted, kEmpty) == "1/1 \n1 USER 1 {\"a\": [1, true, null], \"b\": \"x\\\"y\"}\nfew False ?7");
}

TEST_CASE("a template that cannot be rendered is an error with the reason") {
  CHECK(rendered(kAlternating, {{"assistant", "a"}}) == "refused: the chat template: roles must alternate");
  for (const char* text :
       {"{% for m in messages %}", "{% if a %}{% else %}", "{{ a", "{{ a b }}", "{{ 'a }}", "{{ a[ }}",
        "{% macro a() %}{% endmacro %}", "{{ a | unheard }}", "{{ f(1) }}", "{{ 'a' + 1 }}", "{% set x %}",
        "{% for m of a %}{% endfor %}", "{{ 1 // 0 }}", "{{ a is odd_one }}"}) {
    CAPTURE(text);
    CHECK(rendered(text, kLong).starts_with("refused: "));
  }
  CHECK(rendered(std::string(100000, '('), kLong) == std::string(100000, '('));
  CHECK(rendered("{{ " + std::string(100000, '(') + " }}", kLong).starts_with("refused: "));
  CHECK(rendered("{{ " + std::string(100000, '-') + "1 }}", kLong).starts_with("refused: "));
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "{% if true %}";
  CHECK(rendered(deep, kLong).starts_with("refused: "));
  std::string loops, ends;
  for (int i = 0; i < 6; ++i) loops += "{% for a in range(60000) %}", ends += "{% endfor %}";
  CHECK(rendered(loops + ends, kLong).find("executed steps") != std::string::npos);
  CHECK(rendered(loops + "0123456789abcdef" + ends, kLong).starts_with("refused: "));
}

TEST_CASE("a template uses the begin and end tokens of its vocabulary") {
  test::GgufMaker maker;
  maker.text("general.architecture", "llama").texts("tokenizer.ggml.tokens", {"<a>", "<b>"});
  maker.integer("tokenizer.ggml.bos_token_id", 1).integer("tokenizer.ggml.eos_token_id", 9);
  const auto path = std::filesystem::temp_directory_path() / "arenascope_chat_test.gguf";
  const auto write = [&] {
    const auto bytes = maker.bytes();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  write();
  auto none = ChatTemplate::open(path);
  REQUIRE(!none.ok());
  CHECK(none.error().message.find("no chat template") != std::string::npos);
  maker.text("tokenizer.chat_template", "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}!");
  write();
  auto opened = ChatTemplate::open(path);
  REQUIRE(opened.ok());
  CHECK(*opened->render({{"user", "x"}}, true) == "<b>x!");
  std::filesystem::remove(path);
}
