#include "ui/pages/pattern_page.h"

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

#include "ui/base/background.h"
#include "ui/base/theme.h"
#include "ui/pages/pattern_charts.h"
#include "ui/pages/pattern_facts.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/card.h"
#include "ui/widgets/export_button.h"
#include "ui/widgets/pattern_view.h"

namespace cospadi::ui {

namespace {

// Rows of the second map: the partners of the first map's rows, then the atoms that have none.
std::vector<std::int64_t> orderOfSecond(const PatternComparison& comparison, std::int64_t k,
                                        const std::vector<std::int64_t>& rowOrder) {
    std::vector<std::int64_t> order;
    std::vector<bool> placed(static_cast<std::size_t>(k), false);
    for (std::size_t row = 0; row < comparison.partner.size(); ++row) {
        const std::size_t atom = rowOrder.empty() ? row : static_cast<std::size_t>(rowOrder[row]);
        if (const std::int64_t partner = comparison.partner[atom]; partner >= 0) {
            order.push_back(partner);
            placed[static_cast<std::size_t>(partner)] = true;
        }
    }
    for (std::int64_t atom = 0; atom < k; ++atom) {
        if (!placed[static_cast<std::size_t>(atom)]) {
            order.push_back(atom);
        }
    }
    return order;
}

}  // namespace

PatternPage::PatternPage(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(8);
    column->addWidget(makeControls());

    m_card = new Card(tr("Sparsity pattern of S"));
    m_view = new PatternView;
    m_view->setObjectName(QStringLiteral("patternView"));
    m_view->setAccessibleName(tr("Sparsity pattern"));
    m_message = new QLabel(m_view);
    m_message->setObjectName(QStringLiteral("muted"));
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setWordWrap(true);
    auto* overlay = new QVBoxLayout(m_view);
    overlay->addWidget(m_message);
    auto* axes = new QLabel;
    m_axes = axes;
    axes->setObjectName(QStringLiteral("muted"));
    axes->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_pointer = new QLabel;
    m_pointer->setObjectName(QStringLiteral("muted"));
    auto* foot = new QHBoxLayout;
    foot->addWidget(axes, 1);
    foot->addWidget(m_pointer);
    m_secondView = new PatternView;
    m_secondView->setObjectName(QStringLiteral("secondPatternView"));
    m_secondView->setAccessibleName(tr("Sparsity pattern of the run beside it"));
    m_secondView->hide();
    auto* maps = new QSplitter(Qt::Horizontal);
    maps->addWidget(m_view);
    maps->addWidget(m_secondView);
    maps->setSizes({500, 500});
    maps->setHandleWidth(8);
    maps->setChildrenCollapsible(false);
    m_card->body()->addWidget(maps, 1);
    m_card->body()->addLayout(foot);

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

    connect(m_view, &PatternView::pointedAt, this, &PatternPage::point);
    setRuns({});
}

void PatternPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_charts != nullptr && m_data.pattern.k > 0) {
        showFacts();
    }
}

