"""Why a request has no answer: one class per cause, each with words for the person it happens to."""

from collections.abc import Mapping
from enum import Enum, auto
from math import inf
from typing import ClassVar, Final, override

from .redaction import Secrets

_HOUR: Final = 3600.0

REASONS: Final = frozenset(
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
"""Why cars have been seen to refuse, and there is more to say than the word."""


class Concern(Enum):
    """Whose trouble a failure is."""

    ACCOUNT = auto()
    VEHICLE = auto()


class ServiceError(Exception):
    """A request that got no usable answer."""

    key: ClassVar[str] = "service_error"
    """The name of the cause."""
    needs_a_person: ClassVar[Concern | None] = None
    """Whose trouble it is, if it ends only when a person does something about it."""
    pause: float = 0.0
    """Seconds after which asking the same again makes sense at the earliest."""

    def __init__(self, detail: str = "") -> None:
        """Keep what the service said."""
        super().__init__()
        self._said = detail

    @property
    def sentence(self) -> str:
        """The name of the sentence that tells a person."""
        return self.key

    @property
    def detail(self) -> str:
        """What the service said, cut to what a person reads."""
        return self._said[:120]

    def conceal(self, secrets: Secrets) -> None:
        """Take out what was sent: a service may repeat it, and its words are shown to people and logged."""
        self._said = secrets.concealed(self._said)

    @override
    def __str__(self) -> str:
        """Return the detail, and never more than it."""
        return self.detail

    @property
    def placeholders(self) -> Mapping[str, str]:
        """What the sentence needs to be complete."""
        return {"detail": self.detail or "no reason given"}


class AuthenticationError(ServiceError):
    """The service does not accept the access token (401)."""

    key = "invalid_token"
    is_confirmed = False
    """Whether a second request, a little later, was answered the same way. One 401 alone may be a glitch."""


class MobileAccessDisabledError(ServiceError):
    """Mobile access is switched off in the car (401, 403 or 405 that says so)."""

    key = "mobile_access_disabled"
    needs_a_person = Concern.VEHICLE


class PermissionDeniedError(ServiceError):
    """The token is good but may not do this (402, 403)."""

    key = "permission_denied"
    needs_a_person = Concern.ACCOUNT


class SigningRequiredError(ServiceError):
    """The car takes only commands that are signed, which this interface does not know (403 that says so)."""

    key = "signing_required"
    needs_a_person = Concern.VEHICLE


class AccountLockedError(ServiceError):
    """The account is locked (423)."""

    key = "account_locked"
    needs_a_person = Concern.ACCOUNT
    pause = _HOUR


class ClientRefusedError(ServiceError):
    """The service does not let this program read at all (412 to a read)."""

    key = "client_refused"
    needs_a_person = Concern.ACCOUNT
    pause = _HOUR


class WrongPlaceError(ServiceError):
    """This service may not answer for the account: another region's must, or none (421, 451)."""

    key = "wrong_place"
    needs_a_person = Concern.ACCOUNT


class NotFoundError(ServiceError):
    """The service knows no such vehicle or no such path (404, 405)."""

    key = "not_found"


class AsleepError(ServiceError):
    """The car is asleep or out of coverage (408 that says so). Not a failure."""

    key = "asleep"


class UnavailableError(AsleepError):
    """The service could not reach the car (503 that says so): most likely asleep, but nobody can be sure."""


class InServiceError(ServiceError):
    """The car is in the workshop (405 that says so)."""

    key = "in_service"


class RateLimitedError(ServiceError):
    """The account has asked too often (429, 403 EXCEEDED_LIMIT)."""

    key = "rate_limited"

    def __init__(self, retry_after: float, detail: str = "") -> None:
        """Keep after how many seconds the service may be asked again."""
        super().__init__(detail)
        self.pause = retry_after

    @property
    @override
    def placeholders(self) -> Mapping[str, str]:
        """The minutes to wait, rounded up."""
        return {"minutes": str(-int(-self.pause // 60))}


class ServiceDownError(ServiceError):
    """The service cannot be reached, is too slow, or fails (5xx, time-out, no connection)."""

    key = "service_down"


class CarFailsError(ServiceDownError):
    """The car gives the service answers that it does not understand (540): it was asked too much."""

    pause = 300.0


class NotSentError(ServiceDownError):
    """No connection was made, so nothing of the request can have been carried out."""

    key = "cannot_connect"


class CertificateError(ServiceDownError):
    """The service cannot prove who it is."""

    key = "certificate_error"
    needs_a_person = Concern.ACCOUNT


class OutcomeUnknownError(ServiceDownError):
    """A command was sent and its answer was lost: nobody can tell whether the car obeyed."""

    key = "outcome_unknown"


class RedirectedError(ServiceError):
    """The service sends us elsewhere, and a token is not carried elsewhere (3xx)."""

    key = "redirected"
    needs_a_person = Concern.ACCOUNT


class MalformedAnswerError(ServiceError):
    """What answers is not this service: not JSON, no envelope, or far too long."""

    key = "malformed_answer"


class InvalidRequestError(ServiceError):
    """The service does not take the request as it was sent (400, 406, 422; 412 to a command)."""

    key = "invalid_request"


class RefusedError(ServiceError):
    """The car refused a command (result false). `detail` is its reason."""

    key = "refused"

    @property
    def reason(self) -> str:
        """The reason in the one spelling that they are compared in."""
        return self._said.lower().replace(" ", "_")

    @property
    @override
    def sentence(self) -> str:
        """A sentence of its own for each reason that is known, else one that repeats it."""
        return f"{self.key}_{self.reason}" if self.reason in REASONS else self.key


class WakeUpTimeoutError(ServiceError):
    """The car was called and did not come online in time; nothing was sent to it."""

    key = "wake_up_timeout"


class NotWokenError(ServiceError):
    """The car sleeps, and its owner does not want it woken for a command; nothing was sent to it."""

    key = "not_woken"


class ReadOnlyError(ServiceError):
    """The owner wants it only to be looked at; nothing was sent. `detail` is its name."""

    key = "read_only"


class TooLateError(ServiceError):
    """A command waited too long for those before it, and was not sent: nobody expects it any more."""

    key = "too_late"


class UnloadedError(ServiceError):
    """The account was removed or set up anew while a command waited; it was not sent."""

    key = "unloaded"


class OtherVehicleError(ServiceError):
    """The service answers with another car's VIN under this car's id; nothing was sent to that car."""

    key = "other_vehicle"
    needs_a_person = Concern.VEHICLE


class PositionUnknownError(ServiceError):
    """A command that toggles was not sent, because the car does not say how things are now."""

    key = "position_unknown"


class InvalidValueError(ServiceError):
    """A command's value is outside what the service allows; nothing was sent."""

    key = "invalid_value"


class OutOfBoundsError(InvalidValueError):
    """A command's number is outside the limits of the car; nothing was sent."""

    key = "out_of_bounds"

    def __init__(self, detail: str = "", low: float = -inf, high: float = inf) -> None:
        """Keep which number it is, and between what it has to be."""
        super().__init__(detail)
        self._bounds = {"low": f"{low:g}", "high": f"{high:g}"}

    @property
    @override
    def placeholders(self) -> Mapping[str, str]:
        """Which number, and its limits."""
        return {**super().placeholders, **self._bounds}


class InvalidPinError(InvalidValueError):
    """A PIN is not four digits; nothing was sent."""

    key = "invalid_pin"


class MissingValueError(InvalidValueError):
    """A command's value is not there; nothing was sent."""

    key = "missing_value"
