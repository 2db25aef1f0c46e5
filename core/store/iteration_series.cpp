#include "core/store/iteration_series.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/store/event_line.h"
#include "core/store/run_file.h"

namespace cospadi {

namespace {

using nlohmann::json;

MatrixIterations& matrixNamed(std::string_view name, IterationSeries& series) {
    // Searched from the end: matrices in work are among the last.
    const auto found = std::find_if(series.matrices.rbegin(), series.matrices.rend(),
                                    [&](const MatrixIterations& m) { return m.matrix == name; });
    if (found != series.matrices.rend()) {
        return *found;
    }
    series.matrices.emplace_back().matrix = name;
    return series.matrices.back();
}

std::int64_t wholeNumber(double value) {
    // Beyond 2⁵³ a double is no count any more; a damaged file may hold anything.
    return std::isfinite(value) ? static_cast<std::int64_t>(std::clamp(value, 0.0, 0x1p53)) : 0;
}

void append(const EventLine& event, IterationSeries& series) {
    MatrixIterations& matrix = matrixNamed(event.matrix, series);
    if (matrix.phases.empty() || matrix.phases.back().name != event.phase) {
        matrix.phases.push_back({std::string(event.phase), 0});
    }
    ++matrix.phases.back().iterations;
    matrix.iteration.push_back(wholeNumber(event.iteration));
    matrix.relativeError.push_back(static_cast<float>(event.relativeError));
    if (std::isfinite(event.heldOutError) || !matrix.heldOutError.empty()) {
        matrix.heldOutError.resize(matrix.size(), static_cast<float>(unknownNumber));
        matrix.heldOutError.back() = static_cast<float>(event.heldOutError);
    }
    matrix.seconds.push_back(static_cast<float>(event.seconds));
    matrix.usageEntropy.push_back(static_cast<float>(event.usageEntropy));
    matrix.deadAtoms.push_back(wholeNumber(event.deadAtoms));
    matrix.supportChanges.push_back(wholeNumber(event.supportChanges));
}

// Drops what an abandoned attempt left of a matrix that is begun again.
void begin(std::string_view name, IterationSeries& series) {
    std::erase_if(series.matrices, [&](const MatrixIterations& m) { return m.matrix == name; });
}

// False where the event lacks what it must have.
bool takeIn(const EventLine& event, IterationSeries& series) {
    if (event.event.empty()) {
        return false;
    }
    const bool isIteration = event.event == "iteration";
    if (isIteration || event.event == "matrix_started") {
        if (event.matrix.empty() || (isIteration && !std::isfinite(event.iteration))) {
            return false;
        }
        isIteration ? append(event, series) : begin(event.matrix, series);
    }
    return true;
}

double numberOr(const json& event, const char* field, double fallback) {
    const auto value = event.find(field);
    return value != event.end() && value->is_number() ? value->get<double>() : fallback;
}

std::string textOf(const json& event, const char* field) {
    const auto value = event.find(field);
    return value != event.end() && value->is_string() ? value->get<std::string>() : std::string();
}

// For lines that the quick reader leaves alone: escapes, fields of a later version.
bool takeInSlowly(std::string_view line, IterationSeries& series) {
    const json object = eventOfLine(line);
    if (object.is_null()) {
        return false;
    }
    const std::string kind = textOf(object, "event");
    const std::string matrix = textOf(object, "matrix");
    const std::string phase = textOf(object, "phase");
    const EventLine defaults;
    EventLine event;
    event.event = kind;
    event.matrix = matrix;
    event.phase = phase;
    event.iteration = numberOr(object, "iteration", defaults.iteration);
    event.relativeError = numberOr(object, "relative_error", defaults.relativeError);
    event.heldOutError = numberOr(object, "held_out_error", defaults.heldOutError);
    event.seconds = numberOr(object, "seconds", defaults.seconds);
    event.usageEntropy = numberOr(object, "usage_entropy", defaults.usageEntropy);
    event.deadAtoms = numberOr(object, "dead_atoms", defaults.deadAtoms);
    event.supportChanges = numberOr(object, "support_changes", defaults.supportChanges);
    return takeIn(event, series);
}

}  // namespace

const std::string& MatrixIterations::phase(std::size_t entry) const {
    static const std::string none;
    for (const PhaseLength& phase : phases) {
        if (entry < phase.iterations) {
            return phase.name;
        }
        entry -= phase.iterations;
    }
    return none;
}

std::size_t IterationSeries::size() const {
    std::size_t count = 0;
    for (const MatrixIterations& matrix : matrices) {
        count += matrix.size();
    }
    return count;
}

IterationSeries readIterations(const std::filesystem::path& runDirectory) {
    IterationSeries series;
    const std::filesystem::path file = runDirectory / "events.jsonl";
    std::error_code absent;
    if (!std::filesystem::exists(file, absent)) {
        return series;
    }
    const std::string text = readTextFile(file);
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        EventLine event;
        if (!(readEventLine(line, event) && takeIn(event, series)) && !takeInSlowly(line, series)) {
            ++series.brokenLines;
        }
    }
    return series;
}

std::string eventsStamp(const std::filesystem::path& runDirectory) {
    struct stat status {};
    if (::stat((runDirectory / "events.jsonl").c_str(), &status) != 0) {
        return {};
    }
    const std::int64_t nanoseconds =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    return std::to_string(status.st_size) + ":" + std::to_string(nanoseconds);
}

}  // namespace cospadi
