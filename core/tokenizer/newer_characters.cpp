#include "core/tokenizer/newer_characters.h"

#include <array>
#include <string_view>

namespace cospadi {

namespace {

struct Category {
    std::string_view name;
    const char* ranges;
};

// Assigned in Unicode 14.1 to 16.
constexpr std::array kCategories = {
    Category{"Lu", R"(\x{1c89}\x{a7cb}-\x{a7cc}\x{a7da}\x{a7dc}\x{10d50}-\x{10d65})"},
    Category{"Ll", R"(\x{1c8a}\x{a7cd}\x{a7db}\x{10d70}-\x{10d85}\x{1df25}-\x{1df2a})"},
    Category{"Lm", R"(\x{10d4e}\x{10d6f}\x{16d40}-\x{16d42}\x{16d6b}-\x{16d6c}\x{1e030}-\x{1e06d})"
                   R"(\x{1e4eb})"},
    Category{"Lo", R"(\x{105c0}-\x{105f3}\x{10d4a}-\x{10d4d}\x{10d4f}\x{10ec2}-\x{10ec4})"
                   R"(\x{1123f}-\x{11240}\x{11380}-\x{11389}\x{1138b}\x{1138e}\x{11390}-\x{113b5})"
                   R"(\x{113b7}\x{113d1}\x{113d3}\x{11bc0}-\x{11be0}\x{11f02}\x{11f04}-\x{11f10})"
                   R"(\x{11f12}-\x{11f33}\x{1342f}\x{13441}-\x{13446}\x{13460}-\x{143fa})"
                   R"(\x{16100}-\x{1611d}\x{16d43}-\x{16d6a}\x{18cff}\x{1b132}\x{1b155})"
                   R"(\x{1e4d0}-\x{1e4ea}\x{1e5d0}-\x{1e5ed}\x{1e5f0}\x{2b739}\x{2ebf0}-\x{2ee5d})"
                   R"(\x{31350}-\x{323af})"},
    Category{"Mn",
             R"(\x{897}\x{ece}\x{10d69}-\x{10d6d}\x{10efc}-\x{10eff}\x{11241}\x{113bb}-\x{113c0})"
             R"(\x{113ce}\x{113d0}\x{113d2}\x{113e1}-\x{113e2}\x{11f00}-\x{11f01})"
             R"(\x{11f36}-\x{11f3a}\x{11f40}\x{11f42}\x{11f5a}\x{13440}\x{13447}-\x{13455})"
             R"(\x{1611e}-\x{16129}\x{1612d}-\x{1612f}\x{1e08f}\x{1e4ec}-\x{1e4ef})"
             R"(\x{1e5ee}-\x{1e5ef})"},
    Category{"Mc", R"(\x{cf3}\x{113b8}-\x{113ba}\x{113c2}\x{113c5}\x{113c7}-\x{113ca})"
                   R"(\x{113cc}-\x{113cd}\x{113cf}\x{1171e}\x{11f03}\x{11f34}-\x{11f35})"
                   R"(\x{11f3e}-\x{11f3f}\x{11f41}\x{1612a}-\x{1612c})"},
    Category{"Nd", R"(\x{10d40}-\x{10d49}\x{116d0}-\x{116e3}\x{11bf0}-\x{11bf9}\x{11f50}-\x{11f59})"
                   R"(\x{16130}-\x{16139}\x{16d70}-\x{16d79}\x{1ccf0}-\x{1ccf9}\x{1e4f0}-\x{1e4f9})"
                   R"(\x{1e5f1}-\x{1e5fa})"},
    Category{"No", R"(\x{1d2c0}-\x{1d2d3})"},
    Category{"Pd", R"(\x{10d6e})"},
    Category{"Po",
             R"(\x{1b4e}-\x{1b4f}\x{1b7f}\x{113d4}-\x{113d5}\x{113d7}-\x{113d8})"
             R"(\x{11b00}-\x{11b09}\x{11be1}\x{11f43}-\x{11f4f}\x{16d6d}-\x{16d6f}\x{1e5ff})"},
    Category{"Sm", R"(\x{10d8e}-\x{10d8f})"},
    Category{"So",
             R"(\x{2427}-\x{2429}\x{2ffc}-\x{2fff}\x{31e4}-\x{31e5}\x{31ef}\x{1cc00}-\x{1ccef})"
             R"(\x{1cd00}-\x{1ceb3}\x{1f6dc}\x{1f774}-\x{1f776}\x{1f77b}-\x{1f77f}\x{1f7d9})"
             R"(\x{1f8b2}-\x{1f8bb}\x{1f8c0}-\x{1f8c1}\x{1fa75}-\x{1fa77}\x{1fa87}-\x{1fa89})"
             R"(\x{1fa8f}\x{1faad}-\x{1faaf}\x{1fabb}-\x{1fabf}\x{1fac6}\x{1face}-\x{1facf})"
             R"(\x{1fada}-\x{1fadc}\x{1fadf}\x{1fae8}-\x{1fae9}\x{1faf7}-\x{1faf8})"
             R"(\x{1fbcb}-\x{1fbef})"}};

}  // namespace

std::string newerCharacters(const std::string& category) {
    std::string ranges;
    for (const Category& one : kCategories) {
        if (one.name.starts_with(category)) {
            ranges += one.ranges;
        }
    }
    return ranges;
}

}  // namespace cospadi
