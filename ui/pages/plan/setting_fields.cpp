#include "ui/pages/plan/setting_fields.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QSpinBox>
#include <algorithm>
#include <string_view>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/store/idle_settings.h"
#include "core/store/named_settings.h"
#include "ui/pages/plan/setting_words.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

namespace {

using nlohmann::json;

constexpr double kMostOfBox = 2147483647;

// How a number is moved by hand, where a hundredth, or one, is no good step.
struct Steps {
    std::string_view setting;
    double step;
    int first = 1;  // the least number beside 0
};
constexpr Steps kSteps[] = {
    {"coefficient_bits", 1, 2}, {"dictionary_bits", 1, 2}, {"held_out", 0.125},  {"refine", 64},
    {"refine_rate", 0.0001},    {"ridge", 0.001},          {"tolerance", 0.0005}};

// Numbers that are tried out have a slider as well, over what is of use.
struct Slid {
    std::string_view setting;
    double least;
    double most;
    double step;
};
constexpr Slid kSlid[] = {{"cr", 0.05, 0.9, 0.01}, {"rho", 1, 8, 0.05}};

template <class Row, std::size_t kCount>
const Row* rowOf(const Row (&rows)[kCount], const Option& option) {
    const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& candidate) {
        return candidate.setting == option.name;
    });
    return row != std::end(rows) ? row : nullptr;
}

double usualNumber(const Option& option) {
    return option.isWhole() ? static_cast<double>(std::get<std::int64_t>(option.usual))
                            : std::get<double>(option.usual);
}

}  // namespace

SettingFields::SettingFields(QFormLayout* form, PlanHelp* help, QObject* parent)
    : PlanSection(form, help, parent) {}

QWidget* SettingFields::field(const char* setting) {
    return m_fields.insert_or_assign(setting, makeField(*findOption(setting))).first->second.widget;
}

void SettingFields::addRow(const Option& option, bool isOwn) {
    Field field = makeField(option);
    field.isOwn = isOwn;
    form()->addRow(SettingWords::of(option).field.title, field.widget);
    m_fields.insert_or_assign(option.name, std::move(field));
}

void SettingFields::addOwnRows() {
    for (const Option* option : allOwnOptions()) {
        addRow(*option, true);
    }
}

void SettingFields::addOtherRows() {
    for (const Option& option : sharedOptions()) {
        if (!m_fields.contains(option.name)) {
            addRow(option, false);
        }
    }
}

SettingFields::Field SettingFields::makeField(const Option& option) {
    const SettingWords words = SettingWords::of(option);
    Field field = option.isWord()                   ? makeWord(option, words)
                  : rowOf(kSlid, option) != nullptr ? makeSlid(option, words)
                  : option.isWhole()                ? makeWhole(option, words)
                                                    : makeReal(option, words);
    return option.wordInstead != nullptr ? withWordInstead(field, words) : field;
}

SettingFields::Field SettingFields::makeWord(const Option& option, const SettingWords& words) {
    QComboBox* box = makeChoice(words.field, words.choices, words.field.title);
    choose(box, textOf(option.usual));
    if (option.read != nullptr) {  // other words than those of the list
        box->setEditable(true);
        box->setInsertPolicy(QComboBox::NoInsert);
        connect(box, &QComboBox::editTextChanged, this,
                [this, what = words.field.title] { emit changed(what); });
    }
    return {&option, box,
            [box]() -> json {
                const QString text = box->currentText().trimmed();
                const int choice = box->findText(text);  // else it was typed
                return (choice < 0 ? text : box->itemData(choice).toString()).toStdString();
            },
            [box](const json& value) {
                const QString word = QString::fromStdString(value.get<std::string>());
                if (box->isEditable() && box->findData(word) < 0) {
                    box->setEditText(word);
                } else {
                    choose(box, value.get<std::string>());
                }
            }};
}

