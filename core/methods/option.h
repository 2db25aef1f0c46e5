// The settings of a run that methods read, each described once: command line, sweeps, the Plan page
// and `cospadi methods` take words, ranges and help from here. Shared ones stand in options.cpp;
// what one method or a family of them has, stands with it (Method::ownOptions()).
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cospadi {

// A word, read where it came in: as it is written, and what it stands for.
class OptionWord {
  public:
    OptionWord(std::string text, std::any meaning)
        : m_text(std::move(text)), m_meaning(std::move(meaning)) {}
    const std::string& text() const { return m_text; }
    // As Option::read makes it; of an option with nothing but choices, the place among them.
    template <class T>
    T as() const {
        return std::any_cast<T>(m_meaning);
    }
    bool operator==(const OptionWord& other) const { return m_text == other.m_text; }

  private:
    std::string m_text;
    std::any m_meaning;
};

using OptionValue = std::variant<std::int64_t, double, OptionWord>;
using OptionValues = std::map<std::string, OptionValue>;  // by name; absent ones are as usual

struct OptionChoice {
    const char* word;
    const char* help;
};

struct Option {
    const char* name;   // field of a specification; the flag is the same with dashes
    OptionValue usual;  // and so its type
    double least = 0;   // of numbers, both inclusive
    double most = 0;
    std::vector<OptionChoice> choices;  // of words
    const char* symbol;                 // in the paper's notation; "" where it has none
    const char* title;
    const char* help;
    const char* source;  // where it is published; "" where it is the program's own
    // Where words other than the choices are values too, or stand for more than a choice: what the
    // word stands for. Throws Error for one that is none.
    std::any (*read)(const std::string& word) = nullptr;
    // Left out of a specification's JSON where it is as usual: that came into the program after
    // files, hashes and keys of runs whose bytes count.
    bool onlyWhereGiven = false;
    // What a number may be in its place, as `auto`; null: nothing. A specification has a field for
    // it (store/named_settings.cpp).
    const char* wordInstead = nullptr;

    bool isWord() const { return std::holds_alternative<OptionWord>(usual); }
    bool isWhole() const { return std::holds_alternative<std::int64_t>(usual); }
    std::string flag() const;        // --group-size
    std::string usualText() const;   // "0.2", "fast"
    std::string valuesText() const;  // "2 … 8", "fast, ksvd", "1 … 8, or auto"
    bool isWordInstead(const std::string& text) const;
};

// Of a description: read by described(), which makes a list of them whole.
OptionWord usualWord(const char* text);
std::vector<Option> described(std::vector<Option> options);

const std::vector<Option>& sharedOptions();

// What is given for it, or what is usual.
const OptionValue& valueOf(const Option& option, const OptionValues& given);
std::string textOf(const OptionValue& value);
nlohmann::json jsonOf(const OptionValue& value);

// Throw Error naming the option, with what it takes: where the text is no value of its type, or no
// word of it, and where a number is out of range.
OptionValue optionFromText(const Option& option, const std::string& text);
void requireInRange(const Option& option, const OptionValue& value);

}  // namespace cospadi
