#include "ui/pages/plan/own_option_fields.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QSpinBox>
#include <algorithm>

#include "core/store/idle_settings.h"
#include "ui/base/engine_words.h"
#include "ui/base/help_words.h"

namespace cospadi::ui {

namespace {

OptionValue shownIn(const QWidget* field) {
    if (const auto* box = qobject_cast<const QComboBox*>(field)) {
        const QString text = box->currentText().trimmed();
        const int choice = box->findText(text);  // else it was typed
        return (choice < 0 ? text : box->itemData(choice).toString()).toStdString();
    }
    if (const auto* spin = qobject_cast<const QSpinBox*>(field)) {
        return static_cast<std::int64_t>(spin->value());
    }
    return qobject_cast<const QDoubleSpinBox*>(field)->value();
}

void showIn(QWidget* field, const OptionValue& value) {
    if (auto* box = qobject_cast<QComboBox*>(field)) {
        const QString word = QString::fromStdString(std::get<std::string>(value));
        const int choice = box->findData(word);
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

OwnOptionFields::OwnOptionFields(QFormLayout* form, const Explain& explain, QObject* parent)
    : QObject(parent), m_form(form) {
    for (const Option* option : allOwnOptions()) {
        QWidget* field = makeField(*option);
        const QString title = engineWords(option->title);
        const QString symbol = QString::fromUtf8(option->symbol);
        field->setObjectName(QString::fromLatin1(option->name));
        field->setAccessibleName(title);
        explain(field, symbol.isEmpty() ? title : QStringLiteral("%1, %2").arg(title, symbol),
                helpWords(option->help));
        form->addRow(title, field);
        showIn(field, option->usual);
        m_fields[option->name] = field;
    }
}

QWidget* OwnOptionFields::makeField(const Option& option) {
    if (!option.choices.empty()) {
        auto* box = new QComboBox;
        for (const OptionChoice& choice : option.choices) {
            box->addItem(choiceWords(option.name, choice.word), QString::fromUtf8(choice.word));
            box->setItemData(box->count() - 1, helpWords(choice.help), Qt::ToolTipRole);
        }
        box->setEditable(option.check != nullptr);
        box->setInsertPolicy(QComboBox::NoInsert);
        connect(box, &QComboBox::currentTextChanged, this, &OwnOptionFields::changed);
        return box;
    }
    if (std::holds_alternative<std::int64_t>(option.usual)) {
        auto* spin = new QSpinBox;
        spin->setRange(static_cast<int>(option.least),
                       static_cast<int>(std::min(option.most, 2147483647.0)));
        connect(spin, &QSpinBox::valueChanged, this, &OwnOptionFields::changed);
        return spin;
    }
    auto* spin = new QDoubleSpinBox;
    spin->setDecimals(4);
    spin->setRange(option.least, option.most);
    connect(spin, &QDoubleSpinBox::valueChanged, this, &OwnOptionFields::changed);
    return spin;
}

void OwnOptionFields::showFor(const RunSpecification& plan) {
    for (const auto& [name, field] : m_fields) {
        m_form->setRowVisible(field, methodOf(plan).uses(name));
        const bool isCounted = counts(plan, name.c_str());
        field->setEnabled(isCounted);
        m_form->labelForField(field)->setEnabled(isCounted);
    }
}

OptionValues OwnOptionFields::valuesFor(const Method& method) const {
    OptionValues values;
    for (const Option& option : method.ownOptions()) {
        const OptionValue value = shownIn(m_fields.at(option.name));
        if (value != option.usual) {
            values[option.name] = value;
        }
    }
    return values;
}

void OwnOptionFields::setValues(const Method& method, const OptionValues& values) {
    for (const Option& option : method.ownOptions()) {
        showIn(m_fields.at(option.name), valueOf(option, values));
    }
}

}  // namespace cospadi::ui
