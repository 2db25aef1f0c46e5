// The fields above the map of the Pattern page.
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/base/theme.h"
#include "ui/charts/export_button.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/pages/pattern/pattern_page.h"

namespace cospadi::ui {

namespace {

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

QWidget* PatternPage::makeControls() {
    auto* bar = new QWidget;
    auto* column = new QVBoxLayout(bar);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    column->addLayout(row);
    column->addLayout(makeOrderRow());
    m_runs = new QComboBox;
    m_runs->setAccessibleName(tr("Run"));
    m_runs->setMinimumContentsLength(14);
    m_runs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_matrices = new QComboBox;
    m_matrices->setObjectName(QStringLiteral("patternMatrix"));
    m_matrices->setAccessibleName(tr("Matrix"));
    m_matrices->setMinimumContentsLength(10);
    QToolButton* fit = makeTool("fit", tr("Fit"), tr("Show the whole pattern"));
    auto* save = new ExportButton([this] { return m_maps->exportSource(); });
    row->addWidget(new QLabel(tr("Run")));
    row->addWidget(m_runs, 2);
    row->addWidget(new QLabel(tr("Matrix")));
    row->addWidget(m_matrices, 1);
    row->addWidget(fit);
    row->addWidget(save);
    connect(m_runs, &QComboBox::currentIndexChanged, this, &PatternPage::listMatrices);
    connect(m_matrices, &QComboBox::currentIndexChanged, this, &PatternPage::load);
    connect(fit, &QToolButton::clicked, m_maps, &PatternMaps::fit);
    connect(save, &ExportButton::exported, this, &PatternPage::exported);
    return bar;
}

QHBoxLayout* PatternPage::makeOrderRow() {
    m_sorted = new QCheckBox(tr("most used atoms first"));
    m_sorted->setToolTip(
        tr("Sorts the rows of the map by the number of columns that use the atom"));
    m_sorted->setChecked(true);
    m_columns = new QComboBox;
    m_columns->setObjectName(QStringLiteral("patternColumns"));
    m_columns->setAccessibleName(tr("Order of the columns"));
    m_columns->addItems({tr("in the layer's order"), tr("by cluster")});
    m_columns->setToolTip(
        tr("by cluster: columns that use the same atoms stand together (k-means on the mask), the "
           "largest cluster first"));
    m_beside = new QComboBox;
    m_beside->setObjectName(QStringLiteral("patternBeside"));
    m_beside->setAccessibleName(tr("Run beside it"));
    m_beside->setMinimumContentsLength(14);
    m_beside->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_beside->setToolTip(
        tr("The same matrix of another run: its atoms are matched to these by direction, and what "
           "differs stands under Facts"));
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_sorted);
    row->addSpacing(8);
    row->addWidget(new QLabel(tr("Columns")));
    row->addWidget(m_columns);
    row->addSpacing(8);
    row->addWidget(new QLabel(tr("Beside it")));
    row->addWidget(m_beside, 1);
    connect(m_sorted, &QCheckBox::toggled, this, &PatternPage::arrange);
    connect(m_columns, &QComboBox::currentIndexChanged, this, &PatternPage::arrange);
    connect(m_beside, &QComboBox::currentIndexChanged, this, &PatternPage::compare);
    return row;
}

}  // namespace cospadi::ui
