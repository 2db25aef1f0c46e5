#include "ui/engine/command_line.h"

#include <QRegularExpression>
#include <QStringList>

namespace cospadi::ui {

QString shellQuoted(const QString& word) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=@%+,-]+$"));
    if (plain.match(word).hasMatch()) {
        return word;
    }
    return '\'' + QString(word).replace('\'', QLatin1String("'\\''")) + '\'';
}

QString compressCommand(const RunSpecification& specification) {
    QStringList words{QStringLiteral("cospadi")};
    for (const QString& word : compressArguments(specification)) {
        words << shellQuoted(word);
    }
    return words.join(' ');
}

QStringList compressArguments(const RunSpecification& specification) {
    const RunSpecification defaults;
    const bool dense = specification.method == "dense";
    const bool sparse = isSparse(specification);
    const bool whitened = isCalibrated(specification);
    QStringList words{QStringLiteral("compress"), QString::fromStdString(specification.model)};
    const auto add = [&words](const char* option, const QString& value) {
        words << QString::fromLatin1(option) << value;
    };
    add("--method", QString::fromStdString(specification.method));
    if (sparse) {
        add("--solver", QString::fromStdString(specification.solver));
    }
    add("--layers", QString::fromStdString(specification.layers));
    if (!dense) {
        add("--cr", QString::number(specification.cr));
    }
    if (sparse) {
        add("--rho", QString::number(specification.rho));
    }
    if (!dense && specification.accounting != defaults.accounting) {
        add("--accounting", QString::fromLatin1(name(specification.accounting)));
    }
    if (!dense && specification.coefficientBits != defaults.coefficientBits) {
        add("--coefficient-bits", QString::number(specification.coefficientBits));
    }
    if (sparse) {
        if (specification.iterations != defaults.iterations) {
            add("--iterations", QString::number(specification.iterations));
        }
        if (specification.solver == "ksvd" &&
            specification.powerIterations != defaults.powerIterations) {
            add("--power-iterations", QString::number(specification.powerIterations));
        }
        if (specification.solver == "ksvd" && specification.init != defaults.init) {
            add("--init", QString::fromStdString(specification.init));
        }
        if (specification.solver == "ksvd" && specification.update != defaults.update) {
            add("--update", QString::fromStdString(specification.update));
        }
        if (specification.solver == "ksvd" && specification.deadAtoms != defaults.deadAtoms) {
            add("--dead-atoms", QString::fromStdString(specification.deadAtoms));
        }
        if ((specification.solver == "ksvd" || specification.coefficientFormat == "mantissa") &&
            specification.coefficientRounding != defaults.coefficientRounding) {
            add("--coefficient-rounding",
                QString::fromStdString(specification.coefficientRounding));
        }
        if (specification.side != defaults.side) {
            add("--side", QString::fromStdString(specification.side));
        }
        if (specification.tolerance != defaults.tolerance) {
            add("--tolerance", QString::number(specification.tolerance));
        }
    }
    if (whitened && specification.ridge != defaults.ridge) {
        add("--ridge", QString::number(specification.ridge));
    }
    if (!dense && specification.coefficientFormat != defaults.coefficientFormat) {
        add("--coefficient-format", QString::fromStdString(specification.coefficientFormat));
    }
    if (!dense && specification.refit != defaults.refit) {
        add("--refit", QString::fromStdString(specification.refit));
    }
    if (whitened && specification.allocation != defaults.allocation) {
        add("--allocation", QString::fromStdString(specification.allocation));
    }
    if (whitened && specification.propagation != defaults.propagation) {
        add("--propagation", QString::fromStdString(specification.propagation));
    }
    if (!dense && specification.seed != defaults.seed) {
        add("--seed", QString::number(specification.seed));
    }
    if (whitened) {
        if (!specification.calibration.text.empty()) {
            add("--calibration", QString::fromStdString(specification.calibration.text));
        }
        if (specification.calibration.sequences != defaults.calibration.sequences) {
            add("--sequences", QString::number(specification.calibration.sequences));
        }
        if (specification.calibration.length != defaults.calibration.length) {
            add("--length", QString::number(specification.calibration.length));
        }
    }
    return words;
}

}  // namespace cospadi::ui
