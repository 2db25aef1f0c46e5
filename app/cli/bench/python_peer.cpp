#include "app/cli/bench/python_peer.h"

#include <cstdio>
#include <memory>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/exports/export_model.h"

namespace cospadi::cli {

namespace {

std::string quoted(const std::string& word) {
    std::string result = "'";
    for (const char c : word) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

std::string outputOf(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    char part[4096];
    while (pipe != nullptr && std::fgets(part, sizeof part, pipe.get()) != nullptr) {
        text += part;
    }
    return text;
}

}  // namespace

void exportGguf(const std::string& model, DType dtype, const std::filesystem::path& file) {
    ExportRequest request;
    request.model = model;
    request.format = ExportFormat::Gguf;
    request.dtype = dtype;
    request.out = file;
    exportModel(request);
}

nlohmann::json askPython(const std::string& python, const std::string& script,
                         const std::vector<std::string>& arguments, const std::string& needs) {
    std::string command = quoted(python) + " " + quoted(resourcePath("bench/" + script).string());
    for (const std::string& argument : arguments) {
        command += " " + quoted(argument);
    }
    nlohmann::json result = nlohmann::json::parse(outputOf(command), nullptr, false);
    if (result.is_discarded()) {
        throw Error("the peer returned no result", python, "see its messages above; it " + needs);
    }
    return result;
}

}  // namespace cospadi::cli
