/* regard-paths.h — where models, schema and examples lie, installed or in the build folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The bundled model's folder: REGARD_MODEL_DIR if set, else beside the build folder, else
 * installed. Never NULL; the folder need not exist. Caller frees. */
char *regard_paths_bundled_model(void);

/* The checkpoints of the bundled training: REGARD_TRAINING_DIR if set, else beside the build
 * folder, else installed. Never NULL; the folder need not exist. Caller frees. */
char *regard_paths_bundled_training(void);
/* The same with one setting changed, by its name: "no-warmup", "no-smoothing". Caller frees. */
char *regard_paths_other_training(const char *name);

/* The model that is small enough to be followed on paper: beside the build folder, else installed.
 * Never NULL; the folder need not exist. Caller frees. */
char *regard_paths_by_hand(void);
/* The model whose tokens become alike. Caller frees. */
char *regard_paths_collapsed(void);

/* Where rounded weights are kept, for mt_load_options.cache: beside the models of the user. The
 * folder need not exist. Caller frees. */
char *regard_paths_weights_cache(void);

/* The lessons that come with the program: REGARD_LESSONS_DIR if set, else from the source tree or
 * installed. Never NULL; the folder need not exist. Caller frees. */
char *regard_paths_lessons(void);

/* The sentences that claims of lessons are measured with, a line each: from the source tree or
 * installed. Never NULL; the file need not exist. Caller frees. */
char *regard_paths_lesson_sentences(void);

/* What is said of figures, venues and templates: from the source tree or installed. Never NULL; the
 * folder need not exist. Caller frees. */
char *regard_paths_figures(void);

/* The file of what words of a language mean, by its code ("de"): from the source tree or installed.
 * Never NULL; the file need not exist. Caller frees. */
char *regard_paths_gloss(const char *language);

/* Folder that may hold gschemas.compiled of this build, or NULL. Caller frees. */
char *regard_paths_build_schemas(void);

/* Where the window's languages are, as LANGUAGE/LC_MESSAGES/regard.mo: REGARD_LOCALE_DIR if set,
 * else of this build, else installed. Never NULL; the folder need not exist. Caller frees. */
char *regard_paths_catalogues(void);

/* A page of the documentation, from the source tree or installed. Never NULL; the file need not
 * exist. Caller frees. */
char *regard_paths_document(const char *name);

/* A path as people read it: "~" for the home folder, valid UTF-8. Caller frees. */
char *regard_paths_shorten(const char *path);

G_END_DECLS
