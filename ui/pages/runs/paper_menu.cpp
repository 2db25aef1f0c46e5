#include "ui/pages/runs/paper_menu.h"

#include <QAction>
#include <QMenu>

#include "core/base/error.h"
#include "core/report/published_values.h"
#include "ui/models/series_look.h"

namespace cospadi::ui {

PaperMenu::PaperMenu(QWidget* parent) : QToolButton(parent), m_menu(new QMenu(this)) {
    try {
        m_tables = publishedTables();
    } catch (const Error&) {
        // Without the file of resources nothing can be laid over; one's own runs stay.
    }
    setObjectName(QStringLiteral("paperResults"));
    setText(tr("Paper"));
    setAccessibleName(tr("Results of the paper"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::StrongFocus);
    setAutoRaise(true);
    setMenu(m_menu);
}

void PaperMenu::setAxes(const std::string& metric, const std::string& setting) {
    m_offered =
        setting.empty() ? QList<PublishedCurve>() : publishedCurves(m_tables, metric, setting);
    m_menu->clear();
    QStringList keys;
    for (const PublishedCurve& curve : std::as_const(m_offered)) {
        if (keys.contains(curve.key)) {
            continue;
        }
        keys << curve.key;
        QAction* action = m_menu->addAction(
            tr("%1 (table %2)").arg(curve.key.section(' ', 1), curve.key.section(' ', 0, 0)));
        action->setCheckable(true);
        action->setChecked(m_keys.contains(curve.key));
        connect(action, &QAction::toggled, this, [this, key = curve.key](bool on) {
            on ? void(m_keys.insert(key)) : void(m_keys.remove(key));
            // The menu that sends this signal may be made anew by whoever hears of it.
            QMetaObject::invokeMethod(this, &PaperMenu::chosen, Qt::QueuedConnection);
        });
    }
    setEnabled(!keys.isEmpty());
    setToolTip(
        keys.isEmpty()
            ? tr("The paper reports accuracies and perplexities of lm-eval's tasks against CR, ρ "
                 "or iterations: choose such a value, for example piqa/acc_norm")
            : tr("Overlays results from the paper's tables on the chart, with their source"));
}

QStringList PaperMenu::overlay(QList<Curve>& curves) const {
    QStringList tables;
    for (const PublishedCurve& printed : m_offered) {
        if (m_keys.contains(printed.key)) {
            Curve curve = printed.curve;
            setGuestLook(curve, curves);
            curves.append(curve);
            tables << printed.key.section(' ', 0, 0);
        }
    }
    tables.removeDuplicates();
    return tables.isEmpty() ? tables
                            : QStringList{tr("from the paper: %1, table %2")
                                              .arg(QString::fromLatin1(kPaperSource),
                                                   tables.join(QStringLiteral(", ")))};
}

}  // namespace cospadi::ui
