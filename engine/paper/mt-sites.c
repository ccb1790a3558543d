/* mt-sites.c — the one mechanism for looking inside and changing things: captures, recordings,
 * restricted attention and ablation are all users of it, not features of the layers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-sites.h"

#include <assert.h>

/* What heads compute while other threads compute others. */
#define HEAD_SITES \
  (MT_SITE_BIT(MT_SITE_SCORES) | MT_SITE_BIT(MT_SITE_WEIGHTS) | MT_SITE_BIT(MT_SITE_CONTEXT))

mt_sites
mt_sites_of(const mt_model *model, const mt_changes *of_model, const mt_hooks *hooks)
{
  static const mt_hooks none = {0};
  mt_sites sites = {.model = model, .hooks = hooks ? hooks : &none};
  sites.changes[0] = of_model;
  sites.changes[1] = sites.hooks->changes;
  sites.wanted = mt_changes_sites(sites.changes[0]) | mt_changes_sites(sites.changes[1]);
  if (sites.hooks->on_probe)
    sites.wanted |= sites.hooks->sites;
  if (sites.hooks->taps && sites.hooks->sink.on_view)
    mt_sites_add(&sites, (mt_observer){sites.hooks->taps, sites.hooks->sink, NULL});
  return sites;
}

void
mt_sites_add(mt_sites *sites, mt_observer observer)
{
  assert(sites->n_observers < MT_MAX_OBSERVERS);
  sites->observers[sites->n_observers++] = observer;
  for (size_t i = 0; i < observer.taps->n; i++)
    sites->wanted |= MT_SITE_BIT(observer.taps->taps[i].site);
}

float *
mt_sites_place(const mt_sites *sites, mt_attention_kind kind, size_t layer, size_t head)
{
  for (size_t i = 0; i < sites->n_observers; i++)
    if (sites->observers[i].place)
      return sites->observers[i].place(sites->observers[i].sink.user, kind, layer, head);
  return NULL;
}

static bool
wants_heads(const mt_taps *taps, mt_attention_kind kind, int layer)
{
  for (size_t i = 0; i < taps->n; i++) {
    mt_tap tap = taps->taps[i];
    tap.heads = MT_ALL_HEADS;
    mt_taps any_head = {.n = 1, .taps = {tap}};
    if ((HEAD_SITES & MT_SITE_BIT(tap.site)) && taps->taps[i].heads &&
        mt_taps_want(&any_head, tap.site, kind, layer, 0))
      return true;
  }
  return false;
}

bool
mt_sites_are_serial(const mt_sites *sites, mt_attention_kind kind, int layer)
{
  if (sites->hooks->on_probe && (sites->hooks->sites & HEAD_SITES))
    return true;
  for (size_t i = 0; i < sites->n_observers; i++)
    if (!sites->observers[i].sink.is_parallel && wants_heads(sites->observers[i].taps, kind, layer))
      return true;
  return false;
}

/* Rows of one group, as those who look see them: all positions of a sequence at once, or in steps
 * one row after the other. */
static mt_view
view_rows(const mt_group *group, size_t first, size_t r, size_t n_rows, const mt_tensor *tensor,
          const float *data)
{
  bool is_step = group->n_beams > 0;
  mt_view view = {
      .site = tensor->site,
      .kind = tensor->kind,
      .layer = tensor->layer,
      .head = tensor->head,
      .sentence = group->sentence,
      .sequence = is_step ? (first + r) % group->n_beams : 0,
      .first_row = mt_group_position(group, first + r),
      .rows = is_step ? 1 : n_rows,
      .cols = tensor->cols,
      .stride = tensor->stride,
      .data = data + r * tensor->stride,
      .row_lse = tensor->row_lse ? tensor->row_lse + r : NULL,
  };
  /* Of several steps at once only the last sees all keys. */
  if (is_step && tensor->kind == MT_DECODER_SELF &&
      (tensor->site == MT_SITE_SCORES || tensor->site == MT_SITE_WEIGHTS))
    view.cols = view.first_row + 1;
  return view;
}

static void
probe_rows(const mt_hooks *hooks, const mt_view *view, float *data)
{
  mt_probe probe = {
      .site = view->site,
      .kind = view->kind,
      .layer = view->layer,
      .head = view->head,
      .sentence = view->sentence,
      .sequence = view->sequence,
      .first_row = view->first_row,
      .rows = view->rows,
      .cols = view->cols,
      .stride = view->stride,
      .data = data,
  };
  hooks->on_probe(hooks->user, &probe);
}

