// What commands print with --json against docs/formats.md, "JSON output": every field that the
// section names is there and of its type, and no other.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_json_output {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

// A type as the section writes it: text, int, [Run], {k: int, note?: text, *: any}, number/null.
struct Field;

struct Type {
    enum class Kind { Named, List, Object, OneOf } kind = Kind::Named;
    std::string name;
    std::vector<Type> parts;  // the list's element; alternatives
    std::vector<Field> fields;
};

struct Field {
    std::string name;
    Type type;
};

class Reader {
  public:
    explicit Reader(std::string text) : m_text(std::move(text)) {}

    Type whole() {
        const Type type = read();
        if (m_at != m_text.size()) {
            throw std::runtime_error("unread: " + m_text.substr(m_at));
        }
        return type;
    }

  private:
    Type read() {
        Type first = one();
        if (!take("/")) {
            return first;
        }
        Type either;
        either.kind = Type::Kind::OneOf;
        either.parts.push_back(std::move(first));
        do {
            either.parts.push_back(one());
        } while (take("/"));
        return either;
    }

    Type one() {
        Type type;
        if (take("[")) {
            type.kind = Type::Kind::List;
            type.parts.push_back(read());
            expect("]");
        } else if (take("{")) {
            type.kind = Type::Kind::Object;
            do {
                if (take("...")) {
                    type.parts.push_back(one());  // its fields, too
                    continue;
                }
                std::string name = take("*") ? "*" : word();
                name += take("?") ? "?" : "";
                expect(":");
                type.fields.push_back({name, read()});
            } while (take(","));
            expect("}");
        } else {
            type.name = word();
        }
        return type;
    }

    std::string word() {
        skip();
        std::string found;
        while (m_at < m_text.size() && (std::isalnum(m_text[m_at]) != 0 || m_text[m_at] == '_')) {
            found += m_text[m_at++];
        }
        if (found.empty()) {
            throw std::runtime_error("no word at: " + m_text.substr(m_at));
        }
        return found;
    }

    bool take(const std::string& sign) {
        skip();
        const bool is = m_text.compare(m_at, sign.size(), sign) == 0;
        m_at += is ? sign.size() : 0;
        return is;
    }

    void expect(const std::string& sign) {
        if (!take(sign)) {
            throw std::runtime_error("no " + sign + " at: " + m_text.substr(m_at));
        }
    }

    void skip() {
        while (m_at < m_text.size() && m_text[m_at] == ' ') {
            ++m_at;
        }
    }

    std::string m_text;
    std::size_t m_at = 0;
};

class Schema {
  public:
    // The two tables of the section: | `name`, … | `type` |
    explicit Schema(const fs::path& document) {
        std::ifstream file(document);
        const std::regex row(R"(^\| `([^`]+)`.*\| `(.*)` \|$)");
        bool inside = false;
        for (std::string line; std::getline(file, line);) {
            inside = line.starts_with("## ") ? line == "## JSON output" : inside;
            std::smatch parts;
            if (inside && std::regex_match(line, parts, row)) {
                m_types.emplace(parts[1], Reader(parts[2]).whole());
            }
        }
    }

    std::size_t size() const { return m_types.size(); }

    // Empty where `value` is what `name` says, else where it is not.
    std::string problem(const std::string& name, const json& value) const {
        const auto found = m_types.find(name);
        return found == m_types.end() ? "the section has no " + name
                                      : problem(found->second, value, name);
    }

  private:
    std::string problem(const Type& type, const json& value, const std::string& where) const {
        switch (type.kind) {
            case Type::Kind::Named:
                return named(type.name, value, where);
            case Type::Kind::OneOf:
                for (const Type& part : type.parts) {
                    if (problem(part, value, where).empty()) {
                        return "";
                    }
                }
                return where + " is none of its types: " + value.dump();
            case Type::Kind::List:
                return list(type, value, where);
            case Type::Kind::Object:
                return object(type, value, where);
        }
        return "";
    }

    std::string named(const std::string& name, const json& value, const std::string& where) const {
        if (m_types.contains(name)) {
            return problem(m_types.at(name), value, where);
        }
        const bool fits = name == "any"      ? true
                          : name == "text"   ? value.is_string()
                          : name == "int"    ? value.is_number_integer()
                          : name == "number" ? value.is_number()
                          : name == "flag"   ? value.is_boolean()
                          : name == "null"   ? value.is_null()
                                             : false;
        return fits ? "" : where + " is no " + name + ": " + value.dump();
    }

