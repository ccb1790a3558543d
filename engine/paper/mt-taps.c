/* mt-taps.c — taps as values: what they want, and whether two want the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-hash.h"
#include "paper/mt-sites.h"

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

/* Mask of the heads that are wanted of a layer; for a tensor without heads all or none. */
static uint64_t
wanted_heads(const mt_taps *taps, mt_site site, mt_attention_kind kind, int layer)
{
  uint64_t heads = 0;
  for (size_t i = 0; taps && i < taps->n; i++) {
    const mt_tap *tap = &taps->taps[i];
    if (tap->site == site && (tap->kinds & MT_KIND_BIT(kind)) &&
        (!mt_site_has_layers(site) || (tap->layers & bit(layer))))
      heads |= mt_site_has_heads(site) ? tap->heads : MT_ALL_HEADS;
  }
  return heads;
}

/* Go through the masks of a, and of b if it is not NULL: false as soon as they differ. */
static bool
walk(const mt_taps *a, const mt_taps *b, bool compares, uint64_t *hash)
{
  for (mt_site site = 0; site < MT_N_SITES; site++)
    for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
      for (int layer = 0;
           mt_site_has_kind(site, kind) && layer < (mt_site_has_layers(site) ? N_BITS : 1);
           layer++) {
        uint64_t heads = wanted_heads(a, site, kind, layer);
        if (compares && heads != wanted_heads(b, site, kind, layer))
          return false;
        *hash = mt_hash_bytes(*hash, &heads, sizeof heads);
      }
  return true;
}

bool
mt_taps_equal(const mt_taps *a, const mt_taps *b)
{
  uint64_t hash = 0;
  return walk(a, b, true, &hash);
}

uint64_t
mt_taps_hash(const mt_taps *taps)
{
  uint64_t hash = MT_HASH_BEGIN;
  walk(taps, NULL, false, &hash);
  return hash;
}
