// A method: how the stored form of a weight matrix is found. A new one is a folder beside cospadi/
// with a class of Method, and a line in methods.cpp; command line, specifications, sweeps, tables
// and the window ask these classes and know no method by name.
//
//   dense         nothing is compressed: the baseline
//   svd           truncated SVD of W                                     (data-free baseline)
//   fwsvd         truncated SVD of diag(√f) W, f Fisher information     (2207.00112)
//   asvd          truncated SVD of diag(s) W, s by the size of inputs    (2312.05821)
//   svd-llm       truncated SVD of W_L = L W, mapped back with L⁻¹       (Wang et al. 2025)
//   svd-llm-v2    the same optimum by two SVDs, for any Gram             (2503.12340)
//   cospadi-free  dictionary learning on W itself                        (CoSpaDi†, table 3)
//   cospadi       dictionary learning on W_L, D_a = L⁻¹ D                (the paper, Algorithm 1)
//   rtn           integers of a few bits, a scale a group                (data-free baseline)
//   gptq          the same, errors fed forward in the metric of G       (2210.17323)
//   compot        orthonormal dictionary on W_L                          (2602.15200)
//   rocket        leading eigenvectors of W_L W_Lᵀ, thresholded once     (2602.11008)
//   geopair       a dictionary for two layers, each in its own metric    (GeoPair)
//   wanda         zeros where |w| times the input's norm is least        (2306.11695)
//   sparsegpt     zeros that the weights behind them make up for         (2301.00774)
//   replaceme     fewer blocks, a linear map in the place of a row       (2505.02819)
//
// Thread-safety: immutable; all functions may be called from any thread.
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/dictionary/iteration_summary.h"
#include "core/forms/stored_weight.h"
#include "core/linalg/backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/matrix_options.h"

namespace cospadi {

// What a layer of this shape comes to before it is compressed.
struct StoragePart {
    const char* name;  // "dictionary", "values", "mask", "left", "right"
    double bytes = 0;
};

struct StoragePlan {
    nlohmann::json facts;  // k and s, or rank: as StoredWeight::facts() names them
    std::vector<StoragePart> parts;
    double bytes() const;
};

// What one core does of a method's work in a second, until it has been measured here: methods whose
// time goes into the same steps share a family.
struct WorkRate {
    std::string family;
    double perSecond = 0;
};

struct CompressedMatrix {
    StoredWeightPtr weight;  // rounded to what is stored
    double relativeError = 0;  // ‖W_L − W̃_L‖_F / ‖W_L‖_F of the stored factors; plain W where
                               // there is no whitening
    // The same in the metric of inputs that were not fitted; absent where none were held out.
    std::optional<double> heldOutError{};
    // ‖L (W − W̃) Rᵀ‖_F / ‖L W Rᵀ‖_F, in the metric of the outputs as well (output_metric.h); absent
    // where every output counts alike.
    std::optional<double> outputError{};
    double solvedError = 0;  // of the solver's factors, before they were rounded; 0 where unknown
    std::int64_t replacedAtoms = 0;
    int iterations = 0;
    std::optional<PhaseSeconds> phases{};  // of a method that has them (Method::phases())
    Termination termination = Termination::Failed;
};

// What the two phases of a solver are, of which it tells the seconds; "" where it has none.
struct PhaseNames {
    const char* coding = "";      // S given D: "OMP"
    const char* dictionary = "";  // D given S: "K-SVD"
};

class BlockMethod;
struct OutputMetric;

// A layer of a unit of several: how many columns of the unit's weight are its own, in order, or
// rows where what is shared spans the outputs; and the metrics of its own inputs and outputs.
struct UnitPart {
    std::int64_t width = 0;
    const Whitening* whitening = nullptr;   // null without calibration
    const OutputMetric* outputs = nullptr;  // null where its relative error counts
    double cost = 1;  // what that error counts, squared, beside the others'; > 0
};

struct MatrixProblem {
    Backend& backend;
    const Eigen::MatrixXf& w;    // (d1, d2), finite
    const Whitening* whitening;  // of the layer's inputs, with the ridge; null without calibration
    const MatrixOptions& options;
    std::span<const UnitPart> parts = {};  // for a method that solvesByParts(); without the ridge
    // Of held-out inputs, for errors that are told at iterations; null where there are none.
    const Whitening* heldOut = nullptr;
    const OutputMetric* outputs = nullptr;  // of the outputs; null where all count alike
    // (d1), Σ_j Î_ij (core/calibration/weight_gradients.h), of a method that needsGradients().
    const Eigen::VectorXd* rowFisher = nullptr;
};

class Method {
  public:
    Method() = default;
    virtual ~Method() = default;
    Method(const Method&) = delete;
    Method& operator=(const Method&) = delete;