SettingFields::Field SettingFields::makeWhole(const Option& option, const SettingWords& words) {
    const Steps* steps = rowOf(kSteps, option);
    const int first = steps != nullptr ? steps->first : 1;
    // The place before the first number stands for 0.
    const int least = option.least == 0 ? first - 1 : static_cast<int>(option.least);
    QSpinBox* spin =
        makeSpin(words.field, least, static_cast<int>(std::min(option.most, kMostOfBox)),
                 static_cast<int>(usualNumber(option)), words.field.title);
    spin->setSingleStep(steps != nullptr ? static_cast<int>(steps->step) : 1);
    spin->setSpecialValueText(words.zero);
    spin->setSuffix(words.unit);
    const bool hasZero = option.least == 0;
    return {&option, spin,
            [spin, hasZero]() -> json {
                return hasZero && spin->value() == spin->minimum() ? 0 : spin->value();
            },
            [spin](const json& value) {
                spin->setValue(static_cast<int>(std::min<double>(value.get<double>(), kMostOfBox)));
            }};
}

SettingFields::Field SettingFields::makeReal(const Option& option, const SettingWords& words) {
    const Steps* steps = rowOf(kSteps, option);
    QDoubleSpinBox* spin = makeFraction(words.field, option.least, option.most,
                                        steps != nullptr ? steps->step : 0.01, words.field.title);
    spin->setValue(usualNumber(option));
    spin->setSpecialValueText(words.zero);
    return {&option, spin, [spin]() -> json { return spin->value(); },
            [spin](const json& value) { spin->setValue(value.get<double>()); }};
}

SettingFields::Field SettingFields::makeSlid(const Option& option, const SettingWords& words) {
    const Slid& slid = *rowOf(kSlid, option);
    SliderSpin* slider = makeSlider(words.field, slid.least, slid.most, slid.step,
                                    usualNumber(option), words.field.title);
    return {&option, slider, [slider]() -> json { return slider->value(); },
            [slider](const json& value) { slider->setValue(value.get<double>()); }};
}

SettingFields::Field SettingFields::withWordInstead(const Field& number,
                                                    const SettingWords& words) {
    QComboBox* box = makeChoice(words.instead, words.insteadChoices, words.field.title);
    QWidget* widget = number.widget;
    connect(box, &QComboBox::currentIndexChanged, widget,
            [widget](int index) { widget->setEnabled(index == 0); });
    return {number.option, inRow({widget, box}),
            [box, number]() -> json {
                return box->currentIndex() == 0 ? number.value() : json(chosen(box));
            },
            [box, number](const json& value) {
                box->setCurrentIndex(value.is_number() ? 0 : 1);
                if (value.is_number()) {
                    number.setValue(value);
                }
            }};
}

QString SettingFields::writeTo(RunSpecification& plan) const {
    QString problem;
    for (const auto& [setting, field] : m_fields) {
        if (!methodOf(plan).uses(setting)) {
            continue;
        }
        try {
            setSetting(plan, setting, field.value());
        } catch (const Error& error) {
            setAsUsual(plan, setting);
            problem = QStringLiteral("%1: %2").arg(QString::fromStdString(error.problem()),
                                                   QString::fromStdString(error.hint()));
        }
    }
    if (plan.solver == Solver::Ksvd && plan.side == DictionarySide::Output && isCalibrated(plan)) {
        plan.side.reset();  // where K-SVD has no dictionary
    }
    if (!hasRatio(plan)) {
        plan.allocation = &uniformRule();  // nothing could differ by layer
    }
    return problem;
}

void SettingFields::show(const RunSpecification& plan) {
    for (const auto& [setting, field] : m_fields) {
        if (!field.isOwn || methodOf(plan).uses(setting)) {
            field.setValue(settingOf(plan, setting));
        }
    }
}

void SettingFields::enableWhatCounts(const RunSpecification& plan) {
    for (const auto& [setting, field] : m_fields) {
        const bool isOfUse = canCount(plan, *field.option);
        field.widget->setEnabled(isOfUse);
        if (field.isOwn) {
            form()->setRowVisible(field.widget, methodOf(plan).uses(setting));
            form()->labelForField(field.widget)->setEnabled(isOfUse);
        }
    }
}

}  // namespace cospadi::ui
