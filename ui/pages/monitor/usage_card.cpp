#include "ui/pages/monitor/usage_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>

#include "ui/base/format.h"
#include "ui/charts/export_button.h"
#include "ui/charts/usage_chart.h"

namespace cospadi::ui {

namespace {

// " · coding 61 %, dictionary 35 %" of its time; empty where the method has no such phases.
QString phasesText(const MatrixTrace& matrix) {
    if (matrix.codingSeconds + matrix.dictionarySeconds <= 0 || matrix.seconds <= 0) {
        return {};
    }
    return UsageCard::tr(" · coding <b>%1 %</b>, dictionary <b>%2 %</b>")
        .arg(100 * matrix.codingSeconds / matrix.seconds, 0, 'f', 0)
        .arg(100 * matrix.dictionarySeconds / matrix.seconds, 0, 'f', 0);
}

}  // namespace

UsageCard::UsageCard(QWidget* parent)
    : Card(tr("Atom usage"), parent), m_chart(new UsageChart), m_facts(new QLabel) {
    auto* save =
        new ExportButton([this] { return m_chart->exportSource(QStringLiteral("atom-usage")); });
    headerRow()->addWidget(save);
    connect(save, &ExportButton::exported, this, &UsageCard::exported);
    m_facts->setObjectName(QStringLiteral("usageFacts"));
    m_facts->setToolTip(
        tr("Dead atoms: no column uses them, their bytes are wasted.\n"
           "Entropy of the use counts: 1 = all atoms equally used.\n"
           "Coding: the share of the time spent on S given D;\n"
           "dictionary: on D given S; the rest is neither."));
    m_facts->setWordWrap(true);
    body()->addWidget(m_facts);
    body()->addWidget(m_chart, 1);
}

void UsageCard::showUsage(const RunTrace& trace, int chosen) {
    const auto& matrices = trace.matrices();
    const bool isKnown = m_followed >= 0 && m_followed < matrices.size();
    const bool nextHasUsage = trace.current() >= 0 && !matrices[trace.current()].usage.isEmpty();
    if (!isKnown || (matrices[m_followed].finished && nextHasUsage)) {
        m_followed = trace.current();
    }
    const int which = chosen >= 0 ? chosen : m_followed;
    if (which < 0 || which >= matrices.size()) {
        m_chart->setUsage({}, {});
        setNote({});
        m_facts->hide();
        return;
    }
    const MatrixTrace& matrix = matrices[which];
    m_chart->setUsage({}, matrix.usage);
    setNote(matrix.name);
    m_facts->setVisible(matrix.rank > 0 || matrix.usageEntropy >= 0);
    m_facts->setText(matrix.rank > 0
                         ? tr("a low-rank factorisation has no atoms")
                         : tr("<b>%1</b> of %2 atoms dead (no column uses them) · entropy "
                              "<b>%3</b> (1: all used equally)")
                                   .arg(formatCount(matrix.deadAtoms), formatCount(matrix.k),
                                        QLocale().toString(matrix.usageEntropy, 'f', 3)) +
                               phasesText(matrix));
}

}  // namespace cospadi::ui
