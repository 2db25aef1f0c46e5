#include "ui/base/help_words.h"

#include <QCoreApplication>

namespace cospadi::ui {

namespace {

constexpr const char* kHelp = "cospadi::help";

// For lupdate alone, which cannot see them in the engine.
[[maybe_unused]] constexpr const char* kHelpTexts[] = {
    // what methods do, in a line
    QT_TRANSLATE_NOOP("cospadi::help", "round to nearest: integers of a few bits, a scale a group"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "integers of a few bits, an input's error made up for by those after it"),
    QT_TRANSLATE_NOOP("cospadi::help", "zeros where weight times norm of the input is least"),
    QT_TRANSLATE_NOOP("cospadi::help", "zeros that the weights behind them make up for"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "fewer blocks, a linear map folded into the layer before them"),
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
    QT_TRANSLATE_NOOP("cospadi::help", "every matrix the same CR"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "the same bytes in all, more where errors cost the predictions more"),
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "among matrices of a kind, more where a truncated SVD of the whitened weight loses more"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "one cut through the singular values of all normalised weights"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "the least sum of the weights' errors, none far above their mean"),
    // act_order
    QT_TRANSLATE_NOOP("cospadi::help",
                      "on: inputs of the largest Gram diagonal are rounded first, with scales "
                      "fixed before; off: in the layer's order, scales found on the way"),
    QT_TRANSLATE_NOOP("cospadi::help", "as the layer has them"),
    QT_TRANSLATE_NOOP("cospadi::help", "those of the largest Gram diagonal first"),
    // alpha
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "asvd: rows of W are scaled by the size of their inputs to this power; 0: not at all"),
    // bits
    QT_TRANSLATE_NOOP("cospadi::help", "Bits of a code"),
    // blocks
    QT_TRANSLATE_NOOP("cospadi::help",
                      "How many consecutive blocks are left out of the model; 0: as many as the "
                      "compression ratio asks for"),
    // code_pattern
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Which atoms a column of S may use: unstructured: any; N:M, such as 2:4: N of every M "
        "consecutive ones, so that ρ is M/N and a group stores the number of its choice"),
    QT_TRANSLATE_NOOP("cospadi::help", "any s atoms of a column, the paper"),
    QT_TRANSLATE_NOOP("cospadi::help", "two of every four atoms, ρ 2"),
    QT_TRANSLATE_NOOP("cospadi::help", "four of every eight atoms, ρ 2"),
    QT_TRANSLATE_NOOP("cospadi::help", "one of every four atoms, ρ 4"),
    // damp
    QT_TRANSLATE_NOOP("cospadi::help",
                      "On the Gram's diagonal, times its mean, while errors are fed forward"),
    // group_metric
    QT_TRANSLATE_NOOP("cospadi::help",
                      "groups: where errors of layers that share count: mean: in the mean of their "
                      "Grams, the paper; balanced: there too, with every layer and Gram scaled to "
                      "one size; probed: so, and weighed by what a layer's errors cost the "
                      "predictions, which is measured once a model; own: each in its own"),
    QT_TRANSLATE_NOOP("cospadi::help", "the mean of the layers' Grams, the paper"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "the mean of the Grams, but relative errors count: every layer alike"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "the same, each as much as probes say that it costs the predictions"),
    QT_TRANSLATE_NOOP("cospadi::help", "each layer's own Gram: exact"),
    // group_size
    QT_TRANSLATE_NOOP("cospadi::help",
                      "Inputs of an output that share a scale; divides the layer's inputs"),
    // groups
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Layers that share a dictionary or left factor: pairs (or a number) of neighbouring "
        "blocks, adaptive (pairs of a kind by an estimate), kind, inputs (q, k, v; gate, up), "
        "inputs-4 (those of four neighbouring blocks), all-4 (these, and attn_output with ffn_down "
        "over their outputs), or a list such as 'blk.0.attn_q+blk.1.attn_q;…'"),
    QT_TRANSLATE_NOOP("cospadi::help", "every layer by itself"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "two neighbouring blocks, kind by kind; attn_output and ffn_down alone"),
    QT_TRANSLATE_NOOP("cospadi::help", "all layers of a kind"),
    QT_TRANSLATE_NOOP("cospadi::help", "q, k and v of a block; gate and up"),
    QT_TRANSLATE_NOOP("cospadi::help", "q, k and v of four neighbouring blocks; gate and up"),
    QT_TRANSLATE_NOOP("cospadi::help", "these; and attn_output with ffn_down, over their outputs"),
    QT_TRANSLATE_NOOP("cospadi::help", "two layers of a kind that an estimate finds, or one alone"),
    // importance_exponent
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Which coefficients of a column stay: those of greatest |c_ij| ‖L⁻¹ b_i‖^λ; 0: what they "
        "are worth in the metric of the inputs, 1: in the weight itself"),
    // output_metric
    QT_TRANSLATE_NOOP("cospadi::help",
                      "What errors of a layer's outputs count: none, alike; fisher, what they cost "
                      "the predictions, by gradients of the loss on the calibration text"),
    QT_TRANSLATE_NOOP("cospadi::help", "every output counts alike, as published"),
    QT_TRANSLATE_NOOP("cospadi::help",
                      "by the gradients of the loss on the beginning of the calibration text"),
    // pattern
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Which weights may be kept: unstructured: any; N:M, such as 2:4: N of every M "
        "inputs of an output, whatever the compression ratio; M divides the layer's "
        "inputs"),
    QT_TRANSLATE_NOOP("cospadi::help", "any weights, as many as the compression ratio leaves"),
    QT_TRANSLATE_NOOP("cospadi::help", "two of every four inputs of an output, CR 0.4375"),
    QT_TRANSLATE_NOOP("cospadi::help", "four of every eight inputs of an output, CR 0.40625"),
    // pursuit_cg_steps
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "Steps of conjugate gradients on the support, after each of hard thresholding"),
    // pursuit_steps
    QT_TRANSLATE_NOOP("cospadi::help", "Steps of hard-thresholding pursuit in every iteration"),
    // restored_share
    QT_TRANSLATE_NOOP("cospadi::help",
                      "Share of a column's k coefficients that is cut below s, and given back to "
                      "the best of all columns; 0: every column keeps s"),
    // zero_point
    QT_TRANSLATE_NOOP(
        "cospadi::help",
        "minimum: every group stores its least value too; none: codes lie around zero"),
    QT_TRANSLATE_NOOP("cospadi::help", "every group has a minimum beside its scale"),
    QT_TRANSLATE_NOOP("cospadi::help", "codes lie around zero"),
    // efforts
    QT_TRANSLATE_NOOP("cospadi::help", "quick"),
    QT_TRANSLATE_NOOP("cospadi::help", "usual"),
    QT_TRANSLATE_NOOP("cospadi::help", "best"),
};

}  // namespace

QString helpWords(const char* english) { return QCoreApplication::translate(kHelp, english); }

}  // namespace cospadi::ui
