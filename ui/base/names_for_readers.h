// What a choice is about, for screen readers. On Unix Qt tells what is chosen as the name of a
// QComboBox, whatever its accessible name says; a label that belongs to it is told beside that. A
// box without one gets a hidden label with its accessible name. One filter, installed on the
// application, minds all windows.
#pragma once

#include <QObject>

namespace cospadi::ui {

class NamesForReaders : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace cospadi::ui
