#include "ui/base/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <algorithm>
#include <memory>

// Outside every namespace: the macro declares the initialiser of the static library's resources.
static void initialiseTranslations() { Q_INIT_RESOURCE(translations); }

namespace cospadi::ui {

const std::vector<Language>& languages() {
    static const std::vector<Language> there{{"en", "English"}, {"de", "Deutsch"}};
    return there;
}

QString languageOf(const QString& chosen, const QStringList& wanted) {
    for (const QString& name : QStringList{chosen} + wanted) {
        const QString code = name.left(2);
        const bool isWhole = name.size() == 2 || (name.size() > 2 && !name[2].isLetter());
        if (isWhole &&
            std::any_of(languages().begin(), languages().end(), [&](const Language& one) {
                return code.compare(QLatin1String(one.code), Qt::CaseInsensitive) == 0;
            })) {
            return code.toLower();
        }
    }
    return QLatin1String(languages().front().code);
}

void useLanguage(const QString& code) {
    initialiseTranslations();
    static std::vector<std::unique_ptr<QTranslator>>
        inUse;  // one that is destroyed takes itself out
    inUse.clear();
    const auto use = [](const QString& file, const QString& folder) {
        auto translator = std::make_unique<QTranslator>();
        if (translator->load(file, folder) &&
            QCoreApplication::installTranslator(translator.get())) {
            inUse.push_back(std::move(translator));
        }
    };
    if (code != QLatin1String(languages().front().code)) {
        use(QStringLiteral("qtbase_") + code, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
        use(QStringLiteral("cospadi_") + code, QStringLiteral(":/workbench/translations"));
    }
}

}  // namespace cospadi::ui
