#include "ui/pages/pattern/pattern_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/report/run_dimensions.h"
#include "ui/base/background.h"
#include "ui/base/theme.h"
#include "ui/charts/export_button.h"
#include "ui/charts/pattern_view.h"
#include "ui/models/pattern_facts.h"
#include "ui/pages/pattern/pattern_charts.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/card.h"

namespace cospadi::ui {

PatternPage::PatternPage(QWidget* parent)
    : QWidget(parent),
      m_maps(new PatternMaps),
      m_data(std::make_shared<PatternData>()),
      m_pair(std::make_shared<PatternPair>()) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(8);
    column->addWidget(makeControls());

    m_card = new Card(tr("Sparsity pattern of S"));
    m_foot = new QLabel;
    m_foot->setObjectName(QStringLiteral("muted"));
    m_foot->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_card->body()->addWidget(m_maps, 1);
    m_card->body()->addWidget(m_foot);

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
    scroll->setMinimumHeight(60);
    factsCard->body()->addWidget(scroll, 1);
    auto* usageCard = new Card(tr("Dictionary and codes"));
    auto* save =
        new ExportButton([this] { return m_charts->exportSource(m_matrices->currentText()); });
    usageCard->headerRow()->addWidget(save);
    connect(save, &ExportButton::exported, this, &PatternPage::exported);
    m_charts = new PatternCharts;
    usageCard->body()->addWidget(m_charts, 1);
    side->addWidget(factsCard);
    side->addWidget(usageCard);
    side->setHandleWidth(8);
    side->setSizes({220, 380});
    auto* whole = new QSplitter(Qt::Horizontal);
    whole->addWidget(m_card);
    whole->addWidget(side);
    whole->setSizes({720, 330});
    whole->setStretchFactor(0, 1);
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    column->addWidget(whole, 1);

    connect(m_maps, &PatternMaps::pointedAt, this, [this](const QString& words) {
        m_foot->setText(words.isEmpty() ? axesWords() : words);
    });
    connect(m_maps, &PatternMaps::exported, this, &PatternPage::exported);
    setRuns({});
}

void PatternPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_charts != nullptr && m_data->pattern.k > 0) {
        showFacts();
    }
}

void PatternPage::listBeside(const std::vector<RunRow>& runs) {
    const QString current = m_beside->currentData().toString();
    const QSignalBlocker quiet(m_beside);
    m_beside->clear();
    m_beside->addItem(tr("nothing"), QString());
    for (const RunRow& run : runs) {
        if (isSparse(run) && run.matrices > 0) {
            m_beside->addItem(QString::fromStdString(run.id),
                              QString::fromStdString(run.directory));
        }
    }
    m_beside->setCurrentIndex(std::max(0, m_beside->findData(current)));
}

void PatternPage::setRuns(const std::vector<RunRow>& runs) {
    const QString current = m_runs->currentData().toString();
    {
        const QSignalBlocker quiet(m_runs);
        m_runs->clear();
        for (const RunRow& run : runs) {
            if (isSparse(run) && run.matrices > 0) {
                m_runs->addItem(QString::fromStdString(run.id),
                                QString::fromStdString(run.directory));
            }
        }
    }
    listBeside(runs);
    if (!current.isEmpty()) {
        showRun(current);
    } else {
        listMatrices();
    }
}

void PatternPage::showRun(const QString& directory) {
    int row = m_runs->findData(directory);
    if (row < 0) {
        const QSignalBlocker quiet(m_runs);
        m_runs->insertItem(0, QFileInfo(directory).fileName(), directory);
        row = 0;
    }
    {
        const QSignalBlocker quiet(m_runs);
        m_runs->setCurrentIndex(row);
    }
    listMatrices();
}

void PatternPage::addFinishedMatrix(const QString& directory) {
    if (!isVisible() || view()->isEmpty() || m_runs->currentData().toString() == directory) {
        showRun(directory);
    } else if (m_runs->findData(directory) < 0) {
        const QSignalBlocker quiet(m_runs);
        m_runs->insertItem(0, QFileInfo(directory).fileName(), directory);
    }
}

