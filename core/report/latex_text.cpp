#include "core/report/latex_text.h"

#include <cstring>
#include <utility>

namespace cospadi {

namespace {

// What a plain LaTeX does not have in its text fonts, as it is written there.
constexpr std::pair<const char*, const char*> kLatexSymbols[] = {
    {"±", "$\\pm$"},      {"∞", "$\\infty$"},     {"ρ", "$\\rho$"},
    {"γ", "$\\gamma$"},   {"×", "$\\times$"},     {"≈", "$\\approx$"},
    {"≤", "$\\le$"},      {"≥", "$\\ge$"},        {"→", "$\\to$"},
    {"↑", "$\\uparrow$"}, {"↓", "$\\downarrow$"}, {"−", "$-$"},
    {"·", "$\\cdot$"},    {"‖", "$\\Vert$"},      {"–", "--"}};

}  // namespace

std::string latexText(const std::string& text) {
    std::string latex = replaced(
        text, "\\&%$#_{}~^<>|",
        {"\\textbackslash{}", "\\&", "\\%", "\\$", "\\#", "\\_", "\\{", "\\}", "\\textasciitilde{}",
         "\\textasciicircum{}", "\\textless{}", "\\textgreater{}", "\\textbar{}"});
    for (const auto& [symbol, command] : kLatexSymbols) {
        for (std::size_t at = latex.find(symbol); at != std::string::npos;
             at = latex.find(symbol, at)) {
            latex.replace(at, std::strlen(symbol), command);
        }
    }
    return latex;
}

std::string replaced(const std::string& text, const std::string& special,
                     const std::vector<std::string>& replacements) {
    std::string result;
    for (const char c : text) {
        const std::size_t found = special.find(c);
        result += found == std::string::npos ? std::string(1, c) : replacements[found];
    }
    return result;
}

}  // namespace cospadi
