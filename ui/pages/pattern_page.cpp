#include "ui/pages/pattern_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "core/dictionary/iteration_summary.h"
#include "core/pipeline/matrix_file.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/pages/usage_chart.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/card.h"
#include "ui/widgets/export_button.h"
#include "ui/widgets/pattern_view.h"

namespace cospadi::ui {

namespace {

std::vector<std::int64_t> orderByUsage(const std::vector<std::int64_t>& usage) {
    std::vector<std::int64_t> order(usage.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return usage[static_cast<std::size_t>(a)] > usage[static_cast<std::size_t>(b)];
    });
    return order;
}

QToolButton* makeTool(const char* picture, const QString& text, const QString& tip) {
    auto* button = new QToolButton;
    button->setIcon(icon(QString::fromLatin1(picture)));
    button->setText(text);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setToolTip(tip);
    return button;
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
    m_card->body()->addWidget(m_view, 1);
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
    auto* save = new ExportButton([this] {
        auto* chart = static_cast<CurveChart*>(m_charts->currentWidget());
        return chart->exportSource(
            QStringLiteral("%1-%2").arg(chart->objectName(), m_matrices->currentText()));
    });
    usageCard->headerRow()->addWidget(save);
    connect(save, &ExportButton::exported, this, &PatternPage::exported);
    usageCard->body()->addWidget(makeCharts(), 1);
    side->addWidget(factsCard);
    side->addWidget(usageCard);
    side->setHandleWidth(8);
    side->setSizes({300, 300});
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

QWidget* PatternPage::makeCharts() {
    m_usage = new UsageChart;
    m_usage->setObjectName(QStringLiteral("atom-usage"));
    m_coefficients = new CurveChart;
    m_coefficients->setObjectName(QStringLiteral("coefficients"));
    m_coefficients->setAccessibleName(tr("Histogram of the coefficients"));
    m_coefficients->setAxisTitles(tr("coefficient × norm of its atom"), tr("non-zeros"));
    m_coefficients->setZeroBased(true);
    m_coefficients->setEmptyText(tr("How large the coefficients of S are."));
    m_coherence = new CurveChart;
    m_coherence->setObjectName(QStringLiteral("coherence"));
    m_coherence->setAccessibleName(tr("Mutual coherence of the atoms"));
    m_coherence->setAxisTitles(tr("atoms, most coherent first (% of k)"),
                               tr("largest |cos| with another atom"));
    m_coherence->setZeroBased(true);
    m_coherence->setEmptyText(tr("How alike the atoms of the dictionary are."));
    m_charts = new QTabWidget;
    m_charts->addTab(m_usage, tr("Usage"));
    m_charts->addTab(m_coefficients, tr("Coefficients"));
    m_charts->addTab(m_coherence, tr("Coherence"));
    return m_charts;
}

void PatternPage::showAnalysis() {
    m_coefficients->setCurves({});
    m_coherence->setCurves({});
    if (m_k == 0 || m_analysis.coherence.empty()) {
        return;
    }
    const Histogram& histogram = m_analysis.coefficients;
    Curve bars;  // outline of the bars
    bars.colour = theme().values;
    const double width = (histogram.high - histogram.low) /
                         static_cast<double>(std::max<std::size_t>(1, histogram.counts.size()));
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        const double left = histogram.low + width * static_cast<double>(i);
        const auto count = static_cast<double>(histogram.counts[i]);
        bars.points.append(QPointF(left, count));
        bars.points.append(QPointF(left + width * 0.999, count));
    }
    m_coefficients->setCurves({bars});
    Curve coherence;
    coherence.colour = theme().dictionary;
    const double last =
        static_cast<double>(std::max<std::size_t>(m_analysis.coherence.size(), 2) - 1);
    for (std::size_t i = 0; i < m_analysis.coherence.size(); ++i) {
        coherence.points.append(
            QPointF(100.0 * static_cast<double>(i) / last, m_analysis.coherence[i]));
    }
    m_coherence->setCurves({coherence});
}

void PatternPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_charts != nullptr && m_k > 0) {
        showFacts();
    }
}

