"""Random texts that are hard on tokenizers, from a seed: the same seed gives the same texts."""
import random

SPECIALS = ["<s>", "</s>", "<unk>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>",
            "<|begin_of_text|>", "<|eot_id|>", "[INST]", "[/INST]", "[LEFT]", "[RIGHT]", "[BOTH]", "[WORD]",
            "[WORDS]", "Ångström", "▁▁▁", "<|im_", "<s", "</s>>", "<<s>"]
RANGES = [(0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x3FF), (0x400, 0x52F), (0x531, 0x58F), (0x591, 0x5F4),
          (0x600, 0x6FF), (0x700, 0x74F), (0x900, 0x97F), (0x980, 0x9FE), (0xB80, 0xBFA), (0xE01, 0xE5B),
          (0xF00, 0xFDA), (0x1000, 0x109F), (0x10A0, 0x10FF), (0x1200, 0x137C), (0x1780, 0x17F9),
          (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x20C0), (0x2100, 0x218B), (0x2190, 0x23FF),
          (0x2460, 0x24FF), (0x2500, 0x27BF), (0x3000, 0x30FF), (0x3130, 0x318E), (0x3200, 0x33FF),
          (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAD9), (0xFB00, 0xFB4F), (0xFE00, 0xFFEF),
          (0x10000, 0x100FF), (0x10300, 0x1034A), (0x10D40, 0x10D8F), (0x11380, 0x113E2), (0x12000, 0x12399),
          (0x16100, 0x1613F), (0x1D100, 0x1D1E8), (0x1D400, 0x1D7FF), (0x1E900, 0x1E95F), (0x1F100, 0x1F1FF),
          (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF), (0x2EBF0, 0x2EE5D), (0x31350, 0x323AF), (0xE000, 0xE010),
          (0xE0100, 0xE01EF), (0x10FFF0, 0x10FFFF)]
MARKS = [0x300, 0x301, 0x302, 0x303, 0x308, 0x30A, 0x30C, 0x315, 0x31B, 0x323, 0x327, 0x328, 0x334, 0x338,
         0x342, 0x345, 0x35C, 0x360, 0x489, 0x5B0, 0x5BC, 0x64B, 0x651, 0x670, 0x93C, 0x94D, 0x9BC, 0xE38,
         0xE48, 0xF71, 0xF72, 0x3099, 0x309A, 0x1AB0, 0x1ABF, 0x1DF6, 0x20D0, 0x20E3, 0xFE20, 0x11133,
         0x1D165, 0x1E8D0, 0x1E08F, 0x0897, 0x11F41]
BASES = "aAeEiIoOuUnNcCsSzZyYᾳωάかハ가각각क\u0928\u0930\u0933\u1100\u1161\u11a8ǖệḗﷺﬁ①㎏½"
SPACES = [" "] * 12 + ["\t", "\n", "\n", "\r\n", "\r", "\v", "\f", "\x85", "\xa0", "\u1680", "\u180e", "\u2000",
                      "\u2003", "\u2009", "\u200a", "\u200b", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"]
DIGITS = list("0123456789") * 3 + list("٠١٢٣۴۵६७০১௧๑๒０１２²³¹₀₁½¼Ⅷⅷ①②㊿𝟘𝟙𐒠〇一二")
CODE = ["def f(x):\n    return x**2  # ok\n", "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}\n", "#include <vector>\n",
        "x = {'a': 1, \"b\": [2, 3.14e-10]}", "SELECT * FROM t WHERE id=42;", "</div><p class=\"x\">&nbsp;</p>",
        "if a and not b:\n        pass\n\n\n", "https://example.org/a?b=c&d=%20#e", "0xDEADBEEF 1_000_000 1e-5",
        "/* comment */ #define X(a) ((a)+1)", "git commit -m 'fix: it''s'", "\\begin{align} x &= \\frac{1}{2} \\\\ \\end{align}"]
WORDS = ("the of and to in a is that it was for on are as with his they at be this have from or one had by word "
         "but not what all were we when your can said there use an each which she do how their if will up other "
         "about out many then them these so some her would make like him into time has look two more write go see "
         "number no way could people my than first water been call who oil its now find long down day did get come "
         "made may part Größe naïve café Москва привет 世界 你好 日本語 한국어 مرحبا שלום नमस्ते สวัสดี Ελλάδα").split()
ENDINGS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'RE", "'Ll", "'\u017f", "\u2019s", "'", "''", "'x"]
ODD = ["▁", "▁▁", " ▁", "<0x0A>", "<0xE4>", "<0x+5>", "Ġ", "Ċ", "âĢĻ", "\0", "\x01\x7f", "\ufffd", "\u00ad", "👩‍👩‍👧‍👦",
       "👍🏽", "🇩🇪🇫🇷", "❤️", "e\u0301\u0323", "\u1112\u1161\u11ab", "ǅ", "ﬀ", "ſ", "İi̇", "ß", "K", "Å", "\u0344", "𝒜𝓑", "\u202eabc\u202c"]
INVALID = [b"\xff", b"\xc3", b"\xe4\xbd", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80", b"\xf8\x88\x80\x80\x80", b"\x80",
           b"\xf4\x90\x80\x80", b"\xe2\x28\xa1"]


def character(rng):
    low, high = rng.choice(RANGES)
    return chr(rng.randint(low, high))


def part(rng):
    kind = rng.randrange(16)
    if kind < 4:
        return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 7)))
    if kind == 4:
        return "".join(character(rng) for _ in range(rng.randint(1, 10)))
    if kind == 5:
        low, high = rng.choice(RANGES)
        return "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 12)))
    if kind == 6:
        return "".join(rng.choice(BASES) + "".join(chr(rng.choice(MARKS)) for _ in range(rng.randint(0, 4)))
                       for _ in range(rng.randint(1, 4)))
    if kind in (7, 8):
        return "".join(rng.choice(SPACES) for _ in range(rng.randint(1, 6)))
    if kind == 9:
        return "".join(rng.choice(DIGITS) for _ in range(rng.randint(1, 9)))
    if kind == 10:
        return rng.choice(CODE)
    if kind in (11, 12):
        return rng.choice(["", "", " ", "  ", "\n"]) + rng.choice(SPECIALS) + rng.choice(["", "", " ", "\t ", "x", "."])
    if kind == 13:
        return rng.choice(WORDS) + rng.choice(ENDINGS)
    if kind == 14:
        return rng.choice(ODD)
    return rng.choice([" ", "a", "ab", "=", "-", ".", "0", "\n", "é", "字", "▁", "(", "!?", "😀"]) * rng.randint(2, 40)


def corpus(seed, count):
    """bytes, mostly UTF-8; about one in twenty is not."""
    rng = random.Random(seed)
    texts = [b"", b" ", b"  ", b"\n", "▁".encode(), b"<s>", b" <s> a", b"a<s> </s>b"]
    while len(texts) < count:
        text = "".join(part(rng) for _ in range(rng.choice([1, 1, 2, 3, 4, 6]))).encode()
        if rng.random() < 0.05:
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(INVALID) + text[at:]
        texts.append(text[:400])
    return texts
