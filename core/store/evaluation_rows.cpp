#include "core/store/evaluation_rows.h"

#include <utility>

#include "core/store/store_database.h"

namespace cospadi {

namespace {

bool sameMeasure(const EvaluationRow& a, const EvaluationRow& b) {
    const bool bothHashed = !a.textSha256.empty() && !b.textSha256.empty();
    const bool sameText = bothHashed ? a.textSha256 == b.textSha256 : a.text == b.text;
    return sameText && a.kind == b.kind && a.context == b.context && a.maxTokens == b.maxTokens &&
           a.score == b.score;
}

}  // namespace

EvaluationRow readEvaluation(RowReader& reader) {
    EvaluationRow row;
    reader >> row.file >> row.kind >> row.text >> row.textSha256 >> row.context >> row.maxTokens >>
        row.score >> row.perplexity >> row.tokens >> row.seconds >> row.created;
    return row;
}

void keepLatest(std::vector<EvaluationRow>& kept, EvaluationRow row) {
    for (EvaluationRow& earlier : kept) {
        if (sameMeasure(earlier, row)) {
            earlier = std::move(row);
            return;
        }
    }
    kept.push_back(std::move(row));
}

TaskResultRow readTaskResult(RowReader& reader) {
    TaskResultRow row;
    reader >> row.file >> row.task >> row.metric >> row.filter >> row.value >> row.standardError >>
        row.samples >> row.shots >> row.version >> row.dataSha256 >> row.higherIsBetter >>
        row.created;
    return row;
}

void keepLatest(std::vector<TaskResultRow>& kept, TaskResultRow row) {
    for (TaskResultRow& earlier : kept) {
        if (earlier.measuresSameAs(row)) {
            earlier = std::move(row);
            return;
        }
    }
    kept.push_back(std::move(row));
}

}  // namespace cospadi
