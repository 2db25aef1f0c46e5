#include "ui/pages/explore/explore_charts.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "core/methods/method.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_button.h"
#include "ui/models/error_words.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/widgets/card.h"

namespace cospadi::ui {

ExploreCharts::ExploreCharts(const MatrixPicker* picker, QWidget* parent)
    : QSplitter(Qt::Vertical, parent), m_picker(picker), m_upper(new QSplitter(Qt::Horizontal)) {
    setObjectName(QStringLiteral("exploreSplitter"));
    auto* iterations = makeChartCard(tr("Error by iteration"), m_byIteration, "exploreIterations",
                                     tr("iteration"));
    m_byIteration->setWholeX(true);
    m_byIteration->setLogarithmic(true);
    showEmptyWords();
    auto* rho = makeChartCard(tr("Error by ρ"), m_byRho, "exploreRho", tr("ρ = k/s"));
    auto* bytes = makeChartCard(tr("Error by bytes"), m_byBytes, "exploreBytes", tr("bytes (kB)"));
    m_byRho->setEmptyText(tr("Error against ρ at this CR appears after the first solve."));
    m_byBytes->setEmptyText(tr("Error against stored bytes appears after the first solve."));
    auto* lower = new QSplitter(Qt::Horizontal);
    lower->addWidget(rho);
    lower->addWidget(bytes);
    lower->setSizes({500, 500});
    m_upper->addWidget(makeTableCard());
    m_upper->addWidget(iterations);
    m_upper->setSizes({500, 500});
    m_upper->setStretchFactor(1, 1);  // the table keeps its width
    addWidget(m_upper);
    addWidget(lower);
    setSizes({320, 320});
    for (QSplitter* splitter : {m_upper, lower, static_cast<QSplitter*>(this)}) {
        splitter->setHandleWidth(8);
        splitter->setChildrenCollapsible(false);
    }
}

Card* ExploreCharts::makeTableCard() {
    m_tableCard = new Card(tr("At this setting"));
    m_table = new QLabel;
    m_table->setObjectName(QStringLiteral("exploreTable"));
    m_table->setTextFormat(Qt::RichText);
    m_table->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_table->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_table->setToolTip(
        tr("Low rank: SVD-LLM (plain SVD without calibration) at the same bytes, dashed in the "
           "charts"));
    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("Every matrix at this setting"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_table);
    scroll->viewport()->setAutoFillBackground(false);  // the card's colour, not the window's
    m_table->setAutoFillBackground(false);
    m_tableCard->body()->addWidget(scroll, 1);
    m_tableCard->hide();
    return m_tableCard;
}

Card* ExploreCharts::makeChartCard(const QString& title, CurveChart*& chart, const char* name,
                                   const QString& x) {
    auto* card = new Card(title);
    m_cards.append(card);
    chart = new CurveChart;
    chart->setObjectName(QString::fromLatin1(name));
    chart->setAccessibleName(title);
    chart->setAxisTitles(x, tr("relative error"));
    CurveChart* made = chart;
    auto* save = new ExportButton([this, made] {
        return made->exportSource(
            QStringLiteral("%1-%2").arg(made->objectName(), m_picker->front()));
    });
    card->headerRow()->addWidget(save);
    card->body()->addWidget(chart, 1);
    connect(save, &ExportButton::exported, this, &ExploreCharts::exported);
    return card;
}

void ExploreCharts::draw(const ExploreTrace& trace, const QList<EarlierCurve>& earlier) {
    const bool several = trace.matrices().size() > 1;
    m_byIteration->setCurves(errorByIteration(trace, earlier));
    m_byRho->setCurves(errorByRho(trace));
    const QString error =
        trace.isWhitened() ? tr("whitened relative error") : tr("plain relative error");
    m_byIteration->setAxisTitles(tr("iteration"), error);
    m_byRho->setAxisTitles(tr("ρ = k/s"), error);
    m_byBytes->setAxisTitles(several ? tr("bytes (% of bf16)") : tr("bytes (kB)"), error);
    m_byBytes->setCurves(errorByBytes(trace));
    const QString note = several ? tr("dashed: low rank") : QString();
    for (Card* card : m_cards) {
        card->setNote(note);
        card->setToolTip(errorHelp(trace.isWhitened()));
    }
    for (CurveChart* chart : {m_byRho, m_byBytes}) {
        chart->setLogarithmic(several);  // their errors may lie far apart
    }
    m_tableCard->setVisible(several);
    m_table->setText(several ? factsOfAll(trace) : QString());
}

void ExploreCharts::showWhatCounts(const Method& method) {
    m_byIteration->parentWidget()->setVisible(method.uses("iterations"));
    m_byRho->parentWidget()->setVisible(method.uses("rho"));
    m_upper->setVisible(method.uses("iterations") || hasTable());
}

bool ExploreCharts::hasTable() const { return !m_tableCard->isHidden(); }
QString ExploreCharts::table() const { return m_table->text(); }

void ExploreCharts::showEmptyWords() {
    m_byIteration->setEmptyText(
        tr("<p style='font-size:large; color:%1'>Drag ρ, CR or the iterations</p>"
           "<p>The matrix is solved again at once, and the curves grow as better estimates come "
           "in.</p>")
            .arg(theme().text.name()));
}

void ExploreCharts::changeEvent(QEvent* event) {
    QSplitter::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_byIteration != nullptr) {
        showEmptyWords();  // a colour stands in the words
    }
}

}  // namespace cospadi::ui
