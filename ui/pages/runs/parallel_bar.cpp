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
    m_axes->setToolTip(
        tr("Which axes there are. Their names are dragged to another place in the chart"));
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

void ParallelBar::setAxes(const QStringList& names) {
    if (names == m_names && m_colour->count() > 0) {
        return;
    }
    m_names = names;
    m_menu->clear();
    for (const QString& name : names) {
        QAction* action = m_menu->addAction(asMenuTitle(name));
        action->setCheckable(true);
        action->setChecked(!m_hidden.contains(name));
        connect(action, &QAction::toggled, this, [this, name](bool on) {
            m_hidden.removeAll(name);
            if (!on) {
                m_hidden.append(name);
            }
            keep();
        });
    }
    const QSignalBlocker quiet(m_colour);
    m_colour->clear();
    m_colour->addItem(tr("selection alone"), QString());
    for (const QString& name : names) {
        m_colour->addItem(name, name);
    }
    m_colour->setCurrentIndex(std::max(0, m_colour->findData(m_wantedColour)));
}

void ParallelBar::move(int from, int to) {
    QStringList shown;
    for (const QString& name : std::as_const(m_names)) {
        if (!m_hidden.contains(name)) {
            shown.append(name);
        }
    }
    if (from < 0 || to < 0 || from >= shown.size() || to >= shown.size()) {
        return;
    }
    shown.move(from, to);
    // What is not on show now keeps its place behind.
    for (const QString& name : std::as_const(m_order)) {
        if (!shown.contains(name)) {
            shown.append(name);
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
