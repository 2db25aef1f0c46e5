#include "ui/pages/runs/runs_toolbar.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "ui/pages/runs/run_mark_button.h"

namespace cospadi::ui {

RunsToolbar::RunsToolbar(QWidget* parent)
    : QWidget(parent),
      m_row(new QHBoxLayout(this)),
      m_marks(new RunMarkButton),
      m_differing(new QToolButton) {
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(8);
    auto* filter = new QLineEdit;
    filter->setObjectName(QStringLiteral("runsFilter"));
    filter->setPlaceholderText(tr("Filter: words of a row, e.g. ksvd ffn_up"));
    filter->setAccessibleName(tr("Filter the runs"));
    filter->setClearButtonEnabled(true);
    auto* view = new QToolButton;
    view->setObjectName(QStringLiteral("runsView"));
    view->setText(tr("View"));
    view->setToolTip(tr("Columns, groups, archived runs"));
    view->setPopupMode(QToolButton::InstantPopup);
    view->setFocusPolicy(Qt::StrongFocus);
    view->setMenu(new QMenu(view));
    m_differing->setObjectName(QStringLiteral("onlyDiffering"));
    m_differing->setText(tr("Only what differs"));
    m_differing->setToolTip(
        tr("Shows only the columns in which the selected runs differ (all on "
           "show where fewer than two are selected), every setting among them"));
    m_differing->setCheckable(true);
    m_differing->setFocusPolicy(Qt::StrongFocus);
    m_row->addWidget(filter, 1);
    m_row->addWidget(view);
    m_row->addWidget(m_marks);
    m_row->addWidget(m_differing);
    connect(filter, &QLineEdit::textChanged, this, &RunsToolbar::filterChanged);
    connect(m_differing, &QToolButton::toggled, this, &RunsToolbar::onlyDifferingToggled);
    connect(view->menu(), &QMenu::aboutToShow, this, [this, menu = view->menu()] {
        menu->clear();
        emit viewMenuWanted(menu);
    });
}

bool RunsToolbar::onlyDiffering() const { return m_differing->isChecked(); }

}  // namespace cospadi::ui
