#include "ui/pages/plan/method_options_form.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QSpinBox>
#include <algorithm>

namespace cospadi::ui {

namespace {

OptionValue shownIn(const QWidget* field) {
    if (const auto* box = qobject_cast<const QComboBox*>(field)) {
        return box->currentText().trimmed().toStdString();
    }
    if (const auto* spin = qobject_cast<const QSpinBox*>(field)) {
        return static_cast<std::int64_t>(spin->value());
    }
    return qobject_cast<const QDoubleSpinBox*>(field)->value();
}

void showIn(QWidget* field, const OptionValue& value) {
    if (auto* box = qobject_cast<QComboBox*>(field)) {
        const QString word = QString::fromStdString(std::get<std::string>(value));
        const int choice = box->findText(word);
        if (choice < 0 && box->isEditable()) {
            box->setEditText(word);
        } else {
            box->setCurrentIndex(std::max(0, choice));
        }
    } else if (auto* spin = qobject_cast<QSpinBox*>(field)) {
        spin->setValue(static_cast<int>(std::get<std::int64_t>(value)));
    } else {
        qobject_cast<QDoubleSpinBox*>(field)->setValue(std::get<double>(value));
    }
}

}  // namespace

MethodOptionsForm::MethodOptionsForm(const Method& method, const Explain& explain, QWidget* parent)
    : QWidget(parent), m_method(method) {
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(6);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    for (const Option& option : method.ownOptions()) {
        QWidget* field = makeField(option);
        const QString title = QString::fromUtf8(option.title);
        const QString symbol = QString::fromUtf8(option.symbol);
        field->setObjectName(QString::fromLatin1(option.name));
        field->setAccessibleName(title);
        explain(field, symbol.isEmpty() ? title : QStringLiteral("%1, %2").arg(title, symbol),
                QString::fromUtf8(option.help));
        form->addRow(title, field);
        m_fields[option.name] = field;
    }
    setValues({});
}

QWidget* MethodOptionsForm::makeField(const Option& option) {
    if (!option.choices.empty()) {
        auto* box = new QComboBox;
        for (const OptionChoice& choice : option.choices) {
            box->addItem(QString::fromUtf8(choice.word));
            box->setItemData(box->count() - 1, QString::fromUtf8(choice.help), Qt::ToolTipRole);
        }
        box->setEditable(option.check != nullptr);
        box->setInsertPolicy(QComboBox::NoInsert);
        connect(box, &QComboBox::currentTextChanged, this, &MethodOptionsForm::changed);
        return box;
    }
    if (std::holds_alternative<std::int64_t>(option.usual)) {
        auto* spin = new QSpinBox;
        spin->setRange(static_cast<int>(option.least),
                       static_cast<int>(std::min(option.most, 2147483647.0)));
        connect(spin, &QSpinBox::valueChanged, this, &MethodOptionsForm::changed);
        return spin;
    }
    auto* spin = new QDoubleSpinBox;
    spin->setDecimals(4);
    spin->setRange(option.least, option.most);
    connect(spin, &QDoubleSpinBox::valueChanged, this, &MethodOptionsForm::changed);
    return spin;
}

OptionValues MethodOptionsForm::values() const {
    OptionValues values;
    for (const Option& option : m_method.ownOptions()) {
        const OptionValue value = shownIn(m_fields.at(option.name));
        if (value != option.usual) {
            values[option.name] = value;
        }
    }
    return values;
}

void MethodOptionsForm::setValues(const OptionValues& values) {
    for (const Option& option : m_method.ownOptions()) {
        showIn(m_fields.at(option.name), valueOf(option, values));
    }
}

}  // namespace cospadi::ui
