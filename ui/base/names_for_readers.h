// What screen readers are told where Qt by itself tells them nothing, or nothing that they speak.
//
// A choice: on Unix Qt tells what is chosen as the name of a QComboBox, whatever its accessible
// name says; a label that belongs to it is told beside that. A box without one gets a hidden label
// with its accessible name. Pages behind tabs are called like the tab in front. One filter,
// installed on the application, minds all windows.
//
// A value under the cursor of a chart is the chart's description, and until the chart has the focus
// anew a child of it (ui/chart_roles.cpp), to which the focus is said to have moved: as in a list,
// readers speak it as the cursor comes to it. (Qt 6.4 has no event for announcements.)
#pragma once

#include <QObject>
#include <QString>

class QTabWidget;
class QWidget;

namespace cospadi::ui {

// What the keyboard's cursor stands on in this chart or map: also its description.
void tellReaders(QWidget* chart, const QString& words);
QString toldWords(const QObject& chart);  // empty: nothing since it has the focus

class NamesForReaders : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    static void namePages(QTabWidget* tabs);
};

}  // namespace cospadi::ui
