// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace palimpsest {

class MainWindow;

/// Makes every pane, gives it the focus and what else it needs, and puts it into its dock. The only place that knows
/// all panes.
void buildPanes(MainWindow &window);

/// Timeline, findings, inspector, state, start page; themes, command palette and help.
void buildStudyPanes(MainWindow &window);

/// Tuning with its what-if, decisions.
void buildTuningPanes(MainWindow &window);

/// The recording and two settings side by side, or two threads; after the tuning panes.
void buildComparison(MainWindow &window);

/// Grids of settings over one thread or many; after the tuning panes.
void buildSweep(MainWindow &window);

/// Settings over a conversation that goes on as it went; after the tuning panes.
void buildProjection(MainWindow &window);

/// Summaries by a model of the user's choice; after the tuning panes.
void buildSummaries(MainWindow &window);

/// Trace, growth, difference and composition: what became of a text and of the bytes.
void buildInsightPanes(MainWindow &window);

/// The export dialog and what opens it; after all panes and before the commands.
void buildExports(MainWindow &window);

/// The dialog of folders and stores that hold an agent's files; before the commands.
void buildPlaces(MainWindow &window);

/// Actions of the menus Edit, Go, View and Help, and the tool bar.
void buildCommands(MainWindow &window);

} // namespace palimpsest
