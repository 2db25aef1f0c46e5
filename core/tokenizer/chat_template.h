// A conversation as the one text that a chat model was trained to go on with.
//
// Models carry this as a Jinja program (tokenizer_config.json, chat_template.jinja, GGUF's
// tokenizer.chat_template). Here stands a list of such programs instead of an interpreter
// (docs/decisions/0020-chat-templates.md): a model's text is recognised as a whole, never guessed
// from a part, and what is rendered is to the byte what jinja2 makes of it for messages of text,
// without tools, with add_generation_prompt. Special tokens stand in the text as their strings, the
// begin token, too, where the program writes it: encode with parseSpecial and without addSpecial.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cospadi {

struct ChatFormat;

struct ChatMessage {
    std::string role;  // system, user or assistant
    std::string content;
};

// What a conversation may say to the program beside its messages.
struct ChatSettings {
    std::optional<bool> enableThinking;  // Qwen3's switch; absent: the model thinks
    std::string dateString;              // of Llama 3.1 and 3.2; empty: the program's own
};

class ChatTemplate {
  public:
    struct Tokens {
        std::string bos, eos;  // as text; empty where the model has none
    };

    // Throws Error for a text that is none of the list.
    static ChatTemplate ofText(const std::string& text, Tokens tokens);
    // One of names(), whatever the model carries. Throws Error for another name.
    static ChatTemplate named(const std::string& name, Tokens tokens);
    static std::vector<std::string> names();

    std::string name() const;
    // The text of the token with which the assistant ends; empty: the model's end of sequence.
    std::string endOfTurn() const;

    // At least one message. Throws Error, where() being the field of the request that is at fault,
    // for roles or an order of them that the program refuses, and for settings it does not have.
    std::string render(const std::vector<ChatMessage>& messages,
                       const ChatSettings& settings = {}) const;

  private:
    ChatTemplate(const ChatFormat& format, Tokens tokens, std::optional<std::string> system);

    const ChatFormat* m_format;
    Tokens m_tokens;
    std::optional<std::string> m_system;  // said first where a conversation has no system message
};

}  // namespace cospadi
