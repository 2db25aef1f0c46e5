// A regular expression of a tokenizer.json (Oniguruma's dialect), run by PCRE2 with Oniguruma's
// meaning of \s, \p{L}, \p{N}, ^ and $. Immutable, so thread-safe.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

// A stretch of text, matched or between matches.
struct Stretch {
    std::string_view text;
    bool isMatch = false;
};

class TextBudget;

class TextPattern {
  public:
    // where: the file, and the step in it, that every Error names.
    static TextPattern regex(const std::string& regex, const std::string& where);
    static TextPattern literal(std::string text, const std::string& where);
    // From the field "pattern": {"Regex": …} or {"String": …}.
    static TextPattern fromJson(const nlohmann::json& owner, const std::string& where);

    ~TextPattern();
    TextPattern(TextPattern&&) noexcept;
    TextPattern& operator=(TextPattern&&) noexcept;

    // All stretches in order; joined they give the text (valid UTF-8) back. Error where matching
    // takes more steps or memory than any sensible pattern needs, or more time than the budget has.
    std::vector<Stretch> stretches(std::string_view text, const TextBudget& budget) const;

    // Error where the result would be longer than the budget allows.
    std::string replace(std::string_view text, std::string_view content,
                        const TextBudget& budget) const;

  private:
    struct Code;
    class Search;

    TextPattern();

    std::vector<Stretch> literalStretches(std::string_view text) const;

    std::string m_where;
    std::string m_literal;
    std::unique_ptr<Code> m_code;  // null for a literal
};

}  // namespace cospadi
