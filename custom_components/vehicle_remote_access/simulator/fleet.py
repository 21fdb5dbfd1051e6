"""The simulated vehicles of an account: the same ones for the same seed."""

from dataclasses import replace
from random import Random
from typing import Final

from .car.location import Home
from .car.model import Identity, Model, Screen
from .car.physics import Supply
from .car.routine import Routine
from .car.weather import Weather
from .clock import Clock
from .controls import SimulatedVehicle
from .faults.switches import Switches

VIN_VALUES: Final = dict(
    zip("0123456789ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "012345678912345678123457923456789"), strict=True)
)
VIN_WEIGHTS: Final = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
SERIALS: Final = 1_000_000
PARKING_DISTANCE: Final = 0.002  # miles between two vehicles that share a home
VEHICLES_PER_SEED: Final = 1_000

MODEL_S: Final = Model(
    car_names=("Aurora", "Comet", "Lantern", "Sequoia"),
    vin_start="5YJSA1E4 KF",
    name="Model S",
    option_codes="MDLS,RENA,BTX5,PBSB,DRLH,DV4W,W19B,CH07,PF00,APH2,SU01,COUS,ID3W,RF3G,IN3B",
    car_type="models2",
    trim_badging="p90d",
    perf_config="P2",
    exterior_color="White",
    wheel_type="AeroTurbine19",
    sun_roof_installed=2,
    supply=Supply(volts=240, amperes=40),
    charger_amperes=40,
    home=Home(latitude=37.441883, longitude=-122.143019, mean_temperature=14.0),
    version="2019.40.50.7 ad132c7b057e",
    odometer=23_164.082741,
    level=72.0,
    plugged=True,
    stopped=True,
)
MODEL_X: Final = Model(
    car_names=("Noordster", "Zeemeeuw", "Waddenzee", "Fietsbel"),
    vin_start="5YJXCCE2 KF",
    name="Model X",
    option_codes="MDLX,REEU,BTX5,PPSB,DRLH,DV4W,W20A,CH05,PF00,APH2,SU01,CONL,ID3W,RFPX,IN3P",
    car_type="modelx",
    trim_badging="100d",
    exterior_color="DeepBlue",
    wheel_type="Turbine22",
    charge_port_type="EU",
    third_row_seats="FuturisFoldFlat",
    spoiler_type="Passive",
    rear_seat_heaters=3,
    rear_seat_type=1,
    seat_type=1,
    supply=Supply(volts=230, amperes=16, phases=3),
    charger_amperes=24,
    home=Home(latitude=52.356736, longitude=4.881523, mean_temperature=9.0),
    version="2019.40.50.1 3f28e2b9c0d4",
    odometer=41_873.550218,
    level=54.0,
    limit=90,
    screen=Screen("km/hr", "C", "km/hr", gui_24_hour_time=True),
)
MODEL_3: Final = Model(
    car_names=("Pebble", "Marble", "Acorn", "Thimble"),
    vin_start="5YJ3E1EA LF",
    name="Model 3",
    option_codes="MDL3,RENA,BT37,PMNG,DRLH,DV2W,W38B,CH05,PF00,APH3,SU3C,COUS,ID3W,RF3G,IN3P",
    car_type="model3",
    trim_badging="50",
    exterior_color="MidnightSilver",
    wheel_type="Pinwheel18",
    roof_color="Glass",
    rear_seat_heaters=1,
    seat_type=0,
    motorized_charge_port=False,
    plg=False,
    has_air_suspension=False,
    supply=Supply(volts=120, amperes=12),
    charger_amperes=32,
    home=Home(latitude=39.739236, longitude=-104.990251, mean_temperature=10.0),
    version="2020.4.1 4a4ad401858f",
    odometer=6_018.307954,
    level=90.0,
    limit=90,
    plugged=True,
)
MODEL_S_UK: Final = Model(
    car_names=("Bluebell", "Foxglove", "Primrose", "Heather"),
    vin_start="5YJSB7E2 JF",
    name="Model S",
    option_codes="MDLS,REEU,BT85,PMBL,DRRH,DV2W,W19B,CH05,PF00,APH2,SU01,COGB,ID3W,RFBC,IN3B",
    car_type="models",
    trim_badging="85d",
    exterior_color="MetallicBlack",
    wheel_type="Base19",
    charge_port_type="EU",
    roof_color="Colored",
    can_actuate_trunks=False,
    plg=False,
    rhd=True,
    remote_start_supported=False,
    supply=Supply(volts=230, amperes=32),
    charger_amperes=32,
    home=Home(latitude=51.482578, longitude=-0.007659, mean_temperature=10.0),
    version="2019.32.12.2 d070b68a9cf3",
    odometer=58_240.119406,
    level=38.0,
    asleep=True,
    screen=Screen("mi/hr", "C", "mi/hr", gui_24_hour_time=True, gui_range_display="Ideal"),
)
MODEL_Y: Final = Model(
    car_names=("Juniper", "Alder", "Maple", "Willow"),
    vin_start="5YJYGDEE LF",
    name="Model Y",
    option_codes="MDLY,RENA,BT37,PPMR,DRLH,DV4W,W40B,CH07,PF00,APH3,SU3C,COUS,ID3W,RF3G,IN3W",
    car_type="modely",
    trim_badging="74d",
    perf_config="P2",
    exterior_color="RedMulticoat",
    wheel_type="Induction20Black",
    roof_color="Glass",
    spoiler_type="CarbonFiber",
    rear_seat_heaters=1,
    rear_seat_type=1,
    seat_type=0,
    has_air_suspension=False,
    supply=Supply(volts=240, amperes=32),
    charger_amperes=48,
    home=Home(latitude=45.515232, longitude=-122.678385, mean_temperature=12.0),
    version="2020.12.5 e2178e0aa3a5",
    odometer=1_204.660871,
    level=63.0,
)
MODELS: Final = (MODEL_S, MODEL_X, MODEL_3, MODEL_S_UK, MODEL_Y)


def make_fleet(
    count: int,
    *,
    seed: int,
    clock: Clock,
    switches: Switches,
    car_class: type[SimulatedVehicle] = SimulatedVehicle,
    home: Home | None = None,
    routine: bool = False,
) -> list[SimulatedVehicle]:
    """Return an account's vehicles. After the five models, the models repeat.

    `home`: where all vehicles are parked at first. Without it, each model has its own home.
    `routine`: whether owners use the vehicles, and the weather changes.
    """
    random = Random(seed)  # noqa: S311 - repeatable vehicles, not secrets
    user_id = random.randrange(100_000, 1_000_000)
    fleet = []
    for index in range(count):
        model = MODELS[index % len(MODELS)]
        identity = Identity(
            id=random.randrange(10**16, 10**17),
            vehicle_id=random.randrange(10**8, 10**10),
            user_id=user_id,
            vin=_vin(model.vin_start, seed * VEHICLES_PER_SEED + index),
            name=_name(model.car_names, seed, index // len(MODELS)),
        )
        vehicle_random = Random(random.getrandbits(64))  # noqa: S311 - repeatable vehicles, not secrets
        vehicle_home = model.home
        if home:
            spot = home.point.beyond(index * PARKING_DISTANCE, 90)
            vehicle_home = replace(home, latitude=spot.latitude, longitude=spot.longitude)
        weather = Weather(vehicle_home, seed if routine else None)
        vehicle = car_class(identity, model, vehicle_home, weather, clock, switches, vehicle_random)
        Routine(vehicle, seed).register()
        if routine:
            vehicle.routine(on=True)
        fleet.append(vehicle)
    return fleet


def check_digit(vin: str) -> str:
    """Return the ninth character that makes a vehicle identification number valid."""
    total = sum(VIN_VALUES.get(letter, 0) * weight for letter, weight in zip(vin, VIN_WEIGHTS, strict=True))
    return "0123456789X"[total % 11]


def _vin(start: str, number: int) -> str:
    # Steps through one cycle of all serials: consecutive numbers look different, and no serial repeats.
    serial = (number * 387_421 + 123_457) % SERIALS
    blank = f"{start}{serial:06d}"
    return blank.replace(" ", check_digit(blank))


def _name(names: tuple[str, ...], seed: int, earlier: int) -> str:
    """Return the name of a vehicle that has `earlier` vehicles of its model before it."""
    name, repetition = names[(seed + earlier) % len(names)], earlier // len(names)
    return f"{name} {repetition + 1}" if repetition else name
