"""The program and its variants, beside plain loops over tokens that know nothing of matrices."""

import math
from fractions import Fraction
from itertools import cycle, islice

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from toyattn import ToyLang, attention, machine, memory, program, projections

LANG = ToyLang(N=48, F=6, L=8)
PROMPT = "Ann met Ben . Cy gave Di a pen and so and so then".split()
CLAUSE = ("Cy", "met", "Di", ".")


def loop(tokens, names, beta, kind="program", n_max=64):
    """The answers after the last token, {name: entry of OUT}, and all notes, by loops over tokens."""
    n = len(tokens)
    power = (lambda s: s) if kind == "linear" else (lambda s: math.exp(beta * s))
    PREV = []
    for t in range(n):
        note = {}
        for j in range(t + 1):
            blind = kind == "no position" or t == 0 or t >= n_max or j >= n_max
            weight = power(0 if blind else float(j == t - 1))
            note[tokens[j]] = note.get(tokens[j], 0) + weight
        total = 1 if kind == "linear" else sum(
            power(float(j == t - 1 and 0 < t < n_max and kind != "no position")) for j in range(t + 1)
        )
        PREV.append({word: weight / total for word, weight in note.items()})
    if kind == "no layer 1":
        PREV = [{} for _ in tokens]
    if kind == "no note at 0":
        PREV[0] = {}
    cue, scores, values = tokens[-1], [], []
    for j in range(n):
        own, left = float(tokens[j] == "gave"), PREV[j].get("gave", 0)
        if kind == "slots":
            score = {"then": float(j == 2), "thanked": float(j == 0)}.get(cue, 0.0)
        elif kind == "recency":
            name = n_max * (tokens[j] in names)
            score = {"then": name + j, "thanked": name - j}.get(cue, 0.0)
        else:
            score = {"then": left, "thanked": own}.get(cue, 0.0)
        value = {}
        for source in [{tokens[j]: 1.0}] + ([] if kind in ("slots", "recency") else [PREV[j]]):
            for word, amount in source.items():
                if word in names:
                    value[word] = value.get(word, 0) + amount
        scores.append(score)
        values.append(value)
    best = max(scores)
    weights = scores if kind == "linear" else [math.exp(beta * (s - best)) for s in scores]
    total = 1 if kind == "linear" else sum(weights)
    OUT = {name: sum(w * v.get(name, 0) for w, v in zip(weights, values)) / total for name in names}
    return OUT, PREV


def front(rng, lang, size, adjacent=False):
    """Random tokens without "gave"; no two names side by side unless asked for, none at the end."""
    words = [w for w in program.vocabulary(lang) if w != "gave"]
    found = []
    while len(found) < size:
        word = words[rng.integers(len(words))]
        if adjacent or not (word in lang.names and (len(found) == size - 1 or found and found[-1] in lang.names)):
            found.append(word)
    return tuple(found)


@pytest.mark.parametrize("kind", program.MACHINES)
@pytest.mark.parametrize("beta", [0.0, 0.7, 3.0, 12.0])
def test_every_machine_beside_the_loop(kind, beta):
    rng = np.random.default_rng(int(10 * beta))
    lang = ToyLang(N=7, F=6, L=3)
    built = program.build(lang, kind, beta)
    for size in (0, 1, 4, 7):
        text = front(rng, lang, size, adjacent=True) + lang.sample(rng)
        passed = machine.run(built, text)
        OUT = machine.register(built, passed.streams[-1], "OUT")
        notes = machine.register(built, passed.streams[1], "PREV")
        cues = [t for t, word in enumerate(text) if word in ("gave", "then", "thanked")]
        assert cues[-2:] == [size + 8, size + 10]
        for t in [0, 1, *cues, size + 9, size + 11]:
            wanted, PREV = loop(text[: t + 1], lang.names, beta, kind)
            row = dict(zip(built.stream.vocabulary, OUT[t]))
            assert all(row[name] == pytest.approx(wanted[name], abs=1e-12) for name in lang.names)
            assert not any(row[word] for word in built.stream.vocabulary if word not in lang.names)
            powers = {w: math.exp(10 * row[w]) for w in row}
            assert passed.probabilities[t] == pytest.approx(
                [powers[w] / sum(powers.values()) for w in powers], abs=1e-12
            )
            if kind == "linear" and t == 0:
                PREV[0] = {}  # a zero query reads nothing there
            if kind not in ("no layer 1", "slots", "recency"):
                row = dict(zip(built.stream.vocabulary, notes[t]))
                assert all(row[w] == pytest.approx(PREV[t].get(w, 0), abs=1e-12) for w in row)


