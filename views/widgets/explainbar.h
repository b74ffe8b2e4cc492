// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/explain/explain.h"

#include <QWidget>

#include <optional>

class QLabel;
class QLineEdit;
class QToolButton;

namespace palimpsest {

class Theme;

/// A field that takes a provider's error text, and below it what in the thread the text speaks of.
class ExplainBar : public QWidget {
    Q_OBJECT
public:
    explicit ExplainBar(const Theme &theme, QWidget *parent = nullptr);

    [[nodiscard]] QLineEdit *field() const { return m_field; }
    /// The error that the recording itself holds; empty: none.
    void setRecordedError(const QString &text);
    /// Nothing: the field is empty again.
    void setExplanation(const std::optional<Explanation> &explanation);
    /// The answer as it is read.
    [[nodiscard]] QString answer() const;

Q_SIGNALS:
    /// Empty: nothing is asked any more.
    void asked(const QString &error);
    /// The message or call of the explanation is to be shown.
    void placeWanted(const palimpsest::Explanation &explanation);

private:
    void restyle();

    const Theme &m_theme;
    QLineEdit *m_field;
    QToolButton *m_recorded;
    QLabel *m_answer;
    QString m_recordedError;
    std::optional<Explanation> m_explanation;
};

} // namespace palimpsest