    virtual const char* name() const = 0;     // on the command line, in files and tables
    virtual const char* title() const = 0;    // in the window
    virtual const char* summary() const = 0;  // what it does, in a line
    virtual const char* source() const = 0;   // where it is published
    virtual const char* form() const = 0;  // of what it stores (core/forms/forms.h); "" for dense
    // Under these options: the same, where they choose no other.
    virtual const char* formUnder(const MatrixOptions& options) const;
    virtual bool needsCalibration() const = 0;
    // The same without calibration, where there is no Gram to solve in; this one where it has none.
    virtual const Method& withoutCalibration() const;
    // Whether calibration sums up squared gradients of the weights for it, too.
    virtual bool needsGradients() const;  // no

    // The fields of a specification that count for it, but for model, layers and calibration: names
    // of sharedOptions() and of its own.
    virtual const std::vector<std::string>& settings() const = 0;
    // Methods of a family may share some: whatever has the same name is the same option.
    virtual const std::vector<Option>& ownOptions() const;  // none
    bool uses(const std::string& setting) const;
    // Whether the compression ratio decides over its bytes: where it uses `cr`. Nothing but own
    // options may say otherwise.
    virtual bool hasRatio(const MatrixOptions& options) const;
    std::vector<const Option*> options() const;  // of settings(), in their order

