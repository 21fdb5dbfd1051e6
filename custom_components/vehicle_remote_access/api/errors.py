"""Errors of the client: one class per cause, with a translation key and placeholders for its message."""

from collections.abc import Mapping
from math import ceil
from typing import ClassVar, Final, Literal, override

from .redaction import Secrets
from .value_types import one_line

_HOUR: Final = 3600.0
_MAX_DETAIL_LENGTH: Final = 120
_MAX_TEXT_LENGTH: Final = 1000

USER_NOT_PRESENT: Final = "user_not_present"
KNOWN_REASONS: Final = frozenset(
    {
        "complete",
        "could_not_wake_buses",
        "cpd_enabled",
        "disconnected",
        "incorrect_pin",
        "low_soc",
        "no_power",
        "not_parked",
        "not_supported",
        USER_NOT_PRESENT,
    }
)
"""Reasons of refused commands that have their own message."""

type IssueScope = Literal["account", "vehicle"]


class ServiceError(Exception):
    """A request without a usable response."""

    key: ClassVar[str] = "service_error"
    issue_scope: ClassVar[IssueScope | None] = None
    """Whether the account or a vehicle has a repair issue, if only the user can fix the cause."""
    retry_after: float = 0.0
    """Seconds to wait before a retry of the same request."""
    is_final = False
    """Whether the service refuses the token, and only a person can help."""

    def __init_subclass__(
        cls, key: str = "", issue_scope: IssueScope | None = None, retry_after: float = 0.0
    ) -> None:
        cls.key = key or cls.key
        cls.issue_scope = issue_scope or cls.issue_scope
        cls.retry_after = retry_after or cls.retry_after

    def __init__(self, detail: str = "", *, retry_after: float = 0.0, **placeholders: str) -> None:
        """`placeholders`: the texts of the message other than the detail."""
        super().__init__()
        self._text = detail
        self._placeholders = placeholders
        self.retry_after = retry_after or self.retry_after

    @property
    def translation_key(self) -> str:
        return self.key

    @property
    def detail(self) -> str:
        """The service's text in one line, cut to a readable length."""
        return one_line(self._text[:_MAX_TEXT_LENGTH])[:_MAX_DETAIL_LENGTH]

    def redact(self, secrets: Secrets) -> None:
        """Remove secrets from the text. A service can repeat the request, and users and logs see the text."""
        self._text = secrets.redact(self._text)

    @override
    def __str__(self) -> str:
        return self.detail

    @property
    def placeholders(self) -> Mapping[str, str]:
        return {"detail": self.detail or "-", **self._placeholders}


class AuthenticationError(ServiceError, key="invalid_token"):
    """The service doesn't accept the access token (401)."""


class MobileAccessDisabledError(ServiceError, key="mobile_access_disabled", issue_scope="vehicle"):
    """Mobile access is turned off in the car (401, 403 or 405 with that text)."""


class PermissionDeniedError(ServiceError, key="permission_denied", issue_scope="account"):
    """The token is valid but lacks the permission (403)."""


class PaymentRequiredError(ServiceError, key="payment_required", issue_scope="account", retry_after=_HOUR):
    """The account's credits or its subscription are used up (402)."""


class SigningRequiredError(ServiceError, key="signing_required", issue_scope="vehicle"):
    """The car requires signed commands, and the service did not sign this one (403 with that text)."""


class AccountLockedError(ServiceError, key="account_locked", issue_scope="account", retry_after=_HOUR):
    """The account is locked (423)."""


class ClientRefusedError(ServiceError, key="client_refused", issue_scope="account", retry_after=_HOUR):
    """The service doesn't allow this client to read (412 to a read). The client may not be registered."""


class WrongRegionError(ServiceError, key="wrong_place", issue_scope="account"):
    """The service isn't allowed to serve this account, which may belong to another region (421, 451)."""


class NotFoundError(ServiceError, key="not_found"):
    """The service has no such vehicle or path (404, 405)."""

    is_json = True
    """Whether the response is a JSON object, like all errors of such a service."""


class MissingEndpointError(NotFoundError, key="missing_endpoint"):
    """This service does not have the endpoint, so nothing was sent. `detail` is the service's name."""


class AsleepError(ServiceError, key="asleep"):
    """The car is asleep or offline (408 with that text). Not a failure."""


