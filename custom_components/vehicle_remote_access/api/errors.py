"""Errors of the client: one class per cause, with a translation key and placeholders for its message."""

from collections.abc import Mapping
from enum import Enum, auto
from math import inf
from typing import ClassVar, Final, override

from .redaction import Secrets

_HOUR: Final = 3600.0
_MAX_DETAIL_LENGTH: Final = 120

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
        "user_not_present",
    }
)
"""Reasons of refused commands that have their own message."""


class IssueScope(Enum):
    """What a repair issue is about."""

    ACCOUNT = auto()
    VEHICLE = auto()


class ServiceError(Exception):
    """A request without a usable response."""

    key: ClassVar[str] = "service_error"
    """The name of the cause."""
    issue_scope: ClassVar[IssueScope | None] = None
    """What the repair issue is about, if only the user can fix the cause."""
    retry_after: float = 0.0
    """Seconds to wait before a retry of the same request."""

    def __init__(self, detail: str = "") -> None:
        super().__init__()
        self._text = detail

    @property
    def translation_key(self) -> str:
        """The translation key of the message."""
        return self.key

    @property
    def detail(self) -> str:
        """The service's text, cut to a readable length."""
        return self._text[:_MAX_DETAIL_LENGTH]

    def redact(self, secrets: Secrets) -> None:
        """Remove secrets from the text. A service can repeat the request, and users and logs see the text."""
        self._text = secrets.redact(self._text)

    @override
    def __str__(self) -> str:
        """Return the detail and nothing else."""
        return self.detail

    @property
    def placeholders(self) -> Mapping[str, str]:
        """The placeholders of the message."""
        return {"detail": self.detail or "no reason given"}


class AuthenticationError(ServiceError):
    """The service doesn't accept the access token (401)."""

    key = "invalid_token"
    is_confirmed = False
    """Whether a second request, a few seconds later, also got a 401. A single 401 can be a glitch."""


class MobileAccessDisabledError(ServiceError):
    """Mobile access is turned off in the car (401, 403 or 405 with that text)."""

    key = "mobile_access_disabled"
    issue_scope = IssueScope.VEHICLE


class PermissionDeniedError(ServiceError):
    """The token is valid but lacks the permission (402, 403)."""

    key = "permission_denied"
    issue_scope = IssueScope.ACCOUNT


class PaymentRequiredError(PermissionDeniedError):
    """The account's credits or its subscription are used up (402 with that text)."""

    key = "payment_required"
    retry_after = _HOUR


class SigningRequiredError(ServiceError):
    """The car requires signed commands, and the service did not sign this one (403 with that text)."""

    key = "signing_required"
    issue_scope = IssueScope.VEHICLE


class AccountLockedError(ServiceError):
    """The account is locked (423)."""

    key = "account_locked"
    issue_scope = IssueScope.ACCOUNT
    retry_after = _HOUR


class ClientRefusedError(ServiceError):
    """The service doesn't allow this client to read (412 to a read). The client may not be registered."""

    key = "client_refused"
    issue_scope = IssueScope.ACCOUNT
    retry_after = _HOUR


class WrongRegionError(ServiceError):
    """The service isn't allowed to serve this account, which may belong to another region (421, 451)."""

    key = "wrong_place"
    issue_scope = IssueScope.ACCOUNT


class NotFoundError(ServiceError):
    """The service has no such vehicle or path (404, 405)."""

    key = "not_found"
    is_json = True
    """Whether the response is a JSON object, like all errors of such a service."""


class MissingEndpointError(NotFoundError):
    """This service does not have the endpoint, so nothing was sent. `detail` is the service's name."""

    key = "missing_endpoint"


class AsleepError(ServiceError):
    """The car is asleep or offline (408 with that text). Not a failure."""

    key = "asleep"


class UnavailableError(AsleepError):
    """The service could not reach the car (503 with that text). The car is probably asleep."""


class InServiceError(ServiceError):
    """The car is at a service center (405 with that text)."""

    key = "in_service"


