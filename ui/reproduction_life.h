// Tables and figures of the paper from one's own runs, as the window tells of them: the dialog
// beside it, and what came of it, to who has closed the dialog meanwhile.
#pragma once

#include <QObject>
#include <QString>

#include "ui/window_pages.h"
#include "ui/window_services.h"

namespace cospadi::ui {

class OpenModel;

class ReproductionLife : public QObject {
    Q_OBJECT

  public:
    struct Parts {  // none is null
        WindowPages pages;
        WindowServices services;
        const OpenModel* openModel;
    };

    // Belongs to the window.
    ReproductionLife(const Parts& parts, QWidget* window);

  private:
    void showDialog();  // the one that is open comes to the front
    void tell(const QString& words);

    Parts m_parts;
    QWidget* m_window;
};

}  // namespace cospadi::ui
