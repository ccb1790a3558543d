/* mt-changes.h — the kinds of change, and where each is made. Private to the engine.
 *
 * A kind is a row of the list in mt-changes.c: its name, how the words behind it are read and
 * written, the site at which it is made, and the function that makes it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CHANGES_H
#define MT_CHANGES_H

#include "mt.h"
#include "paper/mt-groups.h"

/* From first to last, counted from 0; all: 0 to SIZE_MAX. */
typedef struct {
  size_t first, last;
} mt_change_range;

typedef struct mt_change_kind mt_change_kind;
typedef struct {
  const mt_change_kind *kind;
  mt_attention_kind where;
  mt_change_range layers, heads;
  size_t number; /* what is said behind its name; 0: nothing */
} mt_change;

/* A tensor of one head: rows of a group, from row `first` of it on. */
typedef struct {
  const mt_group *group;
  size_t first, n;
  float *data; /* [n][cols], rows stride apart */
  size_t cols, stride;
} mt_change_tensor;

struct mt_change_kind {
  const char *name;
  mt_site site;    /* per head */
  uint32_t wheres; /* mask of the attention kinds that it can be made in */
  size_t most;     /* it takes a number from 1 to this; 0: none */
  /* Make it; called for several heads at once. */
  void (*apply)(const mt_change *change, const mt_change_tensor *tensor);
};

/* mt-change-window.c */
extern const mt_change_kind mt_change_window;

/* False, MT_ERROR_INPUT: the model does not have the layers and heads of some change. */
bool mt_changes_check(const mt_changes *changes, const mt_config *config, mt_error *error);

/* Mask of the sites where there is something to do. */
uint32_t mt_changes_sites(const mt_changes *changes);

/* Make all that are to be made there. */
void mt_changes_apply(const mt_changes *changes, mt_site site, mt_attention_kind kind, int layer,
                      int head, const mt_change_tensor *tensor);

#endif
