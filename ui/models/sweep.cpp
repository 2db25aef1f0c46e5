#include "ui/models/sweep.h"

#include <QLocale>
#include <QRegularExpression>
#include <QStringList>
#include <cmath>
#include <optional>

#include "core/methods/method.h"
#include "core/methods/rho_candidates.h"
#include "core/tasks/task_items.h"
#include "core/tasks/task_records.h"
#include "ui/base/string_list.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

double rounded(double value) { return std::round(value * 1e9) / 1e9; }

}  // namespace

SweepValues parseValues(const QString& typed, double least, double greatest, bool whole) {
    SweepValues result;
    QString text = typed;
    if (!whole && QLocale().decimalPoint() == QLatin1String(",") &&
        !text.contains(QLatin1Char('.'))) {
        static const QRegularExpression decimalComma(QStringLiteral("(?<=\\d),(?=\\d)"));
        text.replace(decimalComma, QStringLiteral("."));
    }
    const QStringList words = wordsIn(text);
    for (const QString& word : words) {
        QList<double> numbers;
        bool fine = true;
        const QStringList parts = word.split(QLatin1Char(':'));
        for (const QString& part : parts) {
            bool isNumber = false;
            numbers.append(part.toDouble(&isNumber));
            fine = fine && isNumber && std::isfinite(numbers.last());
        }
        fine = fine && (numbers.size() == 1 ||
                        (numbers.size() == 3 && numbers[2] > 0 && numbers[1] >= numbers[0]));
        if (!fine) {
            return {{}, Words::tr("“%1” is neither a number nor first:last:step").arg(word)};
        }
        QList<double> more{numbers[0]};
        if (numbers.size() == 3) {
            const double count = std::floor((numbers[1] - numbers[0]) / numbers[2] + 1e-9);
            if (count > kMostJobs) {
                return {{}, Words::tr("“%1” has more than %2 values").arg(word).arg(kMostJobs)};
            }
            for (int i = 1; i <= static_cast<int>(count); ++i) {
                more.append(rounded(numbers[0] + i * numbers[2]));
            }
        }
        for (const double value : more) {
            if (value < least || value > greatest || (whole && value != std::floor(value))) {
                return {{},
                        (whole ? Words::tr("%1 is not a whole number between %2 and %3")
                               : Words::tr("%1 is not a number between %2 and %3"))
                            .arg(value)
                            .arg(least)
                            .arg(greatest)};
            }
            if (!result.values.contains(value)) {
                result.values.append(value);
            }
        }
    }
    return result;
}

Sweep expandSweep(const RunSpecification& plan, const SweepText& text) {
    const Method& method = methodOf(plan);
    const auto given = [&](const char* setting, const QString& list) {
        return method.uses(setting) ? list : QString();
    };
    const SweepValues crs = parseValues(hasRatio(plan) ? text.cr : QString(), 0.01, 0.99, false);
    QString rhoNumbers = given("rho", text.rho);
    static const QRegularExpression autoWord(
        QStringLiteral("(?<![^,;\\s])%1(?![^,;\\s])").arg(QLatin1String(kAutoRho)));
    const bool autoIsListed = rhoNumbers.contains(autoWord);
    rhoNumbers.replace(autoWord, QStringLiteral(" "));
    const SweepValues rhos = parseValues(rhoNumbers, 1, 64, false);
    const SweepValues iterations = parseValues(given("iterations", text.iterations), 1, 1000, true);
    const SweepValues seeds = parseValues(given("seed", text.seed), 0, 2147483647, true);
    for (const SweepValues* list : {&crs, &rhos, &iterations, &seeds}) {
        if (!list->problem.isEmpty()) {
            return {{}, list->problem};
        }
    }
    const auto orOwn = [](const SweepValues& list, double own) {
        return list.values.isEmpty() ? QList<double>{own} : list.values;
    };
    const QList<double> allCrs = orOwn(crs, plan.cr);
    std::vector<std::optional<double>> allRhos(rhos.values.begin(), rhos.values.end());
    if (autoIsListed || (allRhos.empty() && plan.autoRho)) {
        allRhos.emplace_back();  // each matrix its own
    } else if (allRhos.empty()) {
        allRhos.emplace_back(plan.rho);
    }
    const QList<double> allIterations = orOwn(iterations, plan.iterations);
    const QList<double> allSeeds = orOwn(seeds, static_cast<double>(plan.seed));
    const double count = static_cast<double>(allCrs.size()) * static_cast<double>(allRhos.size()) *
                         static_cast<double>(allIterations.size()) *
                         static_cast<double>(allSeeds.size());
    if (count > kMostJobs) {
        return {{},
                Words::tr("These lists give %1 runs; the limit is %2").arg(count).arg(kMostJobs)};
    }
    Sweep sweep;
    sweep.after.perplexity = text.perplexity;
    sweep.after.tasks = wordsIn(text.tasks);
    sweep.after.tasks.removeDuplicates();
    const QStringList known = listOf(nativeTaskNames());
    for (const QString& task : sweep.after.tasks) {
        if (!known.contains(task) && !isMmluSubject(task.toStdString())) {
            return {{},
                    Words::tr("There is no task “%1”; available: %2")
                        .arg(task, known.join(QStringLiteral(", ")))};
        }
    }
    for (const double cr : allCrs) {
        for (const std::optional<double> rho : allRhos) {
            for (const double iteration : allIterations) {
                for (const double seed : allSeeds) {
                    RunSpecification job = plan;
                    job.cr = cr;
                    job.autoRho = !rho;
                    job.rho = rho.value_or(RunSpecification().rho);
                    job.iterations = static_cast<int>(iteration);
                    job.seed = static_cast<std::uint64_t>(seed);
                    sweep.jobs.push_back(job);
                }
            }
        }
    }
    return sweep;
}

}  // namespace cospadi::ui
