#include "ui/pages/runs/ablation_comparison.h"

#include <QHBoxLayout>
#include <QStringList>
#include <utility>

#include "core/base/error.h"
#include "core/report/measured_value.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/small_multiples.h"
#include "ui/pages/runs/ablation_bar.h"
#include "ui/pages/runs/paper_menu.h"

namespace cospadi::ui {

namespace {

constexpr int kMostPlots = 12;  // beside each other

}  // namespace

AblationComparison::AblationComparison(CurveChart* chart, QObject* parent)
    : QObject(parent),
      m_chart(chart),
      m_bar(new AblationBar),
      m_paper(new PaperMenu),
      m_multiples(new SmallMultiples) {
    m_multiples->setObjectName(QStringLiteral("ablationPlots"));
    m_bar->row()->addWidget(m_paper);
    connect(m_bar, &AblationBar::chosen, this, &AblationComparison::chosen);
    connect(m_paper, &PaperMenu::chosen, this, &AblationComparison::chosen);
}

// Reading the settings of thousands of runs takes a second.
void AblationComparison::ask(const std::vector<RunRow>& selected, const std::vector<RunRow>& onShow,
                             const std::optional<RunRow>& pinned) {
    const std::vector<RunRow>& runs = selected.empty() ? onShow : selected;
    m_allOnShow = selected.empty() ? static_cast<qsizetype>(onShow.size()) : 0;
    m_errors = errorKindOf(runs);
    m_finding.ask(
        [runs, axes = m_bar->choice().axes, pinned] { return foundAblation(runs, axes, pinned); },
        [this](FoundAblation ablation) {
            m_found = std::move(ablation);
            m_bar->setNames(m_found.names);
            emit found();
        },
        [this](const Error& error) {
            m_found = {};  // nothing of another question stays as if it were the answer
            m_found.problem = QString::fromStdString(error.problem());
            emit found();
        });
}

DrawnAblation AblationComparison::draw() {
    const AblationCharts plots = chartsOf(m_found);
    const AblationChoice choice = m_bar->choice();
    m_paper->setAxes(choice.axes.y, isMeasured(choice.axes.x) ? std::string() : choice.axes.x);
    emit coloured(plots.colours);
    DrawnAblation drawn;
    QStringList notes;
    if (m_allOnShow > 0) {
        notes << tr("all %1 listed runs").arg(m_allOnShow);
    }
    notes << plots.note;
    const PlotAxes axes{plots.xTitle, plots.yTitle, plots.xTicks, choice.logarithmic, plots.wholeX};
    if (plots.charts.size() > 1) {
        QList<Multiple> multiples;
        for (const AblationChart& chart : plots.charts.mid(0, kMostPlots)) {
            multiples.append({chart.title, chart.curves});
        }
        if (plots.charts.size() > kMostPlots) {
            notes << tr("the first %1 of %2 plots").arg(kMostPlots).arg(plots.charts.size());
        }
        m_multiples->setMultiples(multiples, axes);
        drawn.where = m_multiples;
    } else {
        QList<Curve> curves = plots.charts.isEmpty() ? QList<Curve>() : plots.charts[0].curves;
        notes << m_paper->overlay(curves);
        m_chart->setEmptyText(emptyText(choice.axes.y));
        const bool isError = choice.axes.x == "error" || choice.axes.y == "error";
        m_chart->setToolTip(isError ? errorHelp(m_errors != ErrorKind::Plain) : QString());
        m_chart->setAxes(axes);
        m_chart->setCurves(curves);
        drawn.where = m_chart;
        drawn.isEmpty = curves.isEmpty();
    }
    notes.removeAll(QString());
    drawn.note = notes.join(QStringLiteral(" · "));
    return drawn;
}

QString AblationComparison::emptyText(const std::string& y) const {
    if (!m_found.problem.isEmpty()) {
        return m_found.problem;
    }
    if (y == "perplexity") {
        return tr(
            "No perplexity was measured for these runs. Select them and press Measure "
            "perplexity.");
    }
    if (y.find('/') != std::string::npos) {
        return tr("lm-eval did not measure %1 of these runs.").arg(QString::fromStdString(y));
    }
    return tr("None of these runs has both values. Only CoSpaDi runs have ρ and iterations.");
}

}  // namespace cospadi::ui
