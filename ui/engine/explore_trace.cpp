#include "ui/engine/explore_trace.h"

#include <QJsonArray>
#include <algorithm>
#include <cmath>

namespace cospadi::ui {

namespace {

double numberAt(const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toDouble();
}

QList<double> numbers(const QJsonValue& value) {
    QList<double> result;
    const QJsonArray array = value.toArray();
    result.reserve(array.size());
    for (const QJsonValue entry : array) {
        result.append(entry.toDouble());
    }
    return result;
}

ExploreValue valueOf(const QJsonObject& event) {
    ExploreValue value;
    value.cr = numberAt(event, "cr");
    value.rho = numberAt(event, "rho");
    value.k = event.value(QLatin1String("k")).toInteger();
    value.s = event.value(QLatin1String("s")).toInteger();
    value.stored = event.value(QLatin1String("stored")).toString();
    value.iteration = event.value(QLatin1String("iteration")).toInt();
    value.error = event.value(QLatin1String("relative_error")).toDouble(-1);
    value.bytes = numberAt(event, "bytes");
    value.settled = event.value(QLatin1String("settled")).toBool();
    return value;
}

// Best so far: the curves only ever fall, except to what the stored factors have in the end.
void improve(ExploreValue& known, const ExploreValue& next) {
    if (next.error >= 0 && (known.error < 0 || next.settled || next.error < known.error)) {
        known = next;
    }
}

}  // namespace

MatrixPortraitData MatrixPortraitData::fromJson(const QJsonObject& result) {
    MatrixPortraitData portrait;
    portrait.layer = result.value(QLatin1String("layer")).toString();
    portrait.d1 = result.value(QLatin1String("d1")).toInteger();
    portrait.d2 = result.value(QLatin1String("d2")).toInteger();
    portrait.mean = numberAt(result, "mean");
    portrait.deviation = numberAt(result, "deviation");
    portrait.least = numberAt(result, "least");
    portrait.greatest = numberAt(result, "greatest");
    portrait.zeros = result.value(QLatin1String("zeros")).toInteger();
    const QJsonObject histogram = result.value(QLatin1String("histogram")).toObject();
    portrait.histogramLow = numberAt(histogram, "low");
    portrait.histogramHigh = numberAt(histogram, "high");
    portrait.histogram = numbers(histogram.value(QLatin1String("counts")));
    portrait.singularValues = numbers(result.value(QLatin1String("singular_values")));
    portrait.whitenedValues = numbers(result.value(QLatin1String("whitened_values")));
    portrait.gramAbsence = result.value(QLatin1String("gram_absence")).toString();
    return portrait;
}

double ExploredMatrix::referenceError(double cr) const {
    for (const ExploreReference& point : reference) {
        if (std::abs(point.cr - cr) < 1e-9) {
            return point.error;
        }
    }
    return -1;
}

void ExploreTrace::begin(const QJsonObject& reply) {
    *this = ExploreTrace{};
    m_number = reply.value(QLatin1String("exploration")).toInt();
}

ExploredMatrix* ExploreTrace::matrixOf(const QString& layer) {
    for (ExploredMatrix& matrix : m_matrices) {
        if (matrix.layer == layer) {
            return &matrix;
        }
    }
    return nullptr;
}

void ExploreTrace::apply(const QJsonObject& event) {
    if (event.value(QLatin1String("exploration")).toInt() != m_number) {
        return;  // of an earlier one
    }
    const QString kind = event.value(QLatin1String("event")).toString();
    if (kind == QLatin1String("explore_finished")) {
        m_status = event.value(QLatin1String("status")).toString();
        m_seconds = numberAt(event, "seconds");
        const QString message = event.value(QLatin1String("message")).toString();
        m_message = message.isEmpty() ? m_message : message;
        return;
    }
    const QString layer = event.value(QLatin1String("layer")).toString();
    if (kind == QLatin1String("explore_matrix")) {
        ExploredMatrix matrix;
        matrix.layer = layer;
        matrix.d1 = event.value(QLatin1String("d1")).toInteger();
        matrix.d2 = event.value(QLatin1String("d2")).toInteger();
        matrix.whitened = event.value(QLatin1String("whitened")).toBool();
        matrix.gramAbsence = event.value(QLatin1String("gram_absence")).toString();
        matrix.method = event.value(QLatin1String("method")).toString();
        const QJsonArray curves = event.value(QLatin1String("curves")).toArray();
        for (const QJsonValue curve : curves) {
            matrix.curves << curve.toString();
        }
        m_matrices.append(matrix);
        return;
    }
    ExploredMatrix* matrix = matrixOf(layer);
    if (matrix == nullptr) {
        return;
    }
    if (kind == QLatin1String("explore_point")) {
        const ExploreValue value = valueOf(event);
        const QString curve = event.value(QLatin1String("curve")).toString();
        m_seconds = numberAt(event, "seconds");
        if (curve == QLatin1String("here")) {
            if (!value.settled && value.error >= 0 && value.iteration > 0) {
                matrix->iterations.append(QPointF(value.iteration, value.error));
            }
            improve(matrix->here, value);
        } else if (curve == QLatin1String("rho")) {
            improve(matrix->byRho[value.rho], value);
        } else if (curve == QLatin1String("cr")) {
            improve(matrix->byCr[value.cr], value);
        }
    } else if (kind == QLatin1String("explore_reference")) {
        matrix->reference.clear();
        const QJsonArray points = event.value(QLatin1String("points")).toArray();
        for (const QJsonValue entry : points) {
            const QJsonObject point = entry.toObject();
            matrix->reference.append({numberAt(point, "cr"),
                                      point.value(QLatin1String("rank")).toInteger(),
                                      numberAt(point, "relative_error"), numberAt(point, "bytes")});
        }
    } else if (kind == QLatin1String("explore_passed_over")) {
        m_message = event.value(QLatin1String("message")).toString();
    }
}

bool ExploreTrace::isWhitened() const {
    return std::all_of(m_matrices.begin(), m_matrices.end(),
                       [](const ExploredMatrix& matrix) { return matrix.whitened; });
}

int ExploreTrace::settledValues() const {
    int settled = 0;
    for (const ExploredMatrix& matrix : m_matrices) {
        for (const auto* curve : {&matrix.byRho, &matrix.byCr}) {
            for (const ExploreValue& value : *curve) {
                settled += value.settled ? 1 : 0;
            }
        }
    }
    return settled;
}

}  // namespace cospadi::ui
