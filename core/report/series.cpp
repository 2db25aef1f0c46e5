#include "core/report/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/report/pareto_front.h"
#include "core/report/pivot.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_metrics.h"
#include "core/store/iteration_series.h"

namespace cospadi {

namespace {

// The double that is written as shortly as the float: 0.1216, not 0.121600002.
double shortest(float value) {
    if (!std::isfinite(value)) {
        return double{value};
    }
    const std::string text = fmt::format("{}", value);
    double result = 0;  // from_chars: the window's process may have a decimal comma
    std::from_chars(text.data(), text.data() + text.size(), result);
    return result;
}

IterationSeries iterationsOf(const RunRow& run, const SeriesOptions& options) {
    IterationSeries series =
        options.iterations ? options.iterations(run) : readIterations(run.directory);
    std::erase_if(series.matrices, [&](const MatrixIterations& m) {
        return m.matrix.find(options.matrix) == std::string::npos;
    });
    return series;
}

const std::vector<float>& errorsOf(const MatrixIterations& m, ErrorOf inputs) {
    return inputs == ErrorOf::Fitted ? m.relativeError : m.heldOutError;
}

// A last cell a row, empty for unknown ones; no column where all are.
void addHeldOutErrors(const std::vector<double>& errors, ReportTable& table) {
    const auto isKnown = [](double error) { return std::isfinite(error); };
    if (std::none_of(errors.begin(), errors.end(), isKnown)) {
        return;
    }
    table.columns.push_back({kHeldOutError, ColumnKind::Number, 6});
    for (std::size_t i = 0; i < errors.size(); ++i) {
        table.rows[i].cells.push_back(isKnown(errors[i]) ? ReportCell(errors[i]) : ReportCell());
    }
}

ReportTable errorOverIterations(const std::vector<RunRow>& runs, const SeriesOptions& options) {
    ReportTable table;
    table.columns = {{"run"},
                     {"method"},
                     {"matrix"},
                     {"phase"},
                     {"iteration"},
                     {"error", ColumnKind::Number, 6},
                     {"seconds", ColumnKind::Number, 4}};
    std::vector<double> heldOut;
    for (const RunRow& run : runs) {
        const IterationSeries series = iterationsOf(run, options);
        const std::string method = methodLabel(run);
        for (const MatrixIterations& m : series.matrices) {
            for (std::size_t i = 0; i < m.size(); ++i) {
                table.rows.push_back({{run.id, method, m.matrix, m.phase(i), m.iteration[i],
                                       shortest(m.relativeError[i]), shortest(m.seconds[i])},
                                      {},
                                      false});
                heldOut.push_back(m.heldOutError.empty() ? unknownNumber
                                                         : shortest(m.heldOutError[i]));
            }
        }
    }
    addHeldOutErrors(heldOut, table);
    return table;
}

ReportTable meanErrorOverIterations(const std::vector<RunRow>& runs, const SeriesOptions& options) {
    ReportTable table;
    table.columns = {{"run"},      {"method"}, {"iteration"}, {"error", ColumnKind::Number, 6},
                     {"matrices"}, {"ended"}};
    std::vector<double> heldOut;
    for (const RunRow& run : runs) {
        const IterationSeries iterations = iterationsOf(run, options);
        std::map<std::int64_t, double> heldOutMeans;
        for (const MeanError& mean : meanErrors(iterations, ErrorOf::HeldOut)) {
            heldOutMeans[mean.iteration] = mean.error;
        }
        for (const MeanError& mean : meanErrors(iterations)) {
            table.rows.push_back(
                {{run.id, methodLabel(run), mean.iteration, mean.error, mean.matrices, mean.ended},
                 {},
                 false});
            const auto known = heldOutMeans.find(mean.iteration);
            heldOut.push_back(known == heldOutMeans.end() ? unknownNumber : known->second);
        }
    }
    addHeldOutErrors(heldOut, table);
    table.notes.emplace_back("finished matrices keep their last error");
    return table;
}

// Of metric-rho and its like.
std::string settingOfSeries(const std::string& kind) {
    return kind.substr(std::string("metric-").size());
}

// A pivot of the methods over one setting, a point a row.
ReportTable metricOver(const std::string& setting, const std::vector<RunRow>& runs,
                       const SeriesOptions& options) {
    std::vector<RunRow> curves;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(curves),
                 [&](const RunRow& run) { return dimensionOf(run, setting).has_value(); });
    PivotOptions shape;
    shape.rows = {"method", setting};
    if (setting == "iterations") {
        shape.rows.insert(shape.rows.begin() + 1, "solver");
    }
    shape.columns = {};
    shape.metric = options.metric;
    const ReportTable flat = pivot(curves, shape);
    ReportTable table;
    table.columns.assign(flat.columns.begin(), flat.columns.end() - 1);
    table.columns.push_back({options.metric, ColumnKind::Number, 6});
    table.columns.push_back({"std", ColumnKind::Number, 6});
    table.columns.push_back({"n"});
    for (const ReportRow& row : flat.rows) {
        const auto& mean = std::get<MeanCell>(row.cells.back());
        ReportRow point;
        point.cells.assign(row.cells.begin(), row.cells.end() - 1);
        point.cells.insert(point.cells.end(), {mean.mean, mean.deviation, mean.count});
        table.rows.push_back(std::move(point));
    }
    table.notes = flat.notes;
    return table;
}

ReportTable ablationOf(const std::vector<RunRow>& runs, const SeriesOptions& options) {
    AblationAxes axes = options.axes;
    axes.y = options.metric;
    return ablationTable(ablation(runs, axes));
}

ReportTable pareto(const std::vector<RunRow>& runs, const SeriesOptions& options) {
    const Metric metric = metricFromName(options.metric);
    const Measure measure = commonMeasure(runs, options.metric);
    // A task says itself which way is better.
    const bool lowestIsBest =
        measure.task ? !measure.task->higherIsBetter : metric.best == BestValue::Lowest;
    ReportTable table;
    table.columns = {{"run"},
                     {"method"},
                     {"layers"},
                     {"cr", ColumnKind::Number, 2, BestValue::None, false, true},
                     {"rho", ColumnKind::Number, 2, BestValue::None, false, true},
                     {"bytes", ColumnKind::Bytes},
                     {options.metric, ColumnKind::Number, 6},
                     {"pareto"}};
    std::vector<const RunRow*> measured;
    for (const RunRow& run : runs) {
        if (run.status == "finished" && run.layerBytes > 0 &&
            std::isfinite(metricOf(run, options.metric, measure))) {
            measured.push_back(&run);
        }
    }
    std::stable_sort(measured.begin(), measured.end(), [](const RunRow* a, const RunRow* b) {
        return a->layerBytes < b->layerBytes;
    });
    std::vector<ParetoPoint> points;
    for (const RunRow* run : measured) {
        const double value = metricOf(*run, options.metric, measure);
        points.push_back({run->modelSha256 + " " + run->layers,
                          static_cast<double>(run->layerBytes), lowestIsBest ? value : -value});
    }
    const std::vector<bool> front = paretoFront(points);
    for (std::size_t i = 0; i < measured.size(); ++i) {
        const RunRow& run = *measured[i];
        table.rows.push_back(
            {{run.id, methodLabel(run), run.layers, run.cr,
              dimensionOf(run, "rho").value_or(ReportCell()), run.layerBytes,
              metricOf(run, options.metric, measure), std::int64_t{front[i] ? 1 : 0}},
             {},
             false});
    }
    if (options.metric == "perplexity" || measure.task || !measure.tasks.empty()) {
        table.notes.push_back(options.metric + ": " + inEnglish(measure.label));
    }
    if (const auto others = measuredOtherwise(runs, options.metric, measure); others > 0) {
        table.notes.push_back(
            fmt::format("{} runs were measured otherwise and are left out", others));
    }
    if (const std::string lacking = lackingNote(runs, measure); !lacking.empty()) {
        table.notes.push_back(lacking);
    }
    if (measured.empty() && !measure.tasks.empty()) {
        throw Error("no finished run has a value of " + options.metric, options.kind,
                    howToMeasure(runs, options.metric, measure));
    }
    return table;
}

}  // namespace

