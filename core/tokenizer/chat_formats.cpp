#include "core/tokenizer/chat_formats.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <string_view>

#include "core/base/error.h"
#include "core/tokenizer/python_text.h"

namespace cospadi {

namespace {

using Messages = std::vector<ChatMessage>;

constexpr const char* kMustAlternate =
    "Conversation roles must alternate user/assistant/user/assistant/...";
constexpr const char* kMustAlternateAfterSystem =
    "After the optional system message, conversation roles must alternate "
    "user/assistant/user/assistant/...";
constexpr const char* kOnlyTwoRoles = "Only user and assistant roles are supported!";
constexpr const char* kTwoRolesAndSystem =
    "Only user and assistant roles are supported, with the exception of an initial optional system "
    "message!";

// The words of the template itself.
[[noreturn]] void refuseTurns(const char* words) {
    throw Error(words, "messages", "required by the model's chat template");
}

bool isSystemFirst(const Messages& messages) { return messages.front().role == "system"; }

// Those after a system message at the beginning.
Messages withoutSystem(const Messages& messages) {
    return {messages.begin() + (isSystemFirst(messages) ? 1 : 0), messages.end()};
}

void requireTurn(const ChatMessage& message, std::size_t index, const char* words) {
    if ((message.role == "user") != (index % 2 == 0)) {
        refuseTurns(words);
    }
}

// Also Qwen2 and Qwen2.5, with a system message of their own.
std::string chatml(const Conversation& c) {
    std::string text;
    if (c.system && !isSystemFirst(c.messages)) {
        text = "<|im_start|>system\n" + *c.system + "<|im_end|>\n";
    }
    for (const ChatMessage& message : c.messages) {
        text += "<|im_start|>" + message.role + "\n" + message.content + "<|im_end|>\n";
    }
    return text + "<|im_start|>assistant\n";
}

// Thoughts of earlier answers are left out, those after the last question stay.
std::string qwen3(const Conversation& c) {
    const Messages& messages = c.messages;
    std::size_t question = messages.size() - 1;
    for (std::size_t i = messages.size(); i-- > 0;) {
        const std::string& content = messages[i].content;
        const bool isToolAnswer =
            content.starts_with("<tool_response>") && content.ends_with("</tool_response>");
        if (messages[i].role == "user" && !isToolAnswer) {
            question = i;
            break;
        }
    }
    std::string text;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const ChatMessage& message = messages[i];
        std::string content = message.content;
        if (message.role == "assistant") {
            std::string thoughts;
            if (content.find("</think>") != std::string::npos) {
                thoughts = beforeFirst(message.content, "</think>");
                thoughts = stripped(afterLast(stripped(thoughts, "\n", Strip::Right), "<think>"),
                                    "\n", Strip::Left);
                content = stripped(afterLast(message.content, "</think>"), "\n", Strip::Left);
            }
            if (i > question && (i + 1 == messages.size() || !thoughts.empty())) {
                content = "<think>\n" + stripped(thoughts, "\n") + "\n</think>\n\n" +
                          stripped(content, "\n", Strip::Left);
            }
        }
        text += "<|im_start|>" + message.role + "\n" + content + "<|im_end|>\n";
    }
    return text + "<|im_start|>assistant\n" +
           (c.settings.enableThinking.value_or(true) ? "" : "<think>\n\n</think>\n\n");
}

std::string llama2(const Conversation& c) {
    const Messages turns = withoutSystem(c.messages);
    std::string text;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        requireTurn(turns[i], i, kMustAlternate);
        std::string content = turns[i].content;
        if (i == 0 && isSystemFirst(c.messages)) {
            content = "<<SYS>>\n" + c.messages.front().content + "\n<</SYS>>\n\n" + content;
        }
        if (turns[i].role == "user") {
            text += c.tokens.bos + "[INST] " + stripped(content) + " [/INST]";
        } else if (turns[i].role == "assistant") {
            text += " " + stripped(content) + " " + c.tokens.eos;
        }
    }
    return text;
}

std::string llama3Turn(const std::string& role, const std::string& content) {
    return "<|start_header_id|>" + role + "<|end_header_id|>\n\n" + content;
}

std::string llama3(const Conversation& c) {
    std::string text = c.tokens.bos;
    for (const ChatMessage& message : c.messages) {
        text += llama3Turn(message.role, stripped(message.content) + "<|eot_id|>");
    }
    return text + llama3Turn("assistant", "");
}

