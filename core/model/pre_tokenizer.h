// Splitting of text into the pieces inside which BPE merges: the "pre_tokenizer" of a
// tokenizer.json (Sequence, Split, Digits, ByteLevel). Immutable, thread-safe.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

class PreTokenizer {
  public:
    // specification: the JSON object, or null for no splitting. Kinds that are not supported are an
    // Error that names them and `where`.
    PreTokenizer(const nlohmann::json& specification, const std::string& where);
    ~PreTokenizer();
    PreTokenizer(PreTokenizer&&) noexcept;
    PreTokenizer& operator=(PreTokenizer&&) noexcept;

    // The pieces in order; joined they give the text (valid UTF-8) back.
    std::vector<std::string_view> split(std::string_view text) const;

  private:
    class Pattern;

    void add(const nlohmann::json& specification, const std::string& where);

    std::vector<std::unique_ptr<Pattern>> m_patterns;
};

}  // namespace cospadi
