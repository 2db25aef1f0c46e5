#include "ui/pages/pattern/pattern_page.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <utility>

#include "ui/base/font_units.h"
#include "ui/base/theme.h"
#include "ui/charts/export_button.h"
#include "ui/charts/pattern_view.h"
#include "ui/models/pattern_facts.h"
#include "ui/pages/pattern/chosen_entries.h"
#include "ui/pages/pattern/pattern_charts.h"
#include "ui/pages/pattern/pattern_controls.h"
#include "ui/pages/pattern/pattern_grid.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"

namespace cospadi::ui {

PatternPage::PatternPage(QWidget* parent)
    : QWidget(parent),
      m_controls(new PatternControls),
      m_maps(new PatternMaps),
      m_grid(new PatternGrid),
      m_shown(new QStackedWidget),
      m_data(std::make_shared<PatternData>()),
      m_pair(std::make_shared<PatternPair>()) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(8);
    auto* saveMap = new ExportButton([this] {
        return m_shown->currentWidget() == m_grid ? m_grid->exportSource() : m_maps->exportSource();
    });
    m_controls->row()->addWidget(saveMap);
    column->addWidget(m_controls);

    m_card = new Card(tr("Sparsity pattern of S"));
    m_foot = new ElidedLabel;
    m_foot->setObjectName(QStringLiteral("muted"));
    m_foot->setToolTip(
        tr("Wheel: zoom. Drag: move. Arrow keys: from entry to entry. Bars: how many entries the "
           "rows and columns have"));
    m_shown->addWidget(m_maps);
    m_shown->addWidget(m_grid);
    m_card->body()->addWidget(m_shown, 1);
    m_card->body()->addWidget(m_foot);

    m_side = makeSide();
    auto* whole = new QSplitter(Qt::Horizontal);
    whole->addWidget(m_card);
    whole->addWidget(m_side);
    whole->setSizes({charactersWide(font(), 120), charactersWide(font(), 56)});
    whole->setStretchFactor(0, 1);
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    column->addWidget(whole, 1);

    connect(m_controls, &PatternControls::listed, this, [this](bool isOther) {
        if (m_controls->arrangement() != MapArrangement::One) {
            loadGrid();
        } else if (isOther || view()->isEmpty()) {
            load();
        }
    });
    connect(m_controls, &PatternControls::runChosen, this, [this] { m_isByHand = true; });
    connect(m_controls, &PatternControls::matrixChosen, this, &PatternPage::turn);
    connect(m_controls, &PatternControls::arrangementChosen, this, &PatternPage::turn);
    connect(m_controls, &PatternControls::besideChosen, this, &PatternPage::compare);
    connect(m_controls, &PatternControls::orderChosen, this, &PatternPage::arrange);
    connect(m_controls, &PatternControls::lookChosen, this,
            [this] { m_maps->setLook(m_controls->entryLook()); });
    connect(m_maps, &PatternMaps::chosen, this, [this](const PatternChoice& choice) {
        m_charts->chosenEntries()->choose(choice);
        m_charts->setCurrentWidget(m_charts->chosenEntries());
    });
    connect(m_charts->chosenEntries(), &ChosenEntries::chosen, this,
            [this] { m_maps->choose(m_charts->chosenEntries()->choice()); });
    connect(m_controls, &PatternControls::fitWanted, m_maps, &PatternMaps::fit);
    connect(saveMap, &ExportButton::exported, this, &PatternPage::exported);
    connect(m_maps, &PatternMaps::pointedAt, this, [this](const QString& words) {
        m_foot->setText(words.isEmpty() ? axesWords() : words);
    });
    connect(m_maps, &PatternMaps::exported, this, &PatternPage::exported);
    connect(m_maps, &PatternMaps::smallRunWanted, this, &PatternPage::smallRunWanted);
    connectGrid();
    setRuns({});
}

void PatternPage::connectGrid() {
    connect(m_grid, &PatternGrid::chosen, this,
            [this](const QString& directory, const QString& matrix) {
                m_isByHand = m_isByHand || directory != m_controls->run();
                m_controls->showOne(directory, matrix);
                m_maps->first()->setFocus();
            });
    connect(m_grid, &PatternGrid::settingsFound, m_controls, &PatternControls::setSettings);
}

