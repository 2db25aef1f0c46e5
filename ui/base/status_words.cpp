#include "ui/base/status_words.h"

#include <utility>

#include "ui/base/translated.h"

namespace cospadi::ui {

QString statusWords(const QString& status) {
    const std::pair<const char*, QString> words[] = {
        {"planned", Words::tr("planned")},     {"waiting", Words::tr("waiting")},
        {"running", Words::tr("running")},     {"paused", Words::tr("paused")},
        {"finished", Words::tr("finished")},   {"failed", Words::tr("failed")},
        {"cancelled", Words::tr("cancelled")}, {"interrupted", Words::tr("interrupted")},
        {"busy", Words::tr("busy")},           {"refused", Words::tr("refused")}};
    for (const auto& [known, word] : words) {
        if (status == QLatin1String(known)) {
            return word;
        }
    }
    return status;
}

}  // namespace cospadi::ui
