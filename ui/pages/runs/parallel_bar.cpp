#include "ui/pages/runs/parallel_bar.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/base/string_list.h"
#include "ui/widgets/mnemonics.h"

namespace cospadi::ui {

namespace {

const char* const kOrderSetting = "runs/parallel/order";
const char* const kHiddenSetting = "runs/parallel/hidden";
const char* const kColourSetting = "runs/parallel/colour";

}  // namespace

ParallelBar::ParallelBar(QWidget* parent)
    : QWidget(parent), m_axes(new QToolButton), m_menu(new QMenu(m_axes)), m_colour(new QComboBox) {
    const QSettings settings;
    m_order = settings.value(QLatin1String(kOrderSetting)).toStringList();
    m_hidden = settings.value(QLatin1String(kHiddenSetting)).toStringList();
    m_wantedColour = settings.value(QLatin1String(kColourSetting)).toString();
    m_axes->setObjectName(QStringLiteral("parallelAxes"));
    m_axes->setText(tr("A&xes"));
    m_axes->setToolTip(tr("The axes shown. Drag the name of an axis in the chart to move it"));
    m_axes->setPopupMode(QToolButton::InstantPopup);
    m_axes->setFocusPolicy(Qt::StrongFocus);
    m_axes->setAutoRaise(true);
    m_axes->setMenu(m_menu);
    m_colour->setObjectName(QStringLiteral("parallelColour"));
    m_colour->setAccessibleName(tr("Lines are coloured by"));
    m_colour->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto* label = new QLabel(tr("Co&lour by"));
    label->setBuddy(m_colour);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_axes);
    row->addSpacing(8);
    row->addWidget(label);
    row->addWidget(m_colour);
    row->addStretch(1);
    connect(m_colour, &QComboBox::currentIndexChanged, this, [this] {
        m_wantedColour = colour();
        keep();
    });
}

QString ParallelBar::colour() const { return m_colour->currentData().toString(); }

ParallelChoice ParallelBar::choice() const {
    return {wordsOf(m_order), wordsOf(m_hidden), m_wantedColour.toStdString()};
}

void ParallelBar::choose(const ParallelChoice& wanted) {
    if (wanted == choice()) {
        return;
    }
    m_order = listOf(wanted.order);
    m_hidden = listOf(wanted.hidden);
    m_wantedColour = QString::fromStdString(wanted.colour);
    fill();
    keep();
}

bool ParallelBar::leavesOut(const ParallelAxis& axis) const {
    return std::any_of(m_hidden.begin(), m_hidden.end(),
                       [&](const QString& word) { return axis.isCalled(word); });
}

void ParallelBar::setAxes(const QList<ParallelAxis>& axes) {
    const bool isSame = std::equal(axes.begin(), axes.end(), m_there.begin(), m_there.end(),
                                   [](const ParallelAxis& axis, const ParallelAxis& other) {
                                       return axis.name == other.name;
                                   });
    if (!isSame || m_colour->count() == 0) {
        m_there = axes;
        fill();
    }
}

void ParallelBar::fill() {
    const QSignalBlocker quiet(m_colour);
    m_menu->clear();
    m_colour->clear();
    m_colour->addItem(tr("selection only"), QString());
    int chosen = 0;
    for (const ParallelAxis& axis : std::as_const(m_there)) {
        QAction* action = m_menu->addAction(asMenuTitle(axis.name));
        action->setCheckable(true);
        action->setChecked(!leavesOut(axis));
        connect(action, &QAction::toggled, this, [this, axis](bool on) {
            m_hidden.removeIf([&](const QString& word) { return axis.isCalled(word); });
            if (!on) {
                m_hidden.append(axis.word());
            }
            keep();
        });
        m_colour->addItem(axis.name, axis.word());
        chosen = axis.isCalled(m_wantedColour) ? m_colour->count() - 1 : chosen;
    }
    m_colour->setCurrentIndex(chosen);
}

void ParallelBar::move(int from, int to) {
    QStringList shown;
    for (const ParallelAxis& axis : std::as_const(m_there)) {
        if (!leavesOut(axis)) {
            shown.append(axis.word());
        }
    }
    if (from < 0 || to < 0 || from >= shown.size() || to >= shown.size()) {
        return;
    }
    shown.move(from, to);
    // What is not on show now keeps its place behind.
    for (const QString& word : std::as_const(m_order)) {
        if (!shown.contains(word)) {
            shown.append(word);
        }
    }
    m_order = shown;
    keep();
}

void ParallelBar::keep() {
    QSettings settings;
    settings.setValue(QLatin1String(kOrderSetting), m_order);
    settings.setValue(QLatin1String(kHiddenSetting), m_hidden);
    settings.setValue(QLatin1String(kColourSetting), m_wantedColour);
    emit chosen();
}

}  // namespace cospadi::ui
