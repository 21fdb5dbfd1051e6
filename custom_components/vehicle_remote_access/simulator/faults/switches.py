"""Switches for the points in which services of this family differ from the interface document."""

from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True)
class Switches:
    """How this service differs from the interface document. The defaults follow the document.

    The text under a switch is shown on the admin page.
    """

    # The service
    profile: Literal["current-2019", "legacy-2018"] = "current-2019"
    """`legacy-2018` does not know /vehicle_data and answers data_request in the legacy variant."""
    list: bool = True
    """Whether GET /api/1/vehicles exists."""
    vin_in_path: bool = False
    """Whether a VIN serves as the id in a path."""
    require_content_type: bool = False
    """Whether a POST without Content-Type application/json is answered 406."""
    error_in_200: bool = False
    """Whether errors other than 401 come with status 200."""
    empty_body: bool = False
    """Whether an accepted command is answered without a body."""
    empty_reason: bool = False
    """Whether a refusal leaves out its reason."""
    wake_shape: Literal["array", "object"] = "array"
    """Whether wake_up answers a list of vehicle records with a count, or one record."""
    cached_when_asleep: bool = False
    """Whether data reads of a sleeping car return what was last known, instead of 408."""
    mobile_enabled_is_live: bool = True
    """Whether mobile_enabled asks the car: 408 when it sleeps, and keeps it awake."""
    mobile_code: Literal[401, 405] = 401
    """The status with which a car refuses when its owner has disabled mobile access."""
    slow: Literal["", "timeout", "operation_timedout", "upstream_timeout"] = ""
    """The time-out with which live reads and commands end."""
    latency: float = 0.0
    """Real seconds before any answer."""
    scopes: bool = True
    """Whether the token may command; if not, commands are answered 403."""
    forbid: str = ""
    """The words with which every request is answered 403."""
    rate_limit: int = 0
    """Requests in a minute before 429; 0 for any number."""

    # What the car reports
    other_car: bool = False
    """Whether each id belongs to another car now: VIN, names and user are those of a stranger."""
    lid_delay: float = 0.0
    """Seconds after which a trunk or frunk that moved is reported as it is."""
    extra_states: bool = False
    """Whether values appear that the interface document does not name: unknown, Calibrating."""
    wrong_option_codes: bool = False
    """Whether option_codes are those of another car."""
    null_temps: bool = False
    """Whether temperatures stay null."""
    no_location: bool = False
    """Whether the position is left out of drive_state."""
    open_value: int = 255
    """What ft and rt are when open."""
    charger_noise: bool = False
    """Whether the charger's voltage and current waver."""
    valet_pin_needed: bool = False
    """Whether vehicle_state has the field valet_pin_needed."""

    # What the car does
    frunk_close: bool = True
    """Whether a second actuate_trunk closes the frunk."""
    bus_busy: float | Literal["strict"] = 0.0
    """How often a command meets could_not_wake_buses; `strict`: within a second of a live read."""
    refusal: str = ""
    """The reason with which every command is refused."""
    charge_requested: bool = False
    """Whether charge_start is answered `requested` while the car holds back."""
    remote_password: Literal["account", "any"] = "account"  # noqa: S105 - names a rule
    """Whether remote_start_drive checks the password."""
    split: bool = True
    """Whether set_temps sets two temperatures; if not, the driver's holds for both."""
    strict_drive: bool = False
    """Whether doors refuse to lock or unlock while driving."""
    port_autoclose: bool = True
    """Whether a motorised charge port closes by itself after five minutes without a cable."""
    walk_away_lock: bool = False
    """Whether the doors lock when the last person leaves."""
    unlocked_blocks_sleep: bool = False
    """Whether an unlocked car stays awake."""
    hourly_check: bool = False
    """Whether a sleeping car wakes by itself every hour, for two and a half minutes."""
    wake_jitter: float = 0.0
    """Seconds by which waking may take longer."""