def test_answers_beside_the_loop():
    rng = np.random.default_rng(5)
    lang = ToyLang(N=6, F=6, L=2)
    texts = [front(rng, lang, size) + ToyLang(6, 6, L).sample(rng) for size in (0, 3, 3, 5) for L in (0, 2, 4)]
    for beta in (0.5, 1.6, 5.0):
        found = program.answers(program.build(lang, beta=beta, kappa=3.0), lang, texts)
        for i, text in enumerate(texts):
            X, Y = text[-2], text[-4]
            for column, (cue, answer) in enumerate(((-4, Y), (-2, X))):
                OUT, _ = loop(text[:cue], lang.names, beta)
                others = max(amount for name, amount in OUT.items() if name != answer)
                total = sum(math.exp(3 * amount) for amount in OUT.values()) + 15
                error = sum(abs(amount - (name == answer)) for name, amount in OUT.items())
                assert found.margin[i, column] == pytest.approx(OUT[answer] - others, abs=1e-12)
                assert found.probability[i, column] == pytest.approx(math.exp(3 * OUT[answer]) / total, abs=1e-12)
                assert found.error[i, column] == pytest.approx(error, abs=1e-12)
                if abs(OUT[answer] - others) > 1e-9:
                    assert found.right[i, column] == (OUT[answer] > others)


def test_right_is_the_first_of_the_largest_logits():
    lang = ToyLang(N=5, L=2)
    built = program.build(lang, "no layer 1")
    for X in lang.names:
        for Y in lang.names:
            if X != Y:
                text = lang.sentence(X, Y, "pen", ["and", "so"])
                second_y, final_x = program.answers(built, lang, [text]).right[0]
                assert second_y == (lang.names.index(Y) < lang.names.index(X)) and not final_x


@pytest.mark.parametrize("N, n_max", [(2, 64), (8, 64), (48, 64), (5, 30)])
@pytest.mark.parametrize("clause", [False, True])
def test_hard_attention_is_exact_up_to_the_last_slot(N, n_max, clause):
    lang = ToyLang(N=N)
    hard, soft = (program.build(lang, beta=beta, n_max=n_max) for beta in (math.inf, 12.0))
    linear = program.build(lang, "linear", n_max=n_max)
    rng = np.random.default_rng(N)
    texts = []
    for L in range(n_max - 10 - 4 * clause + 1):
        texts.append((CLAUSE if clause else ()) * (N > 3) + ToyLang(N, 6, L).sample(rng))
    texts += [front(rng, lang, n_max - 10 - L) + ToyLang(N, 6, L).sample(rng) for L in (0, 3, 9)]
    assert max(map(len, texts)) == n_max
    V = N + 15
    for built in (hard, linear):
        found = program.answers(built, lang, texts)
        assert (found.error == 0).all() and (found.margin == 1).all() and found.right.all()
        assert found.probability == pytest.approx(math.exp(10) / (math.exp(10) + V - 1), rel=1e-12)
    assert program.answers(soft, lang, texts).right.all()
    with pytest.raises(ValueError, match="^sentences: wanted at most n_max"):
        program.answers(hard, lang, [ToyLang(N, 6, n_max - 9).sample(rng)])


def test_all_pairs_of_48_names_at_three_gaps():
    right = predictions = 0
    built = program.build(LANG)
    for L in (0, 17, 30):
        lang = ToyLang(48, 6, L)
        texts = program.every_pair(lang)
        assert len({(text[0], text[2]) for text in texts}) == 48 * 47
        assert all(lang.is_sentence(text) for text in texts)
        assert [len({text[place] for text in texts}) for place in range(4, 5 + L)] == [3] + [6] * L
        assert all(text[5 : 5 + L] == tuple(islice(cycle(lang.fillers), i, i + L)) for i, text in enumerate(texts))
        found = program.answers(built, lang, texts)
        right += found.right.sum()
        predictions += found.right.size
    assert (right, predictions) == (13_536, 13_536)


