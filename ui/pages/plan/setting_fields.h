// The fields of the settings that methods read (core/methods/option.h), made from their
// descriptions: a list for a word, a box or a slider for a number. They give and take values by
// name, and are enabled where some value of theirs would count. A setting that methods share keeps
// its place and its value from one method to the other; a method's own stands while that is chosen.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/methods/option.h"
#include "core/store/run_specification.h"
#include "ui/pages/plan/plan_section.h"

class QDoubleSpinBox;

namespace cospadi::ui {

class SettingWords;

class SettingFields : public PlanSection {
    Q_OBJECT

  public:
    SettingFields(QFormLayout* form, PlanHelp* help, QObject* parent);

    // For a row of some form; a setting has one. Precondition: a shared option.
    QWidget* field(const char* setting);
    // Rows of the methods' own options, and of what is shared and has no field yet.
    void addOwnRows();
    void addOtherRows();

    // What its method uses. Returns what is typed where words are, and is none; "" where nothing
    // is: it is left as usual.
    QString writeTo(RunSpecification& plan) const;
    void show(const RunSpecification& plan);
    void enableWhatCounts(const RunSpecification& plan);

  private:
    struct Field {
        const Option* option;
        QWidget* widget;
        std::function<nlohmann::json()> value;
        std::function<void(const nlohmann::json&)> setValue;
        bool isOwn = false;
    };

    Field makeField(const Option& option);
    Field makeWord(const Option& option, const SettingWords& words);
    Field makeWhole(const Option& option, const SettingWords& words);
    Field makeReal(const Option& option, const SettingWords& words);
    Field makeSlid(const Option& option, const SettingWords& words);
    // The number, or the word beside it.
    Field withWordInstead(const Field& number, const SettingWords& words);
    void addRow(const Option& option, bool isOwn);

    std::map<std::string, Field> m_fields;  // by setting
};

}  // namespace cospadi::ui