void
mt_sites_reach_group(const mt_sites *sites, const mt_group *group, size_t first, size_t n_rows,
                     const mt_tensor *tensor, float *data)
{
  mt_change_tensor rows = {.group = group,
                           .first = first,
                           .n = n_rows,
                           .data = data,
                           .cols = tensor->cols,
                           .stride = tensor->stride,
                           .row_lse = tensor->row_lse,
                           .kind = tensor->kind,
                           .layer = tensor->layer,
                           .head = tensor->head,
                           .lists = sites->changes,
                           .model = sites->model};
  const mt_changes *const changes[] = {sites->changes[0], sites->changes[1], group->changes};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    if (changes[i])
      mt_changes_apply(changes[i], tensor->site, &rows);
  size_t n_at_once = group->n_beams ? 1 : n_rows;
  if (sites->hooks->on_probe && (sites->hooks->sites & MT_SITE_BIT(tensor->site)))
    for (size_t r = 0; r < n_rows; r += n_at_once) {
      mt_view view = view_rows(group, first, r, n_rows, tensor, data);
      probe_rows(sites->hooks, &view, data + r * tensor->stride);
    }
  for (size_t i = 0; i < sites->n_observers; i++) {
    const mt_observer *observer = &sites->observers[i];
    if (!mt_taps_want(observer->taps, tensor->site, tensor->kind, tensor->layer, tensor->head))
      continue;
    for (size_t r = 0; r < n_rows; r += n_at_once) {
      mt_view view = view_rows(group, first, r, n_rows, tensor, data);
      observer->sink.on_view(observer->sink.user, &view);
    }
  }
}

void
mt_sites_reach(const mt_sites *sites, const mt_groups *groups, const mt_tensor *tensor)
{
  size_t begin = tensor->first, end = begin + tensor->n;
  for (size_t g = 0; g < groups->n; g++) {
    const mt_group *group = &groups->groups[g];
    size_t from = group->first > begin ? group->first : begin;
    size_t to = group->first + group->n < end ? group->first + group->n : end;
    if (from < to)
      mt_sites_reach_group(sites, group, from - group->first, to - from, tensor,
                           tensor->data + (from - begin) * tensor->stride);
  }
}

/* ---- Taps: what they want -------------------------------------------------------------------- */

#define N_BITS 64

static uint64_t
bit(int i)
{
  return UINT64_C(1) << (i < N_BITS - 1 ? i : N_BITS - 1);
}

bool
mt_taps_want(const mt_taps *taps, mt_site site, mt_attention_kind kind, int layer, int head)
{
  for (size_t i = 0; i < taps->n; i++) {
    const mt_tap *tap = &taps->taps[i];
    if (tap->site == site && (tap->kinds & MT_KIND_BIT(kind)) &&
        (layer < 0 || (tap->layers & bit(layer))) && (head < 0 || (tap->heads & bit(head))))
      return true;
  }
  return false;
}

const char *
mt_site_name(mt_site site)
{
  static const char *const names[MT_N_SITES] = {
      [MT_SITE_EMBEDDING] = "embedding",
      [MT_SITE_POSITION] = "position",
      [MT_SITE_STREAM] = "stream",
      [MT_SITE_QUERY] = "query",
      [MT_SITE_KEY] = "key",
      [MT_SITE_VALUE] = "value",
      [MT_SITE_SCORES] = "scores",
      [MT_SITE_WEIGHTS] = "weights",
      [MT_SITE_CONTEXT] = "context",
      [MT_SITE_ATTENTION_OUTPUT] = "attention_output",
      [MT_SITE_NORM_INPUT] = "norm_input",
      [MT_SITE_HIDDEN] = "hidden",
      [MT_SITE_FEED_FORWARD] = "feed_forward",
      [MT_SITE_FEED_FORWARD_NORM_INPUT] = "feed_forward_norm_input",
      [MT_SITE_RESIDUAL] = "residual",
      [MT_SITE_LAYER_OUTPUT] = "layer_output",
      [MT_SITE_STACK_OUTPUT] = "stack_output",
      [MT_SITE_LOGITS] = "logits",
  };
  return names[site];
}

bool
mt_site_has_layers(mt_site site)
{
  return site != MT_SITE_EMBEDDING && site != MT_SITE_POSITION && site != MT_SITE_STREAM &&
         site != MT_SITE_STACK_OUTPUT && site != MT_SITE_LOGITS;
}

bool
mt_site_has_heads(mt_site site)
{
  return site >= MT_SITE_QUERY && site <= MT_SITE_CONTEXT;
}

bool
mt_site_has_kind(mt_site site, mt_attention_kind kind)
{
  if (site == MT_SITE_LOGITS)
    return kind == MT_DECODER_SELF;
  bool is_attention = mt_site_has_heads(site) || site == MT_SITE_ATTENTION_OUTPUT ||
                      site == MT_SITE_NORM_INPUT || site == MT_SITE_RESIDUAL;
  return is_attention || kind != MT_CROSS;
}