def test_each_matrix_says_what_it_maps():
    lang, beta = ToyLang(N=4, F=2, L=1), 3.0
    built = program.build(lang, beta=beta, n_max=5)
    words, d = program.vocabulary(lang), built.stream.d
    assert words == tuple("Ann Ben Cy Di book pen cup and so gave a then thanked . met".split())
    V = len(words)
    at = {"TOK": 0, "POS": V, "PREV": V + 5, "OUT": 2 * V + 5}
    one, two = built.layers
    expected = {name: set() for name in ("Q1", "K1", "V1", "O1", "Q2", "K2", "V2", "O2", "U")}
    for t in range(1, 5):
        expected["Q1"].add((at["POS"] + t, t - 1, beta))
    for t in range(5):
        expected["K1"].add((at["POS"] + t, t, 1.0))
    for w in range(V):
        expected["V1"].add((w, w, 1.0))
        expected["O1"].add((w, at["PREV"] + w, 1.0))
        expected["O2"].add((w, at["OUT"] + w, 1.0))
        expected["U"].add((at["OUT"] + w, w, 10.0))
    expected["Q2"] = {(words.index("thanked"), 0, beta), (words.index("then"), 1, beta)}
    expected["K2"] = {(words.index("gave"), 0, 1.0), (at["PREV"] + words.index("gave"), 1, 1.0)}
    for i in range(4):
        expected["V2"] |= {(i, i, 1.0), (at["PREV"] + i, i, 1.0)}
    found = dict(zip("Q1 K1 V1 O1 Q2 K2 V2 O2".split(), [
        matrix for W in (one, two) for matrix in (W.W_Q, W.W_K, W.W_V, W.W_O)]), U=built.W_U)
    assert d == 3 * V + 5
    for name, matrix in found.items():
        entries = {(i, j, matrix[i, j]) for i, j in np.argwhere(matrix).tolist()}
        assert entries == expected[name]
    assert one.W_Q.shape == (d, 5) and two.W_Q.shape == (d, 2) and two.W_V.shape == (d, V)


@pytest.mark.parametrize("N, n_max", [(48, 64), (48, 128), (8, 64), (3, 10)])
def test_nonzeros(N, n_max):
    counts = machine.nonzeros(program.build(ToyLang(N=N), n_max=n_max))
    assert sum(counts.values()) == 2 * n_max + 6 * N + 63
    if (N, n_max) == (48, 64):
        assert list(counts.values()) == [63, 64, 63, 63, 2, 2, 96, 63, 63]
    one_layer = machine.nonzeros(program.build(ToyLang(N=N), "slots", n_max=n_max))
    assert [part for _, part in one_layer] == ["query", "key", "value", "output", "unembedding"]


def test_it_is_the_attention_of_the_book():
    built = program.build(LANG, beta=2.0)
    passed = machine.run(built, [*PROMPT, "Di", "thanked"])
    for rows, W, found in zip(passed.streams, built.layers, passed.heads):
        for wanted, part in zip(projections.head(rows, W, beta=1.0, mask="causal"), found):
            np.testing.assert_allclose(part, wanted, atol=1e-14)
    np.testing.assert_allclose(passed.streams[2], passed.streams[0] + sum(h.write for h in passed.heads))
    hard = machine.run(program.build(LANG, beta=math.inf), PROMPT)
    assert set(np.unique(hard.heads[0].weights[1:])) == {0, 1}


def test_the_linear_program_is_a_fast_weight_memory():
    built = program.build(LANG, "linear")
    passed = machine.run(built, [*PROMPT, "Di", "thanked"])
    for one, shape in zip(passed.heads, ((63, 64), (63, 2))):
        for t, S in enumerate(memory.stream(one.K, one.V)):
            assert S.shape == shape
            assert (memory.read(S, one.Q[t]) == one.outputs[t]).all()
    assert np.count_nonzero(memory.write(passed.heads[1].K, passed.heads[1].V).any(axis=1)) == 2  # Cy and Di
    assert machine.held(built, passed.streams[1], "PREV") == (None, *PROMPT, "Di")


