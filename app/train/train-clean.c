/* train-clean.c — what of a pair of sentences is kept, and why others are not.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train-clean.h"

#include <string.h>

const char *
train_drop_name(TrainDrop drop)
{
  static const char *const names[TRAIN_N_DROPS] = {
      "kept",  "columns", "utf8", "control",   "empty",   "long",
      "ratio", "copy",    "test", "duplicate", "heldout", "tokens",
  };
  return names[drop];
}

/* ---- One side -------------------------------------------------------------------------------- */

/* White space goes to one space, none at the ends; *n_chars counts code points. */
static TrainDrop
squeeze(const char *text, gsize n, GString *out, gsize *n_chars)
{
  gboolean space = FALSE;
  g_string_truncate(out, 0);
  *n_chars = 0;
  for (const char *at = text; at < text + n; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    /* A tab or a no-break space is a space; U+0085 and the like are controls, too. */
    if (g_unichar_isspace(c)) {
      space = TRUE;
      continue;
    }
    if (g_unichar_type(c) == G_UNICODE_CONTROL || c == 0xfffd)
      return TRAIN_DROP_CONTROL;
    if (space && out->len > 0) {
      g_string_append_c(out, ' ');
      ++*n_chars;
    }
    space = FALSE;
    g_string_append_len(out, at, g_utf8_next_char(at) - at);
    ++*n_chars;
  }
  return TRAIN_KEPT;
}

/* Text whose code points are all below this is in form C: nothing there composes. */
#define FIRST_COMBINING 0x300

static gboolean
is_composed(const char *text, gsize n)
{
  /* U+0300 begins with 0xcc. */
  G_STATIC_ASSERT(FIRST_COMBINING == (0xcc & 0x1f) << 6);
  for (gsize i = 0; i < n; i++)
    if ((guchar) text[i] >= 0xcc)
      return FALSE;
  return TRUE;
}

static TrainDrop
clean_side(const char *text, gsize n, GString *out, gsize *n_chars)
{
  if (!g_utf8_validate(text, (gssize) n, NULL)) {
    /* GLib calls a NUL invalid. */
    return memchr(text, '\0', n) ? TRAIN_DROP_CONTROL : TRAIN_DROP_UTF8;
  }
  if (is_composed(text, n))
    return squeeze(text, n, out, n_chars);
  g_autofree char *composed = g_utf8_normalize(text, (gssize) n, G_NORMALIZE_NFC);
  return squeeze(composed, strlen(composed), out, n_chars);
}

TrainDrop
train_clean_pair(const char *const texts[2], const gsize lengths[2], const TrainLimits *limits,
                 GString *const out[2])
{
  TrainDrop drop = TRAIN_KEPT;
  gsize n_chars[2];
  for (int s = 0; s < 2 && !drop; s++)
    drop = clean_side(texts[s], lengths[s], out[s], &n_chars[s]);
  if (drop)
    return drop;
  if (n_chars[0] == 0 || n_chars[1] == 0)
    return TRAIN_DROP_EMPTY;
  gsize longer = MAX(n_chars[0], n_chars[1]), shorter = MIN(n_chars[0], n_chars[1]);
  if (longer > limits->max_chars)
    return TRAIN_DROP_LONG;
  if ((double) longer > limits->max_ratio * (double) shorter + TRAIN_RATIO_SLACK)
    return TRAIN_DROP_RATIO;
  return g_string_equal(out[0], out[1]) ? TRAIN_DROP_COPY : TRAIN_KEPT;
}

/* ---- Numbers for texts ----------------------------------------------------------------------- */

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every bit. */
static guint64
mix(guint64 z)
{
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

#define FNV_BASIS G_GUINT64_CONSTANT(0xcbf29ce484222325)
#define FNV_PRIME G_GUINT64_CONSTANT(0x100000001b3)
#define GOLDEN    G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)

guint64
train_hash(const char *text, gsize n, guint64 salt)
{
  guint64 hash = FNV_BASIS ^ mix(salt);
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ (guchar) text[i]) * FNV_PRIME;
  return mix(hash);
}

guint64
train_hash_loosely(const char *text, gsize n)
{
  guint64 hash = FNV_BASIS;
  gboolean any = FALSE;
  for (const char *at = text; at < text + n; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    if (!g_unichar_isalnum(c) && !g_unichar_ismark(c))
      continue;
    any = TRUE;
    hash = (hash ^ g_unichar_tolower(c)) * FNV_PRIME;
    hash = mix(hash);
  }
  /* 0 is taken. */
  return any ? hash | 1 : 0;
}

double
train_draw(guint64 seed, guint64 purpose, guint64 i)
{
  guint64 bits = mix(mix(mix(seed + GOLDEN) ^ purpose) + (i + 1) * GOLDEN);
  return ((double) (bits >> 11) + 1) * 0x1p-53;
}
