#include "core/exports/model_card.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/byte_text.h"
#include "core/base/folder_path.h"
#include "core/base/markdown_cell.h"
#include "core/base/printable_text.h"
#include "core/exports/model_side_files.h"
#include "core/methods/method.h"
#include "core/model/model_info.h"
#include "core/store/compress_command.h"
#include "core/store/method_label.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// Text of others, which reads as it is: names with underscores, patterns of layers.
std::string cell(const std::string& text) { return markdownText(printableLine(text)); }

std::string row(const std::string& what, const std::string& value) {
    return fmt::format("| {} | {} |\n", what, cell(value));
}

std::string bytesOf(std::int64_t bytes) {
    return fmt::format("{} bytes ({})", bytes, byteText(static_cast<double>(bytes)));
}

// In the head's YAML: quoted, as JSON is.
std::string quoted(const std::string& text) { return nlohmann::json(printableLine(text)).dump(); }

class Card {
  public:
    explicit Card(const ModelCardSubject& subject) : m_subject(subject) {
        if (!subject.run.empty()) {
            m_record = readRunDirectory(subject.run);
            m_specification = specificationOf(m_record.run);
        }
    }

    std::string text() const {
        return head() + "\n" + title() + facts() + perplexities() + tasks() + loading() +
               commands() + licence();
    }

  private:
    const RunRow& run() const { return m_record.run; }
    bool hasRun() const { return !m_subject.run.empty(); }
    const WeightSource& source() const { return *m_subject.source; }

    std::string method() const {
        if (m_specification) {
            return methodLabel(*m_specification);
        }
        if (hasRun()) {
            return run().method;
        }
        if (!source().folder) {
            return {};
        }
        const auto config = readRunJson(source().path / "config.json", "fetch the model again");
        const auto found = config.find("quantization_config");
        if (found == config.end() || !found->is_object()) {
            return {};
        }
        const auto method = found->value("method", nlohmann::json());
        return method.is_string() ? method.get<std::string>() : "";
    }

    std::string head() const {
        std::string text = "---\n";
        if (const std::string licence = licenceOf(source()); !licence.empty()) {
            text += "license: " + quoted(licence) + "\n";
        }
        text += "library_name: transformers\npipeline_tag: text-generation\ntags:\n";
        return text + (method().empty() ? "" : "- compressed\n") + "- cospadi\n---\n";
    }

    std::string title() const {
        const std::string name = cell(source().config.name);
        const std::string label = cell(method());
        return label.empty() ? fmt::format("# {}\n\n", name)
                             : fmt::format("# {}, compressed by {}\n\n", name, label);
    }

    std::string facts() const {
        std::string text = "| | |\n|---|---|\n";
        text +=
            row("original", nameOfPath(source().path) + ", sha256 " + modelSha256(source().path));
        if (m_specification) {
            const Method& method = methodOf(*m_specification);
            text += row("method", std::string(method.title()) + ", " + method.source());
            text += row("layers", m_specification->layers);
            if (hasRatio(*m_specification)) {
                text += row("requested compression ratio", fmt::format("{:g}", run().cr));
            }
        } else if (!method().empty()) {
            text += row("method", method());
        }
        if (hasRun()) {
            text += measured();
        }
        if (m_subject.factored) {
            text += row("tensors of compressed layers, here", bytesOf(m_subject.factorBytes));
            text += row("all other tensors, here",
                        bytesOf(m_subject.denseBytes) + ", " + m_subject.denseType);
        } else {
            text +=
                row("tensors, here", bytesOf(m_subject.denseBytes) + ", " + m_subject.denseType +
                                         (hasRun() ? ": compressed layers multiplied out" : ""));
        }
        return text + "\n";
    }

    // As bytes of the layers that were compressed alone; embeddings and norms are not in them.
    std::string measured() const {
        std::string text = row("compressed layers", std::to_string(run().matrices));
        text += row("their bytes, as the run stored them", bytesOf(run().layerBytes));
        text += row("their bytes as bfloat16", bytesOf(run().denseBytes));
        if (run().sourceBytes > 0) {
            text += row("their bytes in the original",
                        bytesOf(run().sourceBytes) + ", " + run().sourceType);
        }
        text += row("compression ratio as measured (1 − stored bytes / bfloat16 bytes)",
                    fmt::format("{:.4f}", run().measuredRatio()));
        if (std::isfinite(run().relativeError)) {
            text +=
                row("relative error, mean over layers", fmt::format("{:.4f}", run().relativeError));
        }
        return text;
    }

