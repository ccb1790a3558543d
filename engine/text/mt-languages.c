/* mt-languages.c — the languages between which a model translates, and the tokens that name them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each family of models spells languages in its own way: with two letters (ISO 639-1), with three
 * (ISO 639-3), with a script (ISO 15924) or a country (ISO 3166-1) behind them. Whoever asks for a
 * language may spell it in any of these ways.
 */
#include "text/mt-languages.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>
#include <strings.h>

/* ---- Tokens ---------------------------------------------------------------------------------- */

#define CODE_MAX 32 /* bytes of a code; published ones have at most 8 or so */

/* In the order of mt_language_spelling. */
static const struct {
  const char *before, *after; /* the code */
  bool is_special;            /* among the added tokens; an ordinary word may look alike */
} spellings[] = {
    [MT_LANGUAGE_ARROWS] = {">>", "<<", false},
    [MT_LANGUAGE_UNDERSCORES] = {"__", "__", true},
    [MT_LANGUAGE_PLAIN] = {"", "", true},
    [MT_LANGUAGE_TWO] = {"<2", ">", false},
};
#define N_SPELLINGS (sizeof spellings / sizeof *spellings)

static bool
is_lower(char c)
{
  return c >= 'a' && c <= 'z';
}

static bool
is_upper(char c)
{
  return c >= 'A' && c <= 'Z';
}

/* "deu_Latn" or "de_DE": what else is among the special tokens, such as "<mask>", is no language.
 */
static bool
is_plain_code(const char *code, size_t n)
{
  size_t at = 0;
  while (at < n && at < 3 && is_lower(code[at]))
    at++;
  if (at < 2 || at >= n || code[at++] != '_')
    return false;
  const char *rest = code + at;
  size_t n_rest = n - at;
  return (n_rest == 2 && is_upper(rest[0]) && is_upper(rest[1])) ||
         (n_rest == 4 && is_upper(rest[0]) && is_lower(rest[1]) && is_lower(rest[2]) &&
          is_lower(rest[3]));
}

/* The code in a token: a short word. A row of a vocabulary is a stranger's text, and this one will
 * be shown in lists. False, *code and *n untouched: the token is none of a language. */
static bool
find_code(const char *piece, mt_language_spelling spelling, const char **code, size_t *n)
{
  const char *before = spellings[spelling].before, *after = spellings[spelling].after;
  size_t n_piece = strlen(piece), n_before = strlen(before), n_after = strlen(after);
  if (n_piece <= n_before + n_after || n_piece > n_before + n_after + CODE_MAX ||
      strncmp(piece, before, n_before) != 0 || strcmp(piece + n_piece - n_after, after) != 0)
    return false;
  const char *inside = piece + n_before;
  size_t n_inside = n_piece - n_before - n_after;
  for (size_t i = 0; i < n_inside; i++)
    if ((unsigned char) inside[i] <= ' ' || inside[i] == 0x7f || inside[i] == '<' ||
        inside[i] == '>')
      return false;
  if (spelling == MT_LANGUAGE_PLAIN && !is_plain_code(inside, n_inside))
    return false;
  *code = inside;
  *n = n_inside;
  return true;
}

bool
mt_languages_add(mt_languages *languages, int32_t id, const char *code, size_t n, mt_error *error)
{
  char *copy = mt_alloc(n + 1, 1); /* zeros */
  if (!copy || !mt_grow(&languages->items, languages->n, 1, &languages->capacity,
                        sizeof *languages->items)) {
    mt_free(copy);
    return mt_fail_no_memory(error);
  }
  memcpy(copy, code, n);
  languages->items[languages->n++] = (mt_language){id, copy};
  return true;
}

bool
mt_languages_collect(mt_languages *languages, const mt_vocab *vocab, mt_language_spelling spelling,
                     mt_error *error)
{
  for (size_t id = 0; id < vocab->size; id++) {
    /* A row without a piece of its own is called "<unk>", which is none. */
    const char *piece = mt_vocab_piece(vocab, (int32_t) id), *code;
    size_t n;
    bool may_be = !spellings[spelling].is_special || mt_vocab_is_special(vocab, (int32_t) id);
    if (may_be && find_code(piece, spelling, &code, &n) &&
        !mt_languages_add(languages, (int32_t) id, code, n, error))
      return false;
  }
  return true;
}

void
mt_languages_clear(mt_languages *languages)
{
  for (size_t i = 0; i < languages->n; i++)
    mt_free(languages->items[i].code);
  mt_free(languages->items);
  *languages = (mt_languages){0};
}

bool
mt_languages_find_id(const mt_languages *languages, int32_t id, size_t *i)
{
  for (size_t k = 0; k < languages->n; k++)
    if (languages->items[k].id == id) {
      *i = k;
      return true;
    }
  return false;
}

/* ---- Codes ----------------------------------------------------------------------------------- */

/* The languages of ISO 639-1, each with its code of ISO 639-3 behind it. */
static const char two_and_three[] =
    "aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel "
    "bgbul bhbih bibis bmbam bnben bobod brbre bsbos cacat ceche chcha cocos crcre csces "
    "cuchu cvchv cycym dadan dedeu dvdiv dzdzo eeewe elell eneng eoepo esspa etest eueus "
    "fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj gvglv hahau "
    "heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk "
    "ioido isisl itita iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan "
    "kokor krkau kskas kukur kvkom kwcor kykir lalat lbltz lglug lilim lnlin lolao ltlit "
    "lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa mtmlt mymya nanau nbnob "
    "ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ososs "
    "papan pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd "
    "sesme sgsag sisin skslk slslv smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe "
    "swswa tatam tetel tgtgk ththa titir tktuk tltgl tntsn toton trtur tstso tttat twtwi "
    "tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid yoyor zazha "
    "zhzho zuzul";
