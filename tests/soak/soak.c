/* soak.c — what the soaks share: texts at random, and memory watched over a long run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soak.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void keep_little(void);

void
soak_init(Soak *soak, int argc, char **argv, guint usual_n)
{
  *soak = (Soak){.n = usual_n, .seed = 1, .started = g_get_monotonic_time()};
  keep_little();
  for (int i = 1; i < argc; i++) {
    char *end = NULL;
    if (g_str_equal(argv[i], "--limit") && i + 1 < argc)
      soak->limit = g_ascii_strtod(argv[++i], &end);
    else if (g_str_equal(argv[i], "--warm") && i + 1 < argc)
      soak->warm = (guint) g_ascii_strtoull(argv[++i], &end, 10);
    else if (g_str_equal(argv[i], "--texts") && i + 1 < argc)
      soak->seed = (guint32) g_ascii_strtoull(argv[++i], &end, 10);
    else
      soak->n = (guint) g_ascii_strtoull(argv[i], &end, 10);
    if (!end || *end || soak->n == 0) {
      g_printerr("usage: %s [N] [--warm N] [--limit PERCENT] [--texts SEED]; found \"%s\"\n",
                 argv[0], argv[i]);
      exit(2);
    }
  }
}

/* ---- Texts ---------------------------------------------------------------------------------- */

/* Words that the bundled model knows, so that some sentences mean something. */
static const char *const english[] = {
    "the",   "animal", "did",  "not",   "cross", "street", "because", "it",   "was",   "too",
    "tired", "I",      "have", "two",   "dogs",  "she",    "sees",    "a",    "small", "elephant",
    "bank",  "river",  "and",  "money", "house", "old",    "man",     "that", "who",   "don't",
};

/* Ranges of letters; what is unassigned in them is only one more thing that can be typed. Of the
 * large scripts only a part: each new letter stays in the caches of glyphs, and a soak that never
 * stops meeting new ones could not tell a leak from that. */
static const struct {
  gunichar first, last;
  guint longest; /* letters in a word */
} scripts[] = {
    {'a', 'z', 12},        {0xc0, 0x17f, 9},      /* Latin */
    {0x391, 0x3c9, 10},                           /* Greek */
    {0x410, 0x44f, 12},                           /* Cyrillic */
    {0x5d0, 0x5ea, 8},     {0x620, 0x64a, 8},     /* Hebrew, Arabic */
    {0x904, 0x94d, 8},                            /* Devanagari, with marks that combine */
    {0xe01, 0xe4e, 15},                           /* Thai, which writes no spaces */
    {0x3041, 0x306e, 8},   {0x4e00, 0x4e3f, 6},   /* Kana, Han */
    {0xac00, 0xac3f, 5},                          /* Hangul */
    {0x1f600, 0x1f63f, 2}, {0x1d400, 0x1d433, 6}, /* pictures, mathematics: beyond 16 bits */
};

/* What a person pastes rather than types, and what means something to the tokenizer. */
static const char *const strange[] = {
    "\xe2\x96\x81",
    ">>deu<<",
    "</s>",
    "<unk>",
    "\xe2\x80\x8d",
    "e\xcc\x81\xcc\xa7",
    "\xc2\xa0",
    "\xef\xbf\xbd",
    "\xef\xbb\xbf",
    "\t",
    "…",
    "“…”",
    "\xe2\x80\xae",
    "0123456789",
    "\x7f",
};

void
soak_append_word(GString *text, GRand *rand)
{
  guint kind = (guint) g_rand_int_range(rand, 0, 10);
  if (kind < 5) {
    g_string_append(text, english[g_rand_int_range(rand, 0, G_N_ELEMENTS(english))]);
  } else if (kind < 9) {
    guint s = (guint) g_rand_int_range(rand, 0, G_N_ELEMENTS(scripts));
    for (gint n = g_rand_int_range(rand, 1, (gint32) scripts[s].longest + 1); n > 0; n--)
      g_string_append_unichar(text, (gunichar) g_rand_int_range(rand, (gint32) scripts[s].first,
                                                                (gint32) scripts[s].last + 1));
  } else {
    g_string_append(text, strange[g_rand_int_range(rand, 0, G_N_ELEMENTS(strange))]);
  }
}

void
soak_append_text(GString *text, GRand *rand)
{
  static const char *const ends[] = {". ", "! ", "? ", ".\n", "\n\n", "。", ""};
  for (gint n_sentences = g_rand_int_range(rand, 1, 4); n_sentences > 0; n_sentences--) {
    for (gint n = g_rand_int_range(rand, 1, 9); n > 0; n--) {
      soak_append_word(text, rand);
      if (n > 1)
        g_string_append_c(text, ' ');
    }
    g_string_append(text, ends[g_rand_int_range(rand, 0, G_N_ELEMENTS(ends))]);
  }
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Of a sanitiser's allocator, if there is one: what malloc's own functions are for malloc. */
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);
__attribute__((weak)) void __sanitizer_purge_allocator(void);

/* libc keeps at the top of every thread's arena twice the largest block that was ever freed, and
 * malloc_trim does not give that back. With limits that stand still it does not: what is resident
 * then is what somebody has, and not what was needed once. */
static void
keep_little(void)
{
  enum { LIMIT = 128 << 10 }; /* what libc begins with */
  mallopt(M_MMAP_THRESHOLD, LIMIT);
  mallopt(M_TRIM_THRESHOLD, LIMIT);
}

double
soak_resident(void)
{
  if (__sanitizer_purge_allocator)
    __sanitizer_purge_allocator();
  else
    malloc_trim(0);
  unsigned long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  g_assert_nonnull(file);
  g_assert_cmpint(fscanf(file, "%lu %lu", &total, &resident), ==, 2);
  fclose(file);
  return (double) resident * (double) sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* MiB that are allocated and not freed. */
static double
live(void)
{
  size_t bytes;
  if (__sanitizer_get_current_allocated_bytes) {
    bytes = __sanitizer_get_current_allocated_bytes();
  } else {
    struct mallinfo2 info = mallinfo2();
    bytes = info.uordblks + info.hblkhd;
  }
  return (double) bytes / (1 << 20);
}

static double
seconds(const Soak *soak)
{
  return (double) (g_get_monotonic_time() - soak->started) / G_USEC_PER_SEC;
}

void
soak_warm(Soak *soak)
{
  soak->first = soak_resident();
  g_print("# warm after %.1f s: %.1f MiB resident, %.1f allocated\n", seconds(soak), soak->first,
          live());
}

void
soak_progress(const Soak *soak, guint done, const char *what)
{
  g_print("# %u of %u %s, %.1f s, %.1f MiB resident, %.1f allocated\n", done, soak->n, what,
          seconds(soak), soak_resident(), live());
}

void
soak_finish(const Soak *soak, const char *what)
{
  double last = soak_resident();
  double drift = 100 * (last - soak->first) / soak->first;
  g_print("# %u %s in %.1f s (seed %u): %.1f MiB resident at the start, %.1f at the end, drift "
          "%+.2f %%\n",
          soak->n, what, seconds(soak), soak->seed, soak->first, last, drift);
  if (soak->limit > 0)
    g_assert_cmpfloat(drift, <, soak->limit);
}