    std::string list(const Type& type, const json& value, const std::string& where) const {
        if (!value.is_array()) {
            return where + " is no list";
        }
        for (const json& element : value) {
            if (std::string wrong = problem(type.parts.front(), element, where + "[]");
                !wrong.empty()) {
                return wrong;
            }
        }
        return "";
    }

    std::string object(const Type& type, const json& value, const std::string& where) const {
        if (!value.is_object()) {
            return where + " is no object";
        }
        std::vector<Field> fields = type.fields;
        for (const Type& part : type.parts) {
            const auto& more = m_types.at(part.name).fields;
            fields.insert(fields.end(), more.begin(), more.end());
        }
        const Type* others = nullptr;
        std::map<std::string, const Type*> known;
        for (const auto& [name, field] : fields) {
            if (name == "*") {
                others = &field;
                continue;
            }
            const bool optional = name.ends_with('?');
            const std::string plain = optional ? name.substr(0, name.size() - 1) : name;
            known[plain] = &field;
            if (!optional && !value.contains(plain)) {
                return where + " has no " + plain;
            }
        }
        for (const auto& [name, field] : value.items()) {
            const Type* expected = known.contains(name) ? known[name] : others;
            if (expected == nullptr) {
                return where + " has an undocumented " + name;
            }
            if (std::string wrong = problem(*expected, field, where + "." + name); !wrong.empty()) {
                return wrong;
            }
        }
        return "";
    }

    std::map<std::string, Type> m_types;
};

}  // namespace

class TestJsonOutput : public QObject, CliUnderTest {
    Q_OBJECT
    std::unique_ptr<Schema> m_schema;

    json run(const QStringList& arguments) const {
        const QByteArray printed = CliUnderTest::run(arguments + QStringList{"--json"}).out;
        return json::parse(printed.toStdString(), nullptr, false);
    }

    static QString id(const json& run) { return QString::fromStdString(run["run"]); }

  private slots:
    void initTestCase() {
        environment.insert("COSPADI_RUNS", place("store/runs"));
        m_schema = std::make_unique<Schema>(COSPADI_SOURCE_DIR "/docs/formats.md");
        QVERIFY(m_schema->size() > 20);
    }

    // The checker itself: what is missing, of another type, or not in the section is found.
    void theCheckerCanFail() {
        const json good = {{"path", "x"}, {"bytes", 1}, {"runs", 2}};
        QCOMPARE(m_schema->problem("runs export", good), std::string());
        json bad = good;
        bad["bytes"] = 1.5;
        QVERIFY(!m_schema->problem("runs export", bad).empty());
        bad = good;
        bad.erase("path");
        QVERIFY(!m_schema->problem("runs export", bad).empty());
        bad = good;
        bad["more"] = 1;
        QVERIFY(!m_schema->problem("runs export", bad).empty());
    }

