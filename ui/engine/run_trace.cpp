#include "ui/engine/run_trace.h"

#include <QJsonArray>
#include <algorithm>

#include "ui/base/format.h"
#include "ui/base/status_words.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

QString text(const QJsonObject& event, const char* field) {
    return event.value(QLatin1String(field)).toString();
}

qint64 whole(const QJsonObject& event, const char* field) {
    return event.value(QLatin1String(field)).toInteger();
}

double number(const QJsonObject& event, const char* field, double otherwise) {
    return event.value(QLatin1String(field)).toDouble(otherwise);
}

// Of an iteration.
void appendError(const QJsonObject& event, const char* field, QList<QPointF>& errors) {
    const QJsonValue error = event.value(QLatin1String(field));
    if (error.isDouble()) {  // not a number arrives as null
        errors.append(QPointF(static_cast<double>(whole(event, "iteration")), error.toDouble()));
    }
}

}  // namespace

double MatrixTrace::latestError() const {
    if (finalError >= 0) {
        return finalError;
    }
    return error.isEmpty() ? -1 : error.last().y();
}

bool RunTrace::hasPatterns() const {
    return std::any_of(m_matrices.begin(), m_matrices.end(),
                       [](const MatrixTrace& matrix) { return matrix.k > 0; });
}

bool RunTrace::hasHeldOut() const {
    return std::any_of(m_matrices.begin(), m_matrices.end(), [](const MatrixTrace& matrix) {
        return !matrix.heldOutError.isEmpty() || matrix.finalHeldOutError >= 0;
    });
}

void RunTrace::clear() { *this = RunTrace(); }

void RunTrace::recall(const RunTrace& earlier) {
    for (const MatrixTrace& matrix : earlier.m_matrices) {
        if (matrix.finished && !m_index.contains(matrix.name)) {
            m_index.insert(matrix.name, static_cast<int>(m_matrices.size()));
            m_matrices.append(matrix);
        }
    }
}

// What was told of reading and calibrating is over once a matrix is in work.
void RunTrace::countMatrices() {
    if (m_progress.stage != QLatin1String("compress")) {
        m_progress = {QStringLiteral("compress"), 0, 0, -1};
    }
    m_progress.done = m_finished;
    m_progress.total = m_expected;
}

MatrixTrace* RunTrace::matrixOf(const QJsonObject& event) {
    const QString name = text(event, "matrix");
    if (name.isEmpty()) {
        return nullptr;
    }
    if (!m_index.contains(name)) {
        m_index.insert(name, static_cast<int>(m_matrices.size()));
        m_matrices.append(MatrixTrace{});
        m_matrices.last().name = name;
    }
    m_current = m_index.value(name);
    return &m_matrices[m_current];
}

