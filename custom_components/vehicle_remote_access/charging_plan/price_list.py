"""Reads the prices of the next hours from the attributes of a price sensor.

Integrations agree neither on the names nor on the form of their lists. So no rule here is about one of them:

- A list has rows, which are mappings or pairs of a time and a price. A mapping of times to prices is a list,
  too, even if it is the attributes themselves. A list can be within other attributes, or written as text.
- A list without times counts if its name says which day it is about, and its length fits the day. Attributes
  that are named by their hour are such a list.
- Start and end of a row are its values that are times. Their names say which one is which. The state of the
  sensor says which value is the price, or the names do.
"""

from ast import literal_eval
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import pairwise
import json
from math import inf, log10
from operator import itemgetter
import re
from typing import Any, Final, NamedTuple

from ..api.value_types import NUMBER
from ..drive_log.prices import per_kwh
from ..util.local_time import DAY, HOUR
from .slots import Slot

type _Row = Mapping[Any, Any]
type _Quality = tuple[bool, bool, int]
"""How well the name of a value suits a price: more is better."""


class _Series(NamedTuple):
    """What the lists of today and of tomorrow have in common."""

    has_times: bool
    quality: _Quality
    time_key: str
    price_path: tuple[Any, ...]
    """The keys that lead to the price in a row."""


_MINUTE: Final = 60
# Later prices are not about the next charge.
_HORIZON: Final = 8 * DAY
_LENGTHS: Final = (HOUR / 4, HOUR / 2, HOUR)
_DEEPEST: Final = 4
"""Lists are in at most so many mappings within each other."""
_TIMES: Final = range(10**9, 4 * 10**9)
"""Numbers that are Unix seconds, from 2001 to 2096."""
_MILLISECONDS: Final = 10**11
# No kWh costs more in any currency. A list with such prices has a unit of its own that is unknown.
_HIGHEST_PRICE: Final = 100_000
# If fewer hours of tomorrow cost the same as today, or nothing, that can be by chance.
_LEAST_COPIED: Final = 6 * HOUR
# A market has more different prices in a day. A tariff repeats its few prices each day.
_FEW_PRICES: Final = 0.25
# Sensors round their state.
_TOLERANCE: Final = 0.01
# From this power of ten on, a list is in another unit than its sensor. Less can be chance.
_LEAST_POWER: Final = 3
_LEAST_RATIO: Final = 1e-12
# What is larger is not about prices, and would take too long.
_MOST_ROWS: Final = 5000
_MOST_PRICES: Final = 20
"""How many values of a row can be its price"""
_LONGEST_NAME: Final = 100
_LONGEST_TEXT: Final = 200_000

# Names, as `_words` returns them
_HOUR_NAME: Final = re.compile(r"(.*\bprice\b.*?)([01]\d|2[0-3])h( d)?")
_START: Final = re.compile(r"\b(start|from|begin)")
_END: Final = re.compile(r"\b(end|till|until|to$)")
_PRICE: Final = tuple(
    map(re.compile, ("per kwh", "price", r"\bvalue", r"\btotal", r"\b(rate|tariff|cost|amount)"))
)
"""Words for a price, the clearest one first."""
_WITH_TAX: Final = re.compile(r"\b(inc|with\b|total|gross|all in)")
_IN_PART: Final = re.compile(r"\b(ex\b|exc|without|net\b|raw|spot|market|low|high)")
_NO_PRICE: Final = re.compile(
    r"\b(feed ?in|export|sell|sold|injection|return|surplus|gas|volume"
    r"|rank|quantile|level|ratio|position|percent|diff|min|max|avg|average|mean|median)"
)


def read_prices(
    attributes: Mapping[str, Any], unit: Any, state: float | None, now: float, zone: tzinfo
) -> list[Slot]:
    """Return the known prices of a sensor from a day ago on, in order; none if its unit is not understood.

    `now` is when the sensor changed: lists without times are about that day.
    """
    today = datetime.fromtimestamp(now, zone).date()
    found: dict[_Series, list[list[Slot]]] = defaultdict(list)
    for name, rows, has_times in _rows_of_lists(attributes, today, zone):
        for series, slots in _series(name, rows, zone, has_times=has_times):
            found[series].append(slots)
    best: tuple[Any, ...] = ()
    prices: list[Slot] = []
    for series, lists in found.items():
        slots = _merged(lists)
        factor = _unit_factor(slots, state, now)
        score = (series.has_times, factor is not None, series.quality, len(slots))
        if score > best:
            best = score
            prices = [
                Slot(slot.start, slot.end, per_kwh(slot.price / (factor or 1), unit))
                for slot in slots
                if slot.price is not None and slot.end > now - DAY and slot.start < now + _HORIZON
            ]
    if any(slot.price is None or abs(slot.price) > _HIGHEST_PRICE for slot in prices):
        return []
    return _credible_slots(prices, today, zone)