class UnavailableError(AsleepError):
    """The service could not reach the car (503 with that text). The car is probably asleep."""


class InServiceError(ServiceError, key="in_service"):
    """The car is at a service center (405 with that text)."""


class RateLimitedError(ServiceError, key="rate_limited"):
    """The account sent too many requests (429, 403 EXCEEDED_LIMIT)."""

    @property
    @override
    def placeholders(self) -> Mapping[str, str]:
        return {"minutes": str(ceil(self.retry_after / 60))}


class ServiceDownError(ServiceError, key="service_down"):
    """The service can't be reached, times out or fails (5xx)."""


class VehicleUpstreamError(ServiceDownError, retry_after=300.0):
    """The car sent the service an invalid response, usually after too many requests (540)."""


class NotSentError(ServiceDownError, key="cannot_connect"):
    """No connection was made, so the request was not carried out."""


class RefreshFailedError(NotSentError, key="refresh_failed"):
    """The access token has expired and can't be refreshed now, so the request was not sent."""


class RefreshRefusedError(ServiceError, key="refresh_refused"):
    """The refresh token isn't valid. Only a person can enter new tokens."""


class CertificateError(ServiceDownError, key="certificate_error", issue_scope="account"):
    """The service has no valid certificate."""


class CommandUrlError(NotSentError, key="command_url_unreachable"):
    """The address for commands can't be reached, so the command was not sent."""


class CommandCertificateError(CertificateError, key="command_certificate_error"):
    """The address for commands has no valid certificate, or another one than the owner accepted."""


class OutcomeUnknownError(ServiceDownError, key="outcome_unknown"):
    """A command was sent but its response was lost: the car may have carried it out."""


class RedirectedError(ServiceError, key="redirected", issue_scope="account"):
    """The service redirects to another address (3xx). The client doesn't send the token there."""


class MalformedResponseError(ServiceError, key="malformed_answer"):
    """The response isn't from this service: it isn't JSON, has no envelope, or is far too long."""


class InvalidRequestError(ServiceError, key="invalid_request"):
    """The service doesn't accept the request in this form (400, 406, 422; 412 to a command)."""


class RefusedError(ServiceError, key="refused"):
    """The car refused a command (result false). `detail` is the reason."""

    @property
    def reason(self) -> str:
        """The reason, normalized for comparisons."""
        reason = self._text.lower().replace(" ", "_")
        return "not_parked" if reason == "not_in_park" else reason

    @override
    def redact(self, secrets: Secrets) -> None:
        # A word of a calendar event can be a part of a known reason, which reveals nothing.
        if self.reason not in KNOWN_REASONS:
            super().redact(secrets)

    @property
    @override
    def translation_key(self) -> str:
        """The translation key for a known reason, otherwise of a message that quotes the reason."""
        return f"{self.key}_{self.reason}" if self.reason in KNOWN_REASONS else self.key


class WakeUpTimeoutError(ServiceError, key="wake_up_timeout"):
    """The car didn't come online in time after a wake-up request, so the command was not sent."""


class NotWokenError(ServiceError, key="not_woken"):
    """The car is asleep and its options don't allow waking it for commands, so the command was not sent."""


class ReadOnlyError(ServiceError, key="read_only"):
    """The car or the account is read-only, so the command was not sent. `detail` is its name."""


class TooLateError(ServiceError, key="too_late"):
    """The command expired while it was queued, so it was not sent."""


class UnloadedError(ServiceError, key="unloaded"):
    """The car was removed or its account reloaded while a request waited, so it was not sent."""


class OtherVehicleError(ServiceError, key="other_vehicle", issue_scope="vehicle"):
    """The service reports another VIN under this car's id, so nothing is sent to that car."""


class PositionUnknownError(ServiceError, key="position_unknown"):
    """The car doesn't report the state that a toggle would change, so the toggle was not sent."""


class InvalidValueError(ServiceError, key="invalid_value"):
    """A value is outside the limits of the service, so nothing was sent. `detail` is the parameter's name."""


class OutOfBoundsError(InvalidValueError, key="out_of_bounds"):
    """A number is outside the limits of the car, so nothing was sent."""


class InvalidPinError(InvalidValueError, key="invalid_pin"):
    """A PIN isn't four digits, so nothing was sent."""


class MissingValueError(InvalidValueError, key="missing_value"):
    """A required value is missing, so nothing was sent."""
