#include "core/tokenizer/text_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/tokenizer/newer_characters.h"
#include "core/tokenizer/text_budget.h"
#include "core/tokenizer/tokenizer_fields.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

constexpr std::uint32_t kHeapKib = 256 * 1024;
constexpr std::uint32_t kMatchSteps = 10'000'000;  // from one place in the text

// PCRE2 bounds what it does from one place in a text, not how many places it tries. It is asked for
// few at a time, more while that is quick, and the clock is looked at in between.
constexpr std::size_t kFewestPlaces = 16;
constexpr std::size_t kMostPlaces = 4096;  // or the 256th part of a text, where that is more
constexpr std::chrono::milliseconds kQuick{1};

// Unicode's White_Space: what \s means in Oniguruma, but not in PCRE2 (which adds U+180E).
constexpr const char* kSpaces =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

// The escape at regex[i] (a backslash), rewritten; i moves to its last character.
std::string translated(const std::string& regex, std::size_t& i, bool inClass) {
    const auto group = [&](const std::string& inside, bool negated = false) {
        return inClass ? inside : (negated ? "[^" : "[") + inside + "]";
    };
    const auto property = [&](const std::string& name) {
        return "\\p{" + name + "}" + newerCharacters(name);
    };
    const std::size_t close = regex.find('}', i);
    if (regex.compare(i, 3, "\\p{") == 0 && close != std::string::npos && close <= i + 5) {
        const std::string name = regex.substr(i + 3, close - i - 3);
        i = close;
        return group(property(name));
    }
    const char next = regex[++i];
    if (next == 's') {
        return group(kSpaces);
    }
    if (next == 'S' && !inClass) {
        return group(kSpaces, true);
    }
    if (next == 'd') {
        return group(property("Nd"));
    }
    if (next == 'w') {
        return group(property("L") + property("M") + property("Nd") + "\\p{Nl}\\p{Pc}");
    }
    return {'\\', next};
}

std::string inPcre2(const std::string& regex) {
    std::string result;
    bool inClass = false;
    for (std::size_t i = 0; i < regex.size(); ++i) {
        if (regex[i] == '\\' && i + 1 < regex.size()) {
            result += translated(regex, i, inClass);
            continue;
        }
        inClass = inClass ? regex[i] != ']' : regex[i] == '[';
        result += regex[i];
    }
    return result;
}

using MatchData = std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)>;
using MatchContext = std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)>;

}  // namespace

struct TextPattern::Code {
    explicit Code(pcre2_code* compiled)
        : code(compiled), context(pcre2_match_context_create(nullptr), pcre2_match_context_free) {
        pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
        pcre2_set_heap_limit(context.get(), kHeapKib);
        pcre2_set_match_limit(context.get(), kMatchSteps);
    }
    ~Code() { pcre2_code_free(code); }
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;

    // Negative when no match begins at `from` or later within the limits of `bounds`.
    int match(std::string_view text, std::size_t from, pcre2_match_data* data,
              pcre2_match_context* bounds, const std::string& where) const {
        const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
        int found = PCRE2_ERROR_NOMATCH;
        for (const std::uint32_t mode : {std::uint32_t{0}, std::uint32_t{PCRE2_NO_JIT}}) {
            found = pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK | mode, data,
                                bounds);
            if (found != PCRE2_ERROR_JIT_STACKLIMIT) {  // the interpreter has a heap
                break;
            }
        }
        if (found < PCRE2_ERROR_PARTIAL) {
            throw Error("its pattern cannot be matched against this text", where,
                        "split the text into shorter parts");
        }
        return found;
    }

    pcre2_code* code;
    MatchContext context;
};

TextPattern::TextPattern() = default;
TextPattern::~TextPattern() = default;
TextPattern::TextPattern(TextPattern&&) noexcept = default;
TextPattern& TextPattern::operator=(TextPattern&&) noexcept = default;

TextPattern TextPattern::regex(const std::string& regex, const std::string& where) {
    int code = 0;
    PCRE2_SIZE offset = 0;
    const std::string pattern = inPcre2(regex);
    pcre2_code* compiled = pcre2_compile(
        reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
        PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_USE_OFFSET_LIMIT, &code, &offset, nullptr);
    if (compiled == nullptr) {
        throw Error("the pattern cannot be compiled: " + regex.substr(0, 200), where,
                    "correct it, or fetch the model's tokenizer.json again");
    }
    TextPattern result;
    result.m_where = where;
    result.m_code = std::make_unique<Code>(compiled);
    return result;
}

