/* soak.h — what the soaks share: texts at random, and memory watched over a long run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the command line asks for: [N] [--warm N] [--limit PERCENT] [--texts SEED]. */
typedef struct {
  guint n;        /* rounds */
  guint warm;     /* rounds before memory is first looked at */
  double limit;   /* most drift of the memory in percent; 0: it is told, not judged */
  guint32 seed;   /* of everything that is random; printed, so that a run can be repeated */
  gint64 started; /* monotonic time */
  double first;   /* MiB resident after warming up */
} Soak;

/* Read the arguments that GTest left; ends the program with a message if they make no sense. */
void soak_init(Soak *soak, int argc, char **argv, guint usual_n);

/* Append some words, or sentences, in one of several scripts; now and then what no keyboard makes.
 * Always valid UTF-8 without NUL. */
void soak_append_word(GString *text, GRand *rand);
void soak_append_text(GString *text, GRand *rand);

/* Resident memory in MiB, after free memory was given back. */
double soak_resident(void);

/* Before, during and after: prints lines that begin with "# "; the last checks the drift. */
void soak_warm(Soak *soak);
void soak_progress(const Soak *soak, guint done, const char *what);
void soak_finish(const Soak *soak, const char *what);

G_END_DECLS
