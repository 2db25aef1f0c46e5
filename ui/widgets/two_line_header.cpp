#include "ui/widgets/two_line_header.h"

#include <QPainter>
#include <utility>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr int kHeavyRule = 2;
constexpr int kPadding = 4;  // beside words, and what a shared rule leaves at its ends
constexpr int kAir = 6;      // above and below words

}  // namespace

TwoLineHeader::TwoLineHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(false);
    setHighlightSections(false);
    // A shared heading is cut at the edges of its columns: all of them change with one.
    connect(this, &QHeaderView::sectionResized, this, [this] { viewport()->update(); });
}

QString TwoLineHeader::sharedAbove(int section) const {
    return model()->headerData(section, Qt::Horizontal, SharedRole).toString();
}

bool TwoLineHeader::hasShared() const {
    for (int section = 0; section < count(); ++section) {
        if (!sharedAbove(section).isEmpty()) {
            return true;
        }
    }
    return false;
}

std::pair<int, int> TwoLineHeader::spanOf(int section) const {
    const QString words = sharedAbove(section);
    std::pair<int, int> span{section, section};
    while (!words.isEmpty() && span.first > 0 && sharedAbove(span.first - 1) == words) {
        --span.first;
    }
    while (!words.isEmpty() && span.second + 1 < count() && sharedAbove(span.second + 1) == words) {
        ++span.second;
    }
    return span;
}

void TwoLineHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    const QVariant font = model()->headerData(section, Qt::Horizontal, Qt::FontRole);
    painter->setFont(font.isValid() ? font.value<QFont>() : this->font());
    painter->setClipRect(rect);
    painter->fillRect(rect, theme().panel);
    painter->fillRect(QRect(rect.left(), rect.top(), rect.width(), kHeavyRule), theme().text);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme().text);
    painter->setPen(theme().text);
    QRect own = rect.adjusted(kPadding, kHeavyRule, -kPadding, -1);
    if (hasShared()) {
        own.setTop(rect.center().y());
        const QString words = sharedAbove(section);
        const auto [first, last] = spanOf(section);
        const int left = sectionViewportPosition(first);
        const int right = sectionViewportPosition(last) + sectionSize(last);
        const QRect over(left + kPadding, rect.top() + kHeavyRule, right - left - 2 * kPadding,
                         rect.height() / 2 - kHeavyRule);
        if (!words.isEmpty()) {
            painter->drawText(over, Qt::AlignCenter, words);
            painter->fillRect(QRect(over.left(), rect.center().y(), over.width(), 1), theme().text);
        }
    }
    const QVariant alignment = model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole);
    painter->drawText(
        own, alignment.isValid() ? alignment.toInt() : int(Qt::AlignLeft | Qt::AlignVCenter),
        model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString());
}

QSize TwoLineHeader::sectionSizeFromContents(int section) const {
    const QVariant font = model()->headerData(section, Qt::Horizontal, Qt::FontRole);
    const QFontMetrics metrics(font.isValid() ? font.value<QFont>() : this->font());
    const QString words = model()->headerData(section, Qt::Horizontal).toString();
    const int line = metrics.height() + 2 * kAir;
    return {metrics.horizontalAdvance(words) + 2 * kPadding,
            (hasShared() ? 2 * line - kAir : line) + kHeavyRule + 1};
}

void TwoLineHeader::makeRoomForShared() {
    for (int first = 0; first < count();) {
        const int last = spanOf(first).second;
        const QVariant font = model()->headerData(first, Qt::Horizontal, Qt::FontRole);
        const QFontMetrics metrics(font.isValid() ? font.value<QFont>() : this->font());
        const int wanted = metrics.horizontalAdvance(sharedAbove(first)) + 4 * kPadding;
        int there = 0;
        for (int section = first; section <= last; ++section) {
            there += sectionSize(section);
        }
        const int columns = last - first + 1;
        for (int section = first; section <= last && there < wanted; ++section) {
            resizeSection(section, sectionSize(section) + (wanted - there + columns - 1) / columns);
        }
        first = last + 1;
    }
}

}  // namespace cospadi::ui
