// Which results of the paper's tables lie over a chart: a menu of those that print its metric, a
// model of a table at a time, as all at once would be a thicket. Disabled where none does.
#pragma once

#include <QSet>
#include <QToolButton>
#include <string>
#include <vector>

#include "ui/models/published_curves.h"

class QMenu;

namespace cospadi::ui {

class PaperMenu : public QToolButton {
    Q_OBJECT

  public:
    explicit PaperMenu(QWidget* parent = nullptr);

    // Offers what is printed of this metric against this setting; an empty setting: nothing.
    void setAxes(const std::string& metric, const std::string& setting);
    // Adds the chosen curves; returns where they are from, in words.
    QStringList overlay(QList<Curve>& curves) const;

  signals:
    void chosen();

  private:
    std::vector<PublishedTable> m_tables;
    QList<PublishedCurve> m_offered;
    QSet<QString> m_keys;  // of the chosen ones
    QMenu* m_menu;
};

}  // namespace cospadi::ui
