/* regard-quality-run.h — a text translated without changes and with them, and compared with its
 * references.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-quality.h"

G_BEGIN_DECLS

typedef struct {
  const char *const *texts, *const *references; /* [n] */
  guint n;
  const char *file;               /* what the text is called */
  const mt_search_params *params; /* NULL: the model's own */
  const mt_hooks *hooks;          /* changes, NULL or empty: it is translated once; should_stop */
  void (*on_progress)(void *user, double share); /* 0 … 1; may be NULL */
  void *user;
} RegardQualityText;

/* On any thread, with a session of the model that nobody else uses meanwhile. What cannot be
 * translated in one way or the other is left out and counted. NULL: MT_ERROR_CANCELLED,
 * MT_ERROR_INPUT where nothing is left, MT_ERROR_NO_MEMORY. */
RegardQuality *regard_quality_run(mt_session *session, const mt_model *model,
                                  const RegardQualityText *text, mt_error *error);

/* What the page Measure asks for (RegardQualityFunc): the files are read, and refused with a
 * message that names the line. */
RegardQuality *regard_quality_run_files(const RegardQualityShares *wanted, GError **error);

G_END_DECLS
