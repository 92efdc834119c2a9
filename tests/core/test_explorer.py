import numpy as np
import pytest

from course_utils.core.explorer import run, sentence

ANIMAL, STREET, IT, ADJECTIVE = 1, 5, 7, 10


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"sharpness": 0.2}, {"sharpness": 5}])
def test_layer_1_looks_the_same_whatever_the_adjective(options):
    tired, wide = (run(sentence(word), **options)[0][IT] for word in ("tired", "wide"))
    np.testing.assert_array_equal(tired, wide)


def test_layer_2_follows_the_adjective():
    tired, wide = (run(sentence(word))[1][IT] for word in ("tired", "wide"))
    np.testing.assert_allclose(tired[[ANIMAL, STREET]], wide[[STREET, ANIMAL]])
    assert tired[ANIMAL] > 0.8 > 0.1 > tired[STREET]


def test_under_the_causal_mask_it_cannot_decide():
    row = run(sentence("tired"), causal=True)[1][IT]
    assert row[ADJECTIVE] == 0
    np.testing.assert_allclose(row[ANIMAL], row[STREET])


def test_the_adjective_itself_decides_in_one_layer():
    for word, noun in (("tired", ANIMAL), ("wide", STREET)):
        assert run(sentence(word))[0][ADJECTIVE].argmax() == noun


def test_shuffling_the_words_shuffles_the_map_unless_masked():
    words, order = sentence("tired"), np.random.default_rng(0).permutation(11)
    shuffled = [words[i] for i in order]
    for plain, other in zip(run(words), run(shuffled), strict=True):
        np.testing.assert_allclose(other, plain[np.ix_(order, order)], atol=1e-12)
    plain, other = (run(w, causal=True)[0] for w in (words, shuffled))
    assert not np.allclose(other, plain[np.ix_(order, order)])


def test_an_unknown_word_is_refused():
    with pytest.raises(KeyError, match="dog"):
        run(["dog"])
