// The German translation as it stands in resources/translations, message by message.
#pragma once

#include <QFile>
#include <QList>
#include <QStringList>
#include <QXmlStreamReader>

namespace cospadi::ui {

inline const QString kSources = COSPADI_SOURCE_DIR;
inline const QString kGerman = kSources + "/resources/translations/cospadi_de.ts";

struct TranslationEntry {
    QString context;
    QString source;
    QString comment;
    bool isCounted = false;
    QString type;  // of the translation: unfinished, vanished, obsolete; empty: good
    QStringList forms;

    QString name() const { return context + ": " + source; }
    // What makes it the same message.
    QStringList key() const { return {context, source, comment, isCounted ? "%n" : ""}; }
};

inline QList<TranslationEntry> messagesIn(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    QList<TranslationEntry> messages;
    QString context;
    TranslationEntry message;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        xml.readNext();
        const auto name = xml.name();
        if (xml.isStartElement() && name == QLatin1String("message")) {
            message = {};
            message.context = context;
            message.isCounted = xml.attributes().value("numerus") == QLatin1String("yes");
        } else if (xml.isStartElement() && name == QLatin1String("name")) {
            context = xml.readElementText();
        } else if (xml.isStartElement() && name == QLatin1String("source")) {
            message.source = xml.readElementText();
        } else if (xml.isStartElement() && name == QLatin1String("comment")) {
            message.comment = xml.readElementText();
        } else if (xml.isStartElement() && name == QLatin1String("numerusform")) {
            message.forms << xml.readElementText();
        } else if (xml.isStartElement() && name == QLatin1String("translation")) {
            message.type = xml.attributes().value("type").toString();
            if (!message.isCounted) {
                message.forms << xml.readElementText();
            }
        } else if (xml.isEndElement() && name == QLatin1String("message")) {
            messages << message;
        }
    }
    return xml.hasError() ? QList<TranslationEntry>() : messages;
}

}  // namespace cospadi::ui