def _rows_of_lists(
    attributes: Mapping[str, Any], today: date, zone: tzinfo
) -> Iterator[tuple[str, list[_Row], bool]]:
    """Yield the name of each list, its rows, and whether they have times of their own."""
    yield from _named_by_hour(attributes, today)
    for name, found in _nested_lists("", attributes, _DEEPEST):
        if isinstance(found, Mapping):
            yield name, _from_pairs(pair for pair in found.items() if _time(pair[0], zone)), True
        elif mappings := [row for row in found if isinstance(row, Mapping)]:
            yield name, mappings, True
        elif pairs := [row for row in found if isinstance(row, list | tuple)]:
            yield name, _from_pairs(pairs), True
        elif "today" in name or "tomorrow" in name:
            starts = _starts(len(found), _day(name, today), zone)
            yield name, _from_pairs(zip(starts, found, strict=False)), False


def _named_by_hour(attributes: Mapping[str, Any], today: date) -> Iterator[tuple[str, list[_Row], bool]]:
    """Yield the lists whose prices are attributes, each named by its hour."""
    by_hour: dict[str, list[tuple[datetime, Any]]] = defaultdict(list)
    for key, value in attributes.items():
        name = _words(key)
        match = _HOUR_NAME.fullmatch(name)
        if match:
            by_hour[match[1]].append((datetime.combine(_day(name, today), time(int(match[2]))), value))
    for name, pairs in by_hour.items():
        yield name, _from_pairs(pairs), False


def _nested_lists(name: str, value: Any, depth: int) -> Iterator[tuple[str, _Row | Sequence[Any]]]:
    if isinstance(value, str):
        value = _parsed(value.strip())
    if not isinstance(value, list | tuple | Mapping) or len(value) > _MOST_ROWS:
        return
    yield name, value
    if isinstance(value, Mapping) and depth:
        for key, inner in value.items():
            if isinstance(inner, str | list | tuple | Mapping):
                yield from _nested_lists(f"{name} {_words(key)}", inner, depth - 1)


def _parsed(text: str) -> Any:
    """Return the list that a template has written as text, in JSON or as Python does."""
    if not text.startswith(("[", "{")) or len(text) > _LONGEST_TEXT:
        return None
    for parse in (json.loads, literal_eval):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return parse(text)
    return None


def _from_pairs(pairs: Iterable[Sequence[Any]]) -> list[_Row]:
    return [{"start": pair[0], "price": pair[1]} for pair in pairs if len(pair) > 1]


def _day(name: str, today: date) -> date:
    return today + timedelta(days="tomorrow" in name or "next day" in name)


def _starts(count: int, day: date, zone: tzinfo) -> list[float]:
    """Return when the slots of a day start. Empty if so many slots of a usual length are not one day."""
    first, end = (datetime.combine(each, time(), zone).timestamp() for each in (day, day + timedelta(days=1)))
    length = (end - first) / max(1, count)
    return [first + index * length for index in range(count)] if length in _LENGTHS else []


def _words(name: Any) -> str:
    """Return a name in lower case with blanks between its words: "value inc vat" for `valueIncVat`."""
    return re.sub(r"[\W_]+|(?<=[a-z])(?=[A-Z])", " ", str(name)[:_LONGEST_NAME]).lower()


def _series(
    name: str, rows: list[_Row], zone: tzinfo, *, has_times: bool
) -> Iterator[tuple[_Series, list[Slot]]]:
    """Yield the slots of a list, once for each value that may be the price. Unknown ends are guessed."""
    starts, ends = _time_keys(rows, zone)
    if not starts and not ends:
        return
    time_key, *_ = starts or ends
    by_time = _by_time(rows, time_key, zone)
    moments = sorted(by_time, reverse=not starts)
    lengths = dict(zip(moments, _lengths(moments), strict=True))
    if starts:
        spans = {start: (start, start + length) for start, length in lengths.items()}
    else:
        spans = {end: (end - length, end) for end, length in lengths.items()}
    if starts and ends:
        known_ends = {start: _time(row.get(ends[0]), zone) for start, row in by_time.items()}
        spans |= {start: (start, end) for start, end in known_ends.items() if end and end > start}
    for path, quality in _price_paths(name, rows):
        slots = [Slot(start, end, _price(by_time[moment], path)) for moment, (start, end) in spans.items()]
        yield _Series(has_times, quality, str(time_key), path), slots


def _time_keys(rows: list[_Row], zone: tzinfo) -> tuple[list[Any], list[Any]]:
    """Return the keys of a row whose values are its start and its end, the clearest one first."""
    for row in rows:
        times = [key for key in row if _time(row[key], zone)]
        if times:
            ends = [key for key in times if _END.search(_words(key))]
            starts = [key for key in times if key not in ends]
            return sorted(starts, key=lambda key: not _START.search(_words(key))), ends
    return [], []


