#include "ui/models/setting_words.h"

#include "core/report/run_names.h"
#include "ui/base/quantity_words.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

QString wordsOfSetting(const std::string& setting, const std::optional<std::string>& value) {
    if (!value) {
        return Words::tr("no %1").arg(quantityWords(setting));
    }
    const QString words = QString::fromStdString(valueWords(setting, *value));
    if (setting == "layers") {
        return words.isEmpty() ? Words::tr("all layers") : words;
    }
    if (setting == "method" || setting == "cr" || setting == "rho") {  // symbols
        return QString::fromStdString(settingWords(setting, value));
    }
    return QStringLiteral("%1 %2").arg(quantityWords(setting.substr(setting.rfind('.') + 1)),
                                       words);
}

std::string windowWording(const std::string& setting, const std::optional<std::string>& value) {
    return wordsOfSetting(setting, value).toStdString();
}

}  // namespace cospadi::ui
