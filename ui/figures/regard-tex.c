/* regard-tex.c — text and colours for LaTeX.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-tex.h"

#include "figures/regard-canvas.h"
#include "figures/regard-naming.h"

/* What figures write that is no letter of a text font, by LaTeX's own names. Sorted by nothing: few
 * characters are looked up. */
static const struct {
  gunichar c;
  const char *tex;
} signs[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'^', "\\textasciicircum{}"},
    {'~', "\\textasciitilde{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "\\textquotedbl{}"},
    {'-', "{-}"}, /* two of them would become a dash */
    {'\'', "\\textquotesingle{}"},
    {'`', "\\textasciigrave{}"},
    {0x00a0, "~"},
    {0x00b0, "\\textdegree{}"},
    {0x00b1, "$\\pm$"},
    {0x00b2, "$^2$"},
    {0x00b3, "$^3$"},
    {0x00b5, "\\textmu{}"},
    {0x00b7, "\\textperiodcentered{}"},
    {0x00b9, "$^1$"},
    {0x00d7, "$\\times$"},
    {0x00f7, "$\\div$"},
    {0x0394, "$\\Delta$"},
    {0x03a3, "$\\Sigma$"},
    {0x03b1, "$\\alpha$"},
    {0x03b2, "$\\beta$"},
    {0x03b3, "$\\gamma$"},
    {0x03b4, "$\\delta$"},
    {0x03b5, "$\\varepsilon$"},
    {0x03bb, "$\\lambda$"},
    {0x03bc, "$\\mu$"},
    {0x03c3, "$\\sigma$"},
    {0x1d40, "$^{\\mathsf T}$"},
    {0x2009, "\\,"},
    {0x2013, "\\textendash{}"},
    {0x2014, "\\textemdash{}"},
    {0x2016, "$\\Vert$"},
    {0x2018, "\\textquoteleft{}"},
    {0x2019, "\\textquoteright{}"},
    {0x201c, "\\textquotedblleft{}"},
    {0x201d, "\\textquotedblright{}"},
    {0x201e, "\\quotedblbase{}"},
    {0x2026, "\\ldots{}"},
    {0x2039, "\\guilsinglleft{}"},
    {0x203a, "\\guilsinglright{}"},
    {0x202f, "\\,"},
    {0x2190, "$\\leftarrow$"},
    {0x2191, "$\\uparrow$"},
    {0x2192, "$\\rightarrow$"},
    {0x2193, "$\\downarrow$"},
    {0x2205, "$\\emptyset$"},
    {0x2211, "$\\sum$"},
    {0x2212, "$-$"},
    {0x221a, "$\\surd$"},
    {0x221e, "$\\infty$"},
    {0x2248, "$\\approx$"},
    {0x2260, "$\\neq$"},
    {0x2264, "$\\leq$"},
    {0x2265, "$\\geq$"},
    {0x2297, "$\\otimes$"},
    {0x2299, "$\\odot$"},
    {0x23ce, "\\regardend{}"},
    {0x2581, "\\regardspace{}"},
};

/* Of ten digits in a row. */
static void
append_script(GString *out, const char *mark, gunichar digit)
{
  g_string_append_printf(out, "$%s%u$", mark, digit);
}

static void
append_character(GString *out, gunichar c, gunichar *foreign)
{
  for (guint i = 0; i < G_N_ELEMENTS(signs); i++)
    if (signs[i].c == c) {
      g_string_append(out, signs[i].tex);
      return;
    }
  if (c >= 0x2080 && c <= 0x2089)
    append_script(out, "_", c - 0x2080);
  else if (c == 0x2070 || (c >= 0x2074 && c <= 0x2079))
    append_script(out, "^", c - 0x2070);
  else {
    /* Latin has its letters in the fonts of pdfLaTeX (T1). */
    if (c >= 0x180 && !*foreign)
      *foreign = c;
    g_string_append_unichar(out, c);
  }
}

void
regard_tex_append_text(GString *out, const char *text, gunichar *foreign)
{
  g_autofree char *clean = regard_visible(text);
  for (const char *p = clean; *p; p = g_utf8_next_char(p)) {
    /* TeX makes one blank of several, and none of one after a command. */
    if (*p == ' ')
      g_string_append(out, "\\ ");
    else
      append_character(out, g_utf8_get_char(p), foreign);
  }
}

void
regard_tex_append_number(GString *out, double value)
{
  regard_canvas_append_number(out, value, 2);
}

/* A remark, in lines that none of its own can end. */
static void
append_remark(GString *out, const char *text)
{
  g_autofree char *clean = regard_visible(text ? text : "");
  g_string_append_printf(out, "%% %s\n", clean);
}

void
regard_tex_append_head(GString *out, const char *title, const char *description,
                       const char *packages, gunichar foreign)
{
  char letter[8] = "";
  append_remark(out, title);
  append_remark(out, description);
  g_string_append_printf(out,
                         "%% \\usepackage[T1]{fontenc} \\usepackage{textcomp,%s}; then \\input "
                         "this file, in a figure, as it is.\n",
                         packages);
  g_unichar_to_utf8(foreign, letter);
  if (foreign)
    g_string_append_printf(out,
                           "%% It has letters such as %s, which pdfLaTeX lacks: use LuaLaTeX with "
                           "a font that has them.\n",
                           letter);
  g_string_append(out, "\\begingroup\n"
                       "\\def\\regardsize#1#2{\\fontsize{#1bp}{#2bp}\\selectfont\\sffamily}%\n"
                       "\\def\\regardspace{\\rule{.35em}{.07em}\\,}%\n"
                       "\\def\\regardend{$\\hookleftarrow$}%\n");
}
