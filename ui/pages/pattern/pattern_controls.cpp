#include "ui/pages/pattern/pattern_controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/report/run_dimensions.h"
#include "ui/base/quantity_words.h"
#include "ui/base/theme.h"
#include "ui/models/run_looks.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/run_chooser.h"

namespace cospadi::ui {

namespace {

void fill(QComboBox* box, const std::vector<RunRow>& runs, const QString& keep) {
    std::vector<RunRow> sparse;
    for (const RunRow& run : runs) {
        if (isSparse(run) && run.matrices > 0) {
            sparse.push_back(run);
        }
    }
    listRuns(box, sparse, keep);
}

QLabel* titleOf(QWidget* field, const QString& words) {
    auto* label = new QLabel(words);
    label->setBuddy(field);
    return label;
}

}  // namespace

PatternControls::PatternControls(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_row = new QHBoxLayout;
    m_row->setSpacing(8);
    column->addLayout(m_row);
    column->addLayout(makeOrderRow());
    fillRunRow();
}

void PatternControls::fillRunRow() {
    m_runs = new QComboBox;
    m_runs->setObjectName(QStringLiteral("patternRun"));
    m_runs->setAccessibleName(tr("First run"));
    m_runs->setMinimumContentsLength(14);
    m_runs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_matrices = new QComboBox;
    m_matrices->setObjectName(QStringLiteral("patternMatrix"));
    m_matrices->setAccessibleName(tr("Matrix"));
    m_matrices->setMinimumContentsLength(10);
    m_fit = new QToolButton;
    m_fit->setIcon(icon(QStringLiteral("fit")));
    m_fit->setText(tr("Fit"));
    m_fit->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fit->setAutoRaise(true);
    m_fit->setToolTip(tr("Show the whole pattern"));
    m_arrangement = new QComboBox;
    m_arrangement->setObjectName(QStringLiteral("patternArrangement"));
    m_arrangement->setAccessibleName(tr("Maps shown here"));
    m_arrangement->addItems({tr("one"), tr("its kind by depth"), tr("by a setting")});
    m_arrangement->setToolTip(
        tr("its kind by depth: small maps of this kind of layer, block by block. by a setting: "
           "maps of this matrix in runs that differ in a single setting. Click a map to open it"));
    m_setting = new QComboBox;
    m_setting->setObjectName(QStringLiteral("patternSetting"));
    m_setting->setAccessibleName(tr("The setting in which the runs differ"));
    m_setting->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_setting->hide();
    m_row->addWidget(titleOf(m_runs, tr("&First run")));
    m_row->addWidget(m_runs, 2);
    m_row->addWidget(titleOf(m_matrices, tr("Mat&rix")));
    m_row->addWidget(m_matrices, 1);
    m_row->addWidget(titleOf(m_arrangement, tr("Ma&ps")));
    m_row->addWidget(m_arrangement);
    m_row->addWidget(m_setting);
    m_row->addWidget(m_fit);
    connect(m_arrangement, &QComboBox::currentIndexChanged, this, [this] {
        enableWhatCounts();
        emit arrangementChosen();
    });
    connect(m_setting, &QComboBox::currentIndexChanged, this, &PatternControls::arrangementChosen);
    connect(m_runs, &QComboBox::currentIndexChanged, this, &PatternControls::listMatrices);
    connect(m_runs, &QComboBox::activated, this, &PatternControls::runChosen);
    connect(m_matrices, &QComboBox::currentIndexChanged, this, &PatternControls::matrixChosen);
    connect(m_fit, &QToolButton::clicked, this, &PatternControls::fitWanted);
}

QHBoxLayout* PatternControls::makeOrderRow() {
    m_sorted = new QCheckBox(tr("&most used atoms first"));
    m_sorted->setToolTip(
        tr("Sorts the rows of the map by the number of columns that use the atom"));
    m_sorted->setChecked(true);
    m_columns = new QComboBox;
    m_columns->setObjectName(QStringLiteral("patternColumns"));
    m_columns->setAccessibleName(tr("Order of the columns"));
    m_columns->addItems({tr("in the layer's order"), tr("by cluster")});
    m_columns->setToolTip(
        tr("by cluster: columns that use the same atoms are placed together (k-means on the mask), "
           "the largest cluster first"));
    m_look = new QComboBox;
    m_look->setObjectName(QStringLiteral("patternLook"));
    m_look->setAccessibleName(tr("What the map shows"));
    m_look->addItems({tr("mask"), tr("magnitude"), tr("mask and magnitude")});
    m_look->setToolTip(tr(
        "mask: which entries there are; magnitude: how large they are (coefficient × length of its "
        "atom). Both are shown side by side unless a second run is shown; then it is the mask"));
    m_beside = new QComboBox;
    m_beside->setObjectName(QStringLiteral("patternBeside"));
    m_beside->setAccessibleName(tr("Second run"));
    m_beside->setMinimumContentsLength(14);
    m_beside->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_beside->setToolTip(
        tr("The same matrix of another run: its atoms are matched to these by direction, and the "
           "differences are listed under Facts"));
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_sorted);
    row->addSpacing(8);
    row->addWidget(titleOf(m_columns, tr("&Columns")));
    row->addWidget(m_columns);
    row->addSpacing(8);
    row->addWidget(titleOf(m_look, tr("Sho&w")));
    row->addWidget(m_look);
    row->addSpacing(8);
    row->addWidget(titleOf(m_beside, tr("&Second run")));
    row->addWidget(m_beside, 1);
    connect(m_sorted, &QCheckBox::toggled, this, &PatternControls::orderChosen);
    connect(m_columns, &QComboBox::currentIndexChanged, this, &PatternControls::orderChosen);
    connect(m_look, &QComboBox::currentIndexChanged, this, &PatternControls::lookChosen);
    connect(m_beside, &QComboBox::currentIndexChanged, this, &PatternControls::besideChosen);
    return row;
}

