#include "ui/base/english_plurals.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace cospadi::ui {

QString englishPlural(const QString& source, int n) {
    if (n < 0) {
        return source;
    }
    static const QRegularExpression kForms(QStringLiteral("\\((s|[^()|]*\\|[^()|]*)\\)"));
    QString text;
    qsizetype read = 0;
    auto forms = kForms.globalMatch(source);
    while (forms.hasNext()) {
        const QRegularExpressionMatch match = forms.next();
        const QString form = match.captured(1);
        text += source.mid(read, match.capturedStart() - read);
        text += form == QLatin1String("s")
                    ? QString(n == 1 ? "" : "s")
                    : form.section(QLatin1Char('|'), n == 1 ? 0 : 1, n == 1 ? 0 : 1);
        read = match.capturedEnd();
    }
    return text + source.mid(read);
}

QString EnglishPlurals::translate(const char* /*context*/, const char* source,
                                  const char* /*disambiguation*/, int n) const {
    return n < 0 ? QString() : englishPlural(QString::fromUtf8(source), n);
}

void installEnglishPlurals() {
    QCoreApplication::installTranslator(new EnglishPlurals(QCoreApplication::instance()));
}

}  // namespace cospadi::ui
