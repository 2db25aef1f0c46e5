#include "ui/pages/model/portrait_panel.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <tuple>

#include "ui/base/font_units.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_button.h"
#include "ui/models/histogram_curve.h"
#include "ui/models/portrait_curves.h"
#include "ui/widgets/card.h"

namespace cospadi::ui {

namespace {

constexpr int kCursorPatienceMilliseconds = 120;  // while the cursor runs through the tree

}  // namespace

PortraitPanel::PortraitPanel(MatrixLab* lab, QWidget* parent) : QWidget(parent), m_lab(lab) {
    m_patience.setSingleShot(true);
    m_patience.setInterval(kCursorPatienceMilliseconds);
    m_facts = new QLabel;
    m_facts->setObjectName(QStringLiteral("portraitFacts"));
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setMinimumWidth(charactersWide(font(), 33));
    m_facts->setWordWrap(true);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_spectrumCard = makeSpectrumCard();
    m_histogramCard = makeHistogramCard();
    auto* charts = new QSplitter(Qt::Vertical);
    charts->setObjectName(QStringLiteral("portraitSplitter"));
    charts->addWidget(m_spectrumCard);
    charts->addWidget(m_histogramCard);
    charts->setSizes({380, 280});
    charts->setHandleWidth(8);
    charts->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 10, 12, 10);
    column->setSpacing(6);
    column->addWidget(m_facts);
    column->addWidget(charts, 1);
    connect(&m_patience, &QTimer::timeout, this, &PortraitPanel::ask);
    connect(lab, &MatrixLab::portraitReady, this, &PortraitPanel::show);
    connect(lab, &MatrixLab::portraitFailed, this, [this](const EngineError& error) {
        m_portrait = {};
        m_asked.clear();
        m_problem = error;
        draw();
    });
    connect(lab, &MatrixLab::engineStarted, this, [this] {
        if (m_asked.isEmpty()) {  // what the engine before it could not answer
            askLater();
        }
    });
    connect(lab, &MatrixLab::calibrated, this, [this] {
        m_asked.clear();  // the same matrix has a whitened spectrum now
        askLater();
    });
    connect(lab, &MatrixLab::calibrationProgress, this, [this](int done, int total, double eta) {
        QString text = tr("Calibrating: %1 of %2").arg(done).arg(total);
        if (eta >= 0) {
            text += tr(" · about %1 left").arg(formatDuration(eta));
        }
        m_gramState->setText(text);
        m_calibrate->hide();
    });
    connect(lab, &MatrixLab::calibrationFailed, this, [this](const EngineError& error) {
        m_gramState->setText(tr("Not calibrated: %1").arg(error.message));
        m_calibrate->show();
    });
    draw();
}

Card* PortraitPanel::makeSpectrumCard() {
    auto* card = new Card(tr("Spectrum"));
    m_spectrum = new CurveChart;
    m_spectrum->setObjectName(QStringLiteral("spectrumChart"));
    m_spectrum->setAccessibleName(tr("Singular values of the matrix"));
    m_spectrum->setLogarithmic(true);
    m_spectrum->setWholeX(true);
    m_spectrum->setAxisTitles(tr("i"), tr("σᵢ / σ₁"));
    m_spectrum->setEmptyText(spectrumWords());
    m_gramState = new QLabel;
    m_gramState->setObjectName(QStringLiteral("muted"));
    m_gramState->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_gramState->setMinimumWidth(charactersWide(font(), 6.5));
    m_calibrate = new QPushButton(tr("Calibrate"));
    m_calibrate->setObjectName(QStringLiteral("calibrate"));
    m_calibrate->setToolTip(
        tr("Reads the calibration text of the plan with the model and keeps the Gram\n"
           "matrices XᵀX of all layers, so that whitened spectra and errors can be shown.\n"
           "Takes about a minute for the default model; runs use the result too."));
    auto* save = new ExportButton([this] {
        return m_spectrum->exportSource(QStringLiteral("spectrum-%1").arg(m_portrait.layer));
    });
    card->headerRow()->addWidget(m_gramState);
    card->headerRow()->addWidget(m_calibrate);
    card->headerRow()->addWidget(save);
    card->body()->addWidget(m_spectrum, 1);
    card->setToolTip(
        tr("A spectrum that falls fast can be cut off (low rank); a flat one cannot, and\n"
           "is where a sparse dictionary gains most. Whitened: of L W, with LᵀL = XᵀX\n"
           "(paper, eq. 2–3), where every direction is weighted by how much the inputs use it."));
    connect(m_calibrate, &QPushButton::clicked, this, [this] {
        m_calibrate->hide();
        m_gramState->setText(tr("Calibrating …"));
        m_lab->calibrate(m_specification);
    });
    connect(save, &ExportButton::exported, this, &PortraitPanel::exported);
    return card;
}

