// The rows of fields in a card of the Tables page: labels at the right of their column, fields as
// wide as there is room.
#pragma once

#include <QFormLayout>

namespace cospadi::ui {

inline QFormLayout* makeFieldRows(QWidget* parent) {
    auto* form = new QFormLayout(parent);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return form;
}

}  // namespace cospadi::ui
