#include "ui/charts/line_density.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cospadi::ui {

namespace {

constexpr int kDeepest = 1024;  // counts from here on look alike

// What n lines over each other leave of the ground: (1 − alpha)ⁿ.
std::array<int, kDeepest> sharesOf(double alpha) {  // 256: the colour alone
    std::array<int, kDeepest> shares{};
    for (int n = 0; n < kDeepest; ++n) {
        shares[static_cast<std::size_t>(n)] =
            static_cast<int>(std::lround(256 * (1 - std::pow(1 - alpha, n))));
    }
    return shares;
}

}  // namespace

void LineDensity::reset(const QSize& pixels) {
    m_size = pixels;
    m_counts.assign(
        static_cast<std::size_t>(pixels.width()) * static_cast<std::size_t>(pixels.height()), 0);
}

void LineDensity::add(const QLineF& line, int times, bool dotted) {
    if (!std::isfinite(line.x1()) || !std::isfinite(line.x2()) || !std::isfinite(line.y1()) ||
        !std::isfinite(line.y2())) {
        return;
    }
    const double longest = std::max(std::abs(line.dx()), std::abs(line.dy()));
    const int steps = static_cast<int>(std::min(longest, 1e5)) + 1;
    // Fixed point, 16 bits after it; + ½: the pixel's middle.
    const auto fixed = [](double value) { return std::llround(value * 65536); };
    const std::int64_t xStep = fixed(line.dx() / steps);
    const std::int64_t yStep = fixed(line.dy() / steps);
    std::int64_t x = fixed(line.x1());
    std::int64_t y = fixed(line.y1());
    const std::int64_t width = m_size.width();
    const std::int64_t height = m_size.height();
    std::int64_t last = -1;  // place counted last: a line counts once a pixel
    for (int i = 0; i <= steps; ++i, x += xStep, y += yStep) {
        const std::int64_t column = x >> 16;
        const std::int64_t row = y >> 16;
        const std::int64_t place = row * width + column;
        if ((dotted && (i & 2) != 0) || place == last || column < 0 || row < 0 || column >= width ||
            row >= height) {
            continue;
        }
        m_counts[static_cast<std::size_t>(place)] += times;
        last = place;
    }
}

std::int32_t LineDensity::countAt(int x, int y) const {
    return m_counts[static_cast<std::size_t>(y) * static_cast<std::size_t>(m_size.width()) +
                    static_cast<std::size_t>(x)];
}

void LineDensity::paintOver(QImage& image, const QColor& colour) const {
    const std::array<int, kDeepest> shares = sharesOf(static_cast<double>(colour.alphaF()));
    const auto mixed = [](int ground, int ink, int share) {
        return ground + (ink - ground) * share / 256;
    };
    for (int y = 0; y < m_size.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const std::int32_t* counts =
            m_counts.data() + static_cast<std::ptrdiff_t>(y) * m_size.width();
        for (int x = 0; x < m_size.width(); ++x) {
            if (counts[x] > 0) {
                const int share =
                    shares[static_cast<std::size_t>(std::min(counts[x], kDeepest - 1))];
                line[x] = qRgb(mixed(qRed(line[x]), colour.red(), share),
                               mixed(qGreen(line[x]), colour.green(), share),
                               mixed(qBlue(line[x]), colour.blue(), share));
            }
        }
    }
}

}  // namespace cospadi::ui
