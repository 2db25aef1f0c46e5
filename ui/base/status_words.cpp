#include "ui/base/status_words.h"

#include "ui/base/translated.h"

namespace cospadi::ui {

// One of them alone is translated: tables ask for every cell.
QString statusWords(const QString& status) {
    const auto is = [&status](const char* known) { return status == QLatin1String(known); };
    return is("planned")       ? Words::tr("planned")
           : is("waiting")     ? Words::tr("waiting")
           : is("running")     ? Words::tr("running")
           : is("paused")      ? Words::tr("paused")
           : is("finished")    ? Words::tr("finished")
           : is("failed")      ? Words::tr("failed")
           : is("cancelled")   ? Words::tr("cancelled")
           : is("interrupted") ? Words::tr("interrupted")
           : is("busy")        ? Words::tr("busy")
           : is("refused")     ? Words::tr("refused")
                               : status;
}

}  // namespace cospadi::ui
