#include "ui/engine/command_line.h"

#include <QRegularExpression>
#include <QStringList>
#include <nlohmann/json.hpp>

#include "core/methods/method.h"
#include "core/store/run_settings.h"

namespace cospadi::ui {

QString shellQuoted(const QString& word) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=@%+,-]+$"));
    if (plain.match(word).hasMatch()) {
        return word;
    }
    return '\'' + QString(word).replace('\'', QLatin1String("'\\''")) + '\'';
}

QString compressCommand(const RunSpecification& specification) {
    QStringList words{QStringLiteral("cospadi")};
    for (const QString& word : compressArguments(specification)) {
        words << shellQuoted(word);
    }
    return words.join(' ');
}

// What does not count is left out, and so is what is as usual; but for the numbers that everybody
// looks for.
QStringList compressArguments(const RunSpecification& specification) {
    const RunSpecification s = withoutIdleSettings(specification);
    const nlohmann::json fields = toJson(s);
    const nlohmann::json usual = toJson(RunSpecification());
    const Method& method = methodOf(s);
    QStringList words{QStringLiteral("compress"), QString::fromStdString(s.model)};
    const auto add = [&words](const QString& flag, const QString& value) {
        words << flag << value;
    };
    const auto addOption = [&](const Option& option) {
        const nlohmann::json& value = fields.at(option.name);
        const QString text = value.is_string() ? QString::fromStdString(value.get<std::string>())
                             : value.is_number_float() ? QString::number(value.get<double>())
                                                       : QString::fromStdString(value.dump());
        add(QString::fromStdString(option.flag()), text);
    };
    const auto isAlwaysShown = [](const std::string& name) {
        return name == "solver" || name == "cr" || name == "rho";
    };
    add(QStringLiteral("--method"), QString::fromUtf8(method.name()));
    if (method.uses("solver")) {
        add(QStringLiteral("--solver"), QString::fromUtf8(name(s.solver)));
    }
    add(QStringLiteral("--layers"), QString::fromStdString(s.layers));
    for (const Option* option : allOptions()) {
        const std::string name = option->name;
        if (!method.uses(name) || name == "solver" || (name == "cr" && !hasRatio(s))) {
            continue;
        }
        const bool changed = option->onlyWhereGiven ? fields.contains(name)
                             : usual.contains(name) ? fields.at(name) != usual.at(name)
                                                    : s.own.contains(name);
        if (changed || isAlwaysShown(name)) {
            addOption(*option);
        }
    }
    if (method.needsCalibration()) {
        const CalibrationSpecification none;
        if (!s.calibration.text.empty()) {
            add(QStringLiteral("--calibration"), QString::fromStdString(s.calibration.text));
        }
        if (s.calibration.sequences != none.sequences) {
            add(QStringLiteral("--sequences"), QString::number(s.calibration.sequences));
        }
        if (s.calibration.length != none.length) {
            add(QStringLiteral("--length"), QString::number(s.calibration.length));
        }
        if (s.calibration.seed != none.seed) {
            add(QStringLiteral("--calibration-seed"), QString::number(s.calibration.seed));
        }
    }
    return words;
}

}  // namespace cospadi::ui
