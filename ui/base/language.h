// The language of the window's texts. They stand in the sources in English; a translation is
// resources/translations/cospadi_LANGUAGE.ts, compiled into the program. Numbers have a setting of
// their own (preferences.h). GUI thread only.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace cospadi::ui {

struct Language {
    const char* code;  // ISO 639
    const char* name;  // in itself
};

// Those there are, English first.
const std::vector<Language>& languages();

// The code of `chosen` where there is such a language, else of the first that is wanted (names of
// locales, as QLocale::uiLanguages() gives them) and there, else English.
QString languageOf(const QString& chosen, const QStringList& wanted);

// From now on, in place of the one before, with Qt's own texts where the system has them. Texts
// that are on the screen stay as they are.
void useLanguage(const QString& code);

}  // namespace cospadi::ui
