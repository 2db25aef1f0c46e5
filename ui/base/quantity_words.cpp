#include "ui/base/quantity_words.h"

#include <QCoreApplication>

namespace cospadi::ui {

namespace {

constexpr const char* kQuantities = "cospadi::quantities";

// For lupdate alone, which cannot see them in the engine.
[[maybe_unused]] constexpr const char* kQuantityNames[] = {
    // what is measured
    QT_TRANSLATE_NOOP("cospadi::quantities", "perplexity"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "error"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "held-out-error"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "bytes"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "multiplications"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "seconds"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "ratio"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "global-ratio"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "avg_acc"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "mean-accuracy"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "status"),
    // settings of every run
    QT_TRANSLATE_NOOP("cospadi::quantities", "method"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "model"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "layers"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "calibration.text"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "calibration.sequences"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "calibration.length"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "calibration.seed"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "slice_of"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "solved_bits"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "sweep"),
    // those of a calibration inside names, where they stand with a value
    QT_TRANSLATE_NOOP("cospadi::quantities", "text"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "sequences"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "length"),
    // shared by methods (core/methods/options.cpp)
    QT_TRANSLATE_NOOP("cospadi::quantities", "solver"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "cr"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "rho"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "accounting"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "coefficient_bits"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "dictionary_bits"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "coefficient_format"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "iterations"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "power_iterations"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "init"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "update"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "coder"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "dead_atoms"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "coefficient_rounding"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "side"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "allocation"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "propagation"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "held_out"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "ridge"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "refit"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "refine"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "refine_rate"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "tolerance"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "seed"),
    // of single methods
    QT_TRANSLATE_NOOP("cospadi::quantities", "act_order"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "alpha"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "bits"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "blocks"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "code_pattern"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "damp"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "group_metric"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "group_size"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "groups"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "importance_exponent"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "output_metric"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "pattern"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "pursuit_cg_steps"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "pursuit_steps"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "restored_share"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "zero_point"),
    // what forms tell of a matrix (docs/formats.md)
    QT_TRANSLATE_NOOP("cospadi::quantities", "coded_entries"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "integer_run"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "left_bits"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "minimums"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "right_bits"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "sparsity"),
    QT_TRANSLATE_NOOP("cospadi::quantities", "rank"),
};

}  // namespace

QString quantityWords(const QString& name) {
    return name.isEmpty() ? name
                          : QCoreApplication::translate(kQuantities, name.toUtf8().constData());
}

QString quantityWords(const std::string& name) {
    return quantityWords(QString::fromStdString(name));
}

}  // namespace cospadi::ui