Card* PortraitPanel::makeHistogramCard() {
    auto* card = new Card(tr("Weights"));
    m_histogram = new CurveChart;
    m_histogram->setObjectName(QStringLiteral("histogramChart"));
    m_histogram->setAccessibleName(tr("Histogram of the weights"));
    m_histogram->setAxisTitles(tr("weight"), tr("entries"));
    m_histogram->setZeroBased(true);
    m_histogram->setEmptyText(tr("How the weights of the matrix are distributed."));
    m_logarithmicCounts = new QCheckBox(tr("log scale"));
    m_logarithmicCounts->setToolTip(tr("Logarithmic counts: shows the tails"));
    auto* save = new ExportButton([this] {
        return m_histogram->exportSource(QStringLiteral("weights-%1").arg(m_portrait.layer));
    });
    card->headerRow()->addWidget(m_logarithmicCounts);
    card->headerRow()->addWidget(save);
    card->body()->addWidget(m_histogram, 1);
    connect(m_logarithmicCounts, &QCheckBox::toggled, m_histogram, &CurveChart::setLogarithmic);
    connect(save, &ExportButton::exported, this, &PortraitPanel::exported);
    return card;
}

void PortraitPanel::setMatrix(const RunSpecification& specification, const LayerInfo* layer) {
    const auto rankDepends = [](const RunSpecification& s) {
        return std::tuple(s.cr, s.accounting, s.coefficientBits);
    };
    const bool moves = rankDepends(m_specification) != rankDepends(specification);
    m_specification = specification;
    m_layer = layer != nullptr ? *layer : LayerInfo{};
    if (moves) {
        draw();  // the mark of the rank moves
    }
    askLater();
}

void PortraitPanel::lookAgain() {
    if (m_portrait.whitenedValues.isEmpty()) {
        m_asked.clear();
        askLater();
    }
}

void PortraitPanel::askLater() {
    if (isVisible()) {
        m_patience.start();
    }
}

void PortraitPanel::ask() {
    if (m_layer.name.empty()) {
        m_asked.clear();
        m_portrait = {};
        m_problem.reset();
        draw();
        return;
    }
    const CalibrationSpecification& calibration = m_specification.calibration;
    const QString asked =
        QStringLiteral("%1|%2|%3|%4|%5|%6|%7")
            .arg(QString::fromStdString(m_specification.model),
                 QString::fromStdString(m_layer.name), QString::fromStdString(calibration.text))
            .arg(calibration.sequences)
            .arg(calibration.length)
            .arg(calibration.seed)
            .arg(m_specification.heldOut);  // which the sums leave out
    if (asked != m_asked) {
        m_asked = asked;
        m_lab->requestPortrait(m_specification, QString::fromStdString(m_layer.name));
    }
}

void PortraitPanel::show(const MatrixPortraitData& portrait) {
    if (portrait.layer != QString::fromStdString(m_layer.name)) {
        return;  // the cursor has moved on
    }
    m_problem.reset();
    m_portrait = portrait;
    draw();
}

QString PortraitPanel::spectrumWords() {
    return tr("The singular values of the matrix under the cursor.");
}

void PortraitPanel::draw() {
    const MatrixPortraitData& p = m_portrait;
    m_spectrumCard->setNote(p.layer);
    m_histogramCard->setNote(p.layer);
    showGramState();
    if (p.singularValues.isEmpty()) {
        m_spectrum->setEmptyText(spectrumWords());
        m_spectrum->setCurves({});
        m_histogram->setCurves({});
        m_facts->setText(!m_problem
                             ? QString()
                             : QStringLiteral("<span style='color:%1'><b>%2</b></span> %3 (%4)")
                                   .arg(theme().error.name(), m_problem->message.toHtmlEscaped(),
                                        m_problem->hint.toHtmlEscaped(),
                                        m_problem->where.toHtmlEscaped()));
        return;
    }
    const qint64 rank = lowRankAt(p, m_specification);
    const QList<Curve> spectra = spectrumCurves(p, rank, m_specification.cr);
    m_spectrum->setEmptyText(spectra.isEmpty() ? tr("All singular values of the matrix are 0.")
                                               : spectrumWords());
    m_spectrum->setCurves(spectra);
    m_histogram->setCurves({histogramCurve(p.histogramLow, p.histogramHigh, p.histogram)});
    m_facts->setText(portraitFacts(p, m_layer, rank));
}

void PortraitPanel::showGramState() {
    if (m_lab->isCalibrating()) {
        return;
    }
    const bool missing = !m_portrait.layer.isEmpty() && m_portrait.whitenedValues.isEmpty();
    m_gramState->setText(missing ? tr("not calibrated yet: plain only") : QString());
    m_calibrate->setVisible(missing);
}

QString PortraitPanel::facts() const { return m_facts->text(); }

void PortraitPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    askLater();
}

void PortraitPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_histogram != nullptr) {
        draw();
    }
}

}  // namespace cospadi::ui
