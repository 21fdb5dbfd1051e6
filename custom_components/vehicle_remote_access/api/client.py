"""The client: every request to the service goes through `Client.request`.

Interface document, "Endpoints", "Authentication" and "Errors".
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing, suppress
from http import HTTPStatus
import logging
from typing import Any, Final, NamedTuple

import aiohttp
from yarl import URL

from . import errors
from .commands import DATA, DATA_REQUESTS, VEHICLE, VEHICLE_DATA, VEHICLES, WAKE_UP, Command, Endpoint
from .cooldown import Cooldown
from .redaction import Secrets
from .response import Quota, Response, read_body
from .service_types import LOCATION, OTHER, ServiceType
from .stream import Message, messages
from .token_refresher import TokenRefresher
from .value_types import PIN, SECRET

_LOGGER: Final = logging.getLogger(__name__)

_READ_TIMEOUT: Final = aiohttp.ClientTimeout(total=30, sock_connect=10)
COMMAND_TIMEOUT: Final = 35.0
"""Seconds after which a command times out. The service itself waits up to 31 s for the car."""
_COMMAND_TIMEOUT: Final = aiohttp.ClientTimeout(total=COMMAND_TIMEOUT, sock_connect=10)
_SHORT_PAUSE: Final = 2.0
_PAGE_SIZE: Final = 100
_MAX_PAGES: Final = 10
# The length of a PIN
_SHORTEST_SECRET: Final = 4
_LONGEST_ID: Final = 64
# Shorter than the time that a setup waits for live reads.
_CONFIRM_401_AFTER: Final = 4.0
# Errors without a response from the service itself.
_UNREACHABLE: Final = (errors.ServiceDownError, errors.MalformedResponseError, errors.RedirectedError)


class CommandAddress(NamedTuple):
    """Another address for commands, for example of a proxy at home that signs them."""

    url: str
    certificate: bytes | None = None
    """The SHA-256 fingerprint of the only certificate to accept; None if a public authority issued it."""


class Client:
    """Client for one account. Every method that sends a request raises ServiceError, and no other error."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        base_url: str,
        refresher: TokenRefresher,
        service_type: ServiceType = OTHER,
        command_address: CommandAddress | None = None,
    ) -> None:
        """`command_address`: where commands go, if they don't go to the base URL."""
        self.type = service_type
        self._session = session
        self._base_url = str(URL(base_url)).rstrip("/")
        self._command_address = command_address
        self._refresher = refresher
        self._private_values: set[str] = set()
        self._listed_ids: set[str] = set()
        self.check_loaded: Callable[[str | None], None] | None = None
        """Raises UnloadedError if a vehicle, by its id in paths, or its account was removed meanwhile.

        With it, a request that got a 401 is sent again a few seconds later, because one can be a glitch.
        """
        self.pause = Cooldown()
        """While it lasts, no requests are sent, because the service asked for it."""
        self.request_count = 0
        self.live_read_count = 0
        """Number of requests that the car itself was asked to answer."""
        self.billed = Counter[str]()
        """Number of requests that the service charges for, by the names of their prices."""
        self.quota: Quota | None = None
        """The requests that the service still accepts, as of the last response that contained it."""
        self.is_reachable: bool | None = None
        """Whether the last request got a valid response or a specific error; None before the first."""
        self.is_command_url_reachable: bool | None = None
        """Whether the address for commands is reachable, by the same rule."""

    @property
    def secrets(self) -> set[str]:
        """What no error and no report may contain: tokens, passwords, and what identifies a car."""
        return self._private_values | self._listed_ids | self._refresher.all_tokens

    def add_secrets(self, values: Iterable[str]) -> None:
        """Redact these values from all errors from now on, except short ones, which are parts of any text."""
        self._private_values.update(value for value in values if len(value) >= _SHORTEST_SECRET)

    async def vehicles(self) -> list[dict[str, Any]]:
        """Return the records of all vehicles of the account. Doesn't wake cars or keep them awake."""
        records: list[dict[str, Any]] = []
        previous: Any = None
        for page in range(1, _MAX_PAGES + 1):
            response = await self.request(VEHICLES, page=page if page > 1 else None)
            if not isinstance(response, list):
                raise errors.MalformedResponseError
            # A service without pages repeats the first one.
            if response == previous:
                break
            records += (entry for entry in response if _is_vehicle(entry))
            if len(records) > _MAX_PAGES * _PAGE_SIZE:
                raise errors.MalformedResponseError
            if len(response) < _PAGE_SIZE:
                break
            previous = response
        # Errors can be about a car that was removed, or was never added. A service that lists other cars each
        # time must not fill the memory.
        keys = ("vin", "id", "id_s", "vehicle_id")
        ids = (str(record[key]) for record in records for key in keys if record.get(key))
        self._listed_ids = {each for each in ids if _SHORTEST_SECRET <= len(each) <= _LONGEST_ID}
        return records

    def vehicle(self, path_id: str) -> Awaitable[dict[str, Any]]:
        """Return the vehicle's record without nested records. Doesn't wake the car."""
        return self.request(VEHICLE, path_id)

    def vehicle_data(self, path_id: str, *, with_location: bool = True) -> Awaitable[dict[str, Any]]:
        """Return the car's current data. Keeps the car awake. Raises AsleepError."""
        # Some services leave out the location if it is not asked for, and others never do.
        records = self.type.records
        if not with_location:
            records = records.replace(LOCATION, "")
        return self.request(VEHICLE_DATA, path_id, endpoints=records or None)

    def data(self, path_id: str) -> Awaitable[dict[str, Any]]:
        """Return the car's current data from the legacy endpoint, for services without the current one."""
        return self.request(DATA, path_id)

    async def data_requests(self, path_id: str) -> dict[str, Any]:
        """Return the car's current data, record by record. Raises NotFoundError if the service has none."""
        records: dict[str, Any] = {}
        for name, endpoint in DATA_REQUESTS.items():
            with suppress(errors.NotFoundError):
                records[name] = await self.request(endpoint, path_id)
        if not records:
            raise errors.NotFoundError
        return records

    async def wake_up(self, path_id: str) -> dict[str, Any]:
        """Wake the car, which takes some seconds. Return its record, empty if the response has none."""
        response = await self.request(WAKE_UP, path_id)
        if not isinstance(response, list):
            return {} if isinstance(response, dict) and "result" in response else _record(response)
        # Documented as an array, which can contain other cars.
        for record in response:
            if isinstance(record, dict) and path_id in (str(record.get("id")), record.get("id_s")):
                return record
        return _record(response[0] if len(response) == 1 else None)

    async def request(self, endpoint: Endpoint, path_id: str | None = None, /, **values: Any) -> Any:
        """Send a request and return the value of `response`, None for an empty response to a POST.

        For a command, return whether it was needed. A refused command is sent once more if its values have
        aliases. Raises RefusedError, and OutcomeUnknownError without a response.
        """
        form = self.type.form(endpoint)
        values = form.normalize(values)
        aliased = form.with_aliases(values)
        if self.type.is_fleet or values == aliased:
            return await self._request(form, path_id, aliased)
        try:
            return await self._request(form, path_id, values)
        except (errors.InvalidRequestError, errors.RefusedError) as error:
            refusal = error
        try:
            return await self._request(form, path_id, aliased)
        except errors.OutcomeUnknownError:
            raise
        except errors.ServiceError:
            raise refusal from None

    async def _request(self, endpoint: Endpoint, path_id: str | None, values: Mapping[str, Any]) -> Any:
        """Send a request in the form of this service, and once more if the service refuses the token."""
        await self._check_may_send(path_id)
        secrets = self._secrets_in(endpoint, values)
        self._refresher.refresh_if_due()
        token = self._refresher.tokens.access_token
        response: Response | None = None
        try:
            response = await self._fetch(endpoint, path_id, values, token)
            if response.refuses_token and await self._may_repeat(token, path_id):
                token = self._refresher.tokens.access_token
                response = await self._fetch(endpoint, path_id, values, token)
                if response.refuses_token:
                    self._refresher.record_refused(token)
            self.quota = response.quota or self.quota
            value = response.unwrap()
        except errors.ServiceError as error:
            self._record_failure(endpoint, error, response)
            error.redact(Secrets([*secrets, *self.secrets]))
            if not _may_have_acted(endpoint, error):
                raise
            raise errors.OutcomeUnknownError(error.detail, retry_after=error.retry_after) from None
        self._record_reachable(endpoint, is_reachable=True)
        self._refresher.record_accepted()
        return value

    async def messages(self, url: URL) -> AsyncGenerator[Message | None]:
        """Yield None and then the messages of a stream, as `api.stream.messages`. Refresh a refused token."""
        self._refresher.refresh_if_due()
        token = self._refresher.tokens.access_token
        try:
            async with aclosing(messages(self._session, url, token)) as received:
                async for message in received:
                    yield message
        except errors.AuthenticationError:
            if not await self._refresher.replace_refused(token):
                raise

    async def _check_may_send(self, path_id: str | None) -> None:
        """Raise the reason not to send a request, or wait for the end of a short pause."""
        # The id can be a VIN, which is any text that the service listed. With a path in it, a command to lock
        # could become one to unlock.
        if path_id is not None and not (path_id.isascii() and path_id.isalnum()):
            raise errors.NotFoundError
        pause = self.pause.left
        if pause > _SHORT_PAUSE:
            raise errors.RateLimitedError(retry_after=pause)
        if pause:
            # A timer for the end of the pause can be a moment too early.
            await asyncio.sleep(pause)

    def _secrets_in(self, endpoint: Endpoint, values: Mapping[str, Any]) -> list[Any]:
        """Return the secret values of a request. The service can repeat its passwords later, too."""
        sent = [each for each in endpoint.parameters if each.secret and each.name in values]
        if sent:
            self.add_secrets(values[each.name] for each in sent if each.value_type in (PIN, SECRET))
        return [values[each.name] for each in sent]

    async def _may_repeat(self, token: str, path_id: str | None) -> bool:
        """Return whether to repeat a request whose token was refused, with another one or after a while."""
        if await self._refresher.replace_refused(token):
            return True
        if self.check_loaded is None:
            return False
        await asyncio.sleep(_CONFIRM_401_AFTER)
        self.check_loaded(path_id)
        return True

    def _record_failure(
        self, endpoint: Endpoint, error: errors.ServiceError, response: Response | None
    ) -> None:
        """Record what an error means for later requests. Complete the error."""
        is_reachable = not isinstance(error, _UNREACHABLE)
        self._record_reachable(endpoint, is_reachable=is_reachable)
        if isinstance(error, errors.AuthenticationError):
            # While the token can be refreshed, a person can't do more.
            error.is_final = self._refresher.is_refused
        elif is_reachable and not isinstance(error, errors.NotFoundError):
            # Some services look for the endpoint before they check the token.
            self._refresher.record_accepted()
        # A car that sleeps or refuses is no reason to pause.
        if response is not None and not isinstance(error, errors.AsleepError | errors.RefusedError):
            error.retry_after = max(error.retry_after, response.retry_after)
            is_limited = isinstance(error, errors.RateLimitedError)
            self.pause.extend(error.retry_after if is_limited else response.retry_after)

    def _record_reachable(self, endpoint: Endpoint, *, is_reachable: bool) -> None:
        if self._command_address is None or not endpoint.has_result:
            self.is_reachable = is_reachable
        else:
            self.is_command_url_reachable = is_reachable

    async def _fetch(
        self, endpoint: Endpoint, path_id: str | None, values: Mapping[str, Any], token: str
    ) -> Response:
        self.request_count += 1
        self.live_read_count += endpoint.is_live_read
        path = endpoint.path.replace("{id}", path_id or "")
        has_body = endpoint.method != "GET"
        query, body = endpoint.split(values, in_body=has_body and self.type.is_fleet)
        # The service itself wakes the car.
        address = self._command_address if endpoint.has_result else None
        if address is not None:
            body = endpoint.for_proxy(body)
        pinned = address and address.certificate
        try:
            async with self._session.request(
                endpoint.method,
                URL((self._base_url if address is None else address.url) + path, encoded=True),
                params=query,
                # A payload with its own serializer: the session's could have other limits.
                data=aiohttp.JsonPayload(body) if has_body else None,
                headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
                timeout=_COMMAND_TIMEOUT if has_body else _READ_TIMEOUT,
                allow_redirects=False,
                ssl=aiohttp.Fingerprint(pinned) if pinned else True,
            ) as response:
                content = await read_body(response)
        # No error is chained, because its text can contain the URL with its query.
        except (
            aiohttp.ClientConnectorCertificateError,
            aiohttp.ClientConnectorSSLError,
            aiohttp.ServerFingerprintMismatch,
        ):
            raise (errors.CertificateError if address is None else errors.CommandCertificateError) from None
        except aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, ValueError:
            # ValueError: the URL or the token can't be written in a request.
            raise (errors.NotSentError if address is None else errors.CommandUrlError) from None
        except (aiohttp.ClientError, TimeoutError, OSError, RuntimeError, AssertionError) as error:
            # RuntimeError and AssertionError: the session was closed, for example when Home Assistant stops.
            self._count_billed(endpoint)
            raise errors.ServiceDownError(type(error).__name__) from None
        _LOGGER.debug("%s %s: %s", endpoint.method, endpoint.path, response.status)
        if response.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            self._count_billed(endpoint)
        return Response(endpoint, response.status, response.headers, content)

    def _count_billed(self, endpoint: Endpoint) -> None:
        """Count a request that the service charges for. It does not charge for its own errors."""
        if self.type.prices is not None and endpoint.price_name:
            self.billed[endpoint.price_name] += 1


def _may_have_acted(endpoint: Endpoint, error: errors.ServiceError) -> bool:
    if endpoint.method == "GET" or endpoint is WAKE_UP:
        return False
    if isinstance(error, errors.NotSentError | errors.CertificateError):
        return False
    if isinstance(error, errors.UnavailableError):
        # The car is probably asleep, but a second honk would be worse than an unknown outcome.
        return isinstance(endpoint, Command) and not endpoint.repeatable
    return isinstance(error, errors.ServiceDownError | errors.MalformedResponseError)


def _is_vehicle(entry: Any) -> bool:
    """Return whether an entry of the list is a vehicle. Newer services also list other products."""
    return isinstance(entry, dict) and ("vin" in entry or "vehicle_id" in entry)


def _record(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise errors.MalformedResponseError
    return value