void PatternPage::listMatrices() {
    const QString current = m_matrices->currentText();
    const QString shownRun = m_matrices->property("run").toString();
    const QString directory = m_runs->currentData().toString();
    {
        const QSignalBlocker quiet(m_matrices);
        m_matrices->clear();
        if (!directory.isEmpty()) {
            m_matrices->addItems(finishedMatrices(directory));
        }
        const int row = m_matrices->findText(current);
        m_matrices->setCurrentIndex(row >= 0 ? row : m_matrices->count() > 0 ? 0 : -1);
    }
    m_matrices->setProperty("run", directory);
    if (directory != shownRun || m_matrices->currentText() != current || view()->isEmpty()) {
        load();
    }
}

void PatternPage::load() {
    const std::uint64_t generation = ++m_generation;
    const QString matrix = m_matrices->currentText();
    const QString directory = m_runs->currentData().toString();
    if (matrix.isEmpty() || directory.isEmpty()) {
        showNothing(
            tr("<p style='font-size:large; color:%1'>No pattern yet</p><p>Run CoSpaDi on at least "
               "one layer. As soon as a matrix is finished, its sparsity pattern is shown "
               "here.</p>")
                .arg(theme().text.name()));
        return;
    }
    const auto path = matrixFile(directory, matrix);
    runInBackground(
        this, [path] { return readPattern(path); },
        [this, generation](PatternData loaded) {
            if (generation == m_generation) {
                m_data = std::make_shared<const PatternData>(std::move(loaded));
                m_pair = std::make_shared<PatternPair>();
                m_maps->setPattern(m_data, m_matrices->currentText(), columnsAre());
                compare();
            }
        },
        [this, generation](const Error& error) {
            if (generation == m_generation) {
                showNothing(QStringLiteral("<b>%1</b><br>%2<br>%3")
                                .arg(QString::fromStdString(error.problem()).toHtmlEscaped(),
                                     QString::fromStdString(error.hint()).toHtmlEscaped(),
                                     QString::fromStdString(error.where()).toHtmlEscaped()));
            }
        });
}

void PatternPage::showNothing(const QString& words) {
    m_data = std::make_shared<PatternData>();
    m_pair = std::make_shared<PatternPair>();
    m_maps->setPattern(m_data, {}, {});
    m_maps->showMessage(words);
    showFacts();
}

void PatternPage::compare() {
    if (m_pair->second.k > 0) {
        m_pair = std::make_shared<PatternPair>();
        m_maps->setBeside(m_pair);
    }
    m_problem.clear();
    const QString directory = m_beside->currentData().toString();
    if (directory.isEmpty() || m_data->pattern.k == 0) {
        showFacts();
        return;
    }
    const std::uint64_t generation = m_generation;
    const auto first = matrixFile(m_runs->currentData().toString(), m_matrices->currentText());
    const auto second = matrixFile(directory, m_matrices->currentText());
    runInBackground(
        this, [first, second] { return readPatternPair(first, second); },
        [this, generation, directory](PatternPair pair) {
            if (generation == m_generation && directory == m_beside->currentData().toString()) {
                m_pair = std::make_shared<const PatternPair>(std::move(pair));
                m_maps->setBeside(m_pair);
                showFacts();
            }
        },
        [this, generation](const Error& error) {
            if (generation == m_generation) {
                m_problem = QString::fromStdString(error.problem());
                showFacts();
            }
        });
}

void PatternPage::arrange() {
    m_maps->setOrder(m_sorted->isChecked(), m_columns->currentIndex() == 1);
}

void PatternPage::showFacts() {
    const SparsityPattern& pattern = m_data->pattern;
    m_foot->setText(axesWords());
    m_facts->setText(pattern.k == 0 ? tr("Figures of the pattern appear here.")
                                    : patternFacts(*m_data, *m_pair, m_problem));
    m_card->setNote(pattern.k == 0 ? QString()
                                   : tr("%1 · %2 atoms × %3 columns")
                                         .arg(m_matrices->currentText())
                                         .arg(pattern.k)
                                         .arg(pattern.d2));
    m_charts->showPattern(*m_data);
}

QString PatternPage::axesWords() const {
    return tr("rows: atoms of D ↓    columns: %1 →    dark: S(i, j) ≠ 0    wheel: zoom, drag: pan")
        .arg(columnsAre());
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