QSplitter* PatternPage::makeSide() {
    auto* side = new QSplitter(Qt::Vertical);
    auto* factsCard = new Card(tr("Facts"));
    m_facts = new QLabel(tr("Figures of the pattern appear here."));
    m_facts->setObjectName(QStringLiteral("patternFacts"));
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setWordWrap(true);
    m_facts->setToolTip(
        tr("Dead atoms: used by no column. Usage entropy: 1 = all atoms equally used."));
    m_facts->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* scroll = new QScrollArea;  // on a low screen
    scroll->setObjectName(QStringLiteral("plain"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setAccessibleName(tr("Facts of the pattern"));
    scroll->setWidget(m_facts);
    m_facts->setAutoFillBackground(false);
    scroll->viewport()->setAutoFillBackground(false);
    scroll->setMinimumHeight(linesHigh(font(), 3.75));
    factsCard->body()->addWidget(scroll, 1);
    auto* usageCard = new Card(tr("Dictionary and codes"));
    auto* save = new ExportButton([this] { return m_charts->exportSource(m_controls->matrix()); });
    usageCard->headerRow()->addWidget(save);
    connect(save, &ExportButton::exported, this, &PatternPage::exported);
    m_charts = new PatternCharts;
    connect(m_charts, &QTabWidget::currentChanged, save, [this, save] {
        save->setEnabled(m_charts->currentWidget() != m_charts->chosenEntries());
    });
    usageCard->body()->addWidget(m_charts, 1);
    side->addWidget(factsCard);
    side->addWidget(usageCard);
    side->setHandleWidth(8);
    side->setSizes({220, 380});
    return side;
}

void PatternPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_data->pattern.k > 0 &&
        m_shown->currentWidget() == m_maps) {
        showFacts();
    }
}

void PatternPage::setRuns(const std::vector<RunRow>& runs) { m_controls->setRuns(runs); }

void PatternPage::showRun(const QString& directory) {
    m_isByHand = true;
    m_controls->showRun(directory);
}

void PatternPage::addFinishedMatrix(const QString& directory) {
    const bool isEmpty = view()->isEmpty() && m_shown->currentWidget() == m_maps;
    const bool isFollowed = !isVisible() && !m_isByHand;
    if (isFollowed || isEmpty || m_controls->run() == directory) {
        m_isByHand = false;
        m_controls->showRun(directory);
    } else {
        m_controls->addRun(directory);
    }
}

void PatternPage::turn() {
    if (m_controls->arrangement() == MapArrangement::One) {
        m_grid->stop();
        m_side->show();
        m_shown->setCurrentWidget(m_maps);
        load();
        return;
    }
    m_loading.forget();
    m_comparison.forget();
    loadGrid();
}

void PatternPage::loadGrid() {
    const QString matrix = m_controls->matrix();
    const QString directory = m_controls->run();
    if (matrix.isEmpty() || directory.isEmpty()) {
        m_grid->stop();
        m_side->show();
        m_shown->setCurrentWidget(m_maps);
        load();  // which says what is missing
        return;
    }
    m_side->hide();
    m_shown->setCurrentWidget(m_grid);
    m_card->setNote(matrix);
    m_foot->setText(tr("click, or arrows and Enter: opens a map · rows: atoms of D%1, columns: "
                       "features%2, same entry size in every map")
                        .arg(m_controls->atomsByUse() ? tr(", most used first") : QString(),
                             m_controls->columnsByCluster() ? tr(", by cluster") : QString()));
    const MapOrder order{m_controls->atomsByUse(), m_controls->columnsByCluster()};
    if (m_controls->arrangement() == MapArrangement::Depth) {
        m_grid->showDepth(directory, m_controls->matrices(), matrix, order);
    } else {
        m_grid->showSetting(m_controls->storedRuns(), directory, matrix, m_controls->setting(),
                            order);
    }
}

