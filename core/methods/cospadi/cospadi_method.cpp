#include "core/methods/cospadi/cospadi_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/methods/cospadi/cospadi_options.h"
#include "core/methods/cospadi/cospadi_work.h"
#include "core/methods/integer_factors/integer_factors.h"
#include "core/methods/layer_groups.h"
#include "core/methods/output_metric.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/products/block_product.h"

namespace cospadi {

namespace {

KsvdOptions ksvdOptions(const MatrixOptions& options) {
    KsvdOptions ksvd;
    ksvd.iterations = options.iterations > 0 ? options.iterations : ksvd.iterations;
    ksvd.powerIterations = options.powerIterations;
    ksvd.init = options.init;
    ksvd.update = options.update;
    ksvd.coder = options.coder;
    ksvd.deadAtoms = options.deadAtoms;
    ksvd.tolerance = options.tolerance;
    ksvd.seed = options.seed;
    return ksvd;
}

FastOptions fastOptions(const MatrixOptions& options, FastOptions fast) {
    fast.codes = codePatternOf(options);
    if (options.iterations > 0) {
        fast.iterations = options.iterations;
    }
    if (refits(options)) {
        fast.refitSteps = 0;  // refitted once, to the dictionary as it is stored
    }
    fast.tolerance = options.tolerance;
    fast.seed = options.seed;
    return fast;
}

class CospadiMethod final : public SparseMethod {
  public:
    explicit CospadiMethod(bool calibrated) : m_calibrated(calibrated) {}

    const char* name() const override { return m_calibrated ? "cospadi" : "cospadi-free"; }
    const char* title() const override { return m_calibrated ? "CoSpaDi" : "CoSpaDi, data-free"; }
    const char* summary() const override {
        return m_calibrated ? "sparse dictionary learning on the whitened weight"
                            : "sparse dictionary learning on the weight itself";
    }
    const char* source() const override {
        return m_calibrated ? "CoSpaDi, algorithm 1" : "CoSpaDi, table 3";
    }
    bool needsCalibration() const override { return m_calibrated; }
    const Method& withoutCalibration() const override { return cospadiFreeMethod(); }

    const std::vector<std::string>& settings() const override {
        return cospadiSettings(m_calibrated);
    }

    const std::vector<Option>& ownOptions() const override { return cospadiOptions(m_calibrated); }

    GroupMetric groupMetric(const MatrixOptions& options) const {
        return choiceOption<GroupMetric>(options, kGroupMetric);
    }

    bool solvesByParts(const MatrixOptions& options) const override {
        return m_calibrated && groupsLayers(options) &&
               (groupMetric(options) != GroupMetric::Mean ||
                options.side == DictionarySide::Output);
    }

    bool weighsPartsAlike(const MatrixOptions& options) const override {
        const GroupMetric metric = m_calibrated ? groupMetric(options) : GroupMetric::Mean;
        return solvesByParts(options) &&
               (metric == GroupMetric::Balanced || metric == GroupMetric::Probed ||
                options.side == DictionarySide::Output);
    }

    bool weighsPartsByCost(const MatrixOptions& options) const override {
        return m_calibrated && groupsLayers(options) && groupMetric(options) == GroupMetric::Probed;
    }

    bool sharesOverOutputs() const override { return true; }

    NmPattern codePattern(const MatrixOptions& options) const override {
        return wordOption<NmPattern>(options, kCodePattern);
    }

