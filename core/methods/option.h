// The settings of a run that methods read, each described once: command line, sweeps, the Plan page
// and `cospadi methods` take words, ranges and help from here. Shared ones stand in options.cpp;
// what one method or a family of them has, stands with it (Method::ownOptions()).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace cospadi {

using OptionValue = std::variant<std::int64_t, double, std::string>;
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
    // Where words other than the choices are values too: throws Error for one that is none.
    void (*check)(const std::string& word) = nullptr;
    // Left out of a specification's JSON where it is as usual: that came into the program after
    // files, hashes and keys of runs whose bytes count.
    bool onlyWhereGiven = false;
    // What a number may be in its place, as `auto`; null: nothing. A specification has a field for
    // it (store/shared_settings.cpp).
    const char* wordInstead = nullptr;

    std::string flag() const;        // --group-size
    std::string usualText() const;   // "0.2", "fast"
    std::string valuesText() const;  // "2 … 8", "fast, ksvd", "1 … 8, or auto"
    bool isWordInstead(const std::string& text) const;
};

const std::vector<Option>& sharedOptions();

// What is given for it, or what is usual.
const OptionValue& valueOf(const Option& option, const OptionValues& given);
std::string textOf(const OptionValue& value);

// Throw Error naming the option, with what it takes: where the text is no value of its type, and
// where the value is of another type or out of range.
OptionValue optionFromText(const Option& option, const std::string& text);
void requireInRange(const Option& option, const OptionValue& value);

}  // namespace cospadi
