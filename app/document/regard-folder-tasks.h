/* regard-folder-tasks.h — what is looked for in folders, which may be far away, by the runner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Members of parameters are taken.
 */
#pragma once

#include "runner/regard-runner.h"

G_BEGIN_DECLS

/* char * → RegardCorpus. */
extern const RegardTask regard_corpus_opening_task;

/* The corpus file beside a model, opened unless it is the one that is open already. */
typedef struct {
  char *folder, *open_path;
  char *path; /* that was found; NULL: there is none */
} RegardCorpusFinding;
/* RegardCorpusFinding → RegardCorpus, or the run, if it is open or there is none. */
extern const RegardTask regard_corpus_finding_task;

/* The session that lies so many steps from another one in its folder, in the order of their names
 * as file managers have it ("2" before "10"). */
typedef struct {
  char *path;
  int step;
  char *next; /* NULL: there is none */
} RegardSessionStep;
/* RegardSessionStep → the run. */
extern const RegardTask regard_session_step_task;

/* The caches of rounded weights: how many there are, or were, if they are removed. */
typedef struct {
  gboolean removes;
  gsize n_files, n_bytes;
} RegardCaches;
/* RegardCaches → the run. */
extern const RegardTask regard_caches_task;

/* char ** → char **: those of the paths at which there is something. */
extern const RegardTask regard_existing_task;

G_END_DECLS
