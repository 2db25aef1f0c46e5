#include "core/pipeline/sweep_grid.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/pipeline/json_file.h"
#include "core/pipeline/yaml.h"

namespace cospadi {

namespace {

using nlohmann::json;

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
        throw Error("is not an object of fields", "sweep", "see docs/formats.md, \"A sweep\"");
    }
    std::vector<RunSpecification> runs;
    const auto several = grid.find("grids");
    if (several == grid.end()) {
        expandOne(grid, runs);
        return runs;
    }
    if (!several->is_array() || several->empty()) {
        throw Error("is not a list of grids", "grids", "see docs/formats.md, \"A sweep\"");
    }
    json shared = grid;
    shared.erase("grids");
    for (const json& one : *several) {
        if (!one.is_object()) {
            throw Error("is not a list of grids", "grids", "see docs/formats.md, \"A sweep\"");
        }
        json whole = shared;
        whole.update(one);
        expandOne(whole, runs);
    }
    return runs;
}

json readGridFile(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    if (extension == ".yaml" || extension == ".yml") {
        return readYamlFile(path);
    }
    return readJsonFile(path, "a sweep is a JSON or YAML file; see docs/formats.md");
}

}  // namespace cospadi