def test_the_opening_prompt():
    built = program.build(LANG)
    passed = machine.run(built, [*PROMPT, "Di", "thanked"])
    words = built.stream.vocabulary
    assert [words[passed.probabilities[t].argmax()] for t in (13, 15)] == ["Di", "Cy"]
    assert [passed.heads[1].weights[t].argmax() for t in (13, 15)] == [6, 5]
    assert machine.held(built, passed.streams[1], "PREV") == ("Ann", *PROMPT, "Di")
    assert machine.held(built, passed.streams[0], "OUT") == (None,) * 16
    assert machine.held(built, passed.streams[0], "POS") == tuple(range(16))
    assert machine.held(built, passed.streams[2], "OUT")[13::2] == ("Di", "Cy")


def test_without_positions_layer_1_averages():
    passed = machine.run(program.build(LANG, "no position"), PROMPT)
    wanted = [[float(Fraction(j <= t, t + 1)) for j in range(14)] for t in range(14)]
    np.testing.assert_allclose(passed.heads[0].weights, wanted, rtol=1e-14)


def test_past_the_last_slot():
    lang = ToyLang(N=48, L=60)
    built = program.build(lang)
    plain = lang.sentence("Ann", "Ben", "pen", ["so"] * 60)
    pushed = ("and",) * 62 + ToyLang(48, 6, 2).sentence("Ann", "Ben", "pen", ["so"] * 2)
    found = program.answers(built, lang, [plain, pushed], uncoded=True)
    assert found.right.tolist() == [[True, True], [False, True]]
    OUT, _ = loop(plain[:66], lang.names, 12.0)
    assert found.margin[0, 0] == pytest.approx(OUT["Ben"] - OUT["Ann"], abs=1e-12)
    OUT, _ = loop(pushed[:-4], lang.names, 12.0)
    assert found.margin[1, 0] == pytest.approx(OUT["Ben"] - OUT["Ann"], abs=1e-12)
    wide = program.build(lang, n_max=128)
    assert program.answers(wide, lang, [plain, pushed]).right.all()


@pytest.mark.parametrize("kind", program.FRONTS)
def test_drawn_fronts(kind):
    lang = ToyLang(N=5, F=2, L=1)
    texts = program.draw(lang, 3000, np.random.default_rng(1), kind)
    found = [program.parse(lang, text) for text in texts]
    assert all(type(token) is str for text in texts for token in text)
    if kind == "none":
        assert {len(one.front) for one in found} == {0}
        return
    assert {(one.front[1], one.front[3]) for one in found} == {("met", ".")}
    quads = {}
    for one in found:
        quad = one.front[0], one.front[2], one.X, one.Y
        quads[quad] = quads.get(quad, 0) + 1
    possible = 5 * 4 * 3 * 2 if kind == "clause" else 20 * 20
    assert len(quads) == possible and all(a != b and x != y for a, b, x, y in quads)
    chi2 = sum((c - 3000 / possible) ** 2 for c in quads.values()) / (3000 / possible)
    assert abs(chi2 - possible + 1) < 4.5 * math.sqrt(2 * possible)


def test_parse_beside_the_parts():
    lang = ToyLang(N=6)
    rng = np.random.default_rng(3)
    for size, L in ((0, 0), (1, 2), (6, 5)):
        other = ToyLang(6, 6, L)
        start, tail = front(rng, lang, size), other.sample(rng)
        found = program.parse(lang, [*start, *tail])
        assert found == (start, tail[0], tail[2], size + 1, size + L + 5, size + L + 7)
        assert [(start + tail)[t] for t in found[3:]] == ["gave", "then", "thanked"]


@pytest.mark.parametrize("text, wanted", [
    ("Ann gave Ben a pen then Ben thanked Ann . Ann gave Ben a pen then Ben thanked Ann .", 'one "gave"'),
    ("Ann met Ben .", 'one "gave"'),
    ("gave Ben a pen so then Ben thanked Ann .", "a whole sentence"),
    ("Ann gave Ben a pen then Ben thanked", "a whole sentence"),
    ("Ann gave Ben a pen then Ben thanked Ben .", "one of Ann"),
    ("Ann gave Ann a pen then Ann thanked Ann .", "one of Ben"),
    ("Ann gave Ben a pen then met then Ben thanked Ann .", "one of and"),
    ("Ann gave Bob a pen then Bob thanked Ann .", "tokens of the vocabulary"),
    ("so gave Ben a pen then Ben thanked so .", "one of Ann"),
])
def test_what_is_no_sentence_is_refused(text, wanted):
    with pytest.raises(ValueError, match=wanted) as refused:
        program.parse(LANG, text.split())
    assert str(refused.value).startswith("tokens: wanted ")
    with pytest.raises(ValueError, match="^sentences: wanted "):
        program.answers(program.build(LANG), LANG, [text.split()])