std::vector<MeanError> meanErrors(const IterationSeries& iterations, ErrorOf inputs) {
    std::vector<std::map<std::int64_t, double>> matrices;  // error by iteration, the latest
    std::set<std::int64_t> all;
    for (const MatrixIterations& m : iterations.matrices) {
        std::map<std::int64_t, double> errors;
        const std::vector<float>& known = errorsOf(m, inputs);
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (std::isfinite(known[i])) {
                errors[m.iteration[i]] = shortest(known[i]);
                all.insert(m.iteration[i]);
            }
        }
        if (!errors.empty()) {
            matrices.push_back(std::move(errors));
        }
    }
    std::vector<MeanError> means;
    for (const std::int64_t iteration : all) {
        MeanError mean;
        mean.iteration = iteration;
        for (const std::map<std::int64_t, double>& errors : matrices) {
            const auto after = errors.upper_bound(iteration);
            if (after != errors.begin()) {
                mean.error += std::prev(after)->second;
                ++mean.matrices;
                mean.ended += errors.rbegin()->first < iteration ? 1 : 0;
            }
        }
        mean.error /= static_cast<double>(mean.matrices);
        means.push_back(mean);
    }
    return means;
}

std::vector<std::string> seriesKinds() {
    return {"error-iteration", "mean-error-iteration", "metric-rho",
            "metric-cr",       "metric-iterations",    "ablation",
            "pareto"};
}

bool choosesMatrices(const std::string& kind) {
    return kind == "error-iteration" || kind == "mean-error-iteration";
}

SeriesColumns columnsOf(const SeriesOptions& options) {
    const std::string& kind = options.kind;
    if (kind == "error-iteration") {
        return {"iteration", "error", "matrix", "run"};
    }
    if (kind == "mean-error-iteration") {
        return {"iteration", "error", "run", ""};
    }
    if (kind == "ablation") {
        return {options.axes.x, options.metric, "curve", options.axes.facet};
    }
    return {kind == "pareto" ? "bytes" : settingOfSeries(kind), options.metric, "method", ""};
}

void requireSeriesKind(const std::string& kind) {
    const std::vector<std::string> kinds = seriesKinds();
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
        throw Error(fmt::format("there is no series \"{}\"", kind), "--series",
                    fmt::format("there are: {}", fmt::join(kinds, ", ")));
    }
}

ReportTable series(const std::vector<RunRow>& runs, const SeriesOptions& options) {
    requireSeriesKind(options.kind);
    ReportTable table =
        options.kind == "error-iteration"        ? errorOverIterations(runs, options)
        : options.kind == "mean-error-iteration" ? meanErrorOverIterations(runs, options)
        : options.kind == "ablation"             ? ablationOf(runs, options)
        : options.kind == "pareto"               ? pareto(runs, options)
                                   : metricOver(settingOfSeries(options.kind), runs, options);
    if (table.rows.empty()) {
        throw Error("no stored run has data for this series", options.kind,
                    "compress something first, or loosen the filters");
    }
    return table;
}

}  // namespace cospadi
