// From tokens back to text: the "decoder" of a tokenizer.json (ByteLevel, Metaspace, Replace,
// ByteFallback, Fuse, Strip, sequences of them; null joins with spaces), one token at a time.
//
// A run of <0xNN> tokens becomes text only as a whole: where it is not valid UTF-8, each of its
// bytes is a U+FFFD. So nothing of a run is known before its last token. Bytes of ByteLevel become
// text as soon as they are characters.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

// What the decoder does, immutable.
class TokenDecoder {
  public:
    // specification: the JSON object, or null. Kinds that are not supported are an Error that names
    // them and `where`.
    TokenDecoder(const nlohmann::json& specification, const std::string& where);

    // The bytes that a token stands for inside a text.
    std::string bytesOf(std::string_view token) const;

  private:
    friend class TokenDecoding;
    enum class Kind { Join, ByteLevel, Metaspace, Replace, ByteFallback, Strip };
    struct Step {
        Kind kind = Kind::Join;
        std::string pattern;              // Replace, Metaspace, Strip: what is replaced or stripped
        std::string content;              // Replace: by what
        std::size_t start = 0, stop = 0;  // Strip: how many characters at most
        bool dropFirst = false;           // Metaspace: the first token loses its marks
        bool fused = false;               // the step sees one long token that arrives in parts
        std::string name;                 // for errors: the file, which step it is, and its kind
    };
    static void requireBytes(std::size_t bytes, std::size_t given, const Step& step);

    void add(const nlohmann::json& specification, const std::string& where, bool& fused);

    std::vector<Step> m_steps;
};

// One text under way; `decoder` must outlive it. Error where a step makes far more of the tokens
// than they are, as steps of a file can that was made to.
class TokenDecoding {
  public:
    explicit TokenDecoding(const TokenDecoder& decoder);

    // Append to out what has become certain; bytes that form no characters become U+FFFD.
    void add(std::string_view token, std::string& out);
    void finish(std::string& out);
    // Ends a run of byte tokens here: its whole characters come out, an unfinished one may go on.
    void settle(std::string& out);

  private:
    struct State {
        bool started = false;
        std::string held;          // bytes of a run, an unfinished character, stripped at the end
        std::size_t stripped = 0;  // characters taken off the front so far
        bool stripping = true;
    };

    void pass(std::size_t step, std::string_view token, std::string& out);
    void finishStep(std::size_t step, std::string& out);
    void passByteLevel(std::size_t step, std::string_view token, std::string& out);
    void flushRun(std::size_t step, std::string& out);
    void passStripFused(std::size_t step, std::string_view token, std::string& out);

    const TokenDecoder& m_decoder;
    std::size_t m_given = 0;      // bytes of all tokens so far
    std::size_t m_made = 0;       // bytes of text so far
    std::vector<State> m_states;  // one a step
};

}  // namespace cospadi