def test_texts_side_by_side_and_alone():
    rng = np.random.default_rng(2)
    lang = ToyLang(N=5, L=4)
    for kind in ("program", "linear", "recency"):
        built = program.build(lang, kind, 1.3)
        texts = [front(rng, lang, 4 - i % 3, adjacent=True) + ToyLang(5, 6, 4 + i % 3).sample(rng) for i in range(12)]
        together = machine.run_many(built, texts)
        for rows, text in zip(together, texts):
            np.testing.assert_allclose(rows, machine.run(built, text).streams[-1], atol=1e-14)


def test_shared_probability():
    for V, kappa, k in ((63, 10.0, 1), (63, 10.0, 2), (23, 4.0, 3), (5, 2.0, 5)):
        logits = [kappa / k] * k + [0.0] * (V - k)
        assert machine.shared_probability(V, kappa, k) == pytest.approx(attention.softmax(logits)[0], rel=1e-12)
    assert machine.shared_probability(63, 10**6) == 1


def test_merged_places_beside_the_loop():
    rng = np.random.default_rng(4)
    weights = rng.random((7, 7))
    for start, stop in ((0, 1), (2, 5), (0, 7), (5, 7)):
        groups = [[i] for i in range(start)] + [list(range(start, stop))] + [[i] for i in range(stop, 7)]
        wanted = [
            [sum(weights[i, j] for i in rows for j in columns) / len(rows) for columns in groups] for rows in groups
        ]
        np.testing.assert_allclose(machine.merge_places(weights, start, stop), wanted, rtol=1e-13)


def test_nonzeros_counted_in_the_matrices():
    """Entry by entry, for 48 names and 64 places."""
    built = program.build(ToyLang(N=48))
    matrices = [getattr(W, name) for W in built.layers for name in ("W_Q", "W_K", "W_V", "W_O")] + [built.W_U]
    counted = [sum(entry != 0 for row in matrix.tolist() for entry in row) for matrix in matrices]
    assert counted == [63, 64, 63, 63, 2, 2, 96, 63, 63] and sum(counted) == 479


@st.composite
def texts_of_any_layout(draw, names=7):
    """Sentences with N, L, things and fillers of their own, after a clause, odd words or nothing, in at most 64 places."""
    lang, words = ToyLang(N=names), program.vocabulary(ToyLang(N=names))
    found = []
    for _ in range(draw(st.integers(1, 5))):
        clause = st.tuples(*map(st.sampled_from, (lang.names, ["met"], lang.names, ["."])))
        odd = st.lists(st.sampled_from([word for word in words if word != "gave"]), max_size=9).map(tuple)
        lead = draw(st.one_of(st.just(()), clause, odd))
        L = draw(st.integers(0, 54 - len(lead)))
        X, Y = draw(st.permutations(lang.names))[:2]
        fillers = draw(st.lists(st.sampled_from(lang.fillers), min_size=L, max_size=L))
        found.append(lead + ToyLang(names, 6, L).sentence(X, Y, draw(st.sampled_from(lang.things)), fillers))
    return found


@settings(max_examples=40, deadline=None)
@given(texts=texts_of_any_layout(), beta=st.floats(0, 14), kind=st.sampled_from(["program", "linear", "no note at 0"]))
def test_batches_of_any_layout_beside_the_loop(texts, beta, kind):
    lang = ToyLang(N=7)
    found = program.answers(program.build(lang, kind, beta, kappa=4.0), lang, texts)
    for i, text in enumerate(texts):
        for column, cue in enumerate((-4, -2)):
            OUT = linear_out(text[:cue], lang.names) if kind == "linear" else loop(text[:cue], lang.names, beta, kind)[0]
            answer = text[cue]
            others = max(amount for name, amount in OUT.items() if name != answer)
            total = sum(math.exp(4 * amount) for amount in OUT.values()) + 15
            assert found.margin[i, column] == pytest.approx(OUT[answer] - others, abs=1e-11)
            assert found.probability[i, column] == pytest.approx(math.exp(4 * OUT[answer]) / total, abs=1e-11)
            assert found.right[i, column] == (OUT[answer] > others) or abs(OUT[answer] - others) < 1e-11


