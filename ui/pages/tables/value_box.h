// A list of values to choose one from, which gives way where there is little room. One that is
// asked for stays in it though it is no longer among them: a saved table may name it. A value is
// kept as the data of its entry, whatever it reads.
#pragma once

#include <QComboBox>
#include <QStringList>

namespace cospadi::ui {

class ValueBox : public QComboBox {
    Q_OBJECT

  public:
    using Wording = QString (*)(const QString& value);

    // wording: how a value reads; none: as it is.
    explicit ValueBox(Wording wording = nullptr, QWidget* parent = nullptr);

    QString value() const { return currentData().toString(); }
    void choose(const QString& value);
    // any: what no value in particular reads; empty: one has to be chosen.
    void setValues(const QStringList& values, const QString& any = {});

  private:
    QString wordsOf(const QString& value) const { return m_wording ? m_wording(value) : value; }

    Wording m_wording;
};

}  // namespace cospadi::ui
