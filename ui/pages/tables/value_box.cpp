#include "ui/pages/tables/value_box.h"

namespace cospadi::ui {

ValueBox::ValueBox(Wording wording, QWidget* parent) : QComboBox(parent), m_wording(wording) {
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(8);
}

void ValueBox::choose(const QString& value) {
    int index = findData(value);
    if (index < 0 && !value.isEmpty()) {  // a saved table may ask for what is no longer there
        addItem(wordsOf(value), value);
        index = count() - 1;
    }
    setCurrentIndex(index);
}

// What is the same stays as it is: its list may be open.
void ValueBox::setValues(const QStringList& values, const QString& any) {
    QStringList known;
    for (int i = 0; i < count(); ++i) {
        known << itemData(i).toString();
    }
    QStringList wanted = any.isEmpty() ? values : QStringList{QString()} + values;
    const QString current = value();
    if (!wanted.contains(current)) {
        wanted << current;  // asked for by a saved table
    }
    if (known == wanted) {
        return;
    }
    clear();
    for (const QString& each : wanted) {
        addItem(each.isEmpty() ? any : wordsOf(each), each);
    }
    choose(current);
}

}  // namespace cospadi::ui
