#include "core/base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <vector>

#include "core/base/error.h"

namespace cospadi {

namespace {

void require(int done) {
    if (done != 1) {
        throw Error("SHA-256 cannot be computed", "libcrypto",
                    "check OpenSSL's installation and configuration");
    }
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : m_context(EVP_MD_CTX_new()) {
    require(EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr));
}

void Sha256::update(std::span<const std::byte> bytes) {
    require(EVP_DigestUpdate(m_context.get(), bytes.data(), bytes.size()));
}

void Sha256::update(const std::string& text) { update(std::as_bytes(std::span(text))); }

std::string Sha256::finish() {
    std::array<unsigned char, 32> digest{};
    require(EVP_DigestFinal_ex(m_context.get(), digest.data(), nullptr));
    std::string hex;
    for (const unsigned char byte : digest) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

std::string sha256OfString(const std::string& text) {
    Sha256 sum;
    sum.update(text);
    return sum.finish();
}

std::string sha256OfFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw Error("cannot be opened", path.string(), "check that it exists and is readable");
    }
    Sha256 sum;
    std::vector<char> buffer(1 << 18);
    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())),
           file.gcount() > 0) {
        sum.update(std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(file.gcount()))));
    }
    if (file.bad()) {
        throw Error("reading failed", path.string(), "check the disk");
    }
    return sum.finish();
}

}  // namespace cospadi
