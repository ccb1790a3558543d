/* cli-batch.h — the lines of a file translated several at a time, with the results in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-engine.h"
#include "cli/cli-lines.h"

G_BEGIN_DECLS

/* Called for each line in order. problem: why it could not be translated; both NULL for a blank
 * line. */
typedef CliLineResult (*CliBatchFunc)(const CliLine *line, mt_translation *translation,
                                      const char *problem, gpointer user);

/* All lines of the stream. max_tokens: as in mt_texts. *status becomes CLI_FAILED if anything
 * failed; FALSE: func said CLI_LINE_STOP. */
gboolean cli_batch_translate(const CliCommand *command, CliEngine *engine, CliLineStream *stream,
                             gsize max_tokens, CliBatchFunc func, gpointer user, CliStatus *status);

G_END_DECLS
