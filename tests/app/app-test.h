/* app-test.h — what the tests of the application share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "base/regard-autoptr.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Folder of the frozen model, and of a checkpoint under tests/data/checkpoints. */
const char *app_test_model_dir(void);
char *app_test_checkpoint(const char *name);
mt_model *app_test_open(const char *dir);

/* Run the main loop until the condition holds; fails the test after minutes: others may use the
 * machine. */
#define app_test_until(condition)                        \
  G_STMT_START                                           \
  {                                                      \
    const gint64 waiting_since = g_get_monotonic_time(); \
    while (!(condition))                                 \
      app_test_go_on(waiting_since);                     \
  }                                                      \
  G_STMT_END
void app_test_go_on(gint64 waiting_since);
/* The same until condition(data) holds. */
typedef gboolean (*AppTestCondition)(gpointer data);
void app_test_wait(AppTestCondition condition, gpointer data);
/* Run the main loop for a while. */
void app_test_run_for(guint milliseconds);

/* A fresh folder that is removed, with the files in it, by app_test_remove(). */
char *app_test_folder(void);
void app_test_remove(const char *folder);
/* A copy of a model folder in which one file is replaced by `text` (NULL: left out). */
char *app_test_broken_model(const char *parent, const char *file, const char *text);

G_END_DECLS
