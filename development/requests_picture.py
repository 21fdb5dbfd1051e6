"""Draws how a day's requests follow the chance that a car wakes: python -m development.requests_picture."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

from custom_components.vehicle_remote_access.account.options import INTERVAL
from custom_components.vehicle_remote_access.account.request_budget import PLANNED_PER_DAY
from custom_components.vehicle_remote_access.polling.request_rates import BIN, next_time, request_rates
from custom_components.vehicle_remote_access.polling.wake_rate import BINS, BINS_PER_HOUR, WakeRate
from custom_components.vehicle_remote_access.util.local_time import LocalTime

PICTURE: Final = Path(__file__).parents[1] / "docs" / "pictures" / "requests.svg"
HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
DAYS: Final = 21
DAYS_COUNTED: Final = 100
AWAKE: Final = 50 * 60.0
"""Seconds for which the car is awake for a use."""
USUAL: Final = ((7.7, 0.2), (17.3, 0.33))
"""The hours at which the car is used on workdays, and their standard deviations."""
WIDTH, HEIGHT, LEFT, TOP = 760, 300, 50, 40
RIGHT, BOTTOM = WIDTH - LEFT, HEIGHT - 40
HIGHEST_CHANCE, HIGHEST_REQUESTS = 0.9, 150
CHANCE: Final = "#38a3c9"
REQUESTS: Final = "#d9822b"
TEXT: Final = "#888888"


def chances() -> tuple[float, ...]:
    """Return the chance per hour that a commuter's car wakes, after three weeks."""
    random = Random(0)  # noqa: S311 - not for cryptography
    rate = WakeRate()
    for day in range(DAYS):
        for hour, deviation in USUAL if day % 7 < 5 else ():  # noqa: PLR2004 - workdays
            rate = rate.woke(
                LocalTime(day * DAY + hour * HOUR, random.gauss(hour, deviation), is_weekend=False)
            )
    return rate.by_bin(workday(DAYS * DAY))


def workday(at: float) -> LocalTime:
    """Return the local time of a moment on a workday."""
    return LocalTime(at, at % DAY // 60 / 60, is_weekend=False)


def requests_per_hour(chance: tuple[float, ...]) -> list[float]:
    """Return the mean requests per hour in each bin of the following workdays."""
    random = Random(1)  # noqa: S311 - not for cryptography
    sent = [0] * BINS
    for _ in range(DAYS_COUNTED):
        uses = [random.gauss(hour, deviation) * HOUR for hour, deviation in USUAL]
        for at in request_times(chance, uses, start=random.uniform(0, INTERVAL)):
            sent[int(at / DAY * BINS)] += 1
    return [count * BINS_PER_HOUR / DAYS_COUNTED for count in sent]


def request_times(chance: tuple[float, ...], uses: Sequence[float], start: float) -> Iterator[float]:
    """Yield the times of a day's requests after `start`, in seconds, if the car wakes for these uses."""
    at, planned_for, sent = start, -1.0, 0
    rates: list[float] = []
    while True:
        begin = at // BIN * BIN
        if begin != planned_for:
            left = PLANNED_PER_DAY - sent
            planned_for = begin
            rates = request_rates(workday(begin), DAY, left, PLANNED_PER_DAY, INTERVAL, [chance])
        before, at = at, next_time(at, begin, rates)
        if at >= DAY:
            return
        yield at
        sent += 1
        if any(before < use <= at for use in uses):
            # While the car is awake, no request is necessary.
            at += AWAKE


def curve(values: Sequence[float], highest: float) -> str:
    return " ".join(
        f"{LEFT + (index + 0.5) / BINS * (RIGHT - LEFT):.0f},{BOTTOM - value / highest * (BOTTOM - TOP):.0f}"
        for index, value in enumerate(values)
    )


def text(x: float, y: float, content: str, color: str = TEXT, anchor: str = "middle") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{color}" text-anchor="{anchor}">{content}</text>'


def draw() -> str:
    chance = chances()
    requests = requests_per_hour(chance)
    area, line = curve(chance, HIGHEST_CHANCE), curve(requests, HIGHEST_REQUESTS)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13"'
    hours = range(0, 25, 3)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        text(LEFT, 20, "Chance per hour that the car wakes for use", CHANCE, "start"),
        text(RIGHT, 20, "Requests per hour", REQUESTS, "end"),
        f'<polygon points="{LEFT},{BOTTOM} {area} {RIGHT},{BOTTOM}" fill="{CHANCE}" opacity="0.4"/>',
        f'<polyline points="{line}" fill="none" stroke="{REQUESTS}" stroke-width="2"/>',
        f'<path d="M{LEFT} {BOTTOM}H{RIGHT}" stroke="{TEXT}"/>',
        *(text(LEFT + hour / 24 * (RIGHT - LEFT), BOTTOM + 20, f"{hour}:00") for hour in hours),
    ]
    for share in (0, 1 / 3, 2 / 3, 1):
        y = BOTTOM - share * (BOTTOM - TOP) + 4
        parts.append(text(LEFT - 8, y, f"{share * HIGHEST_CHANCE:.0%}", CHANCE, "end"))
        parts.append(text(RIGHT + 8, y, f"{share * HIGHEST_REQUESTS:.0f}", REQUESTS, "start"))
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw())
