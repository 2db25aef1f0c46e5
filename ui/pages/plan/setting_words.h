// What the Plan page says of a setting, in the language of the window. Those that methods share
// have words of the page's own, longer than the command line's; every other one, a method's own
// options among them, has those of its description.
#pragma once

#include <QCoreApplication>
#include <QList>
#include <QString>

#include "core/methods/option.h"
#include "ui/pages/plan/plan_section.h"

namespace cospadi::ui {

class SettingWords {
    Q_DECLARE_TR_FUNCTIONS(cospadi::ui::SettingWords)

  public:
    FieldWords field;              // named as the setting
    QList<FieldChoice> choices{};  // of a word, in the order of its list
    QString zero{};                // of a number: what 0 means
    QString unit{};                // behind a number
    // Of a number that may be a word instead: the choice between "number" and that word.
    FieldWords instead{};
    QList<FieldChoice> insteadChoices{};

    static SettingWords of(const Option& option);

  private:
    static SettingWords solver();
    static SettingWords cr();
    static SettingWords rho();
    static SettingWords accounting();
    static SettingWords coefficientBits();
    static SettingWords dictionaryBits();
    static SettingWords coefficientFormat();
    static SettingWords refit();
    static SettingWords side();
    static SettingWords allocation();
    static SettingWords propagation();
    static SettingWords heldOut();
    static SettingWords ridge();
    static SettingWords init();
    static SettingWords update();
    static SettingWords coder();
    static SettingWords deadAtoms();
    static SettingWords coefficientRounding();
    static SettingWords iterations();
    static SettingWords powerIterations();
    static SettingWords tolerance();
    static SettingWords seed();
    static SettingWords refine();
    static SettingWords refineRate();
};

}  // namespace cospadi::ui
