// `cospadi methods`: what there is, and with which options; and how layers can share bytes.
#include "core/methods/method.h"

#include <fmt/format.h>

#include <optional>

#include "app/cli/session.h"
#include "core/allocation/allocation_rule.h"

namespace cospadi::cli {

namespace {

nlohmann::json descriptionOf(const Option& option) {
    nlohmann::json object{{"name", option.name},          {"flag", option.flag()},
                          {"symbol", option.symbol},      {"title", option.title},
                          {"help", option.help},          {"source", option.source},
                          {"usual", jsonOf(option.usual)}};
    if (option.choices.empty()) {
        object["least"] = option.least;
        object["most"] = option.most;
        if (option.wordInstead != nullptr) {
            object["word"] = option.wordInstead;
        }
    } else {
        object["choices"] = nlohmann::json::array();
        for (const OptionChoice& choice : option.choices) {
            object["choices"].push_back({{"word", choice.word}, {"help", choice.help}});
        }
    }
    return object;
}

nlohmann::json jsonOf(const Method& method) {
    nlohmann::json options = nlohmann::json::array();
    for (const Option* option : method.options()) {
        options.push_back(descriptionOf(*option));
    }
    return {{"name", method.name()},       {"title", method.title()},
            {"summary", method.summary()}, {"source", method.source()},
            {"form", method.form()},       {"calibration", method.needsCalibration()},
            {"options", options}};
}

nlohmann::json jsonOf(const AllocationRule& rule) {
    const AllocationNeeds needs = rule.needs();
    const AllocationWords& words = rule.words();
    return {{"name", words.name},     {"title", words.title},  {"summary", words.summary},
            {"source", words.source}, {"grams", needs.grams},  {"spectra", needs.spectra},
            {"trials", needs.trials}, {"probes", needs.probes}};
}

std::string sourceOf(const char* source) {
    return *source != 0 ? fmt::format(" ({})", source) : "";
}

std::string needsOf(const AllocationRule& rule) {
    const AllocationNeeds needs = rule.needs();
    std::string text = needs.trials > 0 ? fmt::format("{} trials", needs.trials)
                       : needs.spectra  ? "spectra"
                                        : "nothing";
    return text + (needs.probes ? ", text" : "");
}

std::string listOfAllocations() {
    std::string text =
        fmt::format("{:<14}{:<17}{}\n", "--allocation", "measures", "how it shares the bytes");
    for (const AllocationRule* rule : allocationRules()) {
        text += fmt::format("{:<14}{:<17}{}{}\n", rule->name(), needsOf(*rule),
                            rule->words().summary, sourceOf(rule->words().source));
    }
    return text;
}

std::string listOf(const std::vector<const Method*>& chosen) {
    std::string text = fmt::format("{:<14}{:<12}{}\n", "method", "calibration", "what it does");
    for (const Method* method : chosen) {
        text += fmt::format("{:<14}{:<12}{}{}\n", method->name(),
                            method->needsCalibration() ? "yes" : "no", method->summary(),
                            sourceOf(method->source()));
    }
    return text + "\n" + listOfAllocations() + "\nOptions of a method: cospadi methods NAME\n";
}

std::string pageOf(const Method& method) {
    std::string text = fmt::format("{}: {}\n", method.name(), method.summary());
    if (*method.source() != 0) {
        text += fmt::format("source: {}\n", method.source());
    }
    text += fmt::format("stores: {}; {}\n\n", *method.form() != 0 ? method.form() : "nothing",
                        method.needsGradients()     ? "uses calibration text and gradients on it"
                        : method.needsCalibration() ? "uses calibration text"
                                                    : "uses no text");
    for (const Option* option : method.options()) {
        text += fmt::format("  {:<24}{} [{}]\n  {:<24}{}{}\n", option->flag(), option->valuesText(),
                            option->usualText(), "", option->help, sourceOf(option->source));
    }
    return text;
}

}  // namespace

void addMethods(Command app, Session& session) {
    const Command command =
        app.addCommand("methods", "List the compression methods, their options and sources");
    auto wanted = std::make_shared<std::string>();
    command.addOption("NAME", *wanted, "Show this method with its options");
    finishCommand(command, session, [&session, wanted] {
        if (!wanted->empty()) {
            const Method* method = asUsage([&] { return &methodFromName(*wanted); });
            session.print(pageOf(*method), jsonOf(*method));
            return static_cast<int>(kOk);
        }
        nlohmann::json all = nlohmann::json::array();
        for (const Method* method : methods()) {
            all.push_back(jsonOf(*method));
        }
        nlohmann::json rules = nlohmann::json::array();
        for (const AllocationRule* rule : allocationRules()) {
            rules.push_back(jsonOf(*rule));
        }
        session.print(listOf(methods()), {{"methods", all}, {"allocations", rules}});
        return static_cast<int>(kOk);
    });
}

}  // namespace cospadi::cli
