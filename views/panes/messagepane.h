// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/focus.h"
#include "models/messagemodel.h"

#include <QList>
#include <QWidget>

class QLabel;
class QMenu;
class QTabBar;
class QToolButton;

namespace palimpsest {

class FilterBar;
class FoldState;
class MessageList;
class Strip;
class Theme;

/// The raw log, or the effective messages with a tab for each event and one for the call's request. Follows the
/// selection and sets it.
class MessagePane : public QWidget {
    Q_OBJECT
public:
    MessagePane(Focus *focus, Theme *theme, FoldState *folds, MessageModel::List list, QWidget *parent = nullptr);

    [[nodiscard]] MessageList *list() const { return m_list; }
    [[nodiscard]] MessageModel *model() const { return m_model; }
    [[nodiscard]] FilterBar *filterBar() const { return m_filters; }
    [[nodiscard]] QTabBar *tabs() const { return m_tabs; }
    /// What the pane shows, for its dock's title.
    [[nodiscard]] QString title() const;
    void setFilterVisible(bool visible);
    /// Keys of the messages that are selected, in their order.
    [[nodiscard]] std::vector<std::string> selectedKeys() const;

Q_SIGNALS:
    /// "Export" was chosen in the menu: of the selected messages, or of all that is shown.
    void exportWanted(bool selected);
    void titleChanged(const QString &title);
    /// "Copy place" was chosen in the menu of a row.
    void copyPlaceWanted();
    /// "Where did this go?" was chosen in the menu of a row.
    void traceWanted();
    /// A namespace of a subagent is to be shown.
    void namespaceWanted(const std::string &ns);
    /// The call that started the subagent shown is to be shown.
    void parentWanted();

protected:
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void onScene();
    void onChosen(const Place &now, const Place &before);
    void onRow(int row);
    void onTab(int index);
    void fillTabs();
    void showWhatIfButton(const Scene &scene);
    /// What the tabs stand for: the start, the events around the current one, a menu of all of them when there are
    /// many, and the call.
    [[nodiscard]] static QList<int> tabsFor(int events, int current);
    void chooseFromAllEvents();
    void showEventMessages(int number);
    [[nodiscard]] QString leadText(const Scene &scene) const;
    /// The subagent whose namespace is shown, by agent and first words; empty for the root.
    [[nodiscard]] static QString subagentOf(const Scene &scene);
    void addSubagents(QMenu &menu, const MessageRow &row);
    void openSubagent(const MessageRow &described, int row);
    void showChosen();
    void restyle();
    [[nodiscard]] bool isRaw() const { return m_model->list() == MessageModel::List::RawLog; }

    Focus *m_focus;
    Theme *m_theme;
    MessageModel *m_model;
    MessageList *m_list;
    Strip *m_strip;
    FilterBar *m_filters;
    QLabel *m_caption;
    QToolButton *m_filterButton;
    QToolButton *m_parentButton = nullptr; ///< of the raw log
    QTabBar *m_tabs = nullptr;
    QToolButton *m_whatIf = nullptr; ///< the what-if's request instead of the recorded one
    QLabel *m_unseen = nullptr; ///< first row of the effective messages, cannot be scrolled away
    QLabel *m_empty;
    QList<int> m_tabsShown; ///< what each tab stands for
};

} // namespace palimpsest