TextPattern TextPattern::literal(std::string text, const std::string& where) {
    TextPattern result;
    result.m_where = where;
    result.m_literal = std::move(text);
    return result;
}

TextPattern TextPattern::fromJson(const nlohmann::json& owner, const std::string& where) {
    const nlohmann::json& pattern = fields::required(owner, "pattern", where);
    if (!fields::member(pattern, "Regex").is_null()) {
        return regex(fields::text(pattern, "Regex", where), where);
    }
    fields::required(pattern, "String", where);
    return literal(fields::text(pattern, "String", where), where);
}

std::vector<Stretch> TextPattern::literalStretches(std::string_view text) const {
    std::vector<Stretch> result;
    std::size_t taken = 0;
    for (std::size_t at = text.find(m_literal); at != std::string_view::npos && !m_literal.empty();
         at = text.find(m_literal, taken)) {
        if (at > taken) {
            result.push_back({text.substr(taken, at - taken), false});
        }
        result.push_back({text.substr(at, m_literal.size()), true});
        taken = at + m_literal.size();
    }
    if (taken < text.size()) {
        result.push_back({text.substr(taken), false});
    }
    return result;
}

// The next match from a place on, sought in the steps that kFewestPlaces is about.
class TextPattern::Search {
  public:
    Search(const TextPattern& pattern, std::string_view text, const TextBudget& budget)
        : m_pattern(pattern),
          m_text(text),
          m_budget(budget),
          m_most(std::max(kMostPlaces, text.size() / 256)),
          m_data(pcre2_match_data_create_from_pattern(pattern.m_code->code, nullptr),
                 pcre2_match_data_free),
          m_bounds(pcre2_match_context_copy(pattern.m_code->context.get()),
                   pcre2_match_context_free) {}

    // Begin and end; null where there is none.
    const PCRE2_SIZE* next(std::size_t from) {
        while (true) {
            const std::size_t last = from + m_places;
            pcre2_set_offset_limit(m_bounds.get(), std::min(last, m_text.size()));
            const int found = m_pattern.m_code->match(m_text, from, m_data.get(), m_bounds.get(),
                                                      m_pattern.m_where);
            const auto now = TextBudget::Clock::now();
            m_budget.requireTime(m_pattern.m_where, now);
            const bool quick = now - std::exchange(m_before, now) < kQuick;
            if (found >= 0) {
                m_places = kFewestPlaces;
                return pcre2_get_ovector_pointer(m_data.get());
            }
            m_places = quick ? std::min(2 * m_places, m_most) : kFewestPlaces;
            if (last >= m_text.size()) {
                return nullptr;
            }
            from = last + 1;
            while (from < m_text.size() && isContinuation(m_text[from])) {
                ++from;
            }
        }
    }

  private:
    static bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

    const TextPattern& m_pattern;
    std::string_view m_text;
    const TextBudget& m_budget;
    std::size_t m_places = kFewestPlaces;
    std::size_t m_most;
    TextBudget::Clock::time_point m_before = TextBudget::Clock::now();
    MatchData m_data;
    MatchContext m_bounds;
};

std::vector<Stretch> TextPattern::stretches(std::string_view text, const TextBudget& budget) const {
    if (m_code == nullptr) {
        return literalStretches(text);
    }
    std::vector<Stretch> result;
    Search search(*this, text, budget);
    std::size_t taken = 0;
    for (std::size_t from = 0; from <= text.size();) {
        const PCRE2_SIZE* range = search.next(from);
        if (range == nullptr) {
            break;
        }
        const std::size_t begin = std::max<std::size_t>(range[0], taken);  // \K may lie before
        const std::size_t end = range[1];
        const bool empty = end <= begin;
        if (!empty || begin != taken || taken == 0) {  // no empty match right after a match
            if (begin > taken) {
                result.push_back({text.substr(taken, begin - taken), false});
            }
            result.push_back({text.substr(begin, empty ? 0 : end - begin), true});
            taken = empty ? begin : end;
        }
        from = taken;
        if (empty) {
            from = begin >= text.size() ? begin + 1 : begin + characterAt(text, begin).length;
        }
    }
    if (taken < text.size()) {
        result.push_back({text.substr(taken), false});
    }
    return result;
}

std::string TextPattern::replace(std::string_view text, std::string_view content,
                                 const TextBudget& budget) const {
    std::string result;
    result.reserve(text.size());
    for (const Stretch& stretch : stretches(text, budget)) {
        result += stretch.isMatch ? content : stretch.text;
        budget.requireBytes(result.size(), m_where);
    }
    return result;
}

}  // namespace cospadi
