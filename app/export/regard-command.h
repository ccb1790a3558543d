/* regard-command.h — a line for a shell that has regard-cli do what was done in the window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A command is a GString that begins with the name of a program; whoever has made it frees it.
 * Everything that a person or a file said is quoted for a POSIX shell. Where no command does the
 * same, the functions return NULL and say why, in the window's language: a command that does nearly
 * the same would be a lie.
 */
#pragma once

#include "document/regard-snapshot.h"
#include "figures/regard-figure.h"
#include "formats/regard-animation.h"
#include "formats/regard-export.h"

G_BEGIN_DECLS

/* One word of a shell that is this text, whatever is in it; a path below the home folder begins
 * with ~. Caller frees. */
char *regard_command_quote(const char *text);
char *regard_command_quote_path(const char *path);

/* Opens a file in a window. Caller frees. */
char *regard_command_open(const char *path);
/* "regard-cli NAME"; of "talk/handout", "regard-cli talk handout". */
GString *regard_command_new(const char *name);
/* " --OPTION VALUE"; value NULL: a flag. */
void regard_command_add(GString *command, const char *option, const char *value);
void regard_command_add_number(GString *command, const char *option, double value);
/* What stands behind the options: a text, or paths. */
void regard_command_add_text(GString *command, const char *text);

/* What of a state a command takes. */
typedef enum {
  REGARD_COMMAND_PRECISION = 1 << 0,  /* --precision */
  REGARD_COMMAND_TARGET = 1 << 1,     /* --target, for what was given instead of searched for */
  REGARD_COMMAND_NO_CHANGES = 1 << 2, /* it has changes of its own, or none */
  REGARD_COMMAND_NO_SEARCH = 1 << 3,  /* it translates nothing */
} RegardCommandTakes;

/* Model, languages, task, precision, search, changes, and what was decided of the sentence, which
 * may be NULL. FALSE and *why: a command cannot ask for that. model: that of the state. */
gboolean regard_command_add_state(GString *command, const RegardSnapshot *state,
                                  const mt_model *model, const char *sentence,
                                  RegardCommandTakes takes, char **why);

/* The sentence that is looked at; NULL: none. Caller frees. */
char *regard_command_dup_sentence(const RegardSnapshot *state);
/* A command with that sentence as its TEXT. NULL and *why. */
GString *regard_command_of_sentence(const char *name, const RegardSnapshot *state,
                                    RegardCommandTakes takes, char **why);

/* ---- What leaves --------------------------------------------------------------------------------
 */

/* Where the numbers of a picture are from. */
typedef struct {
  const RegardSnapshot *state;
  /* Shown in the place of the text; NULL: nothing. Its path NULL: not known. */
  const mt_capture *opened;
  const char *opened_path;
} RegardCommandSource;

/* Draws or writes the figure once more; picture: its name in its page. path NULL: to standard
 * output. NULL and *why. */
char *regard_command_of_figure(const RegardCommandSource *source, RegardFigure *figure,
                               const char *picture, const RegardExportFormat *format,
                               const RegardExportOptions *options, const char *path, char **why);
/* Makes a sheet of it that has this panel alone. */
char *regard_command_of_panel(const RegardCommandSource *source, RegardFigure *figure,
                              const char *picture, const char *path, char **why);
/* Writes an animation once more. */
char *regard_command_of_frames(const RegardSnapshot *state, const RegardFrames *frames,
                               const RegardAnimationFormat *format,
                               const RegardExportOptions *options, const char *path, char **why);
/* Draws a sheet of a file once more. */
char *regard_command_of_sheet(const char *sheet, const RegardExportFormat *format,
                              const RegardExportOptions *options, const char *path);
/* Compares both with the words of a, which is NULL where it is b without its changes. */
char *regard_command_of_comparison(const RegardSnapshot *a, const RegardSnapshot *b, char **why);

G_END_DECLS
