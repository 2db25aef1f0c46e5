#include "ui/models/run_columns.h"

#include <QDateTime>
#include <QLocale>
#include <cmath>

#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_labels.h"
#include "core/store/source_bytes.h"
#include "ui/base/format.h"
#include "ui/base/status_words.h"
#include "ui/base/translated.h"
#include "ui/models/perplexity_column.h"
#include "ui/models/run_looks.h"
#include "ui/models/tag_list.h"

namespace cospadi::ui {

namespace {

QString words(const std::string& text) { return QString::fromStdString(text); }

QString decimals(double value, int count) {
    return std::isfinite(value) ? QLocale().toString(value, 'f', count) : kMissing;
}

QString modelName(const RunRow& run) { return QString::fromStdString(modelLabel(run)); }

// What the compressed layers take, beside what they took before.
QString sourceWords(const RunRow& run) {
    const bool isWhole = run.status == "finished";
    const QString source = Words::tr("%1 in the model's file (%2)")
                               .arg(formatBytes(static_cast<double>(run.sourceBytes)),
                                    QString::fromStdString(run.sourceType));
    QStringList parts;
    if (run.layerBytes > 0) {
        parts << Words::tr("%1 on disk").arg(formatBytes(static_cast<double>(run.layerBytes)))
              << Words::tr("%1 as bf16").arg(formatBytes(static_cast<double>(run.denseBytes)));
    }
    if (run.sourceBytes > 0 && (isWhole || parts.isEmpty())) {
        parts << source;
    }
    QString words = parts.join(QStringLiteral(", "));
    if (run.sourceBytes > 0 && !isWhole && run.layerBytes > 0) {
        words += QLatin1Char('\n') + Words::tr("all its layers: %1").arg(source);
    }
    if (isLargerThanSource(run)) {
        words += QLatin1Char('\n') + Words::tr("The result is larger than its source.");
    }
    return words;
}

QString tagsText(const RunRow& run) {
    QStringList tags;
    for (const std::string& tag : run.tags) {
        tags << QString::fromStdString(tag);
    }
    return tagsToLine(tags);
}

bool isDense(const RunRow& run) { return run.method == "dense"; }

bool hasRho(const RunRow& run) { return isSparse(run) && !run.hasAutoRho(); }

QString nameText(const RunRow& run) {
    const QString own = ownName(run);
    return own.isEmpty() ? words(run.id) : own;
}

QString rhoText(const RunRow& run) {
    return !isSparse(run) ? kMissing : run.hasAutoRho() ? Words::tr("auto") : decimals(run.rho, 2);
}

double bytesOf(const RunRow& run) {
    return isDense(run) || run.layerBytes <= 0 ? unknownNumber
                                               : static_cast<double>(run.layerBytes);
}

QString sourceText(const RunRow& run) {
    return run.sourceBytes <= 0
               ? kMissing
               : QStringLiteral("%1 %2").arg(formatBytes(static_cast<double>(run.sourceBytes)),
                                             words(run.sourceType));
}

QString dateText(const RunRow& run) {
    const QDateTime time = QDateTime::fromString(words(run.created), Qt::ISODate);
    return time.isValid() ? time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm"))
                          : words(run.created);
}

QVariant sourceSort(const RunRow& run) {
    return unknownLast(run.sourceBytes > 0 ? static_cast<double>(run.sourceBytes) : unknownNumber);
}

QString starTip(const RunRow& run) {
    return run.starred ? Words::tr("Click to remove the star")
                       : Words::tr("Click to star this run");
}

QString tagsTip(const RunRow& run) {
    return Words::tr("%1 (F2 to edit; separated by commas)").arg(tagsText(run));
}

QString noteTip(const RunRow& run) {
    return Words::tr("%1 (F2 adds a note; earlier ones are kept)").arg(words(run.note));
}

std::vector<RunColumn> madeColumns() {
    return {
        {"run",
         Words::tr("Run"),
         Words::tr("Name of the run's directory"),
         nameText,
         {},
         [](const RunRow& run) { return words(run.id); }},
        {"status",
         Words::tr("Status"),
         Words::tr("Whether the run has finished; interrupted and cancelled runs can be resumed"),
         [](const RunRow& run) { return statusWords(words(run.status)); },
         {},
         [](const RunRow& run) {
             return run.message.empty() ? statusWords(words(run.status)) : words(run.message);
         }},
        {"method", Words::tr("Method"),
         Words::tr("Compression method, and its solver where it learns a dictionary"),
         [](const RunRow& run) { return words(methodLabel(run)); }},
        {"layers", Words::tr("Layers"),
         Words::tr("Regular expression of the layers (number of finished matrices)"),
         [](const RunRow& run) {
             return QStringLiteral("%1  (%2)").arg(words(run.layers)).arg(run.matrices);
         }},
        {"cr", Words::tr("CR"),
         Words::tr("Requested compression ratio γ: the fraction of storage to remove"),
         [](const RunRow& run) { return isDense(run) ? kMissing : decimals(run.cr, 2); },
         [](const RunRow& run) { return unknownLast(isDense(run) ? unknownNumber : run.cr); }},
        {"rho", Words::tr("ρ"), Words::tr("ρ = k/s: atoms per non-zero of a column"), rhoText,
         [](const RunRow& run) { return unknownLast(hasRho(run) ? run.rho : unknownNumber); }},
        {"bytes", Words::tr("Bytes"),
         Words::tr("Bytes of the compressed matrices on disk, mask included; coloured where the "
                   "model's own file stores the same layers in fewer"),
         [](const RunRow& run) { return formatBytes(bytesOf(run)); },
         [](const RunRow& run) { return unknownLast(bytesOf(run)); }, sourceWords},
        {"source", Words::tr("Source"),
         Words::tr("Size and type of the same layers in the model's own file"), sourceText,
         sourceSort, sourceWords},
        {"saved", Words::tr("Saved"),
         Words::tr("Measured fraction of storage removed: 1 − bytes / dense bytes (bf16)"),
         [](const RunRow& run) { return formatPercent(run.measuredRatio()); },
         [](const RunRow& run) { return unknownLast(run.measuredRatio()); }, sourceWords},
        {"error", Words::tr("Error"),
         Words::tr("Mean over matrices of the relative error ‖L W − D S‖ / ‖L W‖: the part of a "
                   "layer's output that is lost on the calibration text (“whitened”); of "
                   "data-free methods that of the weight itself, ‖W − D S‖ / ‖W‖"),
         [](const RunRow& run) { return formatError(errorOf(run)); },
         [](const RunRow& run) { return unknownLast(errorOf(run)); }},
        perplexityColumn({}),  // a table knows the measure of its runs
        {"time", Words::tr("Time"), Words::tr("Wall-clock time of the run"),
         [](const RunRow& run) { return formatDuration(secondsOf(run)); },
         [](const RunRow& run) { return unknownLast(secondsOf(run)); }},
        {"date", Words::tr("Date"), Words::tr("When the run was created"), dateText,
         [](const RunRow& run) { return words(run.created); }},
        {"star", Words::tr("★"), Words::tr("Starred runs: click to star or unstar a run"),
         [](const RunRow& run) { return run.starred ? QStringLiteral("★") : QStringLiteral("☆"); },
         [](const RunRow& run) { return run.starred ? 0 : 1; },  // starred ones first
         starTip},
        {"tags",
         Words::tr("Tags"),
         Words::tr("Tags, separated by commas; quote a tag that contains a comma; F2 to edit"),
         tagsText,
         {},
         tagsTip},
        {"note",
         Words::tr("Note"),
         Words::tr("The latest note; F2 adds a new one"),
         [](const RunRow& run) { return words(run.note); },
         {},
         noteTip},
        {"model", Words::tr("Model"), Words::tr("The model's file"), modelName}};
}

}  // namespace

const std::vector<RunColumn>& runColumns() {
    static const std::vector<RunColumn> columns = madeColumns();
    return columns;
}

bool isLargerThanSource(const RunRow& run) {
    return !largerThanSource(run.layerBytes, run.sourceType, run.sourceBytes).empty();
}

QVariant unknownLast(double value) { return std::isfinite(value) ? value : HUGE_VAL; }

double errorOf(const RunRow& run) {
    return run.method == "dense" ? unknownNumber : run.relativeError;
}

double secondsOf(const RunRow& run) { return run.seconds > 0 ? run.seconds : unknownNumber; }

}  // namespace cospadi::ui