QWidget* PatternPage::makeControls() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    m_runs = new QComboBox;
    m_runs->setAccessibleName(tr("Run"));
    m_runs->setMinimumContentsLength(14);
    m_runs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_matrices = new QComboBox;
    m_matrices->setObjectName(QStringLiteral("patternMatrix"));
    m_matrices->setAccessibleName(tr("Matrix"));
    m_matrices->setMinimumContentsLength(10);
    m_sorted = new QCheckBox(tr("most used atoms first"));
    m_sorted->setToolTip(
        tr("Sorts the rows of the map by the number of columns that use the atom"));
    m_sorted->setChecked(true);
    QToolButton* fit = makeTool("fit", tr("Fit"), tr("Show the whole pattern"));
    auto* save = new ExportButton([this] { return exportSource(); });
    row->addWidget(new QLabel(tr("Run")));
    row->addWidget(m_runs, 2);
    row->addWidget(new QLabel(tr("Matrix")));
    row->addWidget(m_matrices, 1);
    row->addWidget(m_sorted);
    row->addWidget(fit);
    row->addWidget(save);
    connect(m_runs, &QComboBox::currentIndexChanged, this, &PatternPage::listMatrices);
    connect(m_matrices, &QComboBox::currentIndexChanged, this, &PatternPage::load);
    connect(m_sorted, &QCheckBox::toggled, this, &PatternPage::sortRows);
    connect(fit, &QToolButton::clicked, this, [this] { m_view->fit(); });
    connect(save, &ExportButton::exported, this, &PatternPage::exported);
    return bar;
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
        m_k = 0;
        m_view->clear();
        m_message->setText(
            tr("<p style='font-size:large; color:%1'>No pattern yet</p><p>Run CoSpaDi on at least "
               "one layer. As soon as a matrix is finished, its sparsity pattern is shown "
               "here.</p>")
                .arg(theme().text.name()));
        m_message->show();
        showFacts();
        return;
    }
    const auto path = matrixFile(directory, matrix);
    runInBackground(
        this,
        [path] {
            const StoredMatrix stored = readMatrixFile(path);
            const auto* sparse = std::get_if<SparseDictionaryFactors>(&stored.factors);
            return std::pair(readSparsityPattern(path),
                             sparse != nullptr ? analysePattern(*sparse) : PatternAnalysis{});
        },
        [this, generation](std::pair<SparsityPattern, PatternAnalysis> read) {
            auto& [pattern, analysis] = read;
            if (generation == m_generation) {
                m_analysis = std::move(analysis);
                m_k = pattern.k;
                m_d2 = pattern.d2;
                m_outputs = pattern.side == DictionarySide::Output;
                m_entries = std::move(pattern.entries);
                m_atomUsage = std::move(pattern.atomUsage);
                sortRows();
                showFacts();
            }
        },
        [this, generation](const Error& error) {
            if (generation == m_generation) {
                m_k = 0;
                m_view->clear();
                m_message->setText(QStringLiteral("<b>%1</b><br>%2<br>%3")
                                       .arg(QString::fromStdString(error.problem()).toHtmlEscaped(),
                                            QString::fromStdString(error.hint()).toHtmlEscaped(),
                                            QString::fromStdString(error.where()).toHtmlEscaped()));
                m_message->show();
                showFacts();
            }
        });
}

void PatternPage::sortRows() {
    if (m_k == 0) {
        return;
    }
    m_rowOrder = m_sorted->isChecked() ? orderByUsage(m_atomUsage) : std::vector<std::int64_t>{};
    m_message->hide();
    const std::uint64_t generation = m_generation;
    runInBackground(
        this,
        [entries = m_entries, k = m_k, d2 = m_d2, order = m_rowOrder] {
            return patternPyramid(entries, k, d2, order);
        },
        [this, generation](const QList<QImage>& levels) {
            if (generation == m_generation) {
                m_view->setPyramid(levels);
            }
        },
        [this](const Error& error) {
            m_message->setText(QString::fromStdString(error.problem()));
            m_message->show();
        });
}