    void commandsPrintWhatIsDocumented() {
        const auto check = [&](const std::string& name, const QStringList& arguments) {
            const json object = run(arguments);
            const std::string wrong = m_schema->problem(name, object);
            if (!wrong.empty()) {
                QTest::qFail((name + ": " + wrong).c_str(), __FILE__, __LINE__);
            }
            return object;
        };
        check("inspect", {"inspect", model()});
        check("logits", {"logits", model(), "--ids", "1,2,3"});
        check("budget", {"budget", "--shape", "96x64"});
        check("methods", {"methods"});
        check("methods NAME", {"methods", "rtn"});
        const json gptq = check("methods NAME", {"methods", "gptq"});
        QVERIFY(gptq.dump().find("act_order") != std::string::npos);
        check("manual", {"manual"});
        check("completion", {"completion", "bash"});
        check("calibrate",
              {"calibrate", model(), "--text", text(), "--sequences", "2", "--length", "16"});
        const QStringList some{"--layers", "attn_k"};
        const json sparse =
            check("compress", QStringList{"compress", model(), "--method", "cospadi-free"} + some);
        const json low =
            check("compress", QStringList{"compress", model(), "--method", "svd"} + some);
        const json quantised =
            check("compress", QStringList{"compress", model(), "--method", "gptq", "--group-size",
                                          "16", "--propagation", "input", "--calibration", text(),
                                          "--sequences", "2", "--length", "16"} +
                                  some);
        check("runs show", {"runs", "show", id(quantised)});
        const json predicted = check(
            "predict", QStringList{"predict", model(), "--method", "svd", "--cr", "0.3"} + some);
        QVERIFY(predicted["shared"]["perplexity"].get<double>() > 0);
        QVERIFY(!predicted["ratios"].empty());
        check("inspect", {"inspect", id(sparse)});
        const json wide = check("compress", {"compress", model(), "--method", "cospadi-free",
                                             "--coefficient-bits", "16", "--layers", "ffn"});
        const json shorter = check("requantize", {"requantize", id(wide), "--coefficient-bits",
                                                  "14,12", "--tag", "short"});
        QCOMPARE(shorter["runs"].size(), std::size_t{2});
        QVERIFY(shorter["runs"][0]["bytes"] > shorter["runs"][1]["bytes"]);
        check("runs show", {"runs", "show", id(shorter["runs"][1])});
        const json refined = check("refine", {"refine", id(wide), "--sequences", "8"});
        QVERIFY(refined["held_out_after"] < refined["held_out_before"]);
        check("runs show", {"runs", "show", id(refined)});
        const json part = check("runs slice", {"runs", "slice", id(wide), "--layers", "up|gate"});
        check("inspect", {"inspect", id(part)});
        QVERIFY(part["global_cr"] < part["measured_cr"]);
        const QStringList grid =
            QStringList{"sweep", model(), "--method", "svd,cospadi-free", "--cr", "0.2,0.3"} + some;
        check("sweep --dry-run", grid + QStringList{"--dry-run", "--layers", "sideways"});
        check("sweep",
              grid + QStringList{"--evaluate", text(), "--context", "16", "--layers", "sideways"});
        const QString jobs = place("jobs/sweep.json");
        check("sweep --write-jobs", grid + QStringList{"--write-jobs", jobs});
        check("sweep --on slurm --dry-run", {"sweep", jobs, "--on", "slurm", "--dry-run"});
        check("sweep --on snakemake", {"sweep", jobs, "--on", "snakemake"});
        check("job", {"job", "--sweep", jobs, "--index", "0"});
        check("sweep status", {"sweep", "status", jobs});
        check("sweep cancel", {"sweep", "cancel", jobs});
        check("evaluate --perplexity",
              {"evaluate", model(), "--perplexity", text(), "--context", "16"});
        check("bench serving", {"bench", "serving", id(sparse), "--prompts", "1", "--users", "1",
                                "--tokens", "2", "--rounds", "1"});
        check("compare", {"compare", model(), id(sparse), "--weights-only"});
        check("compare", {"compare", model(), id(sparse), "--text", text(), "--context", "16"});
        check("export", {"export", model(), "--format", "hf", "--out", place("exported")});
        check("lm-eval import",
              {"lm-eval", "import",
               COSPADI_TEST_DATA "/lm_eval/results_2026-11-21T02-03-31.333142.json"});
        check("runs list", {"runs", "list"});
        check("runs list --group", {"runs", "list", "--group", "method,cr"});
        check("runs show", {"runs", "show", id(sparse)});
        check("runs show", {"runs", "show", id(low)});
        check("runs diff", {"runs", "diff", id(sparse), id(low)});
        check("runs tag", {"runs", "tag", id(low), "a"});
        check("runs export --format mlflow",
              {"runs", "export", id(low), "--format", "mlflow", "--out", place("mlruns")});
        check("runs import-external", {"runs", "import-external", place("mlruns")});
        check("runs export", {"runs", "export", id(low), "--out", place("run.tar")});
        check("runs delete", {"runs", "delete", id(low)});
        check("runs import", {"runs", "import", place("store/runs")});
        check("report", {"report", "--metric", "error"});
        for (const char* preset : {"rho", "solvers", "storage", "coefficient-bits"}) {
            check("report", {"report", "--preset", preset});
        }
        check("report", {"report", "--series", "pareto"});
        QDir().mkpath(place("resources/reproduce"));
        std::ofstream(place("resources/reproduce/tiny.yaml").toStdString())
            << "label: tab:ablation_data\nnumber: Table 1\nshows: a table\npublished: "
               "[ablation-data]\nprotocol: {grid: {method: svd, cr: 0.2, layers: [attn_k, "
               "sideways]}}\noutputs: [{rows: [method, layers, cr], values: [error]}]\n";
        environment.insert("COSPADI_RESOURCES", place("resources"));
        check("reproduce", {"reproduce"});
        check("reproduce LABEL --dry-run", {"reproduce", "tiny", model(), "--dry-run"});
        check("reproduce all --dry-run", {"reproduce", "all", model(), "--dry-run"});
        check("reproduce LABEL", {"reproduce", "tiny", model()});
        check("reproduce all", {"reproduce", "all", model(), "--out", place("reproduced")});
        environment.remove("COSPADI_RESOURCES");
        check("report --out", {"report", "--metric", "error", "--out", place("table.tex")});
    }
};

COSPADI_TEST(TestJsonOutput)

}  // namespace tst_json_output

#include "tst_json_output.moc"