class RateLimitedError(ServiceError):
    """The account sent too many requests (429, 403 EXCEEDED_LIMIT)."""

    key = "rate_limited"

    def __init__(self, retry_after: float, detail: str = "") -> None:
        super().__init__(detail)
        self.retry_after = retry_after

    @property
    @override
    def placeholders(self) -> Mapping[str, str]:
        """The minutes to wait, rounded up."""
        return {"minutes": str(-int(-self.retry_after // 60))}


class ServiceDownError(ServiceError):
    """The service can't be reached, times out or fails (5xx)."""

    key = "service_down"


class VehicleUpstreamError(ServiceDownError):
    """The car sent the service an invalid response, usually after too many requests (540)."""

    retry_after = 300.0


class NotSentError(ServiceDownError):
    """No connection was made, so the request was not carried out."""

    key = "cannot_connect"


class RefreshFailedError(NotSentError):
    """The access token has expired and can't be refreshed now, so the request was not sent."""

    key = "refresh_failed"


class RefreshRefusedError(ServiceError):
    """The refresh token isn't valid. Only a person can enter new tokens."""

    key = "refresh_refused"


class CertificateError(ServiceDownError):
    """The service has no valid certificate."""

    key = "certificate_error"
    issue_scope = IssueScope.ACCOUNT


class CommandUrlError(NotSentError):
    """The address for commands can't be reached, so the command was not sent."""

    key = "command_url_unreachable"


class CommandCertificateError(CertificateError):
    """The address for commands has no valid certificate, or another one than the owner accepted."""

    key = "command_certificate_error"


class OutcomeUnknownError(ServiceDownError):
    """A command was sent but its response was lost: the car may have carried it out."""

    key = "outcome_unknown"


class RedirectedError(ServiceError):
    """The service redirects to another address (3xx). The client doesn't send the token there."""

    key = "redirected"
    issue_scope = IssueScope.ACCOUNT


class MalformedResponseError(ServiceError):
    """The response isn't from this service: it isn't JSON, has no envelope, or is far too long."""

    key = "malformed_answer"


class InvalidRequestError(ServiceError):
    """The service doesn't accept the request in this form (400, 406, 422; 412 to a command)."""

    key = "invalid_request"


class RefusedError(ServiceError):
    """The car refused a command (result false). `detail` is the reason."""

    key = "refused"

    @property
    def reason(self) -> str:
        """The reason, normalized for comparisons."""
        return self._text.lower().replace(" ", "_")

    @property
    @override
    def translation_key(self) -> str:
        """The translation key for a known reason, otherwise of a message that quotes the reason."""
        return f"{self.key}_{self.reason}" if self.reason in KNOWN_REASONS else self.key


class WakeUpTimeoutError(ServiceError):
    """The car didn't come online in time after a wake-up request, so the command was not sent."""

    key = "wake_up_timeout"


class NotWokenError(ServiceError):
    """The car is asleep and its options don't allow waking it for commands, so the command was not sent."""

    key = "not_woken"


class ReadOnlyError(ServiceError):
    """The car or the account is read-only, so the command was not sent. `detail` is its name."""

    key = "read_only"


class TooLateError(ServiceError):
    """The command expired while it was queued, so it was not sent."""

    key = "too_late"


class UnloadedError(ServiceError):
    """The car was removed or its account reloaded while a request waited, so it was not sent."""

    key = "unloaded"


class OtherVehicleError(ServiceError):
    """The service reports another VIN under this car's id, so nothing is sent to that car."""

    key = "other_vehicle"
    issue_scope = IssueScope.VEHICLE


class PositionUnknownError(ServiceError):
    """The car doesn't report the position that a toggling command would change, so it was not sent."""

    key = "position_unknown"


class InvalidValueError(ServiceError):
    """A value is outside the limits of the service, so nothing was sent. `detail` is the parameter's name."""

    key = "invalid_value"


class OutOfBoundsError(InvalidValueError):
    """A number is outside the limits of the car, so nothing was sent."""

    key = "out_of_bounds"

    def __init__(self, detail: str = "", low: float = -inf, high: float = inf) -> None:
        super().__init__(detail)
        self._bounds = {"low": f"{low:g}", "high": f"{high:g}"}

    @property
    @override
    def placeholders(self) -> Mapping[str, str]:
        """The parameter's name and its limits."""
        return {**super().placeholders, **self._bounds}


class InvalidPinError(InvalidValueError):
    """A PIN isn't four digits, so nothing was sent."""

    key = "invalid_pin"


class MissingValueError(InvalidValueError):
    """A required value is missing, so nothing was sent."""

    key = "missing_value"