def _by_time(rows: list[_Row], time_key: Any, zone: tzinfo) -> dict[float, _Row]:
    """Return the rows by their time, which is the value of a key."""
    by_time: dict[float, _Row] = {}
    for row in rows:
        moment = _time(row.get(time_key), zone)
        if moment in by_time:  # an hour that the clock shows twice
            moment = _time(row.get(time_key), zone, fold=1)
        if moment is not None:
            by_time[moment] = row
    return by_time


def _time(value: Any, zone: tzinfo, *, fold: int = 0) -> float | None:
    """Return a moment to the minute, as some lists start a second late. None if the value is no time."""
    try:
        if isinstance(value, str):
            # A date alone is no start, as all rows of the day have it.
            value = datetime.fromisoformat(value) if len(value) > len("2026-01-01") else None
        if isinstance(value, datetime):
            value = value if value.tzinfo else value.replace(tzinfo=zone)
            value = value.replace(fold=fold or value.fold).timestamp()
        elif isinstance(value, int | float) and value > _MILLISECONDS:
            value /= 1000
        if isinstance(value, int | float) and _TIMES.start <= value < _TIMES.stop:
            return round(value / _MINUTE) * float(_MINUTE)
    except ValueError, OverflowError:
        pass
    return None


def _price_paths(name: str, rows: list[_Row]) -> list[tuple[tuple[Any, ...], _Quality]]:
    """Return the values of the rows that may be the price, and how well their names suit: more is better."""
    for row in rows:
        found = []
        for path in _paths(row):
            if _price(row, path) is None:
                continue
            words = " ".join(map(_words, path))
            rank = next((len(_PRICE) - index for index, word in enumerate(_PRICE) if word.search(words)), 0)
            # "raw today" is the name of a list of prices with all taxes.
            words = f"{name.replace('raw', '')} {words}"
            if rank and not _NO_PRICE.search(words):
                found.append((path, (not _IN_PART.search(words), bool(_WITH_TAX.search(words)), rank)))
        if found:
            return sorted(found, key=itemgetter(1), reverse=True)[:_MOST_PRICES]
    return []


def _paths(row: _Row) -> Iterator[tuple[Any, ...]]:
    """Yield the keys of each value, two for a value in a mapping of its own."""
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from ((key, inner) for inner in value)
        else:
            yield (key,)


def _price(row: _Row, path: tuple[Any, ...]) -> float | None:
    value: Any = row
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return NUMBER.read(value)


def _lengths(moments: list[float]) -> Iterator[float]:
    """Yield the time from each moment to the next one, or the length before it if that is a gap."""
    distances = [abs(after - moment) for moment, after in pairwise(moments)]
    longest = max(HOUR, min(distances, default=0))
    length = next((distance for distance in distances if distance <= longest), HOUR)
    for distance in [*distances, inf]:
        if distance <= longest:
            length = distance
        yield length


def _merged(lists: list[list[Slot]]) -> list[Slot]:
    """Return the slots of lists that continue or repeat each other. The longest list counts first."""
    by_start: dict[float, Slot] = {}
    for slots in sorted(lists, key=len, reverse=True):
        for slot in slots:
            if slot.start not in by_start or by_start[slot.start].price is None:
                by_start[slot.start] = slot
    ordered = [by_start[start] for start in sorted(by_start)]
    pairs = pairwise(ordered)
    return [slot._replace(end=min(slot.end, after.start)) for slot, after in pairs] + ordered[-1:]


def _unit_factor(slots: list[Slot], state: float | None, now: float) -> float | None:
    """Return by what the prices are more than the state of the sensor: 1, or a power of ten from 1000 on.

    None if the state is not the present price, or unknown. A sensor may change its state after its list.
    """
    present = bisect_right(slots, now, key=lambda slot: slot.start)
    for slot in slots[max(0, present - 2) : max(1, present)][::-1]:
        ratio = slot.price / state if slot.price and state else 0.0
        if _LEAST_RATIO < ratio < 1 / _LEAST_RATIO:
            power = round(log10(ratio))
            if (not power or power >= _LEAST_POWER) and abs(ratio / 10.0**power - 1) < _TOLERANCE:
                return 10.0**power
    return None


def _credible_slots(slots: list[Slot], today: date, zone: tzinfo) -> list[Slot]:
    """Leave out later days that are free or copies of the day before, as some lists fill unknown days."""
    days: dict[date, list[tuple[time, Slot]]] = defaultdict(list)
    for slot in slots:
        start = datetime.fromtimestamp(slot.start, zone)
        days[start.date()].append((start.time(), slot))
    credible = []
    for day, timed in days.items():
        before = {at: slot.price for at, slot in days.get(day - timedelta(days=1), ())}
        prices = {slot.price for _, slot in timed}
        is_tariff = len(prices) <= _FEW_PRICES * len(timed)
        is_copy = not is_tariff and all(before.get(at) == slot.price for at, slot in timed)
        is_long = sum(slot.end - slot.start for _, slot in timed) >= _LEAST_COPIED
        if day <= today or not (is_long and (is_copy or prices == {0})):
            credible += [slot for _, slot in timed]
    return credible
