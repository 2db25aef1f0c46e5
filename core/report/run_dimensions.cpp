#include "core/report/run_dimensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/methods/rho_candidates.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/report/average_accuracy.h"
#include "core/report/global_ratio.h"
#include "core/report/run_labels.h"

namespace cospadi {

bool isSparse(const RunRow& run) {
    const Method* method = findMethod(run.method);
    return method != nullptr && isSparse(*method);
}

bool isCalibrated(const RunRow& run) {
    const Method* method = findMethod(run.method);
    return method != nullptr && method->needsCalibration();
}

ReportCell settingCell(const std::string& text) {
    const auto value = nlohmann::json::parse(text, nullptr, false);
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    return value.is_number() ? ReportCell(value.get<double>()) : ReportCell(text);
}

std::optional<ReportCell> settingCell(const std::optional<std::string>& value) {
    return value ? std::optional(settingCell(*value)) : std::nullopt;
}

ReportCell rhoCell(const RunRow& run) {
    return !isSparse(run)     ? ReportCell()
           : run.hasAutoRho() ? ReportCell(std::string(kAutoRho))
                              : ReportCell(run.rho);
}

ReportCell crCell(const RunRow& run) { return run.method == "dense" ? 0.0 : run.cr; }

ReportCell bytesCell(const RunRow& run, const std::vector<RunRow>& others) {
    std::int64_t bytes = run.method == "dense" ? run.denseBytes : run.layerBytes;
    for (const RunRow& other : others) {
        if (bytes == 0 && run.method == "dense" && layersLabel(other) == layersLabel(run) &&
            modelIdentity(other) == modelIdentity(run) && other.status == "finished") {
            bytes = other.denseBytes;
        }
    }
    return bytes > 0 ? ReportCell(bytes) : ReportCell();
}

std::string settingText(const std::optional<ReportCell>& value) {
    if (!value) {
        return "";
    }
    if (const auto* text = std::get_if<std::string>(&*value)) {
        return *text;
    }
    const auto* whole = std::get_if<std::int64_t>(&*value);
    return whole != nullptr ? fmt::format("{}", *whole) : fmt::format("{}", numberIn(*value));
}

bool isBefore(const std::string& dimension, const std::optional<ReportCell>& a,
              const std::optional<ReportCell>& b) {
    if (a == b) {
        return false;
    }
    if (!a || !b) {
        return !a;
    }
    const double x = numberIn(*a);
    const double y = numberIn(*b);
    if (!std::isnan(x) && !std::isnan(y)) {
        return x < y;
    }
    const std::string first = settingText(a);
    const std::string second = settingText(b);
    if (dimension == "method" && methodRank(first) != methodRank(second)) {
        return methodRank(first) < methodRank(second);
    }
    return first < second;
}

double iterationCount(const RunRow& run) {
    if (!isSparse(run)) {
        return unknownNumber;
    }
    if (run.iterations > 0) {
        return static_cast<double>(run.iterations);
    }
    MatrixOptions usual;
    usual.method = findMethod(run.method);
    usual.solver = run.solver == name(Solver::Ksvd) ? Solver::Ksvd : Solver::Fast;
    usual.side = DictionarySide::Input;  // of fast, that of independent columns
    const int iterations = usual.method->usualIterations(usual);
    return iterations > 0 ? iterations : unknownNumber;
}

std::optional<ReportCell> dimensionOf(const RunRow& run, const std::string& dimension) {
    return dimensionOf(run, dimension, settingsOf(run));
}

std::optional<ReportCell> dimensionOf(const RunRow& run, const std::string& dimension,
                                      const std::map<std::string, std::string>& settings,
                                      const std::set<std::string>& shown) {
    if (dimension == "method") {
        return methodLabel(run, shown);
    }
    if (dimension == "model") {
        return modelLabel(run);
    }
    if (dimension == "layers" && run.method != "dense") {
        return layersLabel(run);
    }
    const auto found = settings.find(dimension);
    return found == settings.end() ? std::nullopt : std::optional(settingCell(found->second));
}

std::vector<std::string> dimensionNames(const std::vector<RunRow>& runs) {
    std::set<std::string> known = {"method", "model", "layers"};
    for (const RunRow& run : runs) {
        for (const auto& [field, value] : settingsOf(run)) {
            known.insert(field);
        }
    }
    return {known.begin(), known.end()};
}

void requireDimensions(const std::vector<RunRow>& runs,
                       const std::vector<std::string>& dimensions) {
    const std::vector<std::string> known = dimensionNames(runs);
    for (const std::string& dimension : dimensions) {
        if (!runs.empty() && std::find(known.begin(), known.end(), dimension) == known.end()) {
            throw Error("no run has a setting with this name", dimension,
                        fmt::format("there are: {}", fmt::join(known, ", ")));
        }
    }
}

}  // namespace cospadi
