#!/usr/bin/env python3
"""Writes configs/data/ruler: a text to hide needles in, and questions with documents, for the shipped
RULER tasks. All of it is made up here, from a fixed seed; no name and no fact stands in two places.

    scripts/make_ruler_data.py [FOLDER]
"""
import gzip
import io
import json
import pathlib
import random
import sys

STARTS = "Bel Cor Dun Elm Far Gal Hal Ist Jor Kel Lun Mor Nor Orm Pel Quen Ros Sel Tor Ulm Ver Wil Yar Zan".split()
MIDDLES = "a e i o u ba de li mo na ra se ti vo".split()
ENDS = "bury dale ford gate ham mere mouth stead stow ton wick worth".split()
GIVEN = "Ada Bram Cora Dirk Edda Finn Greta Hugo Ilse Jasper Kaja Lars Mina Nils Olga Piet Runa Sven Tilda Ulf Vera Wim Ylva Zita".split()
FAMILY_STARTS = "Ack Bly Cray Dorn Ek Fos Gar Hol Ing Jes Kra Lind Mar Nys Ost Pryt Quil Rask Sto Thor Ud Vest Wren Yng".split()
FAMILY_ENDS = "berg by dahl er gaard ing holm low man rud sen vik".split()
CRAFTS = "rope,glass,paper,bells,clocks,barrels,lanterns,saddles,violins,candles,tiles,nets,cheese,soap,baskets,brushes,kites,mirrors,ink,felt,spoons,anchors,combs,drums".split(",")
PLACES = "beside a slow river,at the foot of a steep hill,on the edge of a pine forest,behind a long sea wall,between two lakes,on a windy plain,above a narrow bay,at the end of an old road".split(",")
TRADES = "a mason,a teacher,a gardener,a sailor,a weaver,a doctor,a baker,a printer,a carpenter,a painter,a miller,a surveyor".split(",")
DETAILS = [
    "On market days the square fills early, and by noon little is left on the tables.",
    "The oldest house has a red door and belongs to nobody in particular.",
    "In winter the children skate where the boats lie in summer.",
    "Travellers remember the smell of bread and the sound of carts on stone.",
    "A row of lime trees leads from the station to the town hall.",
    "Every spring the bridge is painted green, and every autumn the paint has gone.",
    "The library keeps more maps than books, and lends both.",
    "There are two inns, whose owners have not spoken for years.",
]
LIVES = [
    "As a child the future founder liked to draw plans of streets that did not exist.",
    "Letters from those years are short, polite and full of questions about timber.",
    "Friends described a patient listener who never finished a cup of tea.",
    "A portrait shows a tall figure with a walking stick and a small grey dog.",
    "The diary breaks off in the middle of a sentence about the weather.",
    "Neighbours recalled a lamp that burned until late in the upper window.",
]
SUBJECTS = "The ferryman,An old clerk,The schoolmaster,A girl with a basket,The keeper of the mill,Two brothers,The widow next door,A travelling tailor,The mayor,A boy from the hills,The night watchman,My aunt".split(",")
VERBS = "waited,walked home,said nothing,laughed,looked at the sky,sat down,began to sing,counted the boats,closed the gate,asked for water,lit a lamp,turned back".split(",")
TIMES = "when the rain came,before the bells rang,after the fair,as the fog lifted,while the tide went out,on the way to the orchard,at the end of the harvest,once the shop was shut,under the walnut tree,beside the broken fence,without a word to anyone,as on every evening".split(",")
REASONS = "because the road was long,for the bread was still warm,though nobody had asked,since the letters were late,and the geese answered from the pond,but the door stayed shut,while the kettle sang,and that was all there was to say,as if the summer would never end,for it had always been so".split(",")


def distinct(draw, count):
    seen = {}
    while len(seen) < count:
        seen.setdefault(draw(), None)
    return list(seen)


def make(rng):
    towns = distinct(lambda: rng.choice(STARTS) + rng.choice(MIDDLES) + rng.choice(ENDS), 1500)
    people = distinct(lambda: f"{rng.choice(GIVEN)} {rng.choice(FAMILY_STARTS)}{rng.choice(FAMILY_ENDS)}", 1500)
    single, double = [], []
    for town, person in zip(towns, people):
        craft = rng.choice(CRAFTS)
        where = f"{town} is a small town {rng.choice(PLACES)}. "
        known = f"Its people are known for making {craft}. "
        details = " ".join(rng.sample(DETAILS, 2))
        single.append({"question": f"Who founded the town of {town}?", "answers": [person], "title": town,
                       "context": where + f"It was founded by {person}. " + known + details})
        # The person's document leads to the town, the town's to the craft.
        founder = f"{person} was {rng.choice(TRADES)} and founded the town of {town}. "
        double.append({"question": f"What are the people of the town that {person} founded known for making?",
                       "answer": craft,
                       "context": [[town, [where, known, details]],
                                   [person, [founder, " ".join(rng.sample(LIVES, 2))]]],
                       "supporting_facts": [[person, 0], [town, 1]]})
    text = distinct(lambda: f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(TIMES)}, {rng.choice(REASONS)}.", 1600)
    paragraphs = [" ".join(text[i:i + 8]) for i in range(0, len(text), 8)]
    return "\n\n".join(paragraphs) + "\n", single, double


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def write_gzip(file, text):
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as out:
        out.write(text.encode())
    file.write_bytes(packed.getvalue())


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "configs/data/ruler"
    folder.mkdir(parents=True, exist_ok=True)
    text, single, double = make(random.Random(20240406))
    (folder / "text.txt").write_text(text)
    write_gzip(folder / "qa_1.jsonl.gz", lines(single))
    write_gzip(folder / "qa_2.jsonl.gz", lines(double))


main()
