#include "ui/widgets/card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/widgets/elided_label.h"

namespace cospadi::ui {

namespace {

constexpr int kAroundControls = 8;  // pixels that a button or field in the header adds to a line

}  // namespace

Card::Card(const QString& heading, QWidget* parent)
    : QFrame(parent),
      m_note(new ElidedLabel),
      m_header(new QHBoxLayout),
      m_body(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("card"));
    auto* title = new QLabel(heading);
    title->setObjectName(QStringLiteral("heading"));
    m_note->setObjectName(QStringLiteral("muted"));
    m_body->setContentsMargins(10, 4, 10, 8);
    m_body->setSpacing(4);
    m_header->setSpacing(8);
    m_header->addStrut(fontMetrics().height() + kAroundControls);  // with and without any
    m_header->addWidget(title);
    m_header->addWidget(m_note, 1);
    m_body->addLayout(m_header);
}

void Card::setNote(const QString& note) { m_note->setText(note); }

}  // namespace cospadi::ui