    // Throws Error naming the setting that is out of range, or that this method cannot have.
    virtual void validate(const MatrixOptions& options) const;
    // Throws Error naming the setting that a layer of this shape cannot have, whatever the
    // compression ratio; asked for every layer before a run begins.
    virtual void requireShape(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const;
    // Where bits are left to trial, of those that come to most bytes. Throws Error as
    // sparseBudget() does where the budget leaves nothing to store.
    virtual StoragePlan plan(const MatrixOptions& options, std::int64_t d1,
                             std::int64_t d2) const = 0;
    // Bits of a stored coefficient, or of an entry of the right factor, for this shape; 16 where
    // its numbers are no short floats.
    virtual int coefficientBits(const MatrixOptions& options, std::int64_t d1,
                                std::int64_t d2) const;
    // Whether what a rounded factor is multiplied by, codes or a right factor, is fitted to it once
    // more before it is rounded itself: min ‖W_L − L B C‖ over C, of codes on their support. Never
    // raises the error before that rounding.
    virtual bool usuallyRefits(const MatrixOptions& options) const;  // no
    // Of codes, and of a right factor of fewer than 16 bits: a short exponent.
    virtual CoefficientFormat usualCoefficientFormat(const MatrixOptions& options) const;
    // Of the solver where nothing is said; 0: it has none, or they differ between shapes.
    virtual int usualIterations(const MatrixOptions& options) const;
    // Of the solver that the options choose; none where it finds what it stores in one go.
    virtual PhaseNames phases(const MatrixOptions& options) const;
    // Whether the seed changes what it finds for a layer of this shape, under these options or
    // others of another CR: no.
    virtual bool draws(const MatrixOptions& options, std::int64_t d1, std::int64_t d2,
                       bool anyRatio) const;

    // Floating-point operations of a solve without whitening; 0 where there is nothing to store.
    virtual double work(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const = 0;
    // What metrics take besides that couple the columns of the codes, one for each layer of a unit
    // over outputs. widths: the inputs of these layers; none: a layer by itself.
    virtual double metricsWork(const MatrixOptions& options, std::int64_t d1, std::int64_t d2,
                               std::vector<std::int64_t> widths) const;  // 0
    virtual WorkRate workRate(const MatrixOptions& options) const = 0;
    // Floats at work beside W, Gram and factor: none.
    virtual double workingFloats(const MatrixOptions& options, std::int64_t d1,
                                 std::int64_t d2) const;

    // Of a method that leaves blocks out of a model (block_method.h): this one. Null for all that
    // solve layer by layer.
    virtual const BlockMethod* asBlockMethod() const;

    // Layers that share are solved and measured as one wide layer in the metric of their mean Gram;
    // or, where this says so, as its parts, which MatrixProblem::parts then tells.
    virtual bool solvesByParts(const MatrixOptions& options) const;  // no
    // Whether parts count by their relative errors, and the mean Gram is that of Grams
    // scaled to one size; else as large as they are.
    virtual bool weighsPartsAlike(const MatrixOptions& options) const;  // no
    // Whether they then count times what such errors cost the predictions (UnitPart::cost), which a
    // run probes for it.
    virtual bool weighsPartsByCost(const MatrixOptions& options) const;  // no
    // Whether layers may share what spans their outputs.
    virtual bool sharesOverOutputs() const;  // no
    // How many layers may share.
    virtual std::size_t mostLayersInUnit() const;  // any number

    // Everything but relativeError, which is measured on what it stores. Stops at the next
    // iteration when asked, with Termination::Cancelled and no weight.
    virtual CompressedMatrix solve(const MatrixProblem& problem, const IterationCallback& callback,
                                   const std::stop_token& stop) const = 0;

  protected:
    // Throws Error where one of its own options is out of range.
    void validateOwnOptions(const MatrixOptions& options) const;
    // What the options say, or what is usual. Precondition: an own option of that type.
    std::int64_t wholeOption(const MatrixOptions& options, const char* name) const;
    double realOption(const MatrixOptions& options, const char* name) const;
    // What the word stands for (OptionWord::as); of choices the enumerator at its place.
    template <class T>
    T wordOption(const MatrixOptions& options, const char* name) const {
        return std::get<OptionWord>(ownValue(options, name)).as<T>();
    }
    template <class Enumeration>
    Enumeration choiceOption(const MatrixOptions& options, const char* name) const {
        return static_cast<Enumeration>(wordOption<std::size_t>(options, name));
    }

  private:
    const OptionValue& ownValue(const MatrixOptions& options, const char* name) const;
};

// In the order of tables.
const std::vector<const Method*>& methods();
const Method& denseMethod();
const Method* findMethod(const std::string& name);      // null where there is none
const Method& methodFromName(const std::string& name);  // throws Error listing them
std::string methodNames();                              // "dense, rtn, … or cospadi"

// Shared options, then those that one method, or some, have of their own: all that a command line
// knows.
const std::vector<const Option*>& allOptions();
const std::vector<const Option*>& allOwnOptions();  // the latter alone
const Option* findOption(const std::string& name);  // among all; null where there is none

// Reads a value of an own option as a command line has it. Throws Error naming the option.
// Precondition: one of allOwnOptions().
void setOwnOption(MatrixOptions& options, const std::string& name, const std::string& text);

// As the options say, or as usual.
bool refits(const MatrixOptions& options);
CoefficientFormat coefficientFormatOf(const MatrixOptions& options);
double budgetBytes(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);

// With short mantissas coefficients keep all eight bits of bfloat16's exponent, and so need nine;
// integers need two.
int fewestCoefficientBits(const MatrixOptions& options);
// Throws Error naming the setting where a layer of this shape would have fewer.
void requireCoefficientBits(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);
// Throws Error naming the setting where a layer of this shape has no form: as the above,
// Method::requireShape() and Method::plan() do.
void requireStorable(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);
bool isStorable(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);

}  // namespace cospadi