void PatternControls::enableWhatCounts() {
    const bool isOne = arrangement() == MapArrangement::One;
    m_look->setEnabled(isOne);
    m_beside->setEnabled(isOne);
    m_fit->setEnabled(isOne);
    m_setting->setVisible(arrangement() == MapArrangement::Setting && m_setting->count() > 0);
}

void PatternControls::setSettings(const QStringList& names, const QList<int>& maps,
                                  const QString& chosen) {
    const QSignalBlocker quiet(m_setting);
    m_setting->clear();
    for (qsizetype i = 0; i < names.size(); ++i) {
        m_setting->addItem(tr("%1 (%2)").arg(quantityWords(names[i])).arg(maps[i]), names[i]);
    }
    m_setting->setCurrentIndex(m_setting->findData(chosen));
    enableWhatCounts();
}

void PatternControls::showOne(const QString& directory, const QString& matrix) {
    {
        const QSignalBlocker quiet(this);  // one question for all of it
        m_arrangement->setCurrentIndex(static_cast<int>(MapArrangement::One));
        enableWhatCounts();
        showRun(directory);
        m_matrices->setCurrentIndex(m_matrices->findText(matrix));
    }
    emit arrangementChosen();
}

void PatternControls::listBeside(const std::vector<RunRow>& runs) {
    const QString current = beside();
    const QSignalBlocker quiet(m_beside);
    m_beside->clear();
    m_beside->addItem(tr("none: choose one to compare"), QString());
    fill(m_beside, runs, current);
    m_beside->setCurrentIndex(std::max(0, m_beside->findData(current)));
}

void PatternControls::setRuns(const std::vector<RunRow>& runs) {
    const QString current = run();
    m_listedRuns = runs;
    {
        const QSignalBlocker quiet(m_runs);
        m_runs->clear();
        fill(m_runs, runs, current);
    }
    listBeside(runs);
    if (!current.isEmpty()) {
        showRun(current);
    } else {
        listMatrices();
    }
}

void PatternControls::addRun(const QString& directory) {
    if (m_runs->findData(directory) < 0) {
        const QSignalBlocker quiet(m_runs);
        const RunRow* known = stored(directory);
        const QString id = QFileInfo(directory).fileName();
        m_runs->insertItem(0, known != nullptr ? nameOf(*known) : tr("run … %1").arg(id.right(6)),
                           directory);
        m_runs->setItemData(0, id, Qt::ToolTipRole);
    }
}

void PatternControls::showRun(const QString& directory) {
    addRun(directory);
    {
        const QSignalBlocker quiet(m_runs);
        m_runs->setCurrentIndex(m_runs->findData(directory));
    }
    listMatrices();
}

void PatternControls::listMatrices() {
    const QString before = matrix();
    const QString directory = run();
    {
        const QSignalBlocker quiet(m_matrices);
        m_matrices->clear();
        if (!directory.isEmpty()) {
            m_matrices->addItems(finishedMatrices(directory));
        }
        const int row = m_matrices->findText(before);
        m_matrices->setCurrentIndex(row >= 0 ? row : m_matrices->count() > 0 ? 0 : -1);
    }
    const bool isOther = directory != m_listed || matrix() != before;
    m_listed = directory;
    emit listed(isOther);
}

QString PatternControls::run() const { return m_runs->currentData().toString(); }
QString PatternControls::matrix() const { return m_matrices->currentText(); }
QStringList PatternControls::matrices() const {
    QStringList names;
    for (int i = 0; i < m_matrices->count(); ++i) {
        names << m_matrices->itemText(i);
    }
    return names;
}
MapArrangement PatternControls::arrangement() const {
    return static_cast<MapArrangement>(m_arrangement->currentIndex());
}
QString PatternControls::setting() const { return m_setting->currentData().toString(); }
QString PatternControls::beside() const { return m_beside->currentData().toString(); }
bool PatternControls::atomsByUse() const { return m_sorted->isChecked(); }
bool PatternControls::columnsByCluster() const { return m_columns->currentIndex() == 1; }
EntryLook PatternControls::entryLook() const {
    return static_cast<EntryLook>(m_look->currentIndex());
}

const RunRow* PatternControls::stored(const QString& directory) const {
    const auto found =
        std::find_if(m_listedRuns.begin(), m_listedRuns.end(),
                     [&](const RunRow& row) { return row.directory == directory.toStdString(); });
    return found == m_listedRuns.end() ? nullptr : &*found;
}

PairNames PatternControls::names() const {
    std::vector<RunRow> pair;
    for (const QString& directory : {run(), beside()}) {
        const RunRow* known = stored(directory);
        if (known == nullptr) {
            return {};
        }
        pair.push_back(*known);
    }
    const QStringList names = namesBeside(pair);
    return {names[0], names[1]};
}

}  // namespace cospadi::ui
