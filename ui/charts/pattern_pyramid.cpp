#include "ui/charts/pattern_pyramid.h"

#include <QColor>
#include <algorithm>
#include <cmath>

namespace cospadi::ui {

namespace {

constexpr int kFaintestEntry = 60;  // of 255

QImage halved(const QImage& image) {
    const int width = (image.width() + 1) / 2;
    const int height = (image.height() + 1) / 2;
    QImage result(width, height, QImage::Format_Indexed8);
    result.setColorTable(image.colorTable());
    for (int y = 0; y < height; ++y) {
        const uchar* upper = image.constScanLine(2 * y);
        const uchar* lower = image.constScanLine(std::min(2 * y + 1, image.height() - 1));
        uchar* out = result.scanLine(y);
        for (int x = 0; x < width; ++x) {
            const int right = std::min(2 * x + 1, image.width() - 1);
            out[x] = static_cast<uchar>(
                (upper[2 * x] + upper[right] + lower[2 * x] + lower[right] + 2) / 4);
        }
    }
    return result;
}

// Means of red, green and blue.
QImage halvedColours(const QImage& image) {
    QImage result((image.width() + 1) / 2, (image.height() + 1) / 2, QImage::Format_RGB32);
    for (int y = 0; y < result.height(); ++y) {
        const auto* upper = reinterpret_cast<const QRgb*>(image.constScanLine(2 * y));
        const auto* lower = reinterpret_cast<const QRgb*>(
            image.constScanLine(std::min(2 * y + 1, image.height() - 1)));
        auto* out = reinterpret_cast<QRgb*>(result.scanLine(y));
        for (int x = 0; x < result.width(); ++x) {
            const int right = std::min(2 * x + 1, image.width() - 1);
            int red = 2;
            int green = 2;
            int blue = 2;
            for (const QRgb one : {upper[2 * x], upper[right], lower[2 * x], lower[right]}) {
                red += qRed(one);
                green += qGreen(one);
                blue += qBlue(one);
            }
            out[x] = qRgb(red / 4, green / 4, blue / 4);
        }
    }
    return result;
}

QList<QImage> withSmallerOnes(const QImage& image, QImage (*smaller)(const QImage&)) {
    QList<QImage> levels{image};
    while (std::max(levels.last().width(), levels.last().height()) > 256) {
        levels.append(smaller(levels.last()));
    }
    return levels;
}

// shade(index into what is column-major) for every entry, in the orders.
template <typename Shade>
QList<QImage> shadedPyramid(std::int64_t k, std::int64_t d2,
                            const std::vector<std::int64_t>& rowOrder,
                            const std::vector<std::int64_t>& columnOrder, const Shade& shade) {
    const std::int64_t rows = rowOrder.empty() ? k : static_cast<std::int64_t>(rowOrder.size());
    QImage image(static_cast<int>(d2), static_cast<int>(rows), QImage::Format_Indexed8);
    if (image.isNull()) {
        return {};
    }
    image.setColorTable(shadeColours(false));
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t atom = rowOrder.empty() ? row : rowOrder[static_cast<std::size_t>(row)];
        uchar* line = image.scanLine(static_cast<int>(row));
        if (atom < 0) {
            std::fill_n(line, d2, uchar{0});
            continue;
        }
        for (std::int64_t j = 0; j < d2; ++j) {
            const std::int64_t column =
                columnOrder.empty() ? j : columnOrder[static_cast<std::size_t>(j)];
            line[j] = shade(static_cast<std::size_t>(column * k + atom));
        }
    }
    return withSmallerOnes(image, halved);
}

}  // namespace

QList<QRgb> shadeColours(bool dark) {
    const QColor empty(dark ? "#23282f" : "#ffffff");
    const QColor full(dark ? "#b5d9ff" : "#123f73");  // single pixels of it are seen
    QList<QRgb> colours;
    for (int i = 0; i < 256; ++i) {
        const auto mix = [i](int from, int to) { return from + (to - from) * i / 255; };
        colours.append(qRgb(mix(empty.red(), full.red()), mix(empty.green(), full.green()),
                            mix(empty.blue(), full.blue())));
    }
    return colours;
}

QImage onPaper(const QImage& image) {
    if (image.format() != QImage::Format_Indexed8) {
        return image;
    }
    QImage result = image;
    result.setColorTable(shadeColours(false));
    return result;
}

QList<QImage> patternPyramid(const std::vector<std::uint8_t>& entries, std::int64_t k,
                             std::int64_t d2, const std::vector<std::int64_t>& rowOrder,
                             const std::vector<std::int64_t>& columnOrder) {
    return shadedPyramid(k, d2, rowOrder, columnOrder, [&entries](std::size_t at) {
        return static_cast<uchar>(entries[at] != 0 ? 255 : 0);
    });
}

QList<QImage> magnitudePyramid(const std::vector<float>& values, double scale, std::int64_t k,
                               std::int64_t d2, const std::vector<std::int64_t>& rowOrder,
                               const std::vector<std::int64_t>& columnOrder) {
    const double perShade = scale > 0 ? (255 - kFaintestEntry) / scale : 0;
    return shadedPyramid(k, d2, rowOrder, columnOrder, [&values, perShade](std::size_t at) {
        const double size = std::abs(static_cast<double>(values[at]));
        return static_cast<uchar>(
            size > 0 ? std::min(255.0, std::round(kFaintestEntry + size * perShade)) : 0);
    });
}

QList<QImage> densityPyramid(const std::vector<std::uint8_t>& densities, std::int64_t rows,
                             std::int64_t columns) {
    QImage image(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_Indexed8);
    if (image.isNull()) {
        return {};
    }
    image.setColorTable(shadeColours(false));
    for (std::int64_t row = 0; row < rows; ++row) {
        std::copy_n(densities.begin() + row * columns, columns,
                    image.scanLine(static_cast<int>(row)));
    }
    return withSmallerOnes(image, halved);
}

QList<QImage> colourPyramid(const QImage& image) {
    return image.isNull()
               ? QList<QImage>{}
               : withSmallerOnes(image.convertToFormat(QImage::Format_RGB32), halvedColours);
}

}  // namespace cospadi::ui