std::string llama3WithDate(const Conversation& c, const std::string& date) {
    std::string system = "Cutting Knowledge Date: December 2023\nToday Date: " + date + "\n\n";
    if (isSystemFirst(c.messages)) {
        system += stripped(c.messages.front().content);
    }
    std::string text = c.tokens.bos + llama3Turn("system", system + "<|eot_id|>");
    for (const ChatMessage& message : withoutSystem(c.messages)) {
        text += llama3Turn(message.role, stripped(message.content) + "<|eot_id|>");
    }
    return text + llama3Turn("assistant", "");
}

std::string llama31(const Conversation& c) {
    const std::string& date = c.settings.dateString;
    return llama3WithDate(c, date.empty() ? "26 Jul 2024" : date);
}

std::string llama32(const Conversation& c) {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const std::string& date = c.settings.dateString;
    return llama3WithDate(c, date.empty() ? fmt::format("{:%d %b %Y}", fmt::localtime(now)) : date);
}

std::string mistral(const Conversation& c) {
    std::string text = c.tokens.bos;
    for (std::size_t i = 0; i < c.messages.size(); ++i) {
        const ChatMessage& message = c.messages[i];
        requireTurn(message, i, kMustAlternate);
        if (message.role == "user") {
            text += "[INST] " + message.content + " [/INST]";
        } else if (message.role == "assistant") {
            text += message.content + c.tokens.eos;
        } else {
            refuseTurns(kOnlyTwoRoles);
        }
    }
    return text;
}

std::string mistralV1(const Conversation& c) {
    const Messages turns = withoutSystem(c.messages);
    std::string text = c.tokens.bos;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        requireTurn(turns[i], i, kMustAlternateAfterSystem);
        if (turns[i].role == "user") {
            const bool takesSystem = i == 0 && isSystemFirst(c.messages);
            text += " [INST] " + (takesSystem ? c.messages.front().content + "\n\n" : "") +
                    turns[i].content + " [/INST]";
        } else if (turns[i].role == "assistant") {
            text += " " + turns[i].content + c.tokens.eos;
        } else {
            refuseTurns(kTwoRolesAndSystem);
        }
    }
    return text;
}

// The system message stands before the last question.
std::string mistralV3Like(const Conversation& c, const char* space, bool strips) {
    const Messages turns = withoutSystem(c.messages);
    for (std::size_t i = 0; i < turns.size(); ++i) {
        requireTurn(turns[i], i, kMustAlternateAfterSystem);
    }
    std::string text = c.tokens.bos;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        if (turns[i].role == "user") {
            const bool takesSystem = i + 1 == turns.size() && isSystemFirst(c.messages);
            text += std::string("[INST]") + space +
                    (takesSystem ? c.messages.front().content + "\n\n" : "") + turns[i].content +
                    "[/INST]";
        } else if (turns[i].role == "assistant") {
            text += space + (strips ? stripped(turns[i].content) : turns[i].content) + c.tokens.eos;
        } else {
            refuseTurns(kTwoRolesAndSystem);
        }
    }
    return text;
}

std::string mistralV3(const Conversation& c) { return mistralV3Like(c, " ", true); }
std::string mistralTekken(const Conversation& c) { return mistralV3Like(c, "", false); }

std::string mistralV7(const Conversation& c) {
    std::string text = c.tokens.bos;
    for (const ChatMessage& message : c.messages) {
        if (message.role == "user") {
            text += "[INST] " + message.content + "[/INST]";
        } else if (message.role == "system") {
            text += "[SYSTEM_PROMPT] " + message.content + "[/SYSTEM_PROMPT]";
        } else {
            text += " " + message.content + c.tokens.eos;
        }
    }
    return text;
}

std::string zephyr(const Conversation& c) {
    std::string text;
    for (const ChatMessage& message : c.messages) {
        text += "<|" + message.role + "|>\n" + message.content + c.tokens.eos + "\n";
    }
    return text + "<|assistant|>\n";
}

std::string phi35(const Conversation& c) {
    std::string text;
    for (const ChatMessage& message : c.messages) {
        if (message.role != "system" || !message.content.empty()) {
            text += "<|" + message.role + "|>\n" + message.content + "<|end|>\n";
        }
    }
    return text + "<|assistant|>\n";
}

