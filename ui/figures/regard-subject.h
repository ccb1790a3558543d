/* regard-subject.h — the base of what figures show: immutable numbers that are counted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A subject is made once, in any thread, and never changes, so that a page, an export thread and
 * the clipboard share it. Its struct begins with a RegardSubject; a RegardFigure keeps a reference
 * of it and asks the functions of its class (regard-figure-private.h) about it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  /*< private >*/
  gatomicrefcount ref_count;
  GDestroyNotify clear; /* frees what the struct points to, not the struct; NULL: nothing */
} RegardSubject;

/* A subject with one reference. size: of the struct that begins with it; all else in it is zero. */
static inline gpointer
regard_subject_alloc(gsize size, GDestroyNotify clear)
{
  RegardSubject *subject = (RegardSubject *) g_malloc0(size);
  g_atomic_ref_count_init(&subject->ref_count);
  subject->clear = clear;
  return subject;
}

static inline gpointer
regard_subject_ref(gpointer subject)
{
  g_atomic_ref_count_inc(&((RegardSubject *) subject)->ref_count);
  return subject;
}

/* NULL is no subject, and nothing is done. */
static inline void
regard_subject_unref(gpointer subject)
{
  RegardSubject *base = (RegardSubject *) subject;
  if (!base || !g_atomic_ref_count_dec(&base->ref_count))
    return;
  if (base->clear)
    base->clear(subject);
  g_free(subject);
}

/* prefix_ref, prefix_unref and g_autoptr(Type). */
#define REGARD_DECLARE_SUBJECT(Type, prefix)    \
  static inline Type *prefix##_ref(Type *self)  \
  {                                             \
    return (Type *) regard_subject_ref(self);   \
  }                                             \
  static inline void prefix##_unref(Type *self) \
  {                                             \
    regard_subject_unref(self);                 \
  }                                             \
  G_DEFINE_AUTOPTR_CLEANUP_FUNC(Type, prefix##_unref)

G_END_DECLS
