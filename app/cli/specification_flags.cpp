#include "app/cli/specification_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/methods/method.h"
#include "core/store/shared_settings.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

bool isWord(const Option& option) { return std::holds_alternative<std::string>(option.usual); }
bool isSeed(const Option& option) { return option.name == std::string("seed"); }

json jsonOf(const Option& option, const std::string& text) {
    if (isWord(option)) {
        return text;
    }
    std::uint64_t seed = 0;
    if (isSeed(option) && CLI::detail::lexical_cast(text, seed)) {
        return seed;
    }
    std::int64_t whole = 0;
    if (std::holds_alternative<std::int64_t>(option.usual) &&
        CLI::detail::lexical_cast(text, whole)) {
        return whole;
    }
    double real = 0;
    CLI::detail::lexical_cast(text, real);
    return real;
}

void set(RunSpecification& specification, const Option& option, const std::string& text) {
    const auto& alone = allOwnOptions();
    if (std::find(alone.begin(), alone.end(), &option) != alone.end()) {
        specification.own[option.name] = optionFromText(option, text);
        return;
    }
    setSetting(specification, option.name, jsonOf(option, text));
}

}  // namespace

std::string typeProblem(const Option& option, const std::string& text) {
    if (isSeed(option)) {
        return seedProblem(text);
    }
    std::int64_t whole = 0;
    double real = 0;
    const bool fits = isWord(option) || (std::holds_alternative<std::int64_t>(option.usual)
                                             ? CLI::detail::lexical_cast(text, whole)
                                             : CLI::detail::lexical_cast(text, real));
    return fits ? ""
                : fmt::format("'{}' is not a {}number", text,
                              std::holds_alternative<double>(option.usual) ? "" : "whole ");
}

void addSpecificationFlags(CLI::App& command, RunSpecification& specification) {
    for (const Option* option : allOptions()) {
        command
            .add_option_function<std::string>(
                option->flag(),
                [&specification, option](const std::string& text) {
                    asUsage([&] { set(specification, *option, text); });
                },
                option->help)
            ->check([option](const std::string& text) { return typeProblem(*option, text); })
            ->type_name(isWord(*option)                                       ? "TEXT"
                        : std::holds_alternative<std::int64_t>(option->usual) ? "INT"
                                                                              : "FLOAT")
            ->default_str(option->usualText());
    }
}

}  // namespace cospadi::cli
