"""Selects: controls of simulated cars. Real cars have none."""

from functools import partial

from homeassistant.const import Platform

from .entity import async_setup_vehicle_platform

PARALLEL_UPDATES = 0


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={}, controls=Platform.SELECT)
