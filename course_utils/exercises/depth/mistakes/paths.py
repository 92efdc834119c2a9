"""What goes wrong when the layers of a path are counted: ``f(edges, source, target)``."""

NONE = -1


def _search(edges, source, target, *, none=NONE):
    reached, steps = {source}, 0
    while target not in reached:
        further = reached | {int(i) for i, j in edges if j in reached}
        if further == reached:
            return none
        reached, steps = further, steps + 1
    return steps


def follows_the_rows_backwards(edges, source, target):
    """You walk from a word to those it may *see*. But what it holds goes to those who see *it*.

    An edge (i, j) says that i may look at j. If content stands at j, who has it one layer later?
    """
    return _search([(j, i) for i, j in edges], source, target)


def one_layer_or_none(edges, source, target):
    """You ask whether the target may look at the source directly. There may be a way round, over other words.

    With two layers, a word can pass on what it has read. Who could stand between the two?
    """
    direct = (target, source) in [(i, j) for i, j in edges]
    return 0 if source == target else 1 if direct else NONE


def counts_the_words(edges, source, target):
    """You count the words on the path, its ends included. Between three words lie two layers.

    How many layers does a word need that looks at the source directly?
    """
    found = _search(edges, source, target)
    return found if found == NONE else found + 1


def no_path_is_zero(edges, source, target):
    """You return 0 where there is no path. That says that the content is there already.

    0 belongs to the word itself. What was asked for where nothing ever arrives?
    """
    return _search(edges, source, target, none=0)


def no_path_is_the_length(edges, source, target):
    """Where there is no path you return how many words there are, as if it only took long.

    However many layers you stack, nothing arrives. How can you tell that, after a layer?
    """
    return _search(edges, source, target, none=len({int(word) for edge in edges for word in edge}))


def the_word_itself_takes_a_layer(edges, source, target):
    """You say 1 for a word and itself. It has its own content before the first layer.

    When should the counting start?
    """
    return 1 if source == target else _search(edges, source, target)


def the_distance_of_the_places(edges, source, target):
    """You return how far apart the two words stand. That is what it takes when content moves one place a
    step, as in an RNN.

    Attention jumps as far as its edges let it. What do they say about these two?
    """
    return abs(source - target)


def always_one(edges, source, target):
    """You say 1 for all pairs. That holds for attention without a mask, which is often all that is said about it.

    What does a mask change?
    """
    return 0 if source == target else 1


def the_first_path_found(edges, source, target):
    """You follow one path to its end before trying another, and return the first that arrives. It need not
    be the shortest.

    All words that can be reached in one layer come before those in two. In which order do you visit them?
    """

    def walk(word, seen):
        if word == target:
            return 0
        for other in (int(i) for i, j in edges if j == word):
            if other not in seen:
                seen.add(other)
                rest = walk(other, seen)
                if rest != NONE:
                    return rest + 1
        return NONE

    return walk(source, {source})


def with_a_stack(edges, source, target):
    seen, stack = {source}, [(source, 0)]
    while stack:
        word, steps = stack.pop()
        if word == target:
            return steps
        for other in (int(i) for i, j in edges if j == word):
            if other not in seen:
                seen.add(other)
                stack.append((other, steps + 1))
    return NONE


def passes_on_in_the_same_layer(edges, source, target):
    """A word that has just received the content passes it on in the same layer: your set grows while you read it.

    In a layer all words look at once, at what was there before it. Which set should the edges be checked against?
    """
    return _growing(edges, source, target)


def in_the_same_layer_from_the_end(edges, source, target):
    return _growing(edges[::-1], source, target)


def _growing(edges, source, target):
    reached, steps = {source}, 0
    while target not in reached:
        before = len(reached)
        for i, j in edges:
            if j in reached:
                reached.add(int(i))
        if len(reached) == before:
            return NONE
        steps += 1
    return steps


def counts_all_that_were_reached(edges, source, target):
    """You count the words that have been reached, not the layers it took.

    One layer can bring the content to many words at once. When does your counter go up?
    """
    reached = {source}
    while target not in reached:
        further = reached | {int(i) for i, j in edges if j in reached}
        if further == reached:
            return NONE
        reached = further
    return len(reached) - 1
