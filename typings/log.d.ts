/**
 * What the commands `vehicle_remote_access/log/…` return, see `dashboard/websocket.py`. All types are global.
 *
 * Numbers are in the units of the same answer. What is unknown is null. Times are texts such as
 * `2026-11-23T18:00:00+00:00`.
 */

/** By the last part of the command. */
interface LogResults {
  list: LogPage;
  latest: Latest;
  months: LogMonths;
  battery: LogBattery;
  detail: LogDetail;
  map: { tracks: Track[]; places: VisitedPlace[] };
  span: { first: string; last: string } | { first: null; last: null };
}

/** Sends a command about the log of one car. */
type SendLogCommand = <C extends keyof LogResults>(
  command: C,
  more?: Record<string, unknown>,
) => Promise<LogResults[C]>;

/** A message of the subscription. */
interface LogEvent {
  /** Higher after each change of the entries that have ended. */
  revision: number;
  /** The entries that have not ended, newest first. */
  open: LogEntry[];
}

interface LogUnits {
  distance: "km" | "mi";
  speed: "km/h" | "mph";
  energy: "kWh";
  consumption: "kWh/100 km" | "mi/kWh";
  currency: string;
}

// Entries

/** The filters of a search in the log. All are optional. */
interface LogSearch {
  /** A part of a place, a tag or a note. */
  text?: string;
  kind?: "drives" | "charges";
  /** A year or a month, such as `2026-11`. */
  period?: string;
  tag?: string;
  /** Drives of at least this distance, in the unit of the log. */
  longer_than?: number;
  /** Charges without a cost. */
  without_cost?: boolean;
}

interface LogPage {
  /** Newest first. */
  entries: LogEntry[];
  /** The `before` of the next page, null on the last one. */
  next: number | null;
  units: LogUnits;
  /** The sums of all entries that a search found. Null without a search, and on later pages. */
  found: Totals | null;
  /** All tags of the log. The most frequent one is the first. */
  tags: string[];
  can_edit: boolean;
}

type LogEntry = Drive | Charge | Stay;

interface Drive {
  kind: "drive";
  id: string;
  start: string;
  end: string;
  /** When the car was last seen before the start, if that was long before. */
  start_earliest: string | null;
  /** When the car was next seen after the end, if that was long after. */
  end_latest: string | null;
  distance: number | null;
  start_odometer: number | null;
  end_odometer: number | null;
  start_battery: number | null;
  end_battery: number | null;
  energy: number | null;
  consumption: number | null;
  /** The share of what the energy in the battery cost. */
  cost: number | null;
  /** The percent of the energy whose price is known. Below 100, the cost is an estimate. Null without a cost. */
  price_known: number | null;
  currency: string | null;
  average_speed: number | null;
  start_place: string | null;
  end_place: string | null;
  // Positions are left out if they were not kept.
  start_latitude?: number;
  start_longitude?: number;
  end_latitude?: number;
  end_longitude?: number;
  outside_temperature: number | null;
  max_speed: number | null;
  seen: Seen;
  tag: string | null;
  note: string | null;
}

interface Charge {
  kind: "charge";
  id: string;
  start: string;
  end: string;
  start_earliest: string | null;
  end_latest: string | null;
  place: string | null;
  start_battery: number | null;
  end_battery: number | null;
  energy_added: number | null;
  /** The energy that the charger drew. */
  energy_used: number | null;
  /** The source of `energy_used`. Null if it is unknown. */
  measured_by: "meter" | "car" | null;
  max_power: number | null;
  current: Current | null;
  latitude?: number;
  longitude?: number;
  cost: number | null;
  /** The cost if charging had begun when the car was plugged in. */
  cost_at_once: number | null;
  /** What was billed for parking and congestion. It is not part of the cost. */
  fees: number | null;
  /** The currency of the cost, which can differ from that of Home Assistant. */
  currency: string | null;
  cost_source: "prices" | "person" | "service" | null;
  seen: Seen;
  note: string | null;
}

interface Stay {
  kind: "stay";
  id: string;
  start: string;
  end: string;
  place: string | null;
  /** Percent of the battery, below zero if it gained. */
  battery_lost: number | null;
  /** Hours. */
  asleep: number | null;
  awake_reasons: string[];
}

/** How much of an entry was watched. */
type Seen = "live" | "partly" | "afterwards";
type Current = "ac" | "dc";

/** Where the car was in drives that follow each other. */
interface Track {
  /** Whether the car was seen on its way. Otherwise, only the starts and the ends are known. */
  is_track: boolean;
  /** Latitude, longitude, and the start of the drive in Unix seconds. */
  points: [number, number, number][];
}

