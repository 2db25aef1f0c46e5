#include "ui/models/run_names.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/store/run_settings.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

constexpr int kHashEnd = 6;  // characters that tell hashes and ids apart

QString described(const std::string& setting, const std::string& value) {
    const QString text = QString::fromStdString(value);
    if (setting == "cr") {
        return tr("CR %1").arg(text);
    }
    if (setting == "rho") {
        return tr("ρ %1").arg(text);
    }
    if (setting == "layers") {
        return value == ".*" ? tr("all layers") : text;
    }
    const bool isHash = text.size() == 64;
    const bool isPath = text.contains('/');
    return QStringLiteral("%1 %2").arg(
        QString::fromStdString(setting).section('.', -1),
        isHash   ? text.right(kHashEnd)
        : isPath ? QString::fromStdString(std::filesystem::path(value).filename().string())
                 : text);
}

}  // namespace

QStringList namesOf(const std::vector<NamedSettings>& kinds, const std::vector<std::string>& told) {
    std::map<std::string, std::set<std::string>> values;
    for (const NamedSettings& kind : kinds) {
        for (const auto& [setting, value] : kind.settings) {
            values[setting].insert(value);
        }
    }
    std::set<std::string> known = labelledSettings();
    known.insert(told.begin(), told.end());
    QStringList names;
    for (const NamedSettings& kind : kinds) {
        QStringList parts{kind.method};
        for (const auto& [setting, value] : kind.settings) {
            if (values[setting].size() > 1 && !known.contains(setting)) {
                parts << described(setting, value);
            }
        }
        names << parts.join(QStringLiteral(", "));
    }
    const QStringList plain = names;
    for (qsizetype i = 0; i < names.size(); ++i) {
        if (plain.count(plain[i]) > 1) {
            names[i] +=
                QStringLiteral(" · ") + kinds[static_cast<std::size_t>(i)].id.right(kHashEnd);
        }
    }
    return names;
}

}  // namespace cospadi::ui
