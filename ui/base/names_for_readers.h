// What screen readers are told where Qt by itself tells them nothing, or nothing that they speak.
//
// A choice: on Unix Qt tells what is chosen as the name of a QComboBox, whatever its accessible
// name says; a label that belongs to it is told beside that. A box without one gets a hidden label
// with its accessible name. Pages behind tabs are called like the tab in front. One filter,
// installed on the application, minds all windows.
//
// A value under the cursor of a chart stands before its name until it has the focus anew
// (ui/chart_roles.cpp), and is its description: readers are told that both have changed. With
// either event Qt 6.4 sends the object in the place of the words; Orca 43 does not ask it for them,
// and speaks the value when it is asked where it is.
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
