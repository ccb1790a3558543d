# sentences.awk: small English sentences and their German translations, source TAB target.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   LC_ALL=C awk -v n=20000 -f sentences.awk
#
# What makes German a task for attention is all there: articles and adjectives agree with a noun that
# comes later, a sentence that begins with a time has its verb before its subject, and participles
# and infinitives go to the end. Words are few, so that a model of a moment learns them.
# The same n gives the same sentences in every awk.

# The minimal standard generator (Park and Miller 1988): exact in the doubles that awk counts with.
function draw(n)
{
  state = (state * 16807) % 2147483647
  return 1 + state % n
}

# Fill list[1 …] with the words of a text; returns how many.
function words(text, list)
{
  return split(text, list, " ")
}

# A noun phrase in `english` and `german`; case is 1 (who) or 2 (whom).
function noun_phrase(case_,    i, g, a, definite)
{
  i = draw(n_nouns)
  g = index("mfn", gender[i]) # 1, 2, 3
  definite = draw(3) > 1
  english = definite ? "the" : "a"
  german = definite ? substr("derdiedas", 3 * g - 2, 3) : (g == 2 ? "eine" : "ein")
  if (case_ == 2 && g == 1)
    german = definite ? "den" : "einen"
  if (draw(2) == 1) {
    a = draw(n_adjectives)
    english = english " " adjective[a]
    german = german " " adjektiv[a] adjective_ending(case_, g, definite)
  }
  english = english " " noun[i]
  german = german " " nomen[i]
  if (english ~ /^a [aeio]/)
    sub(/^a /, "an ", english)
}

function adjective_ending(case_, g, definite)
{
  if (g == 2)
    return "e"
  if (case_ == 2 && g == 1)
    return "en"
  if (definite)
    return "e"
  return g == 1 ? "er" : "es"
}

# Who does it: number[…] of the verb's forms is 1 (ich), 2 (er), 3 (wir).
function subject(    i)
{
  i = draw(8)
  person = 2
  if (i <= 4) {
    noun_phrase(1)
  } else {
    english = pronoun[i - 4]
    german = pronomen[i - 4]
    person = form[i - 4]
  }
  who = english
  wer = german
}

function sentence(    v, kind, e, first, rest, last, t)
{
  subject()
  noun_phrase(2)
  v = draw(n_verbs)
  kind = draw(4)
  third = person == 2
  if (kind == 1) { # now
    e = who " " verb[v] (third ? "s" : "") " " english
    first = stem[v, person]
    last = ""
  } else if (kind == 2) { # before
    e = who " " (third ? "has" : "have") " " participle[v] " " english
    first = has[person]
    last = " " partizip[v]
  } else { # can, want to
    e = who " " (kind == 3 ? "can" : third ? "wants to" : "want to") " " verb[v] " " english
    first = kind == 3 ? can[person] : wants[person]
    last = " " stem[v, 3]
  }
  rest = german
  if (draw(2) == 1)
    return e "\t" wer " " first " " rest last
  t = draw(n_times)
  return time[t] " " e "\t" zeit[t] " " first " " wer " " rest last
}

function read_verb(i, ich, er, wir)
{
  stem[i, 1] = ich
  stem[i, 2] = er
  stem[i, 3] = wir
}

BEGIN {
  state = 20170612
  n_nouns = words("dog cat house man woman child bird book flower tree apple town", noun)
  words("Hund Katze Haus Mann Frau Kind Vogel Buch Blume Baum Apfel Stadt", nomen)
  words("m f n m f n m n f m m f", gender)
  n_adjectives = words("small big old red good new", adjective)
  words("klein groß alt rot gut neu", adjektiv)
  n_verbs = words("see find love hear buy paint", verb)
  words("seen found loved heard bought painted", participle)
  words("gesehen gefunden geliebt gehört gekauft gemalt", partizip)
  read_verb(1, "sehe", "sieht", "sehen")
  read_verb(2, "finde", "findet", "finden")
  read_verb(3, "liebe", "liebt", "lieben")
  read_verb(4, "höre", "hört", "hören")
  read_verb(5, "kaufe", "kauft", "kaufen")
  read_verb(6, "male", "malt", "malen")
  words("I he she we", pronoun)
  words("ich er sie wir", pronomen)
  words("1 2 2 3", form)
  words("habe hat haben", has)
  words("kann kann können", can)
  words("will will wollen", wants)
  n_times = words("today now here often", time)
  words("heute jetzt hier oft", zeit)
  for (i = 0; i < n; i++)
    print sentence()
}
