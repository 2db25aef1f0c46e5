#include "core/sweep/sweep_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/run/evaluate_run.h"
#include "core/store/field_reader.h"
#include "core/store/run_file.h"
#include "core/sweep/yaml.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr const char* kSee = "see docs/formats.md, \"A sweep\"";

struct Axis {
    std::vector<std::string> keys;  // calibration, sequences; names of layers have dots themselves
    json values;                    // an array
};

// "calibration.sequences" is calibration's; what stands below ratios is a layer's name.
std::vector<std::string> keysOf(std::vector<std::string> above, std::string key) {
    const bool isLayer = !above.empty() && above.front() == "ratios";
    for (auto dot = key.find('.'); !isLayer && dot != std::string::npos; dot = key.find('.')) {
        above.push_back(key.substr(0, dot));
        key.erase(0, dot + 1);
    }
    above.push_back(std::move(key));
    return above;
}

void collectAxes(const json& object, const std::vector<std::string>& above,
                 std::vector<Axis>& axes) {
    for (const auto& [key, value] : object.items()) {
        const std::vector<std::string> keys = keysOf(above, key);
        if (value.is_object()) {
            collectAxes(value, keys, axes);
            continue;
        }
        if (value.is_array() && value.empty()) {
            throw Error("is an empty list: there is nothing to run",
                        fmt::format("{}", fmt::join(keys, ".")),
                        "give at least one value, or omit the field");
        }
        axes.push_back({keys, value.is_array() ? value : json::array({value})});
    }
}

void setField(json& specification, const std::vector<std::string>& keys, const json& value) {
    json* field = &specification;
    for (const std::string& key : keys) {
        field = &(*field)[key];
    }
    *field = value;
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
    collectAxes(grid, {}, axes);
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
            setField(specification, axis->keys, axis->values[rest % axis->values.size()]);
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
        if (found == object.end()) {
            return;
        }
        try {
            if (!found->is_null()) {
                found->get_to(value);
            }
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
        FieldReader reader(evaluate, "evaluate.");
        reader.read("text", sweep.evaluate.text);
        reader.read("context", sweep.evaluate.options.context);
        reader.read("max_tokens", sweep.evaluate.options.maxTokens);
        reader.read("score", score);
        sweep.evaluate.options.score = scoredTokensFromName(score);
        if (const json* tasks = reader.child("tasks")) {
            sweep.evaluate.tasks = taskPlanFromJson(*tasks, "evaluate.tasks");
        }
        reader.refuseUnknown("an evaluation");
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
