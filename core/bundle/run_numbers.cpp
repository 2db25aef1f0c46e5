#include "core/bundle/run_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/report.h"
#include "core/report/run_metrics.h"

namespace cospadi {

namespace {

std::string measureOf(const EvaluationRow& e) {
    return fmt::format("text {}, context {}, {}, score {}",
                       e.textSha256.empty() ? e.text : e.textSha256.substr(0, 12), e.context,
                       e.maxTokens > 0 ? fmt::format("first {} tokens", e.maxTokens) : "all tokens",
                       e.score);
}

std::string measureOf(const TaskResultRow& t) {
    return fmt::format("{} items, {} shots, version {}{}{}", t.samples,
                       t.shots < 0 ? "?" : std::to_string(t.shots),
                       t.version.empty() ? "?" : t.version,
                       t.filter.empty() || t.filter == "none" ? "" : ", filter " + t.filter,
                       t.dataSha256.empty() ? "" : ", data " + t.dataSha256.substr(0, 12));
}

}  // namespace

std::vector<RunNumber> numbersOf(const RunRow& run) {
    std::vector<RunNumber> numbers;
    const auto add = [&numbers](const std::string& quantity, const std::string& on, double value,
                                double standardError = unknownNumber) {
        if (std::isfinite(value)) {
            numbers.push_back({quantity, on, value, standardError});
        }
    };
    if (run.matrices > 0) {
        add("bytes", "", static_cast<double>(run.layerBytes));
        add("error", "", run.relativeError);
        add(kHeldOutError, "", run.heldOutError);
    }
    for (const EvaluationRow& evaluation : run.evaluations) {
        add(evaluation.kind, measureOf(evaluation), evaluation.perplexity);
    }
    for (const TaskResultRow& task : run.taskResults) {
        add(task.task + "/" + task.metric, measureOf(task), task.value, task.standardError);
    }
    return numbers;
}

ReportTable numbersTable(const std::vector<RunRow>& runs) {
    ReportTable table;
    table.columns = {{"run"}, {"method"}, {"quantity"}, {"measured on"}};
    for (const char* name : {"value", "stderr"}) {
        table.columns.push_back({name, ColumnKind::Number, 4});
    }
    for (const RunRow& run : runs) {
        for (const RunNumber& number : numbersOf(run)) {
            ReportRow row;
            row.cells = {run.id, methodLabel(run), number.quantity, number.on, number.value};
            row.cells.push_back(std::isfinite(number.standardError)
                                    ? ReportCell(number.standardError)
                                    : ReportCell());
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

bool ComparedNumber::isMeasured() const { return std::isfinite(repeated); }

double ComparedNumber::difference() const {
    const double apart = std::abs(repeated - given.value);
    return apart == 0 ? 0 : apart / std::abs(given.value);
}

std::vector<ComparedNumber> compared(const RunRow& given, const RunRow& repeated) {
    const std::vector<RunNumber> now = numbersOf(repeated);
    std::vector<ComparedNumber> all;
    for (const RunNumber& number : numbersOf(given)) {
        const auto same = std::find_if(now.begin(), now.end(), [&](const RunNumber& one) {
            return one.quantity == number.quantity && one.on == number.on;
        });
        all.push_back(
            {methodLabel(given), number, same == now.end() ? unknownNumber : same->value});
    }
    return all;
}

}  // namespace cospadi
