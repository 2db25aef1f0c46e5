// Which tables of the paper stand beside one's own: a button with a menu of those that print the
// value that is shown.
#pragma once

#include <QStringList>
#include <QToolButton>
#include <string>
#include <vector>

#include "core/report/published.h"

namespace cospadi::ui {

class PublishedBeside : public QToolButton {
    Q_OBJECT

  public:
    // tables: outlive it.
    explicit PublishedBeside(const std::vector<PublishedTable>& tables, QWidget* parent = nullptr);

    // Those that are chosen, by name or number; whether they print the value or not.
    const QStringList& names() const { return m_names; }
    void setNames(const QStringList& names) { m_names = names; }  // showFor() shows them
    void showFor(const std::string& metric);

  signals:
    void chosen();  // names() are others

  private:
    void showWords(const QStringList& shown);

    const std::vector<PublishedTable>& m_tables;
    QStringList m_names;
};

}  // namespace cospadi::ui