void PatternPage::listBeside(const std::vector<RunRow>& runs) {
    const QString current = m_beside->currentData().toString();
    const QSignalBlocker quiet(m_beside);
    m_beside->clear();
    m_beside->addItem(tr("nothing"), QString());
    for (const RunRow& run : runs) {
        if (run.method.rfind("cospadi", 0) == 0 && run.matrices > 0) {
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
            if (run.method.rfind("cospadi", 0) == 0 && run.matrices > 0) {
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
    if (!isVisible() || m_view->isEmpty() || m_runs->currentData().toString() == directory) {
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
    if (directory != shownRun || m_matrices->currentText() != current || m_view->isEmpty()) {
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
                m_data = std::move(loaded);
                arrange();
                showFacts();
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
    m_data = {};
    m_second = {};
    m_view->clear();
    m_secondView->hide();
    m_message->setText(words);
    m_message->show();
    showFacts();
}

void PatternPage::compare() {
    m_second = {};
    m_secondView->hide();
    m_problem.clear();
    const QString directory = m_beside->currentData().toString();
    if (directory.isEmpty() || m_data.pattern.k == 0) {
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
                m_second = std::move(pair);
                arrange();
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
    if (m_data.pattern.k == 0) {
        return;
    }
    m_rowOrder = m_sorted->isChecked() ? m_data.rowsByUse : std::vector<std::int64_t>{};
    m_columnOrder =
        m_columns->currentIndex() == 1 ? m_data.clusters.order : std::vector<std::int64_t>{};
    m_message->hide();
    draw(m_data.pattern, m_rowOrder, m_view);
    if (m_second.second.k > 0) {
        m_secondView->show();
        draw(m_second.second, orderOfSecond(m_second.comparison, m_second.second.k, m_rowOrder),
             m_secondView);
    }
}

void PatternPage::draw(const SparsityPattern& pattern, const std::vector<std::int64_t>& rows,
                       PatternView* view) {
    const std::uint64_t generation = m_generation;
    runInBackground(
        this,
        [entries = pattern.entries, k = pattern.k, d2 = pattern.d2, rows, columns = m_columnOrder] {
            return patternPyramid(entries, k, d2, rows, columns);
        },
        [this, view, generation](const QList<QImage>& levels) {
            if (generation == m_generation) {
                view->setPyramid(levels);
            }
        },
        [this](const Error& error) {
            m_message->setText(QString::fromStdString(error.problem()));
            m_message->show();
        });
}

void PatternPage::showFacts() {
    const SparsityPattern& pattern = m_data.pattern;
    m_axes->setText(
        tr("rows: atoms of D ↓     columns: %1 of the layer →     dark: S(i, j) ≠ 0     "
           "wheel: zoom, drag: pan")
            .arg(columnsAre()));
    m_facts->setText(pattern.k == 0 ? tr("Figures of the pattern appear here.")
                                    : patternFacts(m_data, m_second, m_problem));
    m_card->setNote(pattern.k == 0 ? QString()
                                   : tr("%1 · %2 atoms × %3 columns")
                                         .arg(m_matrices->currentText())
                                         .arg(pattern.k)
                                         .arg(pattern.d2));
    m_charts->showPattern(m_data);
}

QString PatternPage::columnsAre() const {
    return m_data.pattern.side == DictionarySide::Output ? tr("input features")
                                                         : tr("output features");
}

QString PatternPage::facts() const { return m_facts->text(); }

CurveChart* PatternPage::coefficientChart() const { return m_charts->coefficients(); }
CurveChart* PatternPage::coherenceChart() const { return m_charts->coherence(); }

void PatternPage::point(int row, int column) {
    if (row < 0 || row >= m_data.pattern.k || column >= m_data.pattern.d2) {
        m_pointer->clear();
        return;
    }
    const auto atom = m_rowOrder.empty() ? row : m_rowOrder[static_cast<std::size_t>(row)];
    const auto which =
        m_columnOrder.empty() ? column : m_columnOrder[static_cast<std::size_t>(column)];
    m_pointer->setText(tr("atom %1 (used by %2 columns), column %3")
                           .arg(atom)
                           .arg(m_data.pattern.atomUsage[static_cast<std::size_t>(atom)])
                           .arg(which));
}

ExportSource PatternPage::exportSource() const {
    const SparsityPattern& pattern = m_data.pattern;
    ExportSource source = mapExportSource(
        *m_view, QStringLiteral("pattern-%1").arg(m_matrices->currentText()),
        tr("atoms of D (%1)").arg(pattern.k), tr("%1 (%2)").arg(columnsAre()).arg(pattern.d2));
    source.csv = [entries = pattern.entries, k = pattern.k, d2 = pattern.d2] {
        QString text = QStringLiteral("atom,column\n");
        for (std::int64_t j = 0; j < d2; ++j) {
            for (std::int64_t i = 0; i < k; ++i) {
                if (entries[static_cast<std::size_t>(j * k + i)] != 0) {
                    text += QStringLiteral("%1,%2\n").arg(i).arg(j);
                }
            }
        }
        return text;
    };
    return source;
}

}  // namespace cospadi::ui