    std::string perplexities() const {
        if (!hasRun()) {
            return {};
        }
        std::string rows;
        for (const EvaluationRow& e : run().evaluations) {
            if (std::isfinite(e.perplexity)) {
                rows += fmt::format("| {} | {} | {} | {} | {:.4f} |\n",
                                    cell(fs::path(e.text).filename().string()), e.context, e.tokens,
                                    cell(e.score), e.perplexity);
            }
        }
        return rows.empty() ? "No perplexity was measured before this export.\n\n"
                            : "| text | context | tokens scored | score | perplexity |\n"
                              "|---|---|---|---|---|\n" +
                                  rows + "\n" + whoseResults();
    }

    // What a rounding of the export changes was not measured.
    std::string whoseResults() const {
        return m_subject.factored ? "Measured by the engine with the same factors.\n\n"
                                  : "Measured by the engine with the stored factors, before they "
                                    "were multiplied out and rounded.\n\n";
    }

    std::string tasks() const {
        std::string rows;
        for (const TaskResultRow& t : run().taskResults) {
            rows +=
                fmt::format("| {} | {} | {} | {} | {:.4f} |\n", cell(t.task), cell(t.metric),
                            t.shots < 0 ? "unknown" : std::to_string(t.shots), t.samples, t.value);
        }
        return rows.empty() ? ""
                            : "| task | metric | shots | samples | value |\n"
                              "|---|---|---|---|---|\n" +
                                  rows + "\n";
    }

    std::string loading() const {
        if (!m_subject.factored) {
            return "A dense checkpoint that any loader of its architecture can load.\n\n";
        }
        return "The compressed layers are stored as their factors. `modeling_cospadi.py` in this "
               "folder, plain\n"
               "torch, turns them into layers; transformers runs it if you allow it:\n\n"
               "```python\n"
               "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
               "model = AutoModelForCausalLM.from_pretrained(\"DIR\", trust_remote_code=True)\n"
               "tokenizer = AutoTokenizer.from_pretrained(\"DIR\", trust_remote_code=True)\n"
               "```\n\n"
               "Without `trust_remote_code` it is refused, unless the package "
               "`cospadi-transformers` with the same code\n"
               "is imported. Factors are decoded at the first call and kept; `keep_decoded=False` "
               "decodes\n"
               "them at every call.\n\n";
    }

    std::string commands() const {
        if (!m_specification) {
            return {};
        }
        const std::string exporting = fmt::format("cospadi export RUN --format {} --out DIR",
                                                  m_subject.factored ? "hf-factors" : "hf");
        if (m_specification->derived) {
            return fmt::format("{}, and exported by\n\n```\n{}\n```\n\n", origin(), exporting);
        }
        return fmt::format("Made by\n\n```\n{}\n{}\n```\n\n{}", commandElsewhere(*m_specification),
                           exporting,
                           m_specification->ratios.empty()
                               ? ""
                               : "`run.json` is that of RUN: layers have individual ratios.\n\n");
    }

    // Of a run that nothing was solved for: no command makes it without the other one.
    std::string origin() const {
        const Derivation& derived = *m_specification->derived;
        return fmt::format(
            "Derived from run {}, without solving again{}", derived.from,
            derived.isRequantized() ? ", coefficients " + requantizationWords(derived) : "");
    }

    std::string licence() const {
        const std::string licence = licenceOf(source());
        return "## Licence\n\n" +
               (licence.empty()
                    ? std::string("The original's files do not state its licence, which also "
                                  "applies to this model:\n"
                                  "look it up before you share the model.\n")
                    : fmt::format(
                          "The original is licensed under {}, which also applies to this model.\n",
                          cell(licence))) +
               (m_subject.factored ? "`modeling_cospadi.py` is licensed under Apache-2.0.\n" : "");
    }

    const ModelCardSubject& m_subject;
    RunRecord m_record;
    std::optional<RunSpecification> m_specification;
};

// `license: WORD` of the head between two lines `---`.
std::string licenceInHead(const std::string& readme) {
    std::istringstream lines(readme);
    std::string line;
    if (!std::getline(lines, line) || line.substr(0, 3) != "---") {
        return {};
    }
    constexpr std::string_view kField = "license:";
    while (std::getline(lines, line) && line.substr(0, 3) != "---") {
        if (line.starts_with(kField)) {
            const std::string value = line.substr(kField.size());
            const std::size_t begin = value.find_first_not_of(" \t\"'");
            const std::size_t end = value.find_last_not_of(" \t\"'\r");
            return begin == std::string::npos ? "" : value.substr(begin, end - begin + 1);
        }
    }
    return {};
}

}  // namespace

std::string licenceOf(const WeightSource& source) {
    if (source.gguf) {
        return source.gguf->string("general.license").value_or("");
    }
    const fs::path readme = source.path / "README.md";
    std::error_code ignored;
    return fs::is_regular_file(readme, ignored) ? licenceInHead(readTextFile(readme)) : "";
}

std::string modelCard(const ModelCardSubject& subject) { return Card(subject).text(); }

}  // namespace cospadi
