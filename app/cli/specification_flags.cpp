#include "app/cli/specification_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/number_text.h"
#include "core/methods/method.h"
#include "core/store/shared_settings.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

bool isWord(const Option& option) { return std::holds_alternative<std::string>(option.usual); }
bool isWhole(const Option& option) { return std::holds_alternative<std::int64_t>(option.usual); }
bool isSeed(const Option& option) { return option.name == std::string("seed"); }

json valueIn(const Option& option, const std::string& text) {
    if (isWord(option)) {
        return text;
    }
    const auto seed = isSeed(option) ? unsignedNumberIn(text) : std::nullopt;
    if (seed) {
        return *seed;
    }
    const auto whole = isWhole(option) ? wholeNumberIn(text) : std::nullopt;
    return whole ? json(*whole) : json(realNumberIn(text).value_or(0));
}

void set(RunSpecification& specification, const Option& option, const std::string& text) {
    const auto& alone = allOwnOptions();
    if (std::find(alone.begin(), alone.end(), &option) != alone.end()) {
        specification.own[option.name] = optionFromText(option, text);
        return;
    }
    setSetting(specification, option.name, valueIn(option, text));
}

}  // namespace

std::string typeProblem(const Option& option, const std::string& text) {
    if (isSeed(option)) {
        return seedProblem(text);
    }
    const bool fits = isWord(option) || (isWhole(option) ? wholeNumberIn(text).has_value()
                                                         : realNumberIn(text).has_value());
    return fits ? ""
                : fmt::format("'{}' is not a {}number", text,
                              std::holds_alternative<double>(option.usual) ? "" : "whole ");
}

void addSpecificationFlags(Command command, RunSpecification& specification) {
    for (const Option* option : allOptions()) {
        command
            .addOption(
                option->flag(),
                [&specification, option](const std::string& text) {
                    asUsage([&] { set(specification, *option, text); });
                },
                option->help)
            .check([option](const std::string& text) { return typeProblem(*option, text); })
            .typeName(isWord(*option)    ? "TEXT"
                      : isWhole(*option) ? "INT"
                                         : "FLOAT")
            .showDefault(option->usualText());
    }
}

}  // namespace cospadi::cli
