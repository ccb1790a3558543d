/* regard-model-identity.h — which model something was made with, so that another machine finds it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model is its files: those that decide what comes out, by name, size and SHA-256. Where they lie
 * is nobody's business. An archive is one file, whatever it is called.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

typedef struct {
  char *name; /* without a folder */
  guint64 bytes;
  char *sha256; /* in hexadecimal */
} RegardModelFile;

typedef struct {
  char *name;  /* "opus-mt-en-de" */
  char *title; /* "English → German"; NULL: not known */
  gboolean is_archive;
  GArray *files; /* of RegardModelFile; not empty, unless nothing could be read */
} RegardModelIdentity;

/* Reads all of the model's files, so in the window call it in a thread. title may be NULL. */
RegardModelIdentity *regard_model_identity_new(const mt_model *model, const char *title);
void regard_model_identity_free(RegardModelIdentity *identity);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardModelIdentity, regard_model_identity_free)

/* As JSON (of json-c), and back: NULL with an error for what no model is. Names with folders in
 * them are none. */
struct json_object;
struct json_object *regard_model_identity_write(const RegardModelIdentity *identity);
RegardModelIdentity *regard_model_identity_read(struct json_object *object, GError **error);

/* The file that most of it is. Borrowed; NULL: there is none. */
const RegardModelFile *regard_model_identity_largest(const RegardModelIdentity *identity);

/* Whether a folder or an archive is that model. Reads the files only where sizes agree. */
gboolean regard_model_identity_fits(const RegardModelIdentity *identity, const char *path);

/* Where that model lies on this machine: one of `first` (paths; "" is the bundled one; may be
 * NULL), or of the list of models with these recent ones (may be NULL). NULL: nowhere; then *other
 * is the path of one of the same name that is another, or NULL. Caller frees both. */
char *regard_model_identity_find(const RegardModelIdentity *identity, const char *const *first,
                                 const char *const *recent, char **other);

G_END_DECLS
