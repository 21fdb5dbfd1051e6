"""What the flows of accounts and of vehicles share: their forms, and adding a vehicle by its id."""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from homeassistant.const import CONF_ID
from homeassistant.data_entry_flow import FlowHandler, FlowResult
from homeassistant.loader import async_get_loaded_integration
from homeassistant.util import dt as dt_util
import voluptuous as vol

from ..account.discovery import DiscoveredVehicle, configured_vins, discover_vehicle
from ..account.markdown import escape_markdown
from ..account.provider import Provider, service_type_of
from ..api.errors import AsleepError, ServiceError
from ..api.service_types import ServiceType
from ..const import CONF_PRICE_ENTITY, DOMAIN
from ..drive_log.importer import LogFileError
from ..vehicle.price_sensor import PriceReading, read_price
from . import schemas

type UserInput = dict[str, Any]
"""The submitted values of a form, by the names of its fields."""


class VehicleByIdFlow[ResultT: FlowResult[Any, Any]](FlowHandler[Any, ResultT, Any]):
    """The steps that add one vehicle by its id, to a new or to an existing account."""

    _entered: Mapping[str, Any] = MappingProxyType({})
    """The values of the form for the vehicle."""
    _id_step = "vehicle"
    """The step with the form for the id."""
    _id_schema = schemas.ID_SCHEMA
    _path_id = ""
    _name = "-"
    """The account or the vehicle that is changed."""
    _may_wake = True
    _error_placeholders: Mapping[str, str] = MappingProxyType({"detail": "-"})

    async def _add_by_id(self, entered: UserInput, listed: Collection[DiscoveredVehicle] = ()) -> ResultT:
        """Add the vehicle with the entered id. `listed`: the vehicles that the service lists."""
        self._entered, self._path_id = entered, entered[CONF_ID].strip()
        if not schemas.is_path_id(self._path_id, self._service_type):
            return self._show_id({CONF_ID: "invalid_id"})
        known = next((vehicle for vehicle in listed if vehicle.path_id == self._path_id), None)
        try:
            return self._add_identified(known or await discover_vehicle(self._provider, self._path_id))
        except ServiceError as error:
            if isinstance(error, AsleepError) and self._may_wake:
                return await self.async_step_wake()
            return self._show_id_error(error)

    async def async_step_wake(self, user_input: UserInput | None = None) -> ResultT:
        """Ask whether to wake the vehicle, which must be awake to report its VIN."""
        if user_input is None:
            return self._show("wake", schemas.EMPTY_SCHEMA)
        try:
            record = await self._provider.wake_up(self._path_id)
        except ServiceError as error:
            return self._show("wake", schemas.EMPTY_SCHEMA, self._errors(error, "base"))
        return self._add_identified(DiscoveredVehicle.from_record(record))

    def _add_identified(self, vehicle: DiscoveredVehicle | None) -> ResultT:
        if vehicle is None:
            return self._show_id({CONF_ID: "no_vin"})
        if vehicle.vin in configured_vins(self.hass):
            return self.async_abort(reason="already_configured")
        return self._add(vehicle)

    def _show_id(self, errors: dict[str, str] | None = None) -> ResultT:
        return self._show(self._id_step, self._id_schema, errors, self._entered)

    def _show_id_error(self, error: ServiceError) -> ResultT:
        return self._show_id(self._errors(error, CONF_ID))

    def _errors(self, error: ServiceError | LogFileError, field: str) -> dict[str, str]:
        """Return an error for a field of the next form, which shows the details of the error."""
        self._error_placeholders = error.placeholders
        return {field: error.key}

    def _read_price(self, options: Mapping[str, Any]) -> PriceReading | None:
        """Return what the price sensor shows, None without a state. Raises InvalidInputError."""
        state = self.hass.states.get(options.get(CONF_PRICE_ENTITY, ""))
        reading = read_price(state, dt_util.get_default_time_zone()) if state else None
        if reading and reading.instead is not None:
            self._error_placeholders = {"detail": reading.instead}
            raise schemas.InvalidInputError(**{CONF_PRICE_ENTITY: "no_price"})
        return reading

    def _show(
        self,
        step: str,
        schema: vol.Schema,
        errors: dict[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        placeholders: Mapping[str, str] | None = None,
    ) -> ResultT:
        """Show a form with suggested values, but never with a token."""
        if values is not None:
            suggested = self.add_suggested_values_to_schema(schema, schemas.without_tokens(values))
            schema = schemas.with_open_sections(suggested, values, schema.extra)
        return self.async_show_form(
            step_id=step,
            data_schema=schema,
            errors=errors,
            description_placeholders={
                "documentation": self._documentation,
                "example": schemas.EXAMPLE_URL,
                "name": escape_markdown(self._name),
                # Not escaped, because only errors contain them, and they are plain text.
                **self._error_placeholders,
                **(placeholders or {}),
            },
        )

    @property
    def _documentation(self) -> str:
        return async_get_loaded_integration(self.hass, DOMAIN).documentation or "-"

    @property
    @abstractmethod
    def _account(self) -> Mapping[str, Any]:
        """The data of the account."""

    @property
    def _provider(self) -> Provider:
        return Provider(self.hass, self._account)

    @property
    def _service_type(self) -> ServiceType:
        return service_type_of(self._account)

    @abstractmethod
    def _add(self, vehicle: DiscoveredVehicle) -> ResultT:
        """Finish the flow with a vehicle that is not configured yet."""