interface VisitedPlace {
  /** Null for a place without a name. */
  place: string | null;
  position: [latitude: number, longitude: number];
  stays: number;
  /** When the last drive to it began, in Unix seconds. */
  start: number;
}

type MapOfPeriod = LogResults["map"] & {
  span: LogResults["span"];
  /** Empty for all time. */
  period: string;
};

// Samples

interface LogDetail {
  samples: (DriveSample | ChargeSample)[];
  units: LogUnits & { power: "kW"; price: string };
}

interface DriveSample {
  at: string;
  power: number | null;
  battery: number | null;
  speed: number | null;
  latitude?: number;
  longitude?: number | null;
}

interface ChargeSample {
  at: string;
  power: number | null;
  battery: number | null;
  price: number | null;
  /** From the start of the charge. */
  cost: number | null;
}

// Totals

interface DriveTotals {
  distance: number | null;
  drives: number;
  /** Hours. */
  driving: number;
  energy: number | null;
  drives_without_energy: number;
  consumption: number | null;
  driving_cost: number | null;
  /** Of the drives with a cost. */
  driving_cost_per_100: number | null;
  drives_without_cost: number;
  /** The percent of the energy whose price is known. */
  price_known: number | null;
}

/** `tag`: null for the drives without one. */
type TagTotals = DriveTotals & { tag: string | null };

interface ChargeTotals {
  charges: number;
  energy_added: number | null;
  /** Null if it is unknown for one of the charges. */
  energy_used: number | null;
  cost: number | null;
  /** By currency, without that of Home Assistant. */
  other_costs: Record<string, number>;
  charges_without_cost: number;
  /** Below zero if charging at once would have been cheaper. Null if no charge can be compared. */
  saved_by_charging_later: number | null;
  cost_per_kwh: number | null;
}

/** The last drive and charge, and the totals of this month. */
interface Latest {
  drive: Drive | null;
  charge: Charge | null;
  month: ChargeTotals & { period: string; distance: number | null };
  units: LogUnits;
}

interface StayTotals {
  standby_days: number;
  /** Percent of the battery. */
  standby_lost: number | null;
  standby_energy: number | null;
  standby_per_day: number | null;
}

type Totals = DriveTotals & ChargeTotals & StayTotals;

type TopDrive = Pick<
  Drive,
  "id" | "start" | "end" | "start_place" | "end_place" | "distance" | "energy" | "consumption"
>;

/** A month such as `2026-11`, or a year such as `2026`. */
type PeriodTotals = Totals & {
  period: string;
  tags: TagTotals[];
  most_energy: TopDrive | null;
  longest: TopDrive | null;
  /** The same time of the year before, null if the log starts later. `until`: the last day if it is only a part. */
  before: (Totals & { until?: string }) | null;
};

/** Newest first. */
interface LogMonths {
  /** Null while the log is empty. `since`: a day such as `2024-07-01`. */
  total: (Totals & { since: string; tags: TagTotals[] }) | null;
  /** The outside temperature, in the unit of Home Assistant, and the consumption of each longer drive. */
  temperatures: [number, number][];
  /** The consumption at round temperatures at which the car was driven far enough, the lowest one first. */
  at_temperatures: [number, number][];
  months: PeriodTotals[];
  years: PeriodTotals[];
  /** A day such as `2026-11-23`, in the time zone of Home Assistant. */
  today: string;
  units: LogUnits;
}

interface Capacity {
  energy: number;
  uncertainty: number;
}

interface LogBattery {
  /** Oldest first. */
  capacity: (Capacity & { time: string })[];
  now: Capacity | null;
  best: Capacity | null;
  /** Percent. */
  health: number | null;
  range: number | null;
  own_range: number | null;
  /** The energy in the battery, and its cost. Null if the log does not know of any. */
  stored: { energy: number; cost: number; cost_per_kwh: number | null } | null;
  /** Of all years, then of each year, newest first. */
  charges: YearOfCharges[];
  standby: StandbyLoss | null;
  units: LogUnits;
}

interface YearOfCharges {
  /** Null for all years. */
  year: number | null;
  places: (ChargeTotals & { place: string | null; current: Current | null })[];
  total: ChargeTotals;
}

interface StandbyLoss {
  /** Percent of the battery. */
  per_day: number;
  /** Watts. */
  power: number | null;
  /** Percent of the time. */
  asleep: number | null;
}
