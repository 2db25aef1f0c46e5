#include "ui/dialogs/submission_preview.h"

#include <QFontDatabase>
#include <QJsonArray>
#include <QLocale>

#include "ui/base/format.h"

namespace cospadi::ui {

namespace {

constexpr double kLeastHours = 0.01;  // below which none are told

}  // namespace

SubmissionPreview::SubmissionPreview(QWidget* parent) : QPlainTextEdit(parent) {
    setObjectName(QStringLiteral("clusterPreview"));
    setAccessibleName(tr("What would be submitted"));
    setReadOnly(true);
    setTabChangesFocus(true);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setPlaceholderText(
        tr("“Preview” asks the cluster: arrays, core-hours and scripts are shown here, and nothing "
           "is started."));
}

void SubmissionPreview::showSubmission(const QJsonObject& submission) {
    QStringList lines;
    const QJsonArray arrays = submission.value(QStringLiteral("arrays")).toArray();
    for (const QJsonValue& array : arrays) {
        lines << tr("%1: %n task(s)", nullptr, array[QStringLiteral("tasks")].toInt())
                     .arg(array[QStringLiteral("stage")].toString());
    }
    const double hours = submission.value(QStringLiteral("core_hours")).toDouble();
    lines << (arrays.isEmpty()      ? tr("Nothing is left to do.")
              : hours < kLeastHours ? tr("less than %1 core-hours judging by earlier runs on that "
                                         "machine, without evaluations")
                                          .arg(QLocale().toString(kLeastHours))
                                    : tr("about %1 core-hours judging by earlier runs on that "
                                         "machine, without evaluations")
                                          .arg(formatNumber(hours, 2)));
    lines << tr("into %1").arg(submission.value(QStringLiteral("sweep")).toString());
    const QJsonObject scripts = submission.value(QStringLiteral("scripts")).toObject();
    for (auto script = scripts.begin(); script != scripts.end(); ++script) {
        lines << QString() << script.key() << script.value().toString();
    }
    setPlainText(lines.join('\n'));
}

void SubmissionPreview::showProblem(const EngineError& error) {
    QStringList parts{error.where.isEmpty() ? error.message
                                            : tr("%1: %2").arg(error.where, error.message)};
    parts << (error.hint.isEmpty() ? QStringList() : QStringList{error.hint});
    setPlainText(parts.join('\n'));
}

}  // namespace cospadi::ui
