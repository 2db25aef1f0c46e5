#include "ui/pages/runs/figures_menu.h"

#include <QMenu>

#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "ui/models/saved_views.h"
#include "ui/pages/runs/ablation_bar.h"
#include "ui/pages/runs/parallel_bar.h"
#include "ui/pages/runs/runs_comparison.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/widgets/mnemonics.h"
#include "ui/widgets/text_question.h"

namespace cospadi::ui {

namespace {

// The kind of series that holds what is drawn, where there is one.
std::string chartOf(Comparison comparison) {
    return comparison == Comparison::ErrorByIteration ? "error-iteration"
                                                      : comparisonName(comparison).toStdString();
}

// How the window draws it, and over which axes.
Comparison comparisonOf(const FigureDesign& design, AblationAxes& axes) {
    axes = design.axes;
    if (design.chart.find("error-iteration") != std::string::npos) {
        return Comparison::ErrorByIteration;
    }
    if (design.chart.starts_with("metric-") || design.chart == "pareto") {
        const bool isPareto = design.chart == "pareto";
        axes.x = isPareto ? "bytes" : design.chart.substr(std::string("metric-").size());
        axes.curve = "method";
        return Comparison::Ablation;
    }
    return comparisonFromName(QString::fromStdString(design.chart));
}

// These and no others, whatever comes.
RunCondition theseRuns(const std::vector<RunRow>& runs) {
    RunCondition ids{"run", Relation::Is, {}};
    for (const RunRow& run : runs) {
        ids.values.push_back(run.id);
    }
    return ids;
}

// There is no term for stars, nor for the newest few: of such a choice the runs that it means now.
QString filterOfChosen(const FigureDesign& figure) {
    const RunStore store = RunStore::open(storePath(), RunStore::Access::ReadOnly);
    const std::vector<RunRow> runs = selectedRuns(store, figure.runs);
    if (runs.empty()) {
        throw Error("none of the stored runs is among those of this figure", figure.name,
                    figure.runs.filter.starredOnly ? "it draws starred runs alone: star some"
                                                   : "save it anew with runs there are");
    }
    return QString::fromStdString(textOf(theseRuns(runs)));
}

// As it is typed.
QString filterOf(const RunSelection& runs) {
    std::vector<RunCondition> all = runs.where;
    const auto add = [&](const char* field, const std::vector<std::string>& values,
                         Relation relation = Relation::Is) {
        if (!values.empty() && !values.front().empty()) {
            all.push_back({field, relation, values});
        }
    };
    const auto texts = [](const std::vector<double>& numbers) {
        std::vector<std::string> words;
        for (const double number : numbers) {
            words.push_back(QString::number(number, 'g', 15).toStdString());
        }
        return words;
    };
    add("method", {runs.filter.method});
    add("solver", {runs.filter.solver});
    add("status", {runs.filter.status});
    add("layers", {runs.layers});
    add("tag", {runs.filter.tag});
    for (const std::string& tag : runs.tags) {
        add("tag", {tag});
    }
    add("cr", texts(runs.cr));
    add("rho", texts(runs.rho));
    add("", {runs.filter.text});
    add("", {runs.filter.model});
    QStringList terms;
    for (const RunCondition& condition : all) {
        terms << QString::fromStdString(textOf(condition));
    }
    return terms.join(QLatin1Char(' '));
}

}  // namespace

FiguresMenu::FiguresMenu(RunsList* list, RunsComparison* comparison, QWidget* parent)
    : QToolButton(parent), m_list(list), m_comparison(comparison), m_menu(new QMenu(this)) {
    setObjectName(QStringLiteral("figures"));
    setText(tr("Figures"));
    setToolTip(
        tr("Charts with their axes and selection of runs, saved by name and redrawn from the "
           "current runs; cospadi report --saved NAME prints their data"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::StrongFocus);
    setAutoRaise(true);
    setMenu(m_menu);
    connect(m_menu, &QMenu::aboutToShow, this, &FiguresMenu::fill);
}

void FiguresMenu::attempt(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        emit failed(error);
    } catch (const std::exception& error) {
        emit failed(Error(error.what(), savedFiguresPath().string(), "look at the disk"));
    }
}

void FiguresMenu::fill() {
    m_menu->clear();
    std::vector<FigureDesign> figures;
    attempt([&] { figures = savedFigures(savedFiguresPath()); });
    for (const FigureDesign& figure : figures) {
        const QString name = QString::fromStdString(figure.name);
        m_menu->addAction(asMenuTitle(name), this, [this, name] { draw(name); });
    }
    if (!figures.empty()) {
        m_menu->addSeparator();
        auto* forgotten = m_menu->addMenu(tr("Forget"));
        for (const FigureDesign& figure : figures) {
            const QString name = QString::fromStdString(figure.name);
            forgotten->addAction(asMenuTitle(name), this, [this, name] { forget(name); });
        }
    }
    m_menu->addAction(tr("Save this figure…"), this, &FiguresMenu::askForName);
}

void FiguresMenu::draw(const QString& name) {
    attempt([&] {
        const FigureDesign figure = savedFigure(savedFiguresPath(), name.toStdString());
        AblationAxes axes;
        const Comparison comparison = comparisonOf(figure, axes);
        const RunFilter& filter = figure.runs.filter;
        m_list->showFilter(
            filter.starredOnly || filter.limit > 0 ? filterOfChosen(figure) : filterOf(figure.runs),
            filter.includeArchived);
        if (comparison == Comparison::Ablation) {
            m_comparison->bar()->choose({axes, {figure.isLogX, figure.isLogY}});
        } else if (comparison == Comparison::Parallel && figure.parallel) {
            m_comparison->parallelBar()->choose(*figure.parallel);
        } else if (comparison == Comparison::Sweep && figure.sweep) {
            m_comparison->sweep()->choose(*figure.sweep);
        }
        m_comparison->setComparison(comparison);
        m_comparison->needsFiles() ? m_list->selectAll() : m_list->select({});
    });
}

FigureDesign FiguresMenu::onScreen() const {
    const AblationChoice plot = m_comparison->bar()->choice();
    FigureDesign figure;
    figure.chart = chartOf(m_comparison->comparison());
    figure.axes = plot.axes;
    figure.isLogX = plot.logarithmic.x;
    figure.isLogY = plot.logarithmic.y;
    if (m_comparison->comparison() == Comparison::Parallel) {
        figure.parallel = m_comparison->parallelBar()->choice();
    } else if (m_comparison->comparison() == Comparison::Sweep) {
        figure.sweep = m_comparison->sweep()->choice();
    }
    figure.runs.where = conditionsIn(m_list->filter().toStdString());
    figure.runs.filter.includeArchived = m_list->showsArchived();
    const std::vector<RunRow> selected = m_list->selected();
    if (!selected.empty() && selected.size() < m_list->passing().size()) {
        figure.runs.where = {theseRuns(selected)};
    }
    return figure;
}

void FiguresMenu::keep(const QString& name) {
    attempt([&] {
        FigureDesign figure = onScreen();
        figure.name = name.toStdString();
        saveFigure(savedFiguresPath(), figure);
    });
}

void FiguresMenu::forget(const QString& name) {
    attempt([&] { forgetFigure(savedFiguresPath(), name.toStdString()); });
}

void FiguresMenu::askForName() {
    askForText(this,
               {"figureDialog",
                tr("Save this figure"),
                tr("Name for this chart, its axes and selection of runs"),
                {},
                false},
               [this](const QString& name) { keep(name); });
}

}  // namespace cospadi::ui
