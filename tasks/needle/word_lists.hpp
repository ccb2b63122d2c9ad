// Common English adjectives and nouns for keys and values of needles, in alphabetical order.
// Changing them changes every sample that draws from them.
#pragma once

#include <string_view>

namespace yardstick::tasks {

inline constexpr std::string_view kAdjectives =
    "able agile airy amber ample ancient angular arctic aspiring autumnal awake balmy bashful "
    "basic beige bold bouncy brave breezy brief bright brisk broad bronze bubbly busy calm "
    "candid careful casual cautious central charming chilly chunky civil classic clean clear "
    "clever cloudy coarse coastal cold comic compact complex content cool copper coral cosmic "
    "cozy crafty creamy crimson crisp crooked curious curly daily damp dapper daring dark "
    "dear deep dense distant dizzy double dreamy dry dusty eager early earnest eastern "
    "elastic elegant equal exact faded faint fair famous fancy fast feathery festive fierce "
    "fine firm flat floral fluent fluffy foggy fond formal fragrant frank free fresh friendly "
    "frosty frozen fuzzy gallant gentle giant gifted glad glossy golden graceful grand grassy "
    "grateful gray green handy happy hardy hasty hazy hearty heavy hidden hollow honest "
    "humble hungry icy ideal indigo inner ivory jagged jolly jovial keen kind lanky large "
    "lasting late lavish lazy leafy lean light likely lilac limber liquid little lively local "
    "lofty lonely loud loyal lucid lucky lunar magic major maroon mature mellow merry mighty "
    "mild minor misty modern modest mossy muddy mute narrow native neat nimble noble northern "
    "novel odd olive open orange orderly outer pale patient peaceful pearly placid plain "
    "playful pleasant plucky polar polite prime proud pure purple quaint quick quiet radiant "
    "rainy rapid rare ready regal rich rigid ripe robust rosy rough round royal rugged rural "
    "rustic salty sandy scarlet secret serene shady sharp shiny short shy silent silky silver "
    "simple sleepy slender slim slow smart smoky smooth snowy soft solar solid spare spicy "
    "spotted square stable starry steady steep stern still stormy stout sturdy subtle sudden "
    "sunny super sweet swift tall tame tangy teal tender thick thin thrifty tidy tiny "
    "tranquil true trusty upper urban vague vast velvet vivid warm wary western whole wide "
    "wild wise witty woolen worthy young zesty";

inline constexpr std::string_view kNouns =
    "acorn airport album alley almond anchor antler apple apron arch armor arrow atlas attic "
    "badge bakery balloon banjo banner barley barn basin basket bay beacon bead beaver bell "
    "bench berry bicycle birch bison blanket blossom bonnet book boot bottle boulder bowl "
    "branch brass bread breeze brick bridge brook broom brush bucket buffalo bugle button "
    "cabin cactus camel camera canal candle canoe canvas canyon captain carpet carrot castle "
    "cave cedar cello chair chalk cherry chess chimney cider circle cliff cloak clock cloud "
    "clover coach coast cobra coin comet compass cookie corner cottage cotton cousin cradle "
    "crane crater creek cricket crown crystal cup curtain dagger daisy dancer desert desk "
    "diamond dolphin donkey door dragon drum duck eagle easel echo elbow elm ember engine "
    "falcon farm feather fence fern ferry fiddle field finch flag flame flask flute fog "
    "forest fork fort fountain fox frog garden garlic gate gazelle geyser ginger glacier "
    "glass globe glove goat goose grape grove guitar hammer hamster harbor harp hat hawk "
    "hazel hedge helmet heron hill hive honey hook horse hotel house igloo ink iris island "
    "ivy jacket jaguar jar jewel jungle kayak kettle key kite kitten ladder lagoon lake lamp "
    "lantern laurel lemon letter lever lily lion lizard llama lobster locket lodge lotus lute "
    "lynx magnet mango maple marble market marsh mask meadow melon mill mirror mitten monkey "
    "moon moose mosaic moss moth mountain mouse museum nail napkin necklace needle nest "
    "nickel notebook oak oar oasis ocean onion opal orchard orchid otter oven owl oxen oyster "
    "paddle palace palm panda paper parrot pasture path peach peak pear pebble pelican pencil "
    "pepper piano pigeon pillow pine pirate planet plaza plum pocket pond pony poppy potato "
    "prairie puffin pumpkin puppet puzzle quail quarry quilt rabbit raft ranch raven reef "
    "ribbon rice ridge ring river robin rocket roof rope ruby saddle sail salmon sandal "
    "satchel scarf school seal seed shell shovel shrimp signal sled slipper snail sofa spade "
    "sparrow spider spoon spruce squirrel stairs star statue stove stream street sugar summit "
    "swan table tailor teapot temple tent thistle throne thumb ticket tiger timber tower "
    "train trumpet tulip tunnel turtle umbrella valley vase vessel village vine violet violin "
    "wagon walnut walrus water wave whale wheat wheel whistle willow window wolf wren yarn "
    "zebra";

}  // namespace yardstick::tasks
