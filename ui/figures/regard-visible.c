/* regard-visible.c — text that people and terminals can be shown, whoever wrote it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-visible.h"

#include <string.h>

static gboolean
ends_line(gunichar c)
{
  return c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* Controls without a picture of their own. */
static gboolean
is_named(gunichar c)
{
  return (c >= 0x80 && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Legal in UTF-8, but promised never to stand for a character: XML and cairo refuse them. */
static gboolean
is_no_character(gunichar c)
{
  return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

static char *
make_visible(const char *text, const char *kept)
{
  g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
  GString *visible = g_string_sized_new(strlen(valid));
  for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
    const gunichar c = g_utf8_get_char(p);
    if (c < 0x20)
      g_string_append_unichar(visible, strchr(kept, (int) c) ? c : 0x2400 + c);
    else if (c == 0x7f)
      g_string_append_unichar(visible, 0x2421);
    else if (ends_line(c))
      g_string_append_unichar(visible, 0x2424);
    else if (is_named(c))
      g_string_append_printf(visible, "[U+%04X]", c);
    else
      g_string_append_unichar(visible, is_no_character(c) ? 0xfffd : c);
  }
  return g_string_free(visible, FALSE);
}

char *
regard_visible(const char *text)
{
  return make_visible(text, "");
}

char *
regard_visible_lines(const char *text)
{
  return make_visible(text, "\n\t");
}
