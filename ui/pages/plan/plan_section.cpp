#include "ui/pages/plan/plan_section.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <algorithm>

#include "ui/base/font_units.h"
#include "ui/pages/plan/plan_help.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

PlanSection::PlanSection(QFormLayout* form, PlanHelp* help, QObject* parent)
    : QObject(parent), m_form(form), m_help(help) {}

void PlanSection::nameAndExplain(QWidget* field, const FieldWords& words) {
    field->setObjectName(QString::fromLatin1(words.name));
    field->setAccessibleName(words.title);
    m_help->explain(field, words.symbol, words.help);
}

QComboBox* PlanSection::makeChoice(const FieldWords& words, const QList<FieldChoice>& choices,
                                   const QString& what) {
    auto* box = new QComboBox;
    for (const FieldChoice& choice : choices) {
        box->addItem(choice.label, QString::fromLatin1(choice.value));
        box->setItemData(box->count() - 1, choice.tip, Qt::ToolTipRole);
    }
    nameAndExplain(box, words);
    connect(box, &QComboBox::currentIndexChanged, this, [this, what] { emit changed(what); });
    return box;
}

QSpinBox* PlanSection::makeSpin(const FieldWords& words, int least, int greatest, int value,
                                const QString& what) {
    auto* spin = new QSpinBox;
    spin->setRange(least, greatest);
    spin->setValue(value);
    spin->setAccelerated(true);
    spin->setMinimumWidth(charactersWide(spin->font(), 10.5));
    keepUnselected(spin);
    nameAndExplain(spin, words);
    connect(spin, &QSpinBox::valueChanged, this, [this, what] { emit changed(what); });
    return spin;
}

QDoubleSpinBox* PlanSection::makeFraction(const FieldWords& words, double least, double greatest,
                                          double step, const QString& what) {
    auto* spin = new QDoubleSpinBox;
    spin->setRange(least, greatest);
    spin->setDecimals(5);
    spin->setSingleStep(step);
    keepUnselected(spin);
    nameAndExplain(spin, words);
    connect(spin, &QDoubleSpinBox::valueChanged, this, [this, what] { emit changed(what); });
    return spin;
}

SliderSpin* PlanSection::makeSlider(const FieldWords& words, double least, double greatest,
                                    double step, double value, const QString& what) {
    auto* slider = new SliderSpin(least, greatest, step, 2);
    slider->setObjectName(QString::fromLatin1(words.name));
    slider->setValue(value);
    slider->spin()->setAccessibleName(words.title);  // which has the keyboard
    keepUnselected(slider->spin());
    m_help->explain(slider, words.symbol, words.help);
    connect(slider, &SliderSpin::valueChanged, this, [this, what] { emit changed(what); });
    return slider;
}

QLineEdit* PlanSection::makeLine(const FieldWords& words, const QString& placeholder,
                                 const QString& what) {
    auto* edit = new QLineEdit;
    edit->setPlaceholderText(placeholder);
    edit->setClearButtonEnabled(true);
    nameAndExplain(edit, words);
    connect(edit, &QLineEdit::textChanged, this, [this, what] { emit changed(what); });
    return edit;
}

QCheckBox* PlanSection::makeCheck(const FieldWords& words, const QString& label,
                                  const QString& what) {
    auto* box = new QCheckBox(label);
    nameAndExplain(box, words);
    connect(box, &QCheckBox::toggled, this, [this, what] { emit changed(what); });
    return box;
}

void PlanSection::keepUnselected(QAbstractSpinBox* spin) {
    connect(spin, &QAbstractSpinBox::editingFinished, spin, [spin] {
        if (auto* edit = spin->findChild<QLineEdit*>()) {
            QMetaObject::invokeMethod(edit, &QLineEdit::deselect, Qt::QueuedConnection);
        }
    });
}

QWidget* PlanSection::inRow(std::initializer_list<QWidget*> widgets) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    for (QWidget* widget : widgets) {
        const bool rigid = widget->inherits("QLabel") || widget->inherits("QToolButton");
        layout->addWidget(widget, rigid ? 0 : 1);
    }
    row->setFocusProxy(*widgets.begin());  // what a label's letter leads to
    return row;
}

void PlanSection::enable(std::initializer_list<QWidget*> fields, bool doCount) {
    for (QWidget* field : fields) {
        field->setEnabled(doCount);
    }
}

std::string PlanSection::chosen(const QComboBox* box) {
    return box->currentData().toString().toStdString();
}

void PlanSection::choose(QComboBox* box, const std::string& value) {
    box->setCurrentIndex(std::max(0, box->findData(QString::fromStdString(value))));
}

}  // namespace cospadi::ui
