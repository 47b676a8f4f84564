"""Words and sentences for the generated chats. All made up for this project."""


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES = _list(
    """
    Adaora Brunhild Casimir Delphine Eskil Fiammetta Gwendal Hanneke Ibolya Joaquim
    Katarzyna Leopold Maëlle Nikodem Ottilie Paavo Quirin Rosalba Stellan Tindra Urszula
    Vendela Wojtek Ximena Yannick Zdenka
    """
)
TOWNS = _list(
    """
    Aarhus Bergamo Cáceres Dinant Eger Freiburg Ghent Haarlem Izola Jihlava Kaunas Lugo
    Mdina Nafplio Ohrid Piran Quimper Rovaniemi Sibiu Tartu Uppsala Vilnius Waterford Zadar
    """
)
PROJECTS = (
    "greenhouse", "newsletter", "rooftop concert", "bakery website", "choir recording",
    "museum audio guide", "kayak club", "seed library", "podcast", "reading room", "bus timetable",
    "pottery kiln",
)  # fmt: skip
THINGS = _list(
    """
    lantern orchard ledger harvest beacon copper meadow signal voyage cellar atlas marble
    quarry thistle gallery compass furnace pantry willow harbour canyon spindle glacier
    parlour
    """
)
TOOLS = _list(
    """
    Inkwell Gantry Tidepool Sparrowhawk Lodestar Millrace Cinderblock Foxglove Quillon
    Rampart Saltmarsh Turnstile
    """
)
FOODS = _list(
    """
    celery walnuts mussels buckwheat apricots mustard sesame turnips chestnuts lentils
    paprika rhubarb almonds cucumbers marzipan fennel
    """
)
IDENTIFIERS = _list(
    """
    average_price load_tariff mergeBatches parse_ticket_row flushQueue next_free_slot
    scaleToGrid trim_outliers
    """
)
GREETINGS = (
    "Hey!", "Hi again.", "Okay.", "So,", "Oh, and one more thing.", "Well,", "Right.", "Haha, yes.",
)  # fmt: skip
ASIDES = (
    "How are you today?",
    "The weather is so nice here!",
    "That was really helpful, thanks a lot!",
    "I guess it is what it is.",
    "You always know what to say!",
    "Can you say that in a simpler way?",
    "It made me smile this morning.",
    "I will think about it over coffee.",
    "Sounds good to me, let us go on.",
    "Not sure what else to tell you right now.",
    "Do you have any other ideas?",
    "That is a good point, I had not seen it like that.",
    "Sorry, I was away from the keyboard for a moment.",
    "Anyway, back to what we were talking about.",
)
CZECH_ASIDES = (
    "To je docela dobrý nápad, děkuju.",
    "Dneska je venku krásně.",
    "Ještě si to musím nechat projít hlavou.",
    "A co si o tom myslíš ty?",
)
JAPANESE_ASIDES = (
    "なるほど、ありがとうございます。",
    "今日はとてもいい天気ですね。",
    "もう少し考えてみます。",
    "それは面白いですね！",
)
REPLIES = (
    "Got it, thanks for telling me!",
    "That sounds lovely. I am glad to hear it!",
    "Of course! Let me know if you need anything else.",
    "Good question. It depends on what you would like to do first.",
    "Happy to help with that any time!",
    "I see. What would you like to do next?",
    "Noted. Shall we continue?",
    "That makes sense, and I would probably do it the same way.",
)
ADVICE = (
    "It usually helps to write down the three steps that matter most before you begin.",
    "Many people start with the {thing} and only then look at the rest.",
    "If you want to keep it simple, leave the {thing} for later and come back to it.",
    "You could compare two options side by side and see which one feels lighter.",
    "A common mistake is to change everything at once, so take it slowly.",
    "Another way to look at it is to ask what would still matter in a year.",
    "There are tools such as {tool} that can take some of the routine work off you.",
    "As a rule of thumb, a short note every day beats a long one every month.",
    "When in doubt, ask someone who has done it before and listen to the end.",
    "In the end the {thing} is only a part of the picture, and not the largest one.",
    "I would suggest to try it on a small scale first and to see how it goes.",
    "It can be useful to set a timer, so that it does not eat the whole evening.",
    "Some prefer {tool} for this, while others do it by hand and are happy with that.",
    "Please keep in mind that this is general advice and not a rule.",
)
