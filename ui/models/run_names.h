// What curves of runs are called: the method, with its unusual settings, and of all others those in
// which the runs beside each other differ. Pure.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <string>
#include <vector>

namespace cospadi::ui {

struct NamedSettings {
    QString method;                               // its label
    std::map<std::string, std::string> settings;  // those that count, as settingsOf() has them
    QString id;                                   // of the run, where all else is equal
};

// One name each, all different. told: settings that nobody needs to be told, as a title or axis
// says them; those of the label (labelledSettings()) are among them.
QStringList namesOf(const std::vector<NamedSettings>& kinds, const std::vector<std::string>& told);

}  // namespace cospadi::ui
