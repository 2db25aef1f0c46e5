#include "ui/pages/plan/plan_cost_card.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/forms/forms.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "ui/base/engine_words.h"
#include "ui/base/format.h"
#include "ui/base/phrase_words.h"
#include "ui/base/theme.h"
#include "ui/widgets/bytes_bar.h"

namespace cospadi::ui {

namespace {

// Of what a method calls a part of its storage; one that is new stands as the method has it.
QString partTitle(const QLatin1String& name) {
    return engineWords(name == QLatin1String("left")    ? "left factor"
                       : name == QLatin1String("right") ? "right factor"
                                                        : name.data());
}

}  // namespace

PlanCostCard::PlanCostCard(QWidget* parent) : Card(tr("What it costs"), parent) {
    m_layer = new QLabel;
    m_layer->setObjectName(QStringLiteral("layerFigures"));
    m_layer->setTextFormat(Qt::RichText);
    m_layer->setWordWrap(true);
    m_layer->setToolTip(
        tr("For the layer under the cursor in the tree:\n"
           "k = atoms (columns of the dictionary D), s = non-zeros in each\n"
           "column of the codes S, so that W ≈ D S"));
    m_total = new QLabel;
    m_total->setObjectName(QStringLiteral("totalFigures"));
    m_total->setTextFormat(Qt::RichText);
    m_total->setWordWrap(true);
    m_bar = new BytesBar;
    m_bar->setAccessibleName(tr("Bytes of the plan"));
    m_prediction = new QLabel;
    m_prediction->setObjectName(QStringLiteral("prediction"));
    m_prediction->setTextFormat(Qt::RichText);
    m_prediction->setWordWrap(true);
    m_prediction->setToolTip(
        tr("Counted from the solver's operations, at the rate of this machine's finished runs of\n"
           "the same method where available. Memory: the model in float32 and the matrices being\n"
           "compressed, one per core."));
    m_choose = new QPushButton(tr("Choose &layers"));
    m_choose->setObjectName(QStringLiteral("chooseLayers"));
    m_choose->setToolTip(tr("On the Model page"));
    m_choose->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_choose->hide();
    connect(m_choose, &QPushButton::clicked, this, &PlanCostCard::layersWanted);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_total, m_choose, m_bar, m_layer, m_prediction}) {
        body()->addWidget(widget);
    }
    body()->addStretch();
}

void PlanCostCard::showProblem(const QString& words, bool isWithoutLayers) {
    m_bar->clear();
    m_choose->setVisible(isWithoutLayers);
    m_total->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                         .arg(theme().warning.name(), words.toHtmlEscaped()));
}

void PlanCostCard::showBytes(const PlanBytes& bytes, std::size_t layers) {
    m_choose->hide();
    QString text = tr("<b>%1</b> of %2 dense (bf16) in the %n selected layer(s)", nullptr,
                      static_cast<int>(layers))
                       .arg(formatBytes(bytes.total), formatBytes(bytes.dense));
    if (bytes.source.known()) {
        const auto source = static_cast<double>(bytes.source.bytes());
        const bool larger = bytes.total > source;
        text += QStringLiteral("<br><span style='color:%1'>%2</span>")
                    .arg((larger ? theme().warning : theme().muted).name(),
                         (larger ? tr("more than the %1 that they take in the model's file (%2)")
                                 : tr("in the model's file they take %1 (%2)"))
                             .arg(formatBytes(source),
                                  QString::fromStdString(bytes.source.types()).toHtmlEscaped()));
    }
    m_total->setText(text);
    QList<BytesBar::Part> parts;
    const QList<QColor> colours = {theme().dictionary, theme().values, theme().mask};
    for (const StoragePart& part : bytes.parts) {
        parts.append({partTitle(QLatin1String(part.name)), part.bytes,
                      colours[parts.size() % colours.size()]});
    }
    m_bar->setParts(parts, bytes.dense);
}

void PlanCostCard::clearLayer() { m_layer->clear(); }

void PlanCostCard::showLayer(const RunSpecification& plan, const LayerInfo& layer,
                             const LayerUnit& unit) {
    QString name =
        tr("%1 (%2 × %3)")
            .arg(QString::fromStdString(layer.name), formatCount(layer.d1), formatCount(layer.d2));
    const LayerInfo whole = unit.shape();
    if (unit.isShared()) {
        name = tr("%1 and %n layer(s) that it shares with (%2 × %3)", nullptr,
                  static_cast<int>(unit.layers.size()) - 1)
                   .arg(name, formatCount(whole.d1), formatCount(whole.d2));
    }
    const QString about =
        QStringLiteral("<span style='color:%1'>%2:</span> ").arg(theme().muted.name(), name);
    const MatrixOptions options = optionsOfUnit(plan, unit);
    const StoragePlan storage = options.method->plan(options, whole.d1, whole.d2);
    const Form* form = findForm(options.method->formUnder(options));
    m_layer->setText(about +
                     (form != nullptr ? phraseWords(form->describe(storage.facts)) : QString()));
}

void PlanCostCard::showPrediction(const RunSpecification& plan, const PlanCost& cost,
                                  double seconds) {
    QString text = tr("about <b>%1</b> on this machine, <b>%2</b> of memory")
                       .arg(formatDuration(seconds), formatBytes(cost.memory(plan)));
    if (const double calibration = cost.calibrationSeconds(plan); calibration > 0) {
        text += QStringLiteral("<br><span style='color:%1'>%2</span>")
                    .arg(theme().muted.name(),
                         tr("plus about %1 of calibration, the first time with this text")
                             .arg(formatDuration(calibration)));
    }
    m_prediction->setText(text);
}

void PlanCostCard::clearPrediction() { m_prediction->clear(); }

}  // namespace cospadi::ui
