// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "views/dialogs/exportoffer.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QGroupBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace palimpsest {

class ProgressLine;
class RedactionForm;
class Theme;

/// What leaves the program, and how: what and which part of it, format, detail, media, archives, redaction. Makes an
/// order; whoever listens carries it out.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    ExportDialog(const Theme &theme, ExportOffer offer, QWidget *parent = nullptr);
    ~ExportDialog() override;

    /// The order that the fields make. Error Invalid says which field makes no sense.
    [[nodiscard]] Result<ExportOrder> order() const;
    /// A name for the file: source, subject and the format's ending.
    [[nodiscard]] QString suggestedName() const;
    /// Pattern for a file dialog.
    [[nodiscard]] QString fileFilter() const;

    /// Work on an order begins or ends.
    void setBusy(bool busy);
    void setProgress(double fraction, const QString &doing);
    void setHits(const std::vector<RedactionHit> &hits);
    void showError(const Error &error);
    void showDone(const QString &what);
    [[nodiscard]] QString message() const;

Q_SIGNALS:
    void exportWanted();
    void previewWanted();
    void cancelWanted();

protected:
    void reject() override;

private:
    enum class Scope { Branch, WholeThread, Calls, Turns, Selected };

    QWidget *buildForm();
    void start();
    void fillFormats();
    void fillScopes();
    void refresh();
    void readScope(ExportOrder &order) const;
    Result<void> readRun(ExportOrder &order) const;
    void say(const QString &text, bool bad);
    [[nodiscard]] TranscriptSubject subject() const;
    [[nodiscard]] TranscriptFormat format() const;
    [[nodiscard]] bool isTable() const;

    const Theme &m_theme;
    ExportOffer m_offer;
    QComboBox *m_subject;
    QSpinBox *m_event;
    QSpinBox *m_call;
    QComboBox *m_settings; ///< of a replay; of a comparison the first side, "recorded" too
    QComboBox *m_other; ///< of a comparison the second side
    QLineEdit *m_sideA;
    QLineEdit *m_sideB;
    QLineEdit *m_needle;
    QCheckBox *m_fold;
    QCheckBox *m_regex;
    QComboBox *m_scope;
    QSpinBox *m_from;
    QSpinBox *m_to;
    QComboBox *m_format;
    QComboBox *m_detail;
    QComboBox *m_media;
    QComboBox *m_archive;
    QCheckBox *m_scrub;
    QFormLayout *m_form = nullptr;
    QGroupBox *m_redactionBox;
    RedactionForm *m_redaction;
    ProgressLine *m_progress;
    QLabel *m_about;
    QLabel *m_message;
    QPushButton *m_export;
    QPushButton *m_close;
    bool m_busy = false;
};

} // namespace palimpsest