#define ROW 6 /* bytes, the space or the end included */

/* A language that stands for another one, of which it is the most used: "Standard Arabic" for
 * "Arabic". Models have one or the other. */
static const char members[] =
    "alssqi arbara ayraym azjaze cmnzho ekkest fuvful gazorm khkmon kmrkur knckau lvslav nobnor "
    "npinep oryori pbtpus pesfas pltmlg quyque swhswa twiaka uznuzb yddyid zsmmsa";
#define MEMBER_ROW 7

/* A code, taken apart. */
typedef struct {
  char language[4]; /* three small letters, or two that are not in ISO 639-1 */
  char rest[5];     /* a script "latn" or a country "de" in small letters; "": none is said */
} code_parts;

static char
to_lower(char c)
{
  return is_upper(c) ? (char) (c - 'A' + 'a') : c;
}

/* False: it is no code of this form. */
static bool
take_apart(const char *code, size_t n, code_parts *parts)
{
  *parts = (code_parts){0};
  size_t at = 0, k = 0;
  for (; at < n && at < 3 && is_lower(to_lower(code[at])); at++)
    parts->language[at] = to_lower(code[at]);
  bool has_rest = at < n;
  if (at < 2 || (has_rest && code[at] != '_' && code[at] != '-'))
    return false;
  for (at++; at < n; at++) {
    if (k == 4 || !is_lower(to_lower(code[at])))
      return false;
    parts->rest[k++] = to_lower(code[at]);
  }
  if (has_rest && k < 2)
    return false;
  for (size_t row = 0; parts->language[2] == '\0' && row < sizeof two_and_three; row += ROW)
    if (strncmp(two_and_three + row, parts->language, 2) == 0)
      memcpy(parts->language, two_and_three + row + 2, 3);
  if (strcmp(parts->language, "ns") == 0) /* M2M-100's word for Northern Sotho */
    memcpy(parts->language, "nso", 3);
  if (strcmp(parts->rest, "xx") == 0) /* mBART: no country */
    parts->rest[0] = '\0';
  /* Countries tell the scripts of Chinese apart. */
  static const char *const chinese[][2] = {
      {"cn", "hans"}, {"sg", "hans"}, {"tw", "hant"}, {"hk", "hant"}, {"mo", "hant"}};
  for (size_t i = 0; strcmp(parts->language, "zho") == 0 && i < sizeof chinese / sizeof *chinese;
       i++)
    if (strcmp(parts->rest, chinese[i][0]) == 0)
      memcpy(parts->rest, chinese[i][1], 5);
  return true;
}

/* The language that this one is a member of, or itself. */
static void
widen(code_parts *parts)
{
  for (size_t at = 0; at + MEMBER_ROW <= sizeof members; at += MEMBER_ROW)
    if (strncmp(members + at, parts->language, 3) == 0) {
      memcpy(parts->language, members + at + 3, 3);
      return;
    }
}

/* Two scripts, or two countries, must be the same one. */
static bool
can_be_same(const code_parts *a, const code_parts *b)
{
  return strcmp(a->language, b->language) == 0 &&
         (strlen(a->rest) != strlen(b->rest) || strcmp(a->rest, b->rest) == 0);
}

/* How alike two codes are, from the closest on. */
typedef enum {
  SAME_LETTERS,
  SAME_BUT_CASE,
  SAME_LANGUAGE, /* by another convention */
  SAME_WIDER_LANGUAGE,
  N_LIKENESSES,
} likeness;

static bool
is_alike(const char *own, const char *code, size_t n, likeness how)
{
  code_parts a, b;
  switch (how) {
  case SAME_LETTERS:
    return strlen(own) == n && memcmp(own, code, n) == 0;
  case SAME_BUT_CASE:
    return strlen(own) == n && strncasecmp(own, code, n) == 0;
  default:
    if (!take_apart(own, strlen(own), &a) || !take_apart(code, n, &b))
      return false;
    if (how == SAME_WIDER_LANGUAGE) {
      widen(&a);
      widen(&b);
    }
    return can_be_same(&a, &b);
  }
}

bool
mt_languages_find(const mt_languages *languages, const char *code, size_t *i)
{
  size_t n = strlen(code), spelling = 0;
  while (spelling < N_SPELLINGS && (spelling == MT_LANGUAGE_PLAIN ||
                                    !find_code(code, (mt_language_spelling) spelling, &code, &n)))
    spelling++;
  for (int how = 0; how < N_LIKENESSES; how++) {
    size_t n_alike = 0, alike = 0;
    for (size_t k = languages->n; k-- > 0;)
      if (is_alike(languages->items[k].code, code, n, (likeness) how)) {
        alike = k;
        n_alike++;
      }
    /* A vocabulary may have a code twice: the first of equal ones. */
    if (n_alike == 1 || (n_alike > 1 && how == SAME_LETTERS)) {
      *i = alike;
      return true;
    }
    if (n_alike > 1)
      return false;
  }
  return false;
}
