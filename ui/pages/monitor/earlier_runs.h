// Earlier runs on the Monitor page: one that is opened in the place of the live one, with its
// curves and its log, and one whose errors stand as a reference below those that are shown. Reads
// their events on a pool thread. The widget is the line that says which run is open; the box that
// chooses the reference stands where the page wants it. GUI thread only.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/store/run_row.h"
#include "ui/base/latest_work.h"
#include "ui/engine/run_history.h"

class QComboBox;
class QLabel;

namespace cospadi::ui {

class EarlierRuns : public QWidget {
    Q_OBJECT

  public:
    explicit EarlierRuns(QWidget* parent = nullptr);

    void setRuns(const std::vector<RunRow>& newestFirst);  // that can be the reference
    void open(const QString& directory, const QString& name);
    void close();
    // Null: none, as with the next; valid until openedChanged() or referenceChanged().
    const RunHistory* opened() const { return m_opened.get(); }
    const RunTrace* reference() const;
    QString referenceName() const;
    QComboBox* referenceBox() const { return m_box; }

  signals:
    void openedChanged();
    void referenceChanged();
    // A run could not be read: what was shown before stays.
    void problem(const QString& what, const QString& where, const QString& hint);

  private:
    void readReference();
    void tell(const QString& name, const Error& error);

    std::shared_ptr<const RunHistory> m_opened;
    std::shared_ptr<const RunHistory> m_reference;
    LatestWork m_opening;
    LatestWork m_referring;
    QComboBox* m_box;
    QLabel* m_words;
};

}  // namespace cospadi::ui
