#include "ui/pages/whole/matrix_fate.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/base/format.h"
#include "ui/widgets/elided_label.h"

namespace cospadi::ui {

MatrixFate::MatrixFate(QWidget* parent) : QWidget(parent) {
    m_name = new ElidedLabel;
    m_name->setObjectName(QStringLiteral("wholeMatrix"));
    m_fate = new QComboBox;
    m_fate->setObjectName(QStringLiteral("wholeFate"));
    m_fate->setAccessibleName(tr("How this matrix is treated"));
    m_fate->addItem(tr("automatic"), Free);
    m_fate->addItem(tr("pinned to CR"), Pinned);
    m_fate->addItem(tr("at most CR"), Limited);
    m_fate->addItem(tr("left as it is"), Excluded);
    m_fate->setToolTip(tr(
        "Pinned: this ratio, whatever the others have. At most: a floor for its bytes. Left as it "
        "is: not compressed, and not counted in CR."));
    m_ratio = new QDoubleSpinBox;
    m_ratio->setObjectName(QStringLiteral("wholeFateRatio"));
    m_ratio->setAccessibleName(tr("Compression ratio of this matrix"));
    m_ratio->setRange(0.05, 0.64);
    m_ratio->setSingleStep(0.01);
    m_ratio->setDecimals(2);
    m_freeAll = new QPushButton(tr("Reset all"));
    m_freeAll->setObjectName(QStringLiteral("wholeFreeAll"));
    m_freeAll->setToolTip(tr("Removes all pins, limits and exclusions"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_fate);
    row->addWidget(m_ratio);
    row->addStretch(1);
    row->addWidget(m_freeAll);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_name);
    column->addLayout(row);
    chooseNothing();
    connect(m_fate, &QComboBox::currentIndexChanged, this, &MatrixFate::apply);
    connect(m_ratio, &QDoubleSpinBox::valueChanged, this, &MatrixFate::apply);
    connect(m_freeAll, &QPushButton::clicked, this, [this] {
        m_target.pins.clear();
        m_target.limits.clear();
        m_target.excluded.clear();
        const QSignalBlocker quiet(m_fate);
        m_fate->setCurrentIndex(Free);
        m_ratio->setEnabled(false);
        emit changed(m_target);
    });
}

void MatrixFate::chooseNothing() {
    setTarget({});
    m_layer.clear();
    m_name->setText(tr("Click a matrix to pin it, limit it or leave it out"));
    const QSignalBlocker quiet(m_fate);
    m_fate->setCurrentIndex(Free);
    m_fate->setEnabled(false);
    m_ratio->setEnabled(false);
}

void MatrixFate::setTarget(const PredictionTarget& target) {
    m_target = target;
    m_freeAll->setEnabled(!target.pins.empty() || !target.limits.empty() ||
                          !target.excluded.empty());
}

void MatrixFate::show(const QString& layer, const PredictionTarget& target,
                      const LayerPrediction& now) {
    setTarget(target);
    m_name->setText(now.cr > 0 ? tr("%1: CR %2, error %3, %4, %5 nats per token")
                                     .arg(layer, QLocale().toString(now.cr, 'f', 2),
                                          formatError(now.error), formatBytes(now.bytes),
                                          formatNumber(now.divergence, 2))
                               : tr("%1: left as it is").arg(layer));
    const bool isNew = layer != m_layer;
    m_layer = layer;
    const std::string name = layer.toStdString();
    const QSignalBlocker first(m_fate);
    const QSignalBlocker second(m_ratio);
    const auto pin = target.pins.find(name);
    const auto limit = target.limits.find(name);
    const Fate fate = target.excluded.contains(name) ? Excluded
                      : pin != target.pins.end()     ? Pinned
                      : limit != target.limits.end() ? Limited
                                                     : Free;
    m_fate->setEnabled(true);
    m_fate->setCurrentIndex(fate);
    m_ratio->setEnabled(fate == Pinned || fate == Limited);
    if (fate == Pinned || fate == Limited) {
        m_ratio->setValue(fate == Pinned ? pin->second : limit->second);
    } else if (isNew && now.cr > 0) {
        m_ratio->setValue(now.cr);
    }
}

void MatrixFate::apply() {
    if (m_layer.isEmpty()) {
        return;
    }
    const std::string name = m_layer.toStdString();
    m_target.pins.erase(name);
    m_target.limits.erase(name);
    m_target.excluded.erase(name);
    const int fate = m_fate->currentData().toInt();
    if (fate == Pinned) {
        m_target.pins[name] = m_ratio->value();
    } else if (fate == Limited) {
        m_target.limits[name] = m_ratio->value();
    } else if (fate == Excluded) {
        m_target.excluded.insert(name);
    }
    m_ratio->setEnabled(fate == Pinned || fate == Limited);
    emit changed(m_target);
}

}  // namespace cospadi::ui
