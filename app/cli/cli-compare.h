/* cli-compare.h — A beside B: the same words in another model, with other changes, or at another
 * precision.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-analysis.h"

G_BEGIN_DECLS

/* As typed; NULL: as B. */
typedef struct {
  const char *changes; /* "none", or a change; NULL: none, too */
  const char *model;
  const char *precision;
  const char *text;  /* of another sentence; NULL: that of B */
  gboolean each_own; /* each its own translation, aligned; FALSE: A's, in both */
} CliReferenceOptions;
/* Groups of options, and, of a command that can compare what has other tokens, two more. Their
 * struct begins with a CliReferenced. */
extern const CliOption cli_options_reference[];
extern const CliOption cli_options_reference_other[];

typedef struct {
  CliEngine own; /* of A, where it is another model or precision … */
  gboolean has_own;
  CliEngine *engine;   /* … and the one that A runs in */
  mt_changes *changes; /* of A */
} CliReference;

/* What such a command's struct begins with. */
typedef struct {
  CliAnalysis base; /* of B */
  CliReferenceOptions options;
  CliReference reference;
} CliReferenced;

gboolean cli_reference_is_wanted(const CliReferenceOptions *options);
/* Anything but CLI_DONE has been reported. */
CliStatus cli_reference_open(CliReferenced *self);
void cli_reference_clear(CliReferenced *self);

/* What A says. NULL: *error. */
mt_translation *cli_reference_translate(CliReferenced *self, const char *text, mt_error *error);
/* The attention of A and of B, each of a translation. FALSE, which has been reported. */
gboolean cli_reference_capture(CliReferenced *self, const mt_translation *translation_a,
                               const mt_translation *translation_b, mt_capture **of_a,
                               mt_capture **of_b);

G_END_DECLS