void PatternPage::load() {
    m_comparison.forget();
    const QString matrix = m_controls->matrix();
    const QString directory = m_controls->run();
    if (matrix.isEmpty() || directory.isEmpty()) {
        m_loading.forget();
        showNothing(
            tr("No pattern yet"),
            tr("A map here shows which atoms each column of a matrix uses, once CoSpaDi has "
               "finished its first matrix. Choose layers and press Run, or start small:"),
            true);
        return;
    }
    const auto path = matrixFile(directory, matrix);
    m_loading.ask([path] { return readPattern(path); },
                  [this](PatternData loaded) {
                      m_data = std::make_shared<const PatternData>(std::move(loaded));
                      m_pair = std::make_shared<PatternPair>();
                      m_maps->setPattern(m_data, m_controls->matrix(), columnsAre());
                      m_charts->chosenEntries()->setPattern(m_data);
                      compare();
                  },
                  [this](const Error& error) {
                      showNothing(QString::fromStdString(error.problem()).toHtmlEscaped(),
                                  QStringLiteral("%1<br>%2")
                                      .arg(QString::fromStdString(error.hint()).toHtmlEscaped(),
                                           QString::fromStdString(error.where()).toHtmlEscaped()),
                                  false);
                  });
}

void PatternPage::showNothing(const QString& what, const QString& words, bool isFirst) {
    m_data = std::make_shared<PatternData>();
    m_pair = std::make_shared<PatternPair>();
    m_maps->setPattern(m_data, {}, {});
    m_charts->chosenEntries()->setPattern(m_data);
    m_maps->showMessage(what, words, isFirst);
    showFacts();
}

void PatternPage::compare() {
    if (m_pair->second.k > 0) {
        m_pair = std::make_shared<PatternPair>();
        m_maps->setBeside(m_pair);
    }
    m_problem.clear();
    const QString directory = m_controls->beside();
    if (directory.isEmpty() || m_data->pattern.k == 0) {
        m_comparison.forget();
        showFacts();
        return;
    }
    const auto first = matrixFile(m_controls->run(), m_controls->matrix());
    const auto second = matrixFile(directory, m_controls->matrix());
    m_comparison.ask([first, second] { return readPatternPair(first, second); },
                     [this](PatternPair pair) {
                         m_pair = std::make_shared<const PatternPair>(std::move(pair));
                         m_maps->setBeside(m_pair, m_controls->names());
                         showFacts();
                     },
                     [this](const Error& error) {
                         m_problem = QString::fromStdString(error.problem());
                         showFacts();
                     });
}

void PatternPage::arrange() {
    m_maps->setOrder(m_controls->atomsByUse(), m_controls->columnsByCluster());
    if (m_controls->arrangement() == MapArrangement::One) {
        m_foot->setText(axesWords());
    } else {
        loadGrid();
    }
}

void PatternPage::showFacts() {
    const SparsityPattern& pattern = m_data->pattern;
    const PairNames names = m_pair->second.k > 0 ? m_controls->names() : PairNames{};
    m_foot->setText(axesWords());
    m_facts->setText(pattern.k == 0
                         ? tr("Figures of the pattern appear here.")
                         : patternFacts(*m_data, *m_pair, m_problem, names.first, names.second));
    m_card->setNote(pattern.k == 0 ? QString()
                                   : tr("%1 · %2 atoms × %3 columns")
                                         .arg(m_controls->matrix())
                                         .arg(pattern.k)
                                         .arg(pattern.d2));
    m_charts->showPattern(*m_data);
}

QString PatternPage::axesWords() const {
    return tr("rows: atoms of D%1 ↓    columns: %2%3 →    click: an atom, with Shift a column")
        .arg((m_controls->atomsByUse() ? tr(", most used first") : QString()) +
                 (m_pair->second.k > 0 ? tr(", the second run's next to those they match")
                                       : QString()),
             columnsAre(), m_controls->columnsByCluster() ? tr(", by cluster") : QString());
}

QString PatternPage::columnsAre() const {
    return m_data->pattern.side == DictionarySide::Output ? tr("input features")
                                                          : tr("output features");
}

PatternView* PatternPage::view() const { return m_maps->first(); }
PatternView* PatternPage::secondView() const { return m_maps->second(); }

QString PatternPage::facts() const { return m_facts->text(); }

CurveChart* PatternPage::coefficientChart() const { return m_charts->coefficients(); }
CurveChart* PatternPage::coherenceChart() const { return m_charts->coherence(); }

}  // namespace cospadi::ui
