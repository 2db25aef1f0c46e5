#include "app/cli/specification_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "app/command_line/number_text.h"
#include "core/methods/method.h"
#include "core/store/effort.h"
#include "core/store/named_settings.h"
#include "core/store/paper_preset.h"
#include "core/store/run_file.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

bool isSeed(const Option& option) { return option.name == std::string("seed"); }

json valueIn(const Option& option, const std::string& text) {
    if (option.isWord() || option.isWordInstead(text)) {
        return text;
    }
    const auto seed = isSeed(option) ? unsignedNumberIn(text) : std::nullopt;
    if (seed) {
        return *seed;
    }
    const auto whole = option.isWhole() ? wholeNumberIn(text) : std::nullopt;
    return whole ? json(*whole) : json(realNumberIn(text).value_or(0));
}

std::string typeNameOf(const Option& option) {
    const std::string type = option.isWord() ? "TEXT" : option.isWhole() ? "INT" : "FLOAT";
    return option.wordInstead != nullptr ? type + "|" + option.wordInstead : type;
}

// Sets fields, and adds their names to what is `given`.
void addSpecificationFlags(Command command, RunSpecification& specification,
                           const std::shared_ptr<std::set<std::string>>& given) {
    for (const Option* option : allOptions()) {
        command
            .addOption(
                option->flag(),
                [&specification, option, given](const std::string& text) {
                    asUsage(
                        [&] { setSetting(specification, option->name, valueIn(*option, text)); });
                    given->insert(option->name);
                },
                option->help)
            .check([option](const std::string& text) { return typeProblem(*option, text); })
            .typeName(typeNameOf(*option))
            .showDefault(option->usualText());
    }
}

}  // namespace

std::string typeProblem(const Option& option, const std::string& text) {
    if (isSeed(option)) {
        return seedProblem(text);
    }
    const bool fits =
        option.isWord() || option.isWordInstead(text) ||
        (option.isWhole() ? wholeNumberIn(text).has_value() : realNumberIn(text).has_value());
    return fits ? ""
                : fmt::format("'{}' is not a {}number", text,
                              std::holds_alternative<double>(option.usual) ? "" : "whole ");
}

void addRunFlags(Command command, RunSpecification& specification, RatiosFlag ratios) {
    RunSpecification& s = specification;
    // First: options take effect in this order, and the others change what the preset says.
    command
        .addOption(
            "--preset", [&s](const std::string& preset) { s = presetSpecification(preset); },
            "paper: the paper's hyper-parameters, on 256 x 1024 tokens of C4 and other web text "
            "instead of RefinedWeb; other options override its values")
        .check([](const std::string& preset) {
            return preset == kPaperPreset
                       ? std::string()
                       : fmt::format("'{}' is not a preset: use {}", preset, kPaperPreset);
        });
    command.addOption("MODEL", s.model, "Path, or the word default").required();
    command
        .addOption(
            "--method",
            [&s](const std::string& name) { asUsage([&] { s.method = &methodFromName(name); }); },
            methodNames() + "; their options: cospadi methods NAME")
        .showDefault(s.method->name());
    command
        .addOption("--layers", s.layers,
                   "Regular expression searched in names such as blk.10.ffn_up")
        .showDefault();
    const auto given = std::make_shared<std::set<std::string>>();
    addSpecificationFlags(command, s, given);
    if (ratios == RatiosFlag::With) {
        command.addOption(
            "--ratios", [&s](const std::string& file) { s.ratios = ratiosIn(file); },
            "JSON file with a compression ratio per matrix, from `cospadi predict --json` or a "
            "run.json; --cr applies to the others");
    }
    // After the settings that say what a method can do; before the calibration, which it sets.
    command
        .addOption(
            "--effort",
            [&s, given](const std::string& effort) {
                asUsage([&] { applyEffort(effortFromName(effort), s, *given); });
            },
            "quick: 10 iterations on 16 sequences; best: 256 sequences, and layers share "
            "dictionaries according to the cost of their errors, or CR and rho are chosen per "
            "matrix; other options override its values")
        .showDefault(name(Effort::Usual));
    command.addOption("--calibration", s.calibration.text,
                      "Calibration text: a .jsonl with a text field or a plain text, either "
                      "optionally as .gz, or the word web: the shipped web text, enough for 256 x "
                      "1024 tokens [the shipped C4 sample]");
    command
        .addOption("--calibration-seed", s.calibration.seed,
                   "Seed for sampling the calibration sequences")
        .check(seedProblem)
        .showDefault();
    command.addOption("--sequences", s.calibration.sequences, "Calibration sequences")
        .showDefault();
    command.addOption("--length", s.calibration.length, "Tokens per calibration sequence")
        .showDefault();
}

std::map<std::string, double> ratiosIn(const std::string& file) {
    const json record =
        readRunJson(file, "give a file written by `cospadi predict --json`, or a run.json");
    const bool isRun = record.contains("specification");
    const json& holder = isRun ? record.at("specification") : record;
    if (isRun && !holder.contains("ratios")) {
        throw Error("the run has a single ratio for all its matrices", file,
                    "omit --ratios and use --cr");
    }
    const json& ratios = holder.contains("ratios") ? holder.at("ratios") : holder;
    std::map<std::string, double> result;
    for (const auto& [layer, cr] : ratios.items()) {
        if (!cr.is_number()) {
            throw Error("the ratio of " + layer + " is not a number", file,
                        "write {\"blk.0.attn_q\": 0.3, …}");
        }
        result[layer] = cr.get<double>();
    }
    return result;
}

}  // namespace cospadi::cli