void PatternPage::showFacts() {
    m_axes->setText(
        tr("rows: atoms of D ↓     columns: %1 of the layer →     dark: S(i, j) ≠ 0     "
           "wheel: zoom, drag: pan")
            .arg(columnsAre()));
    if (m_k == 0) {
        m_facts->setText(tr("Figures of the pattern appear here."));
        m_usage->setUsage({}, {});
        m_card->setNote({});
        showAnalysis();
        return;
    }
    const auto total = std::accumulate(m_atomUsage.begin(), m_atomUsage.end(), std::int64_t{0});
    const auto [least, most] = std::minmax_element(m_atomUsage.begin(), m_atomUsage.end());
    const auto dead = std::count(m_atomUsage.begin(), m_atomUsage.end(), std::int64_t{0});
    const auto cells = static_cast<double>(m_k) * static_cast<double>(m_d2);
    QString rows;
    const auto add = [&rows](const QString& name, const QString& value) {
        rows += QStringLiteral(
                    "<tr><td style='color:%3; padding-right:12px'>%1</td><td "
                    "align='right'><b>%2</b></td></tr>")
                    .arg(name, value, theme().muted.name());
    };
    const QLocale locale;
    add(tr("atoms k"), locale.toString(static_cast<qlonglong>(m_k)));
    add(m_outputs ? tr("columns d₁ (inputs)") : tr("columns d₂ (outputs)"),
        locale.toString(static_cast<qlonglong>(m_d2)));
    add(tr("non-zeros"), locale.toString(static_cast<qlonglong>(total)));
    add(tr("a column, on average"),
        locale.toString(static_cast<double>(total) / static_cast<double>(m_d2), 'f', 1));
    add(tr("density"), formatPercent(static_cast<double>(total) / cells));
    add(tr("mask"), formatBytes(cells / 8));
    add(tr("dead atoms"), locale.toString(static_cast<qlonglong>(dead)));
    add(tr("most used atom"), tr("%1 columns").arg(*most));
    add(tr("least used atom"), tr("%1 columns").arg(*least));
    add(tr("usage entropy"), locale.toString(usageEntropy(m_atomUsage), 'f', 4));
    if (!m_analysis.coherence.empty()) {
        add(tr("mutual coherence"), locale.toString(m_analysis.coherence.front(), 'f', 4));
        add(tr("mean |cos| of atoms"), locale.toString(m_analysis.meanAbsoluteCosine, 'f', 4));
    }
    m_facts->setText(QStringLiteral("<table cellspacing='0' cellpadding='2'>%1</table>").arg(rows));
    m_card->setNote(
        tr("%1 · %2 atoms × %3 columns").arg(m_matrices->currentText()).arg(m_k).arg(m_d2));
    QList<double> counts;
    for (const std::int64_t index : orderByUsage(m_atomUsage)) {
        counts.append(static_cast<double>(m_atomUsage[static_cast<std::size_t>(index)]));
    }
    m_usage->setUsage({}, counts);
    showAnalysis();
}

QString PatternPage::columnsAre() const {
    return m_outputs ? tr("input features") : tr("output features");
}

QString PatternPage::facts() const { return m_facts->text(); }

void PatternPage::point(int row, int column) {
    if (row < 0 || row >= m_k) {
        m_pointer->clear();
        return;
    }
    const auto atom = m_rowOrder.empty() ? row : m_rowOrder[static_cast<std::size_t>(row)];
    m_pointer->setText(tr("atom %1 (used by %2 columns), column %3")
                           .arg(atom)
                           .arg(m_atomUsage[static_cast<std::size_t>(atom)])
                           .arg(column));
}

ExportSource PatternPage::exportSource() const {
    constexpr int kMargin = 26;  // pixels of 1/96 inch, for the axes' words
    ExportSource source;
    source.name = QStringLiteral("pattern-%1").arg(m_matrices->currentText());
    source.screenSize = m_view->size();
    source.draw = [image = m_view->isEmpty() ? QImage() : m_view->image(),
                   rows = tr("atoms of D (%1)").arg(m_k),
                   columns = tr("%1 (%2)").arg(columnsAre()).arg(m_d2)](QPainter& painter,
                                                                        const QSize& size, bool) {
        painter.fillRect(QRect(QPoint(0, 0), size), Qt::white);
        if (image.isNull()) {
            return;
        }
        const QRectF room(kMargin, kMargin, size.width() - kMargin - 4,
                          size.height() - kMargin - 4);
        const double scale = std::min(room.width() / image.width(), room.height() / image.height());
        const QRectF map(room.topLeft(), QSizeF(image.size()) * scale);
        painter.setRenderHint(QPainter::SmoothPixmapTransform, scale < 1);
        painter.drawImage(map, image.convertToFormat(QImage::Format_RGB32));
        painter.setPen(Qt::black);
        painter.drawRect(map);
        painter.drawText(QRectF(map.left(), 0, map.width(), kMargin - 2), Qt::AlignCenter, columns);
        painter.translate(0, map.bottom());
        painter.rotate(-90);
        painter.drawText(QRectF(0, 0, map.height(), kMargin - 2), Qt::AlignCenter, rows);
    };
    source.csv = [entries = m_entries, k = m_k, d2 = m_d2] {
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
