#include "ui/models/run_looks.h"

#include <QLocale>
#include <QSet>
#include <QSettings>
#include <QVariantMap>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/report/report.h"
#include "core/report/run_names.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"
#include "ui/base/string_list.h"
#include "ui/base/theme.h"
#include "ui/models/series_look.h"
#include "ui/models/setting_words.h"

namespace cospadi::ui {

namespace {

const char* const kColoursSetting = "runs/colours";
const char* const kLooksSetting = "runs/looks";
const char* const kBaselineSetting = "runs/baseline";
constexpr qsizetype kMostKnown = 1000;  // runs whose looks are kept

// A setting by the runs' ids, read once: charts ask for it at every draw.
class KeptByRun {
  public:
    explicit KeptByRun(const char* setting)
        : m_setting(setting), m_values(QSettings().value(m_setting).toMap()) {}

    const QVariantMap& values() const { return m_values; }
    void write(const QVariantMap& values) {
        if (values != m_values) {
            m_values = values;
            QSettings().setValue(m_setting, m_values);
        }
    }

  private:
    QLatin1String m_setting;
    QVariantMap m_values;
};

KeptByRun& ownColours() {
    static KeptByRun kept(kColoursSetting);
    return kept;
}

KeptByRun& keptLooks() {
    static KeptByRun kept(kLooksSetting);
    return kept;
}

// Ids begin with when a run was made, and the map is in their order.
void forgetOldest(QVariantMap& known, const QStringList& butThese) {
    const QSet<QString> stay(butThese.begin(), butThese.end());
    for (auto it = known.begin(); it != known.end() && known.size() > kMostKnown;) {
        it = stay.contains(it.key()) ? std::next(it) : known.erase(it);
    }
}

NamedKind kindOf(const RunRow& run) { return {methodLabel(run), settingsOf(run), run.id}; }

std::vector<NamedKind> kindsOf(const std::vector<RunRow>& runs) {
    std::vector<NamedKind> kinds;
    for (const RunRow& run : runs) {
        kinds.push_back(kindOf(run));
    }
    return kinds;
}

QStringList ownNamesIn(QStringList names, const std::vector<RunRow>& runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (const QString own = ownName(runs[i]); !own.isEmpty()) {
            names[static_cast<qsizetype>(i)] = own;
        }
    }
    return names;
}

}  // namespace

QString ownName(const RunRow& run) {
    for (const std::string& tag : run.tags) {
        if (tag.starts_with(kNameTag)) {
            return QString::fromStdString(tag.substr(std::string(kNameTag).size())).trimmed();
        }
    }
    return {};
}

QStringList namesBeside(const std::vector<RunRow>& runs) {
    return ownNamesIn(listOf(namesOf(kindsOf(runs), {}, windowWording)), runs);
}

QStringList namesInList(const std::vector<RunRow>& runs) {
    return ownNamesIn(listOf(namesInList(kindsOf(runs), windowWording)), runs);
}

QString nameOf(const RunRow& run) {
    const QString own = ownName(run);
    return own.isEmpty() ? QString::fromStdString(nameAlone(kindOf(run), windowWording)) : own;
}

bool canBeResumed(const RunRow& run) {
    return run.status != "finished" && run.status != "running" && run.status != "paused";
}

std::optional<QColor> ownColour(const QString& run) {
    const QColor colour(ownColours().values().value(run).toString());
    return colour.isValid() ? std::optional(colour) : std::nullopt;
}

bool haveOwnColour(const QStringList& runs) {
    const QVariantMap& colours = ownColours().values();
    return std::any_of(runs.begin(), runs.end(),
                       [&](const QString& run) { return colours.contains(run); });
}

void setOwnColour(const QStringList& runs, const std::optional<QColor>& colour) {
    QVariantMap colours = ownColours().values();
    for (const QString& run : runs) {
        colour ? void(colours.insert(run, colour->name())) : void(colours.remove(run));
    }
    ownColours().write(colours);
}

QString pinnedRun() { return QSettings().value(QLatin1String(kBaselineSetting)).toString(); }

void setPinnedRun(const QString& run) {
    QSettings().setValue(QLatin1String(kBaselineSetting), run);
}

QString relativeTo(double baseline, double value) {
    if (!std::isfinite(baseline) || !std::isfinite(value) || baseline == 0) {
        return {};
    }
    const double percent = 100 * (value - baseline) / std::abs(baseline);
    return QStringLiteral("%1%2 %").arg(percent < 0 ? QStringLiteral("−") : QStringLiteral("+"),
                                        QLocale().toString(std::abs(percent), 'f', 1));
}

QList<int> looksOf(const QStringList& runs) {
    const int count = static_cast<int>(theme().series.size()) * kSeriesRounds;
    QVariantMap known = keptLooks().values();
    QList<int> uses(count);
    for (const QVariant& look : std::as_const(known)) {
        ++uses[std::clamp(look.toInt(), 0, count - 1)];
    }
    QSet<int> taken;
    QList<int> looks;
    for (const QString& run : runs) {
        const int look = known.value(run, -1).toInt();
        const bool keeps = look >= 0 && look < count && !taken.contains(look);
        looks.append(keeps ? look : -1);
        if (keeps) {
            taken.insert(look);
        }
    }
    for (qsizetype i = 0; i < looks.size(); ++i) {
        if (looks[i] >= 0) {
            continue;
        }
        const int before = known.value(runs[i], -1).toInt();
        const bool hadOne = before >= 0 && before < count;
        if (hadOne && taken.size() == count) {  // there is no other that would tell it apart
            looks[i] = before;
            continue;
        }
        int best = -1;
        for (int look = 0; look < count; ++look) {
            const bool isFree = !taken.contains(look) || taken.size() == count;
            if (isFree && (best < 0 || uses[look] < uses[best])) {
                best = look;
            }
        }
        looks[i] = best;
        if (hadOne) {
            --uses[before];
        }
        ++uses[best];
        taken.insert(best);
        known.insert(runs[i], best);
    }
    forgetOldest(known, runs);
    keptLooks().write(known);
    return looks;
}

void setRunLook(Curve& curve, const QString& run, int look) {
    setSeriesLook(curve, look);
    if (const std::optional<QColor> own = ownColour(run)) {
        curve.colour = *own;
    }
}

}  // namespace cospadi::ui