def linear_out(tokens, names):
    """The linear program in words: the token right of *gave* at *then*, the token left of it at *thanked*, if it is a name."""
    gave, OUT = tokens.index("gave"), dict.fromkeys(names, 0)
    OUT[tokens[gave + 1 if tokens[-1] == "then" else gave - 1]] += 1
    return OUT


@settings(max_examples=40, deadline=None)
@given(texts=texts_of_any_layout())
def test_hard_and_linear_are_exact_behind_any_front(texts):
    lang = ToyLang(N=7)
    for built in (program.build(lang, beta=math.inf), program.build(lang, "linear")):
        found = program.answers(built, lang, texts)
        assert (found.error == 0).all() and found.right.all()


def test_more_texts_than_fit_at_once(monkeypatch):
    """Parts of a batch, and texts of several lengths among them, come back in their order."""
    rng, lang = np.random.default_rng(9), ToyLang(N=5)
    texts = [front(rng, lang, int(rng.integers(4))) + ToyLang(5, 6, int(rng.integers(3))).sample(rng) for _ in range(23)]
    built = program.build(lang, beta=1.4)
    whole = program.answers(built, lang, texts)
    monkeypatch.setattr(program, "AT_ONCE", 3)
    for parts, one in zip(program.answers(built, lang, texts), whole):
        np.testing.assert_array_equal(parts, one)
    for i, text in enumerate(texts):
        np.testing.assert_allclose(program.answers(built, lang, [text]).probability[0], whole.probability[i], rtol=1e-12)


def test_a_single_sentence_and_the_usual_scale():
    assert len(program.draw(LANG, 1, np.random.default_rng(0))) == 1
    stream = program.build(LANG).stream
    np.testing.assert_array_equal(program.unembedding(stream), 10 * program.output(stream).T)


def test_a_refused_text_is_named_and_quoted():
    with pytest.raises(ValueError, match="^sentences: .*, got 'tokens:' at place 1"):
        program.answers(program.build(LANG), LANG, [["Ann", "tokens:"]])


def test_streams_and_machines_are_frozen():
    stream = machine.Stream(("a", "b"))
    assert stream == machine.Stream(("a", "b"), 64) and hash(stream) == hash(machine.Stream(("a", "b"), 64))
    built = program.build(LANG)
    for value, name in ((stream, "n_max"), (built, "code")):
        with pytest.raises(AttributeError):
            setattr(value, name, 3)
    assert built == built and built != program.build(LANG) and len({built, program.build(LANG)}) == 2


def test_places_without_a_code_must_be_asked_for():
    built = program.build(LANG, n_max=14)
    for call, name in ((lambda: machine.run(built, [*PROMPT, "Di"]), "tokens"), (lambda: machine.run_many(built, [[*PROMPT, "Di"]]), "texts")):
        with pytest.raises(ValueError, match=f"^{name}: .*at most n_max = 14"):
            call()


def test_the_shortest_texts():
    built = program.build(LANG)
    assert machine.run_many(built, [["then"]]).shape == (1, 1, built.stream.d)
    with pytest.raises(ValueError, match="^texts: wanted at least 1"):
        machine.run_many(built, [[]])


def test_nonzeros_are_counted_by_layer_and_part():
    names = [(layer, part) for layer in ("layer 1", "layer 2") for part in ("query", "key", "value", "output")]
    assert list(machine.nonzeros(program.build(LANG))) == [*names, ("read-out", "unembedding")]


def test_the_ends_of_a_shared_probability():
    assert machine.shared_probability(1) == 1
    assert machine.shared_probability(1000) == pytest.approx(math.exp(10) / (math.exp(10) + 999))
    assert machine.shared_probability(4, kappa=0) == 0.25
