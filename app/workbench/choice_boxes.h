// The window's lists to choose from, by their object names, for who leads it through its pages.
#pragma once

class QComboBox;
class QVariant;

namespace cospadi::ui {
class MainWindow;
}

namespace cospadi::app {

QComboBox* choiceBox(const ui::MainWindow& window, const char* name);
void choose(QComboBox* box, const QVariant& data);  // the entry with this data

}  // namespace cospadi::app
