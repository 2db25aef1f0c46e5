#include "core/methods/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/base/error.h"

namespace cospadi {

namespace {

template <class Number>
bool parses(const std::string& text, Number& value) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void refuse(const Option& option, const std::string& text) {
    throw Error(fmt::format("'{}' is not a valid value", text), option.name,
                fmt::format("use {}", option.valuesText()));
}

OptionWord read(const Option& option, const std::string& word) {
    if (option.read != nullptr) {
        return {word, option.read(word)};
    }
    for (std::size_t i = 0; i < option.choices.size(); ++i) {
        if (word == option.choices[i].word) {
            return {word, i};
        }
    }
    refuse(option, word);
}

}  // namespace

OptionWord usualWord(const char* text) { return {text, {}}; }

std::vector<Option> described(std::vector<Option> options) {
    for (Option& option : options) {
        if (const auto* word = std::get_if<OptionWord>(&option.usual)) {
            option.usual = read(option, word->text());
        }
    }
    return options;
}

const OptionValue& valueOf(const Option& option, const OptionValues& given) {
    const auto found = given.find(option.name);
    return found != given.end() ? found->second : option.usual;
}

std::string textOf(const OptionValue& value) {
    return std::visit(
        [](const auto& v) {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, OptionWord>) {
                return v.text();
            } else {
                return fmt::format("{}", v);
            }
        },
        value);
}

nlohmann::json jsonOf(const OptionValue& value) {
    return std::visit(
        [](const auto& v) -> nlohmann::json {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, OptionWord>) {
                return v.text();
            } else {
                return v;
            }
        },
        value);
}

std::string Option::flag() const {
    std::string text = std::string("--") + name;
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

std::string Option::usualText() const { return textOf(usual); }

std::string Option::valuesText() const {
    if (!choices.empty()) {
        std::string words;
        for (const OptionChoice& choice : choices) {
            words += (words.empty() ? "" : ", ") + std::string(choice.word);
        }
        return words;
    }
    const std::string range = fmt::format("{} … {}", least, most);
    return wordInstead != nullptr ? range + ", or " + wordInstead : range;
}

bool Option::isWordInstead(const std::string& text) const {
    return wordInstead != nullptr && text == wordInstead;
}

OptionValue optionFromText(const Option& option, const std::string& text) {
    OptionValue value = option.usual;
    if (auto* whole = std::get_if<std::int64_t>(&value)) {
        if (!parses(text, *whole)) {
            refuse(option, text);
        }
    } else if (auto* real = std::get_if<double>(&value)) {
        if (!parses(text, *real)) {
            refuse(option, text);
        }
    } else {
        value = read(option, text);
    }
    return value;
}

void requireInRange(const Option& option, const OptionValue& value) {
    if (value.index() != option.usual.index()) {
        refuse(option, textOf(value));
    }
    if (option.isWord()) {
        return;  // nothing but a value of it has been read
    }
    const double number = std::holds_alternative<double>(value)
                              ? std::get<double>(value)
                              : static_cast<double>(std::get<std::int64_t>(value));
    if (!(number >= option.least && number <= option.most)) {
        refuse(option, textOf(value));
    }
}

}  // namespace cospadi
