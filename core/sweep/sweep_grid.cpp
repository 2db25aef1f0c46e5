#include "core/sweep/sweep_grid.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/run/evaluate_run.h"
#include "core/store/run_file.h"
#include "core/sweep/yaml.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr const char* kSee = "see docs/formats.md, \"A sweep\"";

struct Axis {
    std::string field;  // dotted: calibration.sequences
    json values;        // an array
};

void collectAxes(const json& object, const std::string& prefix, std::vector<Axis>& axes) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_object()) {
            collectAxes(value, prefix + key + ".", axes);
            continue;
        }
        if (value.is_array() && value.empty()) {
            throw Error("is an empty list: there is nothing to run", prefix + key,
                        "give at least one value, or leave the field out");
        }
        axes.push_back({prefix + key, value.is_array() ? value : json::array({value})});
    }
}

void setField(json& specification, const std::string& field, const json& value) {
    const std::size_t dot = field.find('.');
    if (dot == std::string::npos) {
        specification[field] = value;
    } else {
        setField(specification[field.substr(0, dot)], field.substr(dot + 1), value);
    }
}

// Fields of `top` over those of `base`, nested ones one by one.
void overlay(json& base, const json& top) {
    for (const auto& [key, value] : top.items()) {
        json& below = base[key];
        if (value.is_object() && below.is_object()) {
            overlay(below, value);
        } else {
            below = value;
        }
    }
}

void expandOne(const json& grid, std::vector<RunSpecification>& runs) {
    std::vector<Axis> axes;
    collectAxes(grid, "", axes);
    std::size_t count = 1;
    for (const Axis& axis : axes) {
        count *= axis.values.size();
        if (count + runs.size() > kLargestSweep) {
            throw Error(fmt::format("the grid has more than {} runs", kLargestSweep), "sweep",
                        "give fewer values");
        }
    }
    for (std::size_t number = 0; number < count; ++number) {
        json specification = json::object();
        std::size_t rest = number;
        for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
            setField(specification, axis->field, axis->values[rest % axis->values.size()]);
            rest /= axis->values.size();
        }
        runs.push_back(runSpecificationFromJson(specification));
        validate(runs.back());
    }
}

}  // namespace

std::vector<RunSpecification> expandGrid(const json& grid) {
    if (!grid.is_object()) {
        throw Error("is not an object of fields", "sweep", kSee);
    }
    std::vector<RunSpecification> runs;
    const auto several = grid.find("grids");
    if (several == grid.end()) {
        expandOne(grid, runs);
        return runs;
    }
    if (!several->is_array() || several->empty()) {
        throw Error("is not a list of grids", "grids", kSee);
    }
    json shared = grid;
    shared.erase("grids");
    for (const json& one : *several) {
        if (!one.is_object()) {
            throw Error("is not a list of grids", "grids", kSee);
        }
        json whole = shared;
        overlay(whole, one);
        expandOne(whole, runs);
    }
    return runs;
}

SweepFile sweepFile(json file) {
    if (!file.is_object()) {
        throw Error("is not an object of fields", "sweep", kSee);
    }
    SweepFile sweep;
    const auto take = [](json& object, const char* field, auto& value, const char* kind) {
        const auto found = object.find(field);
        if (found == object.end() || found->is_null()) {
            return;
        }
        try {
            found->get_to(value);
        } catch (const json::exception&) {
            throw Error(fmt::format("is not {}: {}", kind, found->dump()), field, kSee);
        }
        object.erase(field);
    };
    take(file, "name", sweep.name, "a text");
    if (file.contains("tags") && file["tags"].is_string()) {
        file["tags"] = json::array({file["tags"]});
    }
    take(file, "tags", sweep.tags, "a text or a list of texts");
    if (const auto found = file.find("evaluate"); found != file.end()) {
        json evaluate = found->is_string() ? json{{"text", *found}} : *found;
        file.erase("evaluate");
        if (!evaluate.is_object()) {
            throw Error("is neither a text nor an object", "evaluate", kSee);
        }
        std::string score = name(sweep.evaluate.options.score);
        take(evaluate, "text", sweep.evaluate.text, "a text");
        take(evaluate, "context", sweep.evaluate.options.context, "a number");
        take(evaluate, "max_tokens", sweep.evaluate.options.maxTokens, "a number");
        take(evaluate, "score", score, "a text");
        sweep.evaluate.options.score = scoredTokensFromName(score);
        if (const auto tasks = evaluate.find("tasks"); tasks != evaluate.end()) {
            sweep.evaluate.tasks = taskPlanFromJson(*tasks, "evaluate.tasks");
            evaluate.erase(tasks);
        }
        if (!evaluate.empty()) {
            throw Error("is not a field of an evaluation", "evaluate." + evaluate.begin().key(),
                        kSee);
        }
    }
    sweep.grid = std::move(file);
    return sweep;
}

json readGridFile(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    if (extension == ".yaml" || extension == ".yml") {
        return readYamlFile(path);
    }
    return readRunJson(path, "a sweep is a JSON or YAML file; see docs/formats.md");
}

}  // namespace cospadi
