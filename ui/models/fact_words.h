// What a form of storage tells of a matrix (docs/formats.md), whatever its fields are.
#pragma once

#include <QString>
#include <QVariantMap>

namespace cospadi::ui {

QString factWords(const QVariantMap& facts);  // "bits 4, group_size 64"

}  // namespace cospadi::ui
