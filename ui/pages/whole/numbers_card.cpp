#include "ui/pages/whole/numbers_card.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/base/theme.h"
#include "ui/models/prediction_curves.h"
#include "ui/pages/whole/target_prediction.h"

namespace cospadi::ui {

NumbersCard::NumbersCard(QWidget* parent) : Card(tr("At this setting"), parent) {
    m_numbers = new QLabel;
    m_numbers->setObjectName(QStringLiteral("wholeNumbers"));
    m_doubts = new QLabel;
    m_doubts->setObjectName(QStringLiteral("wholeDoubts"));
    auto* inside = new QWidget;
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 0);
    for (QLabel* label : {m_numbers, m_doubts}) {
        label->setTextFormat(Qt::RichText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setWordWrap(true);
        column->addWidget(label);
    }
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("Prediction at this setting"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(inside);
    scroll->viewport()->setAutoFillBackground(false);  // the card's colour, not the window's
    inside->setAutoFillBackground(false);
    body()->addWidget(scroll, 1);
}

void NumbersCard::show(const TargetPrediction& prediction) {
    m_numbers->setText(
        predictionTable(*prediction.curves(), *prediction.shared(), prediction.uniform()));
    m_doubts->setText(doubtsOf(*prediction.shared()));
}

void NumbersCard::showProblem(const QString& problem) {
    m_numbers->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                           .arg(theme().error.name(), problem.toHtmlEscaped()));
    m_doubts->clear();
}

void NumbersCard::showWaiting() {
    m_numbers->setText(tr("The first estimate takes a few seconds."));
    m_doubts->clear();
}

}  // namespace cospadi::ui
