#include "core/model/pre_tokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/utf8.h"

namespace cospadi {

namespace {

constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// Unicode's White_Space: what \s means in Oniguruma, but not in PCRE2 (which adds U+180E).
constexpr const char* kSpaces =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

std::string withUnicodeSpaces(const std::string& regex) {
    std::string result;
    bool inClass = false;
    for (std::size_t i = 0; i < regex.size(); ++i) {
        if (regex[i] == '\\' && i + 1 < regex.size()) {
            const char next = regex[++i];
            if (next == 's') {
                result += inClass ? kSpaces : "[" + std::string(kSpaces) + "]";
            } else if (next == 'S' && !inClass) {
                result += "[^" + std::string(kSpaces) + "]";
            } else {
                result += {'\\', next};
            }
            continue;
        }
        inClass = inClass ? regex[i] != ']' : regex[i] == '[';
        result += regex[i];
    }
    return result;
}

std::string quoted(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (std::string_view("\\^$.[]|()?*+{}-").find(c) != std::string_view::npos) {
            result += '\\';
        }
        result += c;
    }
    return result;
}

std::string text(const nlohmann::json& json, const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

bool flag(const nlohmann::json& json, const char* key, bool fallback) {
    return json.contains(key) && json[key].is_boolean() ? json[key].get<bool>() : fallback;
}

}  // namespace

class PreTokenizer::Pattern {
  public:
    Pattern(const std::string& regex, const std::string& where) {
        int code = 0;
        PCRE2_SIZE offset = 0;
        const std::string pattern = withUnicodeSpaces(regex);
        m_code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                               PCRE2_UTF | PCRE2_UCP, &code, &offset, nullptr);
        if (m_code == nullptr) {
            throw Error("the pre-tokenizer's pattern cannot be compiled: " + regex, where,
                        "this tokenizer is not supported");
        }
        pcre2_jit_compile(m_code, PCRE2_JIT_COMPLETE);
    }
    ~Pattern() { pcre2_code_free(m_code); }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

    // Matches and what lies between them become pieces.
    void split(std::string_view piece, std::vector<std::string_view>& pieces) const {
        const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
            pcre2_match_data_create_from_pattern(m_code, nullptr), pcre2_match_data_free);
        const auto* subject = reinterpret_cast<PCRE2_SPTR>(piece.data());
        std::size_t taken = 0;
        std::size_t from = 0;
        while (from < piece.size()) {
            int found = pcre2_match(m_code, subject, piece.size(), from, PCRE2_NO_UTF_CHECK,
                                    match.get(), nullptr);
            if (found < PCRE2_ERROR_PARTIAL) {  // out of JIT stack: the interpreter has a heap
                found = pcre2_match(m_code, subject, piece.size(), from,
                                    PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match.get(), nullptr);
            }
            if (found < PCRE2_ERROR_PARTIAL) {
                throw Error("the pre-tokenizer's pattern gives up on this text", "tokenizer",
                            "split the text into shorter parts");
            }
            if (found < 0) {
                break;
            }
            const PCRE2_SIZE* range = pcre2_get_ovector_pointer(match.get());
            if (range[1] == range[0]) {
                from = range[1] + characterLength(piece.substr(range[1]));
                continue;
            }
            if (range[0] > taken) {
                pieces.push_back(piece.substr(taken, range[0] - taken));
            }
            pieces.push_back(piece.substr(range[0], range[1] - range[0]));
            taken = from = range[1];
        }
        if (taken < piece.size()) {
            pieces.push_back(piece.substr(taken));
        }
    }

  private:
    pcre2_code* m_code = nullptr;
};

PreTokenizer::PreTokenizer(const nlohmann::json& specification, const std::string& where) {
    add(specification, where);
}

PreTokenizer::~PreTokenizer() = default;
PreTokenizer::PreTokenizer(PreTokenizer&&) noexcept = default;
PreTokenizer& PreTokenizer::operator=(PreTokenizer&&) noexcept = default;

void PreTokenizer::add(const nlohmann::json& specification, const std::string& where) {
    if (specification.is_null()) {
        return;
    }
    const std::string type = specification.is_object() ? text(specification, "type") : "";
    std::string regex;
    if (type == "Sequence" && specification.contains("pretokenizers") &&
        specification["pretokenizers"].is_array()) {
        for (const nlohmann::json& part : specification["pretokenizers"]) {
            add(part, where);
        }
        return;
    }
    if (type == "Digits") {
        regex = flag(specification, "individual_digits", false) ? "\\p{N}" : "\\p{N}+";
    } else if (type == "ByteLevel" && !flag(specification, "add_prefix_space", true)) {
        if (!flag(specification, "use_regex", true)) {
            return;
        }
        regex = kGpt2;
    } else if (type == "Split" && text(specification, "behavior") == "Isolated" &&
               !flag(specification, "invert", false) && specification.contains("pattern") &&
               specification["pattern"].is_object()) {
        const nlohmann::json& pattern = specification["pattern"];
        regex =
            pattern.contains("Regex") ? text(pattern, "Regex") : quoted(text(pattern, "String"));
    }
    if (regex.empty()) {
        throw Error("the pre-tokenizer \"" + type + "\" with these settings is not supported",
                    where,
                    "supported: Sequence, Split (isolated), Digits, ByteLevel (no prefix space)");
    }
    m_patterns.push_back(std::make_unique<Pattern>(regex, where));
}

std::vector<std::string_view> PreTokenizer::split(std::string_view text) const {
    std::vector<std::string_view> pieces;
    if (!text.empty()) {
        pieces.push_back(text);
    }
    for (const auto& pattern : m_patterns) {
        std::vector<std::string_view> finer;
        finer.reserve(pieces.size() * 2);
        for (const std::string_view piece : pieces) {
            pattern->split(piece, finer);
        }
        pieces = std::move(finer);
    }
    return pieces;
}

}  // namespace cospadi