    void validate(const MatrixOptions& options) const override {
        SparseMethod::validate(options);
        const bool isGrouped = codePattern(options).isGrouped();
        if (isGrouped && options.solver == Solver::Ksvd) {
            throw Error("orthogonal matching pursuit does not support patterns", kCodePattern,
                        "use the solver fast, or unstructured");
        }
        if (isGrouped && options.accounting == Accounting::Integers) {
            throw Error("integers do not support patterns", kCodePattern,
                        "use unstructured, or another accounting");
        }
        if (usesOutputMetric(options) && options.accounting == Accounting::Integers) {
            throw Error(
                "integers are fitted column by column, but a metric of the outputs couples them",
                "output_metric", "use none, or another accounting");
        }
        if (usesOutputMetric(options) && options.solver == Solver::Ksvd) {
            throw Error("K-SVD treats columns one by one, but a metric of the outputs couples them",
                        "output_metric", "use the solver fast, or none");
        }
        if (usesOutputMetric(options) && groupsLayers(options) &&
            groupMetric(options) != GroupMetric::Mean) {
            throw Error(
                "layers that share a dictionary are weighted by the gradients in the group metric "
                "mean only",
                "output_metric", "use the group metric mean, or the output metric none");
        }
        if (groupsLayers(options) && options.side == DictionarySide::Output) {
            throw Error("the side of layers that share a dictionary is determined by their groups",
                        "side", "use auto or input, or groups none");
        }
        if (cospadi::sharesOverOutputs(options) &&
            (options.solver == Solver::Ksvd || options.accounting == Accounting::Integers)) {
            throw Error(
                "columns that share a dictionary over their outputs are coupled, which K-SVD and "
                "integers do not support",
                "groups", "use inputs-N, or the solver fast and another accounting");
        }
        if (solvesByParts(options) && options.accounting == Accounting::Integers) {
            throw Error("integers are fitted to each other in a single metric for all layers",
                        kGroupMetric, "use mean, or another accounting");
        }
        if (solvesByParts(options) && !weighsPartsAlike(options) &&
            options.solver == Solver::Ksvd) {
            throw Error("K-SVD supports a single metric for all columns only", kGroupMetric,
                        "use the solver fast, or mean, balanced or probed");
        }
        static_cast<void>(side(options, 1, 1));
    }

    DictionarySide side(const MatrixOptions& options, std::int64_t d1,
                        std::int64_t d2) const override {
        if (groupsLayers(options)) {
            if (options.side == DictionarySide::Output && treatsColumnsAlone(options)) {
                throw Error(
                    "layers that share a dictionary over their outputs are coupled, which K-SVD "
                    "and integers do not support",
                    "groups",
                    "group layers of equal input width, or use the solver fast and another "
                    "accounting");
            }
            return options.side.value_or(DictionarySide::Input);  // as their unit has it
        }
        if (options.accounting == Accounting::Integers) {
            if (options.side == DictionarySide::Output) {
                throw Error(
                    "integers are fitted column by column, but the output side couples the columns",
                    "side", "use auto or input, or another accounting");
            }
            return DictionarySide::Input;
        }
        if (options.solver == Solver::Ksvd) {
            // OMP and K-SVD treat columns one by one, which a metric on the other side couples.
            if (options.side == DictionarySide::Output && m_calibrated) {
                throw Error("K-SVD has no calibrated dictionary on the output side", "side",
                            "use the solver fast, the input side, or the method cospadi-free");
            }
            return options.side.value_or(DictionarySide::Input);
        }
        return options.side.value_or(d2 < d1 ? DictionarySide::Output : DictionarySide::Input);
    }

    // ksvd is published without; but a dictionary of eight bits needs it.
    bool usuallyRefits(const MatrixOptions& options) const override {
        return options.solver == Solver::Fast || options.accounting == Accounting::Packed8 ||
               options.accounting == Accounting::Integers;
    }

    // Short mantissas of ksvd, as published.
    CoefficientFormat usualCoefficientFormat(const MatrixOptions& options) const override {
        return options.solver == Solver::Ksvd ? CoefficientFormat::ShortMantissa
                                              : CoefficientFormat::ShortExponent;
    }

    PhaseNames phases(const MatrixOptions& options) const override {
        if (options.solver == Solver::Fast) {
            return {"pursuit", "least squares"};
        }
        return {options.coder == Coder::Lasso ? "LASSO" : "OMP",
                options.update == DictionaryUpdate::Mod      ? "MOD"
                : options.update == DictionaryUpdate::Online ? "online"
                                                             : "K-SVD"};
    }

    int usualIterations(const MatrixOptions& options) const override {
        if (options.solver == Solver::Ksvd) {
            return KsvdOptions().iterations;
        }
        const int independent = FastOptions().iterations;
        const int coupled = FastOptions::coupled().iterations;
        // Without a metric columns stand alone on either side.
        if (!m_calibrated || options.side == DictionarySide::Input || independent == coupled) {
            return independent;
        }
        return options.side == DictionarySide::Output ? coupled : 0;
    }

