#include "ui/models/portrait_curves.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/dictionary/budget.h"
#include "core/explore/matrix_portrait.h"
#include "core/linalg/spectrum.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

// A spectrum of zeros has no σ₁ to measure it by, and no curve.
bool isDrawn(const QList<double>& values) {
    return !values.isEmpty() && std::isfinite(values.first()) && values.first() > 0;
}

Curve spectrumCurve(const QString& name, const QList<double>& values, int colour) {
    Curve curve;
    curve.name = name;
    curve.colour = theme().series[colour];
    for (qsizetype i = 0; i < values.size(); ++i) {
        curve.points.append(QPointF(static_cast<double>(i + 1), values[i] / values.first()));
    }
    return curve;
}

}  // namespace

qint64 lowRankAt(const MatrixPortraitData& portrait, const RunSpecification& specification) {
    try {
        return lowRankBudget(portrait.d1, portrait.d2, specification.cr, specification.accounting,
                             specification.coefficientBits)
            .rank;
    } catch (const Error&) {
        return 0;
    }
}

QList<Curve> spectrumCurves(const MatrixPortraitData& portrait, qint64 rank, double cr) {
    if (!isDrawn(portrait.singularValues)) {
        return {};
    }
    QList<Curve> curves{spectrumCurve(Words::tr("W"), portrait.singularValues, 0)};
    if (isDrawn(portrait.whitenedValues)) {
        curves.append(spectrumCurve(Words::tr("whitened, L W"), portrait.whitenedValues, 1));
        curves.last().pen = Qt::DashLine;
    }
    if (rank > 0 && rank <= portrait.singularValues.size()) {
        Curve mark;
        mark.name = Words::tr("rank %1: what a low-rank method keeps at CR %2")
                        .arg(formatCount(rank), QLocale().toString(cr, 'f', 2));
        mark.style = Curve::Style::Points;
        mark.colour = theme().text;
        mark.points.append(curves.first().points[rank - 1]);
        curves.append(mark);
    }
    return curves;
}

QString portraitFacts(const MatrixPortraitData& portrait, const LayerInfo& layer, qint64 rank) {
    QString text =
        Words::tr(
            "<b>%1</b> &nbsp; d₁ × d₂ = %2 × %3 &nbsp;·&nbsp; stored as %4, %5 &nbsp;·&nbsp; mean "
            "%6, deviation %7, from %8 to %9")
            .arg(portrait.layer, formatCount(portrait.d1), formatCount(portrait.d2))
            .arg(QString::fromStdString(layer.storedDtype),
                 formatBytes(static_cast<double>(layer.storedBytes)),
                 formatNumber(portrait.mean, 3), formatNumber(portrait.deviation, 3),
                 formatNumber(portrait.least, 3), formatNumber(portrait.greatest, 3));
    if (rank > 0) {
        const bool whitened = !portrait.whitenedValues.isEmpty();
        const auto& values = whitened ? portrait.whitenedValues : portrait.singularValues;
        const std::vector<double> errors =
            truncationErrors(std::vector<double>(values.begin(), values.end()));
        const double error =
            errors[std::min(static_cast<std::size_t>(rank), errors.size() - 1)];  // 0 at full rank
        text += Words::tr(
                    "<br><span style='color:%1'>the leading %2 of %3 singular values hold %4 of "
                    "the %5 energy: a low-rank method leaves a relative error of <b>%6</b></span>")
                    .arg(theme().muted.name(), formatCount(rank), formatCount(values.size()),
                         formatPercent(1 - error * error),
                         whitened ? Words::tr("whitened") : Words::tr("plain"), formatError(error));
    }
    return text;
}

}  // namespace cospadi::ui
