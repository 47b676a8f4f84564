"""Kinds of things and what belongs to them, so that "which instrument?" finds the violin.

A question often names a thing by its kind, and the message that answers it does not: no word is
shared. The list is everyday English, written by hand; a kind that is not in it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from app.memory.extractive.words import stem

# kinds : members; a line that is indented goes on with the members. All heads are one kind.
_KINDS = """
instrument : piano guitar violin viola cello drums flute clarinet saxophone trumpet trombone harp
  ukulele bass banjo accordion keyboard organ harmonica oboe
pet animal : dog cat puppy kitten hamster rabbit bunny parrot goldfish fish turtle tortoise snake
  lizard horse pony bird guinea ferret chicken cow goat sheep pig
dog breed : labrador retriever shepherd poodle beagle bulldog terrier corgi husky collie dachshund
  spaniel chihuahua
sport athletic : football soccer basketball baseball tennis volleyball hockey rugby golf cricket
  swimming running cycling skiing snowboarding surfing climbing boxing judo karate badminton
  rowing skating sailing
martial : karate judo taekwondo kickboxing boxing aikido kung wrestling fencing krav
exercise workout fitness : yoga pilates running jogging gym weights swimming cycling boxing zumba
  aerobics stretching hiking boot cardio
outdoor activity hobby : hiking camping climbing fishing kayaking canoeing cycling biking surfing
  mountaineering picnic gardening skiing swimming birdwatching
art craft : painting drawing pottery sculpture photography knitting sewing crochet embroidery
  woodworking calligraphy origami quilting ceramics
country nation abroad : france germany spain italy england britain ireland scotland sweden norway
  denmark finland poland austria switzerland portugal greece turkey russia ukraine china japan
  korea india thailand vietnam indonesia australia canada mexico brazil argentina chile peru egypt
  morocco kenya nigeria iceland netherlands belgium czechia hungary croatia
european europe : france germany spain italy england britain ireland scotland sweden norway
  denmark finland poland austria switzerland portugal greece iceland netherlands belgium czechia
  hungary croatia
asian asia : china japan korea india thailand vietnam indonesia malaysia singapore nepal
  philippines
city town : paris london berlin rome madrid barcelona vienna prague tokyo york boston chicago
  seattle toronto sydney dublin amsterdam lisbon
state : california texas florida oregon washington colorado arizona nevada utah montana alaska
  hawaii michigan ohio georgia virginia minnesota wisconsin
book author reading novel : novel read author trilogy biography memoir poem poetry fantasy mystery
movie film : movie film cinema trilogy thriller comedy horror documentary netflix
music genre band : song concert album jazz rock pop classical blues folk metal rap country
  techno reggae
game : chess poker monopoly scrabble xbox playstation nintendo console rpg puzzle cards
food dish meal cuisine : pizza pasta salad soup curry sushi rice chicken beef pork fish steak
  bread sandwich burger taco noodles lasagna stew risotto paella dumplings pancakes
dessert sweet : cake cookies brownies pie ice chocolate cupcakes pudding tart donut muffin
fruit : apple banana orange strawberry blueberry raspberry peach pear plum cherry mango grape
  pineapple lemon melon
vegetable : carrot potato tomato onion broccoli spinach lettuce pepper cucumber cabbage zucchini
  kale pumpkin
drink beverage : coffee tea wine beer juice water lemonade smoothie cocktail whisky milk
relative family sibling : mother father mom dad sister brother aunt auntie uncle cousin
  grandmother grandma grandfather grandpa niece nephew son daughter wife husband
child kid : son daughter baby toddler
partner spouse relationship marital : husband wife boyfriend girlfriend fiance fiancee married
  single divorced engaged wedding breakup
job profession career occupation work : teacher nurse doctor engineer lawyer chef artist writer
  designer programmer accountant manager salesman counselor therapist mechanic pilot waiter banker
  dancer
vehicle transport : car truck bus train bike bicycle motorcycle scooter plane boat ferry van
car brand model : toyota honda ford bmw audi tesla mercedes volkswagen nissan prius subaru mazda
  skoda hyundai volvo
illness disease condition health medical : cancer diabetes asthma flu allergy arthritis migraine
  injury surgery gastritis ulcer anxiety depression blood heart