std::string gemma(const Conversation& c) {
    if (isSystemFirst(c.messages)) {
        refuseTurns("System role not supported");
    }
    std::string text = c.tokens.bos;
    for (std::size_t i = 0; i < c.messages.size(); ++i) {
        const ChatMessage& message = c.messages[i];
        requireTurn(message, i, kMustAlternate);
        text += "<start_of_turn>" + (message.role == "assistant" ? "model" : message.role) + "\n" +
                stripped(message.content) + "<end_of_turn>\n";
    }
    return text + "<start_of_turn>model\n";
}

// Its distilled Llama and Qwen models: of system messages the last counts, thoughts are left out.
std::string deepseekR1(const Conversation& c) {
    std::string system;
    std::string text;
    for (const ChatMessage& message : c.messages) {
        if (message.role == "system") {
            system = message.content;
        } else if (message.role == "user") {
            text += "<｜User｜>" + message.content;
        } else {
            text += "<｜Assistant｜>" + afterLast(message.content, "</think>") +
                    "<｜end▁of▁sentence｜>";
        }
    }
    return c.tokens.bos + system + text + "<｜Assistant｜><think>\n";
}

}  // namespace

const std::vector<ChatFormat>& chatFormats() {
    static const std::vector<ChatFormat> formats = {
        {"chatml",
         chatml,
         "<|im_end|>",
         {"afa603099ba0871808fd7017871f18a200457214a785d754f57be4a7c84aee98",
          "6c56e9802f7139cdb0da9f1a3ed9276cb2d3344e873139fbf7e14b1e18f18dd3",
          "58dbcabb709cc558426f679e04076a47276a0ca6f464933c9bdc771bee4cdac9"}},
        {"qwen3",
         qwen3,
         "<|im_end|>",
         {"24f7a815ffc95e66201b17fa000dc71974c415ec7034bfd71b8221009d1385a8"},
         true,
         false},
        {"llama-2",
         llama2,
         "",
         {"b2d41cf3f9bb6212656d6ec8c6cdb6dfd588d981f6314c835afc0c31459e60ca"}},
        {"llama-3",
         llama3,
         "<|eot_id|>",
         {"fa4a364d99e6124d293b5c0a570eaebe1ba0b1f78a4e00c18aa790a1ce84a42c",
          "fd1083d41ca9a66414ad657c5b32b8bf7b7a6c0184ce5b674455b7f8e911f40b"}},
        {"llama-3.1",
         llama31,
         "<|eot_id|>",
         {"636b4fdab914bf7fa0249b90548c7ae952037f80990a6e50e33d4100fefc84c5"},
         false,
         true},
        {"llama-3.2",
         llama32,
         "<|eot_id|>",
         {"92329d5b24dd0f0d2b37a6860478b4e2a2ebd41984233cea133f398c8fbdd730"},
         false,
         true},
        {"mistral",
         mistral,
         "",
         {"ef44f248b637f9b87cec72fa0f58f638be9599735ff9afc3eeec9f0e8211c04c"}},
        {"mistral-v1",
         mistralV1,
         "",
         {"f838fbd1a8f309742a98252e624cc6683f6baeecf70f9753e54fdf20ea96c1f5"}},
        {"mistral-v3",
         mistralV3,
         "",
         {"4e89cb7fdeee6f91d81708a426e3091dcf224a9ad4753965b978264b174863ea"}},
        {"mistral-v3-tekken",
         mistralTekken,
         "",
         {"4c3d3f167c6c177d5e4ec8482525f754c8aa528266ef76378e0fea19f5bfdfce"}},
        {"mistral-v7",
         mistralV7,
         "",
         {"01ee4b8a68ca38e1f2455fb3df3008f089ded81f9762a502d32f0599e98d6732"}},
        {"zephyr",
         zephyr,
         "",
         {"ad3f83095de9165417f8027cc7c236a4508d6805ec2ae2729d03662c670b92a3"}},
        {"phi-3.5",
         phi35,
         "<|end|>",
         {"d82c47999b6aa3b9418640d3ba901ff0b048f1a9e569817b2a1e6391e4e1e98d"}},
        {"gemma",
         gemma,
         "<end_of_turn>",
         {"cbf559dd4431544c7f1ee49f861cba66bbae5cc9eecd0070b36640223dc590c8"}},
        {"deepseek-r1",
         deepseekR1,
         "<｜end▁of▁sentence｜>",
         {"ab32fdd9dba516ed17cfe7ad238cb439c995955cbb866ee378c98449ed622691"}},
    };
    return formats;
}

}  // namespace cospadi
