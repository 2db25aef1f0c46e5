#include "app/workbench/choice_boxes.h"

#include <QComboBox>
#include <QVariant>

#include "ui/main_window.h"

namespace cospadi::app {

QComboBox* choiceBox(const ui::MainWindow& window, const char* name) {
    return window.findChild<QComboBox*>(QLatin1String(name));
}

void choose(QComboBox* box, const QVariant& data) { box->setCurrentIndex(box->findData(data)); }

}  // namespace cospadi::app
