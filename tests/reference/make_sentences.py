"""Choose the committed sentences: tests/data/sentences.en.txt.

Every ninth line of a Tatoeba test set (CC BY 2.0 FR, tatoeba.org), then sentences of our own that
are long or odd. Usage: make_sentences.py tatoeba-2k.src.txt

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys

import checkpoints

OWN = """The weather forecast says that it will rain in the north tomorrow, that it will be windy in the west, that the south can hope for some sunshine in the late afternoon, and that nobody knows what will happen in the east, where the two fronts that have been moving slowly across the country for the last three days are expected to meet shortly before midnight, bringing either snow, or thunder, or, as my neighbour always says, nothing at all.
When she finally opened the box that her aunt had kept under the bed for more than forty years, she found seven letters, a small silver spoon, a train ticket from Vienna to Trieste, the photograph of a man whom nobody in the family could name, a dried flower, two keys that fitted no lock in the house, and a note which said that she should not believe everything she had been told about the winter of that year.
Please switch off the light, close the window, lock both doors, feed the cat, water the plants on the balcony but not the ones in the kitchen, put the rubbish out, leave the key under the blue stone, and do not forget to call me as soon as you are on the train, because I will not be able to sleep before I know that you are safe and that the house is, too.
He bought 12 eggs, 3.5 litres of milk, 250 g of butter and a 1984 Bordeaux for $49.99 (!).
HELLO WORLD
hello
?
...
A
no no no no no no no no no no no no no no no no no no no no
Dr. Müller's e-mail address is m.mueller@example.org; write before 17:30.
“Where are you going?” she asked. — “Home,” he said.
The Xylotrephobian quartzsmith jabbered.
I ❤ cats 🐱 and dogs.
東京 is the capital of Japan.
This sentence   has    too many     spaces.
What is 2 + 2 = 4, or 3 < 5 & 7 > 6?
Donaudampfschifffahrtsgesellschaftskapitän
a b c d e f g h i j k l m n o p q r s t u v w x y z
It's John's, isn't it?""".split("\n")

if __name__ == "__main__":
    lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
    path = checkpoints.DATA / "sentences.en.txt"
    path.write_text("\n".join(lines[::9] + OWN) + "\n", encoding="utf-8")