allergy : peanut nut gluten dairy shellfish pollen cat penicillin lactose egg
injury : ankle knee wrist back shoulder broke fracture sprain twisted
weather storm disaster : storm hurricane flood tornado earthquake snow rain wildfire heatwave
  drought
season : spring summer autumn fall winter
colour color : red blue green yellow orange purple pink black white brown grey gray gold silver
flower plant : rose tulip lily sunflower orchid daisy lavender fern cactus succulent basil
gift present : necklace ring bracelet book flowers card watch painting
jewellery jewelry : necklace ring bracelet earrings pendant brooch
clothing clothes wear : shirt dress jacket coat shoes jeans sweater scarf gloves skirt boots
furniture : table chair sofa couch bed desk shelf lamp wardrobe
device gadget electronics : phone laptop tablet computer camera headphones watch printer monitor
language : english german french spanish italian czech russian japanese chinese korean portuguese
  dutch polish arabic hindi
programming : python javascript typescript java rust kotlin swift ruby php haskell golang
database : postgres postgresql mysql sqlite mongodb redis mariadb cassandra dynamodb oracle
framework : react vue svelte angular django flask rails laravel fastapi
editor ide : vim emacs neovim vscode sublime intellij pycharm
browser : firefox chrome safari edge brave opera
operating : linux windows macos ubuntu debian fedora android ios
hosting cloud provider : aws azure gcp heroku hetzner netlify vercel
messenger : whatsapp signal telegram slack teams discord
phone mobile smartphone : iphone android pixel samsung galaxy nokia motorola xiaomi
diet : vegetarian vegan pescatarian keto paleo kosher halal
medicine medication painkiller : ibuprofen paracetamol aspirin naproxen antibiotic insulin
  metformin penicillin
religion faith religious : church mosque temple synagogue christian muslim jewish buddhist hindu
degree study studies major field subject : biology chemistry physics mathematics history
  psychology engineering law medicine economics computer education counseling literature
school education : school university college kindergarten class degree course
holiday festival celebration : christmas easter thanksgiving halloween birthday wedding
  anniversary diwali ramadan
accommodation lodging : hotel hostel apartment airbnb cabin tent campsite
home house live : apartment house flat condo rent mortgage moved
bydlím bydlíme bydlí bydlet : přestěhoval přestěhovala přestěhovali stěhujeme byt
wohne wohnen wohnt : umgezogen gezogen zog wohnung
habite j'habite habitons habitez : déménagé déménageons appartement
vivo vivimos vive : mudé mudó mudado mudamos piso
живу живём живет живёт : переехал переехала переехали квартира
name called : renamed
doctor physician : dr dentist surgeon cardiologist dermatologist orthopedist pediatrician gp
airline : flight flew fly lufthansa ryanair easyjet klm emirates
water body nature : lake river ocean sea beach waterfall mountain forest park canyon
award prize : medal trophy scholarship certificate won winner
competition contest tournament : won race match championship finals tournament marathon
"""


@lru_cache(maxsize=1)
def _members() -> dict[str, tuple[str, ...]]:
    out: dict[str, tuple[str, ...]] = {}
    for line in _KINDS.strip().replace("\n  ", " ").splitlines():
        heads, _, listed = line.partition(" : ")
        stems = tuple(dict.fromkeys(stem(each) for each in listed.split()))
        for head in heads.split():
            for word in (head, _plural(head)):
                out[word] = tuple(dict.fromkeys(out.get(word, ()) + stems))
    return out


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeou":
        return f"{word[:-1]}ies"
    if word.endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    return {"child": "children", "life": "lives"}.get(word, f"{word}s")


def members(word: str) -> tuple[str, ...]:
    """Stems of what belongs to a kind, given in lower case; nothing for other words.

    In one, many, or with a thing that it has: "pet", "pets", "pet's", "pets'".
    """
    return _members().get(word.replace("’", "'").removesuffix("'").removesuffix("'s"), ())


def kinds(words: Iterable[str]) -> dict[str, str]:
    """Stem of a member -> stem of the first kind of ``words`` (lower case) that has it."""
    out: dict[str, str] = {}
    for word in words:
        for member in members(word):
            out.setdefault(member, stem(word))
    return out
