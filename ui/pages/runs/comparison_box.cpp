#include "ui/pages/runs/comparison_box.h"

#include <QSettings>
#include <utility>

#include "ui/models/saved_views.h"

namespace cospadi::ui {

namespace {

const char* const kComparisonSetting = "runs/comparison";

}  // namespace

ComparisonBox::ComparisonBox(QWidget* parent) : QComboBox(parent) {
    setAccessibleName(tr("What is compared"));
    setObjectName(QStringLiteral("comparison"));
    const std::pair<QString, Comparison> comparisons[] = {
        {tr("error by matrix"), Comparison::ErrorByLayer},
        {tr("error map: blocks × kinds"), Comparison::ErrorMap},
        {tr("error against iteration"), Comparison::ErrorByIteration},
        {tr("ablation: a value over a setting"), Comparison::Ablation},
        {tr("parallel coordinates"), Comparison::Parallel},
        {tr("sweep: settings × settings"), Comparison::Sweep}};
    for (const auto& [words, comparison] : comparisons) {
        addItem(words, static_cast<int>(comparison));
    }
    setComparison(
        comparisonFromName(QSettings().value(QLatin1String(kComparisonSetting)).toString()));
    connect(this, &QComboBox::currentIndexChanged, this, [this] {
        QSettings().setValue(QLatin1String(kComparisonSetting), comparisonName(comparison()));
    });
}

Comparison ComparisonBox::comparison() const {
    return static_cast<Comparison>(currentData().toInt());
}

void ComparisonBox::setComparison(Comparison comparison) {
    setCurrentIndex(findData(static_cast<int>(comparison)));
}

}  // namespace cospadi::ui
