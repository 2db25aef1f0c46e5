#include "core/methods/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/error.h"

namespace cospadi {

namespace {

template <class Number>
bool parses(const std::string& text, Number& value) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void refuse(const Option& option, const std::string& text) {
    throw Error(fmt::format("'{}' is not a value of it", text), option.name,
                fmt::format("use {}", option.valuesText()));
}

}  // namespace

const OptionValue& valueOf(const Option& option, const OptionValues& given) {
    const auto found = given.find(option.name);
    return found != given.end() ? found->second : option.usual;
}

std::string textOf(const OptionValue& value) {
    return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
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
        value = text;
    }
    return value;
}

void requireInRange(const Option& option, const OptionValue& value) {
    if (value.index() != option.usual.index()) {
        refuse(option, textOf(value));
    }
    if (const auto* word = std::get_if<std::string>(&value)) {
        const bool known =
            std::any_of(option.choices.begin(), option.choices.end(),
                        [&](const OptionChoice& choice) { return *word == choice.word; });
        if (!known && option.check != nullptr) {
            option.check(*word);
        } else if (!known) {
            refuse(option, *word);
        }
        return;
    }
    const double number = std::holds_alternative<double>(value)
                              ? std::get<double>(value)
                              : static_cast<double>(std::get<std::int64_t>(value));
    if (!(number >= option.least && number <= option.most)) {
        refuse(option, textOf(value));
    }
}

}  // namespace cospadi