void RunTrace::apply(const QJsonObject& event) {
    const QString kind = text(event, "event");
    m_seconds = number(event, "t", m_seconds);
    if (kind == QLatin1String("run_started")) {
        m_expected = whole(event, "matrices");
        m_finished = whole(event, "finished");
        m_directory = text(event, "directory");
        m_isWhitened = event.value(QLatin1String("whitened")).toBool(true);
        m_over = false;
        m_progress = {};
    } else if (kind == QLatin1String("run_finished")) {
        m_over = true;
    } else if (kind == QLatin1String("warning") && text(event, "matrix").isEmpty()) {
        m_warnings << text(event, "message");
    } else if (kind == QLatin1String("progress")) {
        m_progress = {text(event, "stage"), whole(event, "done"), whole(event, "total"),
                      number(event, "eta_seconds", -1)};
    } else if (kind == QLatin1String("matrix_started")) {
        if (MatrixTrace* matrix = matrixOf(event)) {
            const QString name = matrix->name;
            *matrix = MatrixTrace{};  // begun again after an interruption
            matrix->name = name;
            matrix->d1 = whole(event, "d1");
            matrix->d2 = whole(event, "d2");
            matrix->k = whole(event, "k");
            matrix->s = whole(event, "s");
            matrix->rank = whole(event, "rank");
            countMatrices();
        }
    } else if (kind == QLatin1String("iteration")) {
        MatrixTrace* matrix = matrixOf(event);
        if (matrix == nullptr) {
            return;
        }
        matrix->phase = text(event, "phase");
        matrix->deadAtoms = whole(event, "dead_atoms");
        matrix->usageEntropy = number(event, "usage_entropy", -1);
        matrix->seconds += number(event, "seconds", 0);
        matrix->codingSeconds += number(event, "coding_seconds", 0);
        matrix->dictionarySeconds += number(event, "dictionary_seconds", 0);
        appendError(event, "relative_error", matrix->error);
        appendError(event, "held_out_error", matrix->heldOutError);
        const QJsonArray usage = event.value(QLatin1String("usage")).toArray();
        if (!usage.isEmpty()) {
            matrix->usage.clear();
            for (const QJsonValue count : usage) {
                matrix->usage.append(count.toDouble());
            }
        }
    } else if (kind == QLatin1String("matrix_finished")) {
        if (MatrixTrace* matrix = matrixOf(event)) {
            m_finished += matrix->finished ? 0 : 1;
            matrix->finished = true;
            matrix->finalError = number(event, "relative_error", -1);
            matrix->finalHeldOutError = number(event, "held_out_error", -1);
            matrix->bytes = number(event, "bytes", 0);
            matrix->denseBytes = number(event, "dense_bytes", 0);
            matrix->sourceBytes = number(event, "source_bytes", 0);
            matrix->sourceType = text(event, "source_type");
            matrix->seconds = number(event, "seconds", matrix->seconds);
            matrix->codingSeconds = number(event, "coding_seconds", matrix->codingSeconds);
            matrix->dictionarySeconds =
                number(event, "dictionary_seconds", matrix->dictionarySeconds);
            matrix->activeAtoms = whole(event, "active_atoms");
            matrix->multiplications = number(event, "multiplications", 0);
            matrix->facts = event.value(QLatin1String("facts")).toObject().toVariantMap();
            countMatrices();
        }
    }
}

QString RunTrace::logLine(const QJsonObject& event) {
    const QString kind = text(event, "event");
    const double seconds = number(event, "t", -1);  // the engine's own events have no time
    const QString time =
        seconds < 0 ? QStringLiteral("      ·  ") : QStringLiteral("%1  ").arg(seconds, 7, 'f', 1);
    if (kind == QLatin1String("run_started")) {
        const qint64 there = whole(event, "finished");
        const auto matrices = static_cast<int>(whole(event, "matrices"));
        const QString line =
            there > 0 ? Words::tr("run started: %n matri(x|ces), %1 already finished, in %2",
                                  nullptr, matrices)
                            .arg(there)
                      : Words::tr("run started: %n matri(x|ces), in %1", nullptr, matrices);
        return time + line.arg(text(event, "directory"));
    }
    if (kind == QLatin1String("matrix_finished")) {
        const double heldOut = number(event, "held_out_error", -1);
        const QString matrix = text(event, "matrix");
        const QString error = formatError(number(event, "relative_error", qQNaN()));
        const QString bytes = formatBytes(number(event, "bytes", 0));
        const QString took = formatDuration(number(event, "seconds", -1));
        return time + (heldOut < 0
                           ? Words::tr("%1: error %2, %3, %4").arg(matrix, error, bytes, took)
                           : Words::tr("%1: error %2 (held out %3), %4, %5")
                                 .arg(matrix, error, formatError(heldOut), bytes, took));
    }
    if (kind == QLatin1String("blocks_left_out")) {
        return time +
               Words::tr(
                   "blocks %1 to %2 are left out: error of the hidden states %3, without the "
                   "linear map %4")
                   .arg(whole(event, "first"))
                   .arg(whole(event, "first") + whole(event, "count") - 1)
                   .arg(formatError(number(event, "error_with", qQNaN())),
                        formatError(number(event, "error_without", qQNaN())));
    }
    if (kind == QLatin1String("warning")) {
        const QString matrix = text(event, "matrix");
        return time +
               Words::tr("warning: %1")
                   .arg((matrix.isEmpty() ? QString() : matrix + ": ") + text(event, "message"));
    }
    if (kind == QLatin1String("run_paused")) {
        return time + Words::tr("paused");
    }
    if (kind == QLatin1String("run_resumed")) {
        return time + Words::tr("resumed");
    }
    if (kind == QLatin1String("run_finished")) {
        const QString message = text(event, "message");
        return time +
               Words::tr("run %1 after %2")
                   .arg(statusWords(text(event, "status")),
                        formatDuration(number(event, "seconds", -1))) +
               (message.isEmpty() ? QString() : ": " + message);
    }
    return {};
}

}  // namespace cospadi::ui