    // K-SVD's random beginnings, and atoms that singular vectors do not give. These are min(d1,
    // d2); ksvd begins with all k atoms, fast with as many as its side has and grows from there
    // without drawing.
    bool draws(const MatrixOptions& options, std::int64_t d1, std::int64_t d2,
               bool anyRatio) const override {
        const std::int64_t directions = std::min(d1, d2);
        if (options.solver == Solver::Ksvd) {
            return options.init != DictionaryInit::Svd ||
                   options.update == DictionaryUpdate::KsvdSketch || anyRatio ||
                   budget(options, d1, d2).k > directions;
        }
        const std::int64_t rows = side(options, d1, d2) == DictionarySide::Input ? d1 : d2;
        return rows > directions && (anyRatio || budget(options, d1, d2).k > directions);
    }

    double work(const MatrixOptions& options, std::int64_t rows, std::int64_t cols) const override {
        auto d1 = static_cast<double>(rows);
        auto d2 = static_cast<double>(cols);
        const SparseBudget sizes = budget(options, rows, cols);
        const auto k = static_cast<double>(sizes.k);
        if (side(options, rows, cols) == DictionarySide::Output) {
            std::swap(d1, d2);  // the dictionary is over the outputs
        }
        if (options.solver == Solver::Ksvd) {
            const double refit = refits(options) ? supportRefitWork(k, d2) : 0;
            return withIntegers(options, rows, cols,
                                refit + ksvdWork(options, d1, d2, k, static_cast<double>(sizes.s)));
        }
        return withIntegers(options, rows, cols,
                            fastWork(d1, d2, k, fastOptions(options, {}).iterations));
    }

    double metricsWork(const MatrixOptions& options, std::int64_t rows, std::int64_t cols,
                       std::vector<std::int64_t> widths) const override {
        if (!m_calibrated || side(options, rows, cols) == DictionarySide::Input) {
            return 0;
        }
        widths = widths.empty() ? std::vector{rows} : widths;
        const int iterations = fastOptions(options, {}).iterations;
        const auto k = static_cast<double>(budget(options, rows, cols).k);
        return std::accumulate(widths.begin(), widths.end(), 0.0, [&](double sum, auto width) {
            return sum + couplingWork(static_cast<double>(width), k, iterations);
        });
    }

    WorkRate workRate(const MatrixOptions& options) const override {
        if (options.accounting == Accounting::Integers) {
            return {kIntegerFamily, kIntegerRate};
        }
        if (options.solver == Solver::Fast) {
            return {cospadi::name(Solver::Fast), usualProductRate()};
        }
        // Of an exact update most is a spectrum; the LASSO's path takes small steps in double. Else
        // most is the pursuit, several columns at once: 35 to 60 Gflop/s a core in the six solves
        // of docs/benchmarks.md, 60×8 (34.8 s on two cores for ffn_up are 60).
        const DictionaryUpdate update = dictionaryUpdateOf(options);
        return {cospadi::name(update), update == DictionaryUpdate::KsvdExact ? 9e9
                                       : options.coder == Coder::Lasso       ? 6e9
                                                                             : 50e9};
    }

  protected:
    std::unique_ptr<SparseTarget> target(const MatrixProblem& problem,
                                         DictionarySide side) const override {
        if (problem.parts.empty()) {
            return SparseMethod::target(problem, side);
        }
        if (side == DictionarySide::Input && weighsPartsAlike(problem.options)) {
            return balancedTarget(problem.backend, problem.w, problem.whitening, problem.parts);
        }
        std::vector<MetricLayer> layers = metricLayers(problem, side);
        return side == DictionarySide::Output
                   ? stackedTarget(problem.backend, layers, problem.parts)
                   : ownMetricsTarget(problem.backend, std::move(layers));
    }

    LearnedDictionary learn(SparseTarget& target, const SparseBudget& budget,
                            const MatrixOptions& options, const IterationCallback& callback,
                            const std::stop_token& stop) const override {
        return options.solver == Solver::Fast
                   ? target.learn(budget.k, budget.s,
                                  fastOptions(options, target.usualFastOptions()), callback, stop)
                   : target.learn(budget.k, budget.s, ksvdOptions(options), callback, stop);
    }

  private:
    // What couples columns, such as a metric of the layers' inputs where they share over outputs,
    // is then beyond it.
    bool treatsColumnsAlone(const MatrixOptions& options) const {
        return options.accounting == Accounting::Integers ||
               (options.solver == Solver::Ksvd && m_calibrated);
    }

    bool m_calibrated;
};

}  // namespace

const Method& cospadiMethod() {
    static const CospadiMethod method(true);
    return method;
}

const Method& cospadiFreeMethod() {
    static const CospadiMethod method(false);
    return method;
}

}  // namespace cospadi
