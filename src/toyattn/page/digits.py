"""Numbers of Python's notation as a reader of mathematics writes them."""

import re

_POWER = re.compile(r"(?<![\w.])(\d[\d.,]*)e([+-]?)0*(\d+)\b")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def typeset(text):
    """Text with minus signs, and powers of ten for exponents: "-2.5e-12" becomes "−2.5·10⁻¹²", "<= 1e+06" becomes "≤ 10⁶"."""
    return _POWER.sub(_power, text).replace("-", "−").replace("<=", "≤").replace(">=", "≥")


def _power(found):
    mantissa, sign, exponent = found.groups()
    power = "10" + (sign.strip("+") + exponent).translate(_SUPERSCRIPTS)
    return power if mantissa == "1" else f"{mantissa}·{power}"
