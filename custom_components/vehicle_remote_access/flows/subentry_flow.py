"""Config flow of a vehicle: add it to an account, change its options, and import a log."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partialmethod
import time
from typing import Any, override

from homeassistant.components.file_upload import process_uploaded_file
from homeassistant.config_entries import ConfigEntryState, ConfigSubentryFlow, SubentryFlowResult
from homeassistant.const import CONF_ENTITY_ID, CONF_ID, Platform
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers import entity_registry as er
import voluptuous as vol

from .. import const
from ..account.discovery import DiscoveredVehicle, configured_vins, fetch_vehicles, list_vehicles
from ..account.markdown import escape_markdown, escape_placeholders
from ..account.options import AccountOptions
from ..account.provider import Provider
from ..api.commands import PAST
from ..api.errors import ServiceError
from ..api.records import VehicleState
from ..coordinator import VehicleConfigEntry
from ..drive_log.entries import Entries
from ..drive_log.importer import MOST_SHOWN, LogFile, LogFileError, Problem, new_entries, read_log, summarize
from ..drive_log.manager import DriveLogManager, log_units
from ..util.local_time import HOUR
from ..vehicle.coordinator import VehicleCoordinator
from ..vehicle.past import read_past
from . import schemas
from .vehicle_flow import UserInput, VehicleByIdFlow


class VehicleSubentryFlow(VehicleByIdFlow[SubentryFlowResult], ConfigSubentryFlow):
    """Adds a vehicle to an account, and changes its options and its log."""

    _id_step = "user"

    def __init__(self) -> None:
        self._file = LogFile(Entries())
        self._reading: asyncio.Task[LogFile] | None = None

    @property
    @override
    def _account(self) -> Mapping[str, Any]:
        return self._get_entry().data

    @property
    def _needs_loaded_provider(self) -> bool:
        """Whether only the loaded account has what requests need: the simulator, or the newest tokens."""
        return not {const.CONF_SIMULATOR, const.CONF_TOKEN_REFRESH}.isdisjoint(self._account)

    @property
    @override
    def _provider(self) -> Provider:
        entry: VehicleConfigEntry = self._get_entry()
        return entry.runtime_data.provider if self._needs_loaded_provider else super()._provider

    # Adding a vehicle

    async def async_step_user(self, user_input: UserInput | None = None) -> SubentryFlowResult:
        """Ask for a vehicle from the list, or for its id if the service has no list."""
        entry = self._get_entry()
        if self._needs_loaded_provider and entry.state is not ConfigEntryState.LOADED:
            return self.async_abort(reason="not_loaded")
        try:
            listed = await list_vehicles(self._provider)
        except ServiceError as error:
            placeholders = escape_placeholders(error.placeholders)
            return self.async_abort(reason=error.key, description_placeholders=placeholders)
        available = []
        if listed is not None:
            configured = configured_vins(self.hass)
            available = [vehicle for vehicle in listed if vehicle.vin not in configured]
            if not available:
                return await self.async_step_simulated()
            selector = schemas.vehicle_selector(available, multiple=False)
            self._id_schema = vol.Schema({vol.Required(CONF_ID): selector, **schemas.POSITIONS_SCHEMA.schema})
        if user_input is None:
            return self._show_id()
        self._may_wake = not AccountOptions.from_entry(entry.options).is_read_only
        return await self._add_by_id(user_input, available)

    async def async_step_simulated(self, user_input: UserInput | None = None) -> SubentryFlowResult:
        """If all vehicles of the account are configured, offer another one of a simulated account."""
        if (settings := self._account.get(const.CONF_SIMULATOR)) is None:
            return self.async_abort(reason="already_configured")
        number = settings[const.CONF_VEHICLES] + 1
        if number > schemas.MAX_SIMULATED_VEHICLES:
            return self.async_abort(reason="simulator_full")
        if user_input is None:
            return self._show("simulated", schemas.POSITIONS_SCHEMA)
        self._entered = user_input
        data = {const.CONF_SIMULATOR: {**settings, const.CONF_VEHICLES: number}}
        vehicles = await fetch_vehicles(self.hass, data) or []
        if vehicles[-1].vin in configured_vins(self.hass):
            return self.async_abort(reason="already_configured")
        # Both changes together reload the account once.
        self.hass.config_entries.async_update_entry(self._get_entry(), data=data)
        return self._add(vehicles[-1])

    @override
    def _add(self, vehicle: DiscoveredVehicle) -> SubentryFlowResult:
        new = vehicle.subentry(self._account, keep_positions=self._entered[const.CONF_KEEP_POSITIONS])
        return self.async_create_entry(title=new.title, data=new.data, unique_id=new.unique_id)

    # Options

    async def async_step_reconfigure(self, _user_input: UserInput | None = None) -> SubentryFlowResult:
        self._name = self._get_reconfigure_subentry().title
        return self.async_show_menu(
            step_id="reconfigure",
            menu_options=["price", "charging_plan", "log", "commands", const.CONF_ADVANCED],
            description_placeholders={"name": escape_markdown(self._name)},
        )

    async def async_step_log(self, _user_input: UserInput | None = None) -> SubentryFlowResult:
        past = ["import_past"] if self._service_type.has(PAST["drives"]) else []
        options = [const.CONF_KEEP_POSITIONS, "import_log", *past, "import_history", "forget_positions"]
        return self.async_show_menu(step_id="log", menu_options=options)

    async def _change_options(self, step: str, user_input: UserInput | None = None) -> SubentryFlowResult:
        """Change the options in the form of a step, and keep all others."""
        subentry = self._get_reconfigure_subentry()
        states, currency = self.hass.states.async_all(), self.hass.config.currency
        schema = schemas.vehicle_options_schema(step, self._service_type, states, currency)
        if user_input is None:
            return self._show(step, schema, values=subentry.data)
        try:
            schemas.check_vehicle_options(user_input)
            price = self._read_price(user_input)
        except schemas.InvalidInputError as error:
            return self._show(step, schema, error.errors, user_input)
        kept = {key: value for key, value in subentry.data.items() if key not in schema.schema}
        saved = self.async_update_and_abort(self._get_entry(), subentry, data={**kept, **user_input})
        if price is None or (price.price is None and not price.listed):
            return saved
        now = time.time()
        seconds = sum(slot.end - max(slot.start, now) for slot in price.listed if slot.end > now)
        placeholders = {
            "price": "—" if price.price is None else f"{round(price.price, 4):g}",
            "currency": self.hass.config.currency,
            "hours": f"{seconds / HOUR:.0f}",
        }
        return self.async_abort(reason="price_read", description_placeholders=placeholders)

    async_step_price = partialmethod(_change_options, "price")
    async_step_charging_plan = partialmethod(_change_options, "charging_plan")
    async_step_keep_positions = partialmethod(_change_options, const.CONF_KEEP_POSITIONS)
    async_step_commands = partialmethod(_change_options, "commands")
    async_step_advanced = partialmethod(_change_options, const.CONF_ADVANCED)

    @property
    def _vehicle(self) -> VehicleCoordinator:
        """The vehicle. Raises AbortFlow unless the account is loaded."""
        entry: VehicleConfigEntry = self._get_entry()
        if entry.state is ConfigEntryState.LOADED:
            vehicle = entry.runtime_data.vehicles.get(self._reconfigure_subentry_id)
            if vehicle is not None:
                return vehicle
        raise AbortFlow(reason="not_loaded")

    # Importing a log

    async def async_step_import_log(self, user_input: UserInput | None = None) -> SubentryFlowResult:
        log = self._vehicle.log_manager
        if user_input is None:
            return self._show("import_log", schemas.IMPORT_SCHEMA)
        file_id = user_input[const.CONF_FILE]
        try:
            self._file = await self.hass.async_add_executor_job(_read_uploaded_log, self.hass, file_id)
            return self._summarize(log)
        except LogFileError as error:
            return self._show("import_log", schemas.IMPORT_SCHEMA, self._errors(error, const.CONF_FILE))

    async def async_step_import_history(self, user_input: UserInput | None = None) -> SubentryFlowResult:
        """Ask for an odometer with statistics of the time before the log."""
        log = self._vehicle.log_manager
        errors = {}
        if user_input is None:
            own = f"{self._get_reconfigure_subentry().unique_id}-{VehicleState.odometer.path}"
            registry = er.async_get(self.hass)
            user_input = {CONF_ENTITY_ID: registry.async_get_entity_id(Platform.SENSOR, const.DOMAIN, own)}
        else:
            self._file = LogFile(await log.async_drives_before(user_input[CONF_ENTITY_ID]))
            try:
                return self._summarize(log)
            except LogFileError:
                errors = {CONF_ENTITY_ID: "import_no_history"}
        return self._show("import_history", schemas.HISTORY_SCHEMA, errors, user_input)

    async def async_step_import_past(self, _user_input: UserInput | None = None) -> SubentryFlowResult:
        """Read what the service has recorded."""
        if self._reading is None:
            past = read_past(self._vehicle, self.async_update_progress)
            self._reading = self.hass.async_create_background_task(past, f"{const.DOMAIN} past")
        if not self._reading.done():
            return self.async_show_progress(
                step_id="import_past", progress_action="import_past", progress_task=self._reading
            )
        return self.async_show_progress_done(next_step_id="past_read")

    async def async_step_past_read(self, _user_input: UserInput | None = None) -> SubentryFlowResult:
        """Show what was read, or why that failed. That form reads it again."""
        reading, self._reading = self._reading, None
        if reading is None:
            return await self.async_step_import_past()
        try:
            self._file = await reading
            return self._summarize(self._vehicle.log_manager)
        except (LogFileError, ServiceError) as error:
            return self._show("past_read", schemas.EMPTY_SCHEMA, self._errors(error, "base"))

    def _summarize(self, log: DriveLogManager) -> SubentryFlowResult:
        """Show what is imported and what is not. Raises LogFileError if nothing is new."""
        entries, wrong, problems, ignored = self._file
        new = new_entries(log.log, entries)
        if not new.total:
            if not wrong:
                raise LogFileError(key="import_nothing_new")
            first = problems[0]._asdict()
            raise LogFileError(key="import_nothing_right", skipped=entries.total, wrong=wrong, **first)
        summary = {
            **summarize(self._file, new, log_units(self.hass)),
            "ignored": ", ".join(map(escape_markdown, ignored[:MOST_SHOWN])) or "-",
            "problems": _as_rows(problems, wrong),
        }
        step = "confirm_partial_import" if wrong else "confirm_import"
        return self._show(step, schemas.EMPTY_SCHEMA, placeholders=summary)

    async def async_step_confirm_import(self, _user_input: UserInput | None = None) -> SubentryFlowResult:
        """Import the log, after the user has seen what it contains."""
        await self._vehicle.log_manager.async_insert(self._file.entries)
        return self.async_abort(reason="log_imported")

    async_step_confirm_partial_import = async_step_confirm_import

    # Positions of the log

    async def async_step_forget_positions(self, user_input: UserInput | None = None) -> SubentryFlowResult:
        """Delete the positions of the log, after the user has seen what that means."""
        log = self._vehicle.log_manager
        if user_input is None:
            return self._show("forget_positions", schemas.EMPTY_SCHEMA)
        await log.async_forget_positions()
        return self.async_abort(reason="positions_forgotten")


def _read_uploaded_log(hass: HomeAssistant, file_id: str) -> LogFile:
    """Return the content of an uploaded file, and delete the file. Raises LogFileError."""
    try:
        with process_uploaded_file(hass, file_id) as path:
            content = path.read_bytes()
    except ValueError:
        # Home Assistant was restarted after the upload.
        raise LogFileError from None
    return read_log(content, log_units(hass), time.time())


def _as_rows(problems: Sequence[Problem], count: int) -> str:
    """Return the rows of a Markdown table with the first problems, and how many more there are."""
    rows = ["".join(f"| {escape_markdown(cell)} " for cell in problem) + "|" for problem in problems]
    more = count - len(rows)
    return "\n".join([*rows, f"| + {more} | | |"] if more else rows)
