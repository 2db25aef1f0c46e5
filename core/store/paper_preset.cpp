#include "core/store/paper_preset.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/store/run_settings.h"

namespace cospadi {

RunSpecification presetSpecification(const std::string& preset) {
    if (preset != kPaperPreset) {
        throw Error(fmt::format("'{}' is not a preset", preset), "preset", "use paper");
    }
    RunSpecification s;
    s.method = &cospadiMethod();
    s.solver = Solver::Ksvd;
    s.iterations = 60;
    s.update = DictionaryUpdate::KsvdPower;
    s.powerIterations = 8;
    s.init = DictionaryInit::WeightColumns;
    s.deadAtoms = DeadAtoms::Keep;
    s.accounting = Accounting::Eq11;
    s.rho = 2;  // and so 14 bits a coefficient
    s.coefficientRounding = CoefficientRounding::Truncate;
    s.side = DictionarySide::Input;
    s.seed = 42;
    s.calibration.text = "web";
    s.calibration.sequences = 256;
    s.calibration.length = 1024;
    s.calibration.seed = 42;
    return s;
}

bool isPaper(const RunSpecification& s) {
    RunSpecification paper = presetSpecification(kPaperPreset);
    if (s.method != paper.method || s.solver != paper.solver || s.init != paper.init) {
        return false;  // at once for the thousands of a list
    }
    paper.model = s.model;
    paper.modelSha256 = s.modelSha256;
    paper.layers = s.layers;
    paper.cr = s.cr;
    paper.calibration.text = s.calibration.text;
    paper.calibration.textSha256 = s.calibration.textSha256;
    if (s.derived && !s.derived->isRequantized()) {
        paper.derived = s.derived;  // layers of the paper's run, as it has them
    }
    return toJson(effective(s)) == toJson(effective(paper));
}

const std::set<std::string>& paperFields() {
    static const std::set<std::string> fields = [] {
        std::set<std::string> all;
        for (const auto& [field, value] : settingsOf(presetSpecification(kPaperPreset))) {
            all.insert(field);
        }
        for (const char* free : {"model", "method", "layers", "cr", "calibration.text"}) {
            all.erase(free);
        }
        return all;
    }();
    return fields;
}

}  // namespace cospadi
