#include "ui/base/help_words.h"

#include <QCoreApplication>

namespace cospadi::ui {

namespace {

constexpr const char* kHelp = "cospadi::help";

// For lupdate alone, which cannot see them in the engine.
[[maybe_unused]] constexpr const char* kHelpTexts[] = {
    // what methods do, in a line
    QT_TRANSLATE_NOOP("cospadi::help",
                      "round to nearest: integers of a few bits, one scale per group"),
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "integers of a few bits, with an input's error compensated by the inputs after it"),
    QT_TRANSLATE_NOOP("cospadi::help", "zeros where weight times input norm is smallest"),
    QT_TRANSLATE_NOOP("cospadi::help", "zeros compensated by the weights after them"),
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "fewer blocks, with a linear map folded into the layer before the removed ones"),
    QT_TRANSLATE_NOOP("cospadi::help", "truncated SVD of the weight"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "truncated SVD of the weight with rows scaled by their Fisher information"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "truncated SVD of the weight with rows scaled by the size of their inputs"),
    QT_TRANSLATE_NOOP("cospadi::help", "truncated SVD of the whitened weight"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "truncated SVD of the whitened weight, by the Gram's spectrum"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "orthonormal dictionary of the whitened weight, by Procrustes steps"),
    QT_TRANSLATE_NOOP("cospadi::help", "eigenvectors of the whitened weight, thresholded once"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "a sparse dictionary for two layers, each in the metric of its own inputs"),
    QT_TRANSLATE_NOOP("cospadi::help", "sparse dictionary learning on the weight itself"),
    QT_TRANSLATE_NOOP("cospadi::help", "sparse dictionary learning on the whitened weight"),
    // rules of allocation
    QT_TRANSLATE_NOOP("cospadi::help", "the same CR for every matrix"),
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "the same total bytes, with more for matrices whose errors cost the predictions more"),
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "within matrices of a kind, more where a truncated SVD of the whitened weight loses more"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "one cut through the singular values of all normalised weights"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "the smallest sum of the weights' errors, none far above their mean"),
    // act_order
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "on: round inputs with the largest Gram diagonal first, with scales fixed beforehand; off: "
        "round in the layer's order, with scales determined on the way"),
    QT_TRANSLATE_NOOP("cospadi::help", "in the layer's order"),
    QT_TRANSLATE_NOOP("cospadi::help", "the largest Gram diagonal first"),
    // alpha
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "asvd: scale rows of W by the size of their inputs to this power; 0: no scaling"),
    // bits
    QT_TRANSLATE_NOOP("cospadi::help", "Bits per code"),
    // blocks
    QT_TRANSLATE_NOOP("cospadi::help",
                      "Number of consecutive blocks to remove from the model; 0: as implied by the "
                      "compression ratio"),
    // code_pattern
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Which atoms a column of S may use: unstructured: any; N:M, such as 2:4: N of every M "
        "consecutive ones, so that ρ is M/N and each group stores the number of its combination"),
    QT_TRANSLATE_NOOP("cospadi::help", "any s atoms per column, as in the paper"),
    QT_TRANSLATE_NOOP("cospadi::help", "two of every four atoms, ρ 2"),
    QT_TRANSLATE_NOOP("cospadi::help", "four of every eight atoms, ρ 2"),
    QT_TRANSLATE_NOOP("cospadi::help", "one of every four atoms, ρ 4"),
    // damp
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Added to the Gram's diagonal, relative to its mean, while errors are fed forward"),
    // group_metric
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "groups: metric for the errors of sharing layers: mean: mean of their Grams, as in the "
        "paper; balanced: the same with every layer and Gram scaled to one size, so that relative "
        "errors count equally; probed: balanced, weighted by the cost of a layer's errors to the "
        "predictions, measured once per model; own: each layer's own Gram"),
    QT_TRANSLATE_NOOP("cospadi::help", "the mean of the layers' Grams, as in the paper"),
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "the mean of the Grams, but with equal weight for each layer's relative error"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "the same, but weighted by the measured cost to the predictions"),
    QT_TRANSLATE_NOOP("cospadi::help", "each layer's own Gram: exact"),
    // group_size
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Number of inputs of an output that share a scale; must divide the layer's inputs"),
    // groups
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Layers that share a dictionary or left factor: pairs (or a number) of neighbouring "
        "blocks, adaptive (pairs of a kind by an estimate), kind, inputs (q, k, v; gate, up), "
        "inputs-4 (the same over four neighbouring blocks), all-4 (as inputs-4, and attn_output "
        "with ffn_down over their outputs), or a list such as 'blk.0.attn_q+blk.1.attn_q;…'"),
    QT_TRANSLATE_NOOP("cospadi::help", "every layer on its own"),
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "two neighbouring blocks, kind by kind; attn_output and ffn_down on their own"),
    QT_TRANSLATE_NOOP("cospadi::help", "all layers of a kind"),
    QT_TRANSLATE_NOOP("cospadi::help", "q, k and v of a block; gate and up"),
    QT_TRANSLATE_NOOP("cospadi::help", "q, k and v of four neighbouring blocks; gate and up"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "the same, and attn_output with ffn_down over their outputs"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "two layers of a kind chosen by an estimate, or a single one"),
    // importance_exponent
    QT_TRANSLATE_NOOP("cospadi::help",
                      "Coefficients of a column to keep: those with the largest |c_ij| ‖L⁻¹ "
                      "b_i‖^λ; 0: importance in the metric of the inputs, 1: in the weight itself"),
    // output_metric
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Weight of the errors of a layer's outputs: none: equal; fisher: by their cost to the "
        "predictions, from gradients of the loss on the calibration text"),
    QT_TRANSLATE_NOOP("cospadi::help", "equal weight for every output, as published"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "by the gradients of the loss at the beginning of the calibration text"),
    // pattern
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Which weights may be kept: unstructured: any; N:M, such as 2:4: N of every M inputs of an "
        "output, regardless of the compression ratio; M must divide the layer's inputs"),
    QT_TRANSLATE_NOOP("cospadi::help", "any weights, as many as the compression ratio allows"),
    QT_TRANSLATE_NOOP("cospadi::help", "two of every four inputs of an output, CR 0.4375"),
    QT_TRANSLATE_NOOP("cospadi::help", "four of every eight inputs of an output, CR 0.40625"),
    // pursuit_cg_steps
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Steps of conjugate gradients on the support after each hard-thresholding step"),
    // pursuit_steps
    QT_TRANSLATE_NOOP("cospadi::help", "Steps of hard-thresholding pursuit per iteration"),
    // restored_share
    QT_TRANSLATE_NOOP("cospadi::help",
                      "Fraction of a column's k coefficients removed below s and reassigned to the "
                      "best entries of all columns; 0: every column keeps s"),
    // zero_point
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "minimum: every group also stores its minimum; none: codes are symmetric around zero"),
    QT_TRANSLATE_NOOP("cospadi::help", "every group stores a minimum and a scale"),
    QT_TRANSLATE_NOOP("cospadi::help", "codes are symmetric around zero"),
    // efforts
    QT_TRANSLATE_NOOP("cospadi::help", "quick"),
    QT_TRANSLATE_NOOP("cospadi::help", "usual"),
    QT_TRANSLATE_NOOP("cospadi::help", "best"),
};

}  // namespace

QString helpWords(const char* english) { return QCoreApplication::translate(kHelp, english); }

}  // namespace cospadi::ui
