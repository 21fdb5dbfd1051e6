"""The one door to the service: every request goes through `Client.request`.

Interface document, "Endpoints", "Authentication" and "Errors".
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
import logging
import time
from typing import Any, Final

import aiohttp
from yarl import URL

from .commands import DATA, DATA_REQUESTS, VEHICLE, VEHICLE_DATA, VEHICLES, WAKE_UP, Command, Endpoint
from .errors import (
    AsleepError,
    AuthenticationError,
    CertificateError,
    InvalidRequestError,
    MalformedAnswerError,
    NotFoundError,
    NotSentError,
    OutcomeUnknownError,
    RateLimitedError,
    RedirectedError,
    RefusedError,
    ServiceDownError,
    ServiceError,
    UnavailableError,
)
from .redaction import Secrets
from .response import Answer

_LOGGER: Final = logging.getLogger(__name__)

# The service itself waits up to 31 s for the car before it gives up.
_READ_TIMEOUT: Final = aiohttp.ClientTimeout(total=30, sock_connect=10)
COMMAND_TIMEOUT: Final = 35.0
"""Seconds until a command has no answer."""
_COMMAND_TIMEOUT: Final = aiohttp.ClientTimeout(total=COMMAND_TIMEOUT, sock_connect=10)
_LARGEST_ANSWER: Final = 4 * 2**20
_PAGE_SIZE: Final = 100
_LAST_PAGE: Final = 100

# Seconds after a 401 in which a second one may belong to the same glitch
_CONFIRMS_AFTER: Final = 4.0

# What these say is not the service's own word.
_NO_ANSWER: Final = (ServiceDownError, MalformedAnswerError, RedirectedError)


class Client:
    """Speaks to the service for one account.

    Every method raises a `ServiceError` and nothing else.
    """

    def __init__(self, session: aiohttp.ClientSession, base_url: str, access_token: str) -> None:
        """Keep where the service is and who asks."""
        self._session = session
        self._base = str(URL(base_url)).rstrip("/")
        self._token = access_token
        self._private: frozenset[str] = frozenset()
        self._closed_until = 0.0
        self._refused: dict[Endpoint, float] = {}
        """The endpoints that answered 401 when they were last asked, and since when."""
        self._refused_since: float | None = None
        """Since when every answer was a 401, None if the last one was not."""
        self.on_doubt: Callable[[], None] = lambda: None
        """Called after a first 401, so that another request confirms it a few seconds later."""
        self.requests = 0
        """How often the service has been asked."""
        self.is_answered: bool | None = None
        """Whether the last request had an answer of this service, be it a no; None before the first."""
        # What this service takes in other words than the documented ones
        self._other_words: set[tuple[Command, frozenset[tuple[str, str]]]] = set()

    @property
    def wait(self) -> float:
        """Seconds for which the service does not want to be asked."""
        return max(0.0, self._closed_until - time.monotonic())

    @property
    def is_token_in_doubt(self) -> bool:
        """Whether an endpoint has answered 401 when it was last asked."""
        return bool(self._refused)

    def confirm_next_refusal(self) -> None:
        """Let the next 401 confirm the last one, however soon it comes."""
        self._refused = {endpoint: since - _CONFIRMS_AFTER for endpoint, since in self._refused.items()}

    def stay_away(self, seconds: float) -> None:
        """Send nothing for at least this many seconds: the service asks for fewer requests."""
        if seconds > self.wait:
            self._closed_until = time.monotonic() + seconds

    def conceal(self, values: Iterable[str]) -> None:
        """Repeat these in no error, should the service say them: they tell who a car is."""
        self._private |= frozenset(values)
        vars(self).pop("_secrets", None)

    async def vehicles(self) -> list[dict[str, Any]]:
        """Return the record of every vehicle of the account. Wakes none and keeps none awake."""
        found: list[dict[str, Any]] = []
        before: Any = None
        for page in range(1, _LAST_PAGE + 1):
            answer = await self.request(VEHICLES, page=page if page > 1 else None)
            if not isinstance(answer, list):
                raise MalformedAnswerError
            # A service that knows no pages gives the first one again.
            if answer != before:
                found += (entry for entry in answer if _is_vehicle(entry))
            if len(answer) < _PAGE_SIZE or answer == before:
                break
            before = answer
        return found

    async def vehicle(self, number: str) -> dict[str, Any]:
        """Return one vehicle's record without its embedded objects. Does not wake it."""
        return _record(await self.request(VEHICLE, number))

    async def vehicle_data(self, number: str) -> dict[str, Any]:
        """Return all that the car says now. Keeps it awake; raises AsleepError if it sleeps."""
        return _record(await self.request(VEHICLE_DATA, number))

    async def data(self, number: str) -> dict[str, Any]:
        """Return the same in the legacy variant, from services that lack the current one."""
        return _record(await self.request(DATA, number))

    async def data_requests(self, number: str) -> dict[str, Any]:
        """Return the same put together from the single records, from services that have no more than these.

        Raises NotFoundError if the service has none of them.
        """
        found: dict[str, Any] = {}
        for record, endpoint in DATA_REQUESTS.items():
            with suppress(NotFoundError):
                found[record] = await self.request(endpoint, number)
        if not found:
            raise NotFoundError
        return found

    async def wake_up(self, number: str) -> dict[str, Any]:
        """Wake the car and return its record as it was: it needs some seconds more."""
        answer = await self.request(WAKE_UP, number)
        if not isinstance(answer, list):
            return _record(answer)
        # Documented as an array; which of its records is ours, the id says.
        for record in answer:
            if isinstance(record, dict) and number in (str(record.get("id")), record.get("id_s")):
                return record
        return _record(answer[0] if len(answer) == 1 else None)

    async def send(self, number: str, command: Command, **values: Any) -> bool:
        """Send a command once and return whether it did anything: False if it was so already.

        Raises RefusedError with the reason if the car does not obey, OutcomeUnknownError where the command
        may have been carried out although no answer came. What the service refuses, but may know by another
        word, it is told in that word once; if it takes that, from then on at once.
        """
        query, body = _written(command, values)
        words = command.other_words(query)
        known = command, frozenset(words.items())
        if known in self._other_words:
            query, words = query | words, {}
        try:
            return await self._tell(number, command, query, body)
        except (InvalidRequestError, RefusedError) as error:
            if not words:
                raise
            refusal = error
        try:
            did_anything = await self._tell(number, command, query | words, body)
        except OutcomeUnknownError:
            raise
        except ServiceError:
            raise refusal from None
        self._other_words.add(known)
        return did_anything

    async def _tell(
        self, number: str, command: Command, query: Mapping[str, str], body: Mapping[str, Any]
    ) -> bool:
        """Send a command in these words, as `send` does."""
        try:
            answer = await self._acted(command, number, query, body)
        except UnavailableError as error:
            if command.repeatable:
                raise
            raise OutcomeUnknownError(error.detail) from None
        if answer is None or (isinstance(answer, dict) and answer.get("result") is True):
            return True
        reason = _reason(answer)
        refusal = RefusedError(reason)
        if refusal.reason in command.settled:
            return False
        refusal.conceal(self._secrets_with(command, query))
        raise refusal

    async def request(self, endpoint: Endpoint, number: str | None = None, **values: Any) -> Any:
        """Ask the service and return what stands under `response`; None for an empty answer to a POST."""
        query, body = _written(endpoint, values)
        if endpoint.method == "GET" or endpoint is WAKE_UP:
            return await self._answer(endpoint, number, query, body)
        return await self._acted(endpoint, number, query, body)

    async def _acted(
        self, endpoint: Endpoint, number: str | None, query: Mapping[str, str], body: Mapping[str, Any]
    ) -> Any:
        """Tell the service what to do. Raises OutcomeUnknownError where it may have done it all the same."""
        try:
            return await self._answer(endpoint, number, query, body)
        except NotSentError, CertificateError:
            raise
        except (ServiceDownError, MalformedAnswerError) as error:
            unknown = OutcomeUnknownError(error.detail)
            unknown.pause = error.pause
            raise unknown from None

    async def _answer(
        self, endpoint: Endpoint, number: str | None, query: Mapping[str, str], body: Mapping[str, Any]
    ) -> Any:
        if self.wait:
            raise RateLimitedError(self.wait)
        path = endpoint.path.replace("{id}", number or "")
        self.requests += 1
        try:
            answer = await self._ask(endpoint, path, query, body)
        except ServiceError:
            self.is_answered = False
            raise
        _LOGGER.debug("%s %s: %s", endpoint.method, endpoint.path, answer.status)
        self.is_answered = True
        try:
            opened = answer.opened()
        except ServiceError as error:
            self.is_answered = not isinstance(error, _NO_ANSWER)
            if isinstance(error, AuthenticationError):
                error.is_confirmed = self._confirm_refusal(endpoint)
            elif self.is_answered:
                self._dispel_doubt(endpoint)
            self._mind(error, answer)
            error.conceal(self._secrets_with(endpoint, query))
            raise
        self._dispel_doubt(endpoint)
        return opened

    def _confirm_refusal(self, endpoint: Endpoint) -> bool:
        """Return whether a 401 confirms an earlier one.

        That is one of the same endpoint, or of any other if nothing was answered well since.
        """
        now = time.monotonic()
        earlier = [*filter(None, (self._refused.get(endpoint), self._refused_since))]
        self._refused.setdefault(endpoint, now)
        self._refused_since = self._refused_since or now
        if not earlier:
            self.on_doubt()
            return False
        return now - min(earlier) >= _CONFIRMS_AFTER

    def _dispel_doubt(self, endpoint: Endpoint) -> None:
        """Take a good answer into account."""
        self._refused_since = None
        self._refused.pop(endpoint, None)

    def _mind(self, error: ServiceError, answer: Answer) -> None:
        """Leave the service alone for as long as it wants. That a car sleeps is no such wish."""
        if isinstance(error, AsleepError):
            return
        error.pause = max(error.pause, answer.retry_after)
        self.stay_away(error.pause if isinstance(error, RateLimitedError) else answer.retry_after)

    @cached_property
    def _secrets(self) -> Secrets:
        """What no error may repeat. Long to prepare where there are many cars."""
        return Secrets([self._token, *self._private])

    def _secrets_with(self, endpoint: Endpoint, sent: Mapping[str, str]) -> Secrets:
        """Return what no error may repeat, with what was sent."""
        secret = [sent[each.name] for each in endpoint.parameters if each.secret and each.name in sent]
        return Secrets([self._token, *secret, *self._private]) if secret else self._secrets

    async def _ask(
        self, endpoint: Endpoint, path: str, query: Mapping[str, str], body: Mapping[str, Any]
    ) -> Answer:
        try:
            async with self._session.request(
                endpoint.method,
                URL(self._base + path, encoded=True),
                params=query,
                # Written by the payload: a session may have its own way of writing JSON, and other limits.
                data=aiohttp.JsonPayload(body) if endpoint.method == "POST" else None,
                headers={"Authorization": f"Bearer {self._token}", "Accept": "application/json"},
                timeout=_COMMAND_TIMEOUT if endpoint.method == "POST" else _READ_TIMEOUT,
                allow_redirects=False,
            ) as response:
                return Answer(endpoint, response.status, response.headers, await _bounded(response))
        except aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError:
            raise CertificateError from None
        except aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, ValueError:
            # A ValueError is an address or a token that cannot even be written.
            raise NotSentError from None
        except aiohttp.ClientError, TimeoutError, OSError, RuntimeError, AssertionError:
            # The last two are a session that somebody closes meanwhile, as when Home Assistant stops.
            # Their texts may hold the address with its query, so none of it goes further.
            raise ServiceDownError from None


def _written(endpoint: Endpoint, values: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the query and the body that carry the values. Raises InvalidValueError."""
    return endpoint.query(values), endpoint.body(values) if endpoint.has_body else {}


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """Read an answer, but never more than an answer can be."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > _LARGEST_ANSWER:
            response.close()
            raise MalformedAnswerError
    return bytes(body)


def _is_vehicle(entry: Any) -> bool:
    """Whether an entry of the list is a car: newer services list other things among them."""
    return isinstance(entry, dict) and ("vin" in entry or "vehicle_id" in entry)


def _record(answer: Any) -> dict[str, Any]:
    """Return a vehicle's record, or say that there is none."""
    if not isinstance(answer, dict):
        raise MalformedAnswerError
    return answer


def _reason(answer: Any) -> str:
    """Return why the car refused, in the words of the service; empty if it does not say."""
    if not isinstance(answer, dict):
        raise OutcomeUnknownError
    reason = answer.get("reason") or str(answer.get("string") or "").rpartition(":")[2]
    return str(reason).strip()
