// What tests of tokenizer files begin with: a tokenizer of three tokens to be changed, a folder of
// their own to write such files to, and the files of the test data.
#pragma once

#include <QByteArray>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/own_folder.h"

namespace tokenizer_fixture {

// JSON with ' for ".
inline nlohmann::json parsed(QByteArray text) {
    return nlohmann::json::parse(text.replace('\'', '"').toStdString());
}

inline nlohmann::json smallTokenizer() {
    return parsed(
        "{'model':{'type':'BPE','vocab':{'a':0,'b':1,'ab':2},'merges':['a b']},"
        "'pre_tokenizer':{'type':'ByteLevel','add_prefix_space':false},"
        "'decoder':{'type':'ByteLevel'}}");
}

inline std::filesystem::path stored(const std::string& name) {
    return std::filesystem::path(COSPADI_TEST_DATA "/tokenizers") / name;
}

class TokenizerFixture : public OwnFolder {
  protected:
    std::filesystem::path written(const std::string& text) const {
        const std::filesystem::path path = place("tokenizer.json");
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
};

}  // namespace tokenizer_fixture
