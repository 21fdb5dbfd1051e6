/** The types of the dashboard's scripts that several of them use. All are global. */

type Car = import("../custom_components/vehicle_remote_access/dashboard/www/entities.js").Car;
type Status = import("../custom_components/vehicle_remote_access/dashboard/www/status.js").Status;
type Formats = import("../custom_components/vehicle_remote_access/dashboard/www/formats.js").Formats;

/** Returns the text for a key, with the values of its placeholders. */
type Words = ((key: string, values?: Record<string, unknown>) => string) & { language: string };

/** A card of this integration. */
interface CarCardConfig extends CardConfig {
  device_id: string;
}

/** The options of the dashboard and of its views. */
interface DashboardConfig {
  vehicles?: string[] | null;
  driver_side?: "left" | "right";
}
interface ViewConfig extends DashboardConfig {
  device_id: string;
  page?: "log" | "months" | "map" | "battery";
}

/** A condition for a card to be visible. */
type Condition = Record<string, unknown>;

type Device = DeviceRegistryEntry;
/** Ids of entities by their names in the scripts. */
type Entities = Record<string, string | undefined>;
/** Platforms and translation keys of entities, by the same names. Of several, the first one that exists counts. */
type EntityKeys = Record<string, string | string[]>;

/** The content of a card, as its host uses it. */
interface Content {
  setConfig(config: CarCardConfig): void;
  hass: Hass;
  connected(): void;
  disconnected(): void;
}

/** How `main.js` defines a card. */
interface CardDefinition {
  script: string;
  size: number;
  grid?: Record<string, number | string>;
  /** The entities that the card is suggested for. */
  shows?: EntityKeys;
}

/** Scripts look only for elements of their own templates. So the result is neither null nor of another kind. */
interface ParentNode {
  querySelector(selector: string): any;
  querySelectorAll(selector: string): NodeListOf<any>;
}

/** Loads what a page shows of a log. `before`: what it returned before. */
type LoadLog = (send: SendLogCommand, before: any) => Promise<unknown>;

/** The methods of the subclasses of `LogContent`, for the value that `load` returns. */
interface LogParts {
  styles: string;
  load(...args: Parameters<LoadLog>): ReturnType<LoadLog>;
  isEmpty(value: any): boolean;
  fill(root: HTMLElement, value: any): void;
}
type CardContent = import("../custom_components/vehicle_remote_access/dashboard/www/element.js").CardContent;
type LogBase = new (host: HTMLElement) => CardContent & LogParts;

/** A kind of entry, as the pages show it. The values of the other kinds are undefined. */
type Shown<E> = E & Partial<Omit<AnyEntry, keyof E>> & { isOpen?: boolean; goes_on?: boolean };
type AnyEntry = Omit<Drive, "kind"> & Omit<Charge, "kind"> & Omit<Stay, "kind">;
type ShownEntry = Shown<Drive> | Shown<Charge> | Shown<Stay>;
type DetailEntry = Shown<Drive> | Shown<Charge>;

/** The data and the settings of the page of a log. */
interface LogContext {
  hass: Hass;
  words: Words;
  formats: Formats;
  units: LogUnits;
  canEdit: boolean;
  deviceId: string;
  /** Load the log again. */
  reload: () => void;
}

/** Values with a cost of driving. */
type PriceKnown = { price_known?: number | null };

type ShownEntries = (
  open: LogEntry[],
  page: Pick<LogPage, "entries" | "next">,
  dayOf: (entry: ShownEntry) => string,
) => ShownEntry[];

/** Entries of the log, and the search that found them. */
type FoundPage = LogPage & { search: LogSearch };

/** The elements of a day of the log, and of an entry. */
interface LogDay {
  section: HTMLElement;
  total: HTMLElement;
  strip: HTMLElement;
  list: HTMLElement;
  shown: ShownEntry[];
  parts?: LogDayPart[];
}
/** In minutes of the day. */
type LogDayPart = [kind: string, from: number, to: number];
interface LogItem {
  element: HTMLElement;
  row: HTMLElement;
  entry?: ShownEntry;
  detail?: import("../custom_components/vehicle_remote_access/dashboard/www/log_detail.js").Detail;
  /** Selects the drive. */
  checkbox?: HTMLInputElement;
}

// Elements, see `dom.js`

/** A line of text. A line without text is left out: its value is unknown or not worth a text. */
type Line = string | false | null | undefined;
type Child = Node | Line;
type Attributes = Record<string, string | number>;
type CreateElement = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes,
  ...children: Child[]
) => HTMLElementTagNameMap[K];

interface HTMLElementTagNameMap {
  "ha-icon": HTMLElement;
}

/** A column of a table of `Values`. */
type Column<Values> = [name: string, show: (values: Values) => Line[]];
type CreateRow = <Values>(
  columns: Column<Values>[],
  values: Values,
  header: Child,
  attributes?: Attributes,
) => HTMLTableRowElement;
type Tile = [name: string, lines: Line[]];

/** `filter(Boolean)` leaves out what is empty. */
interface Array<T> {
  filter(predicate: BooleanConstructor): Exclude<T, false | null | undefined | "">[];
}

// Months

type Columns = Column<PeriodTotals>[];
type FormatNumber = (value: number) => string | undefined;
/** The values of a month that its row or the chart shows. */
type MonthValue = "distance" | "energy_added" | "cost" | "driving_cost" | "consumption" | "cost_per_kwh";
interface MonthValueTexts {
  title: string;
  /** `of`: the totals with the value. */
  format: (value: number | null, of?: DriveTotals) => string | undefined;
  /** For a value to compare with. */
  short?: FormatNumber;
}
/** `format`: that of the values. */
type ChangeOf = (context: WithFormats, values: PeriodTotals, name: MonthValue, format: FormatNumber) => Line;
type CreateMonthChart = (
  context: WithFormats,
  log: LogMonths,
  /** `yearsAgo`: of the last month that is shown. */
  chosen: { value: MonthValue; yearsAgo: number },
) => HTMLElement | undefined;
type MonthValues = (context: WithFormats, units: LogUnits) => Record<MonthValue, MonthValueTexts>;

// Charts

/** The values of a curve, null if they are unknown. A `band` has the lowest and the highest possible values. */
interface PlottedCurve {
  values: (number | null)[];
  band?: number[][];
  /** The least distance between two ticks. */
  smallest?: number;
  isFromZero?: boolean;
  isStep?: boolean;
  behind?: PlottedCurve;
}
interface Curve extends PlottedCurve {
  name: string;
  title: string;
  /** With the unit. `index`: that of the value, undefined for the lowest and the highest one. */
  format: (value: number, index?: number) => string | undefined;
  plain: (value: number) => string | undefined;
  behind?: Curve;
}

type Mark = [time: number, text: string | undefined];
type Scale = import("../custom_components/vehicle_remote_access/dashboard/www/line_chart.js").Scale;

interface PlotOptions {
  /** The text for screen readers. */
  summary: string;
  scale: Scale;
  level: Axes["level"];
  marks: Mark[];
  drawing: Child[];
}

/** The values of bars, null if they are unknown. */
interface BarsOptions {
  names: string[];
  values: (number | null)[];
  before: (number | null)[];
  level: Axes["level"];
  summary: string;
  /** The name of the slider that selects a pair of bars. */
  label: string;
  describe: (index: number) => string[];
}

/** From one share of the width to another one. */
interface Bar {
  from: number;
  to: number;
  value: number | null;
}
type CreateSelection = (
  plot: HTMLElement,
  /** Where each column ends, as a share of the width. */
  ends: number[],
  /** The index of the column that is selected at first. */
  selected: number,
  /** The name of the slider that selects a column. */
  label: string,
  describe: BarsOptions["describe"],
) => HTMLElement;

/** The attributes of a charging plan. Without data, there are none. */
interface PlanAttributes {
  reason?: string;
  ready_by?: string | null;
  cost?: number | null;
  is_reachable?: boolean | null;
  /** In kWh. */
  missing?: number;
  slots?: PlanSlot[];
  prices?: PlanSlot[];
  /** When a car that is not plugged in would charge. */
  if_plugged_in?: PlanSlot[];
  house?: string | null;
  /** In kWh, since the car was plugged in. */
  charged?: number;
  from_surplus?: number;
  /** Of the charge that goes on. */
  cost_so_far?: number;
  /** When the car itself charges. */
  car_schedule?: string | null;
  surplus_entity?: string | null;
  surplus_is_imported?: boolean;
}
/** The means of five minutes by entity, with their start in milliseconds. */
type Statistics = Record<string, { start: number; mean: number }[]>;
interface PlanSlot {
  start: string;
  end: string;
  /** Of one kWh, null if it is unknown. */
  price: number | null;
  /** The price of the day before, if it is unknown. */
  estimate?: number;
}
interface PlanBar {
  start: number;
  end: number;
  price: number | null;
  estimate?: number;
  /** Whether the car charges then. */
  charges: boolean;
}
type PlanBars = (plan: PlanAttributes, now: number) => PlanBar[];
type PlanNotes = (context: WithFormats, plan: PlanAttributes, currency: string, now: number) => string[];
type PowerSamples = (statistics: Statistics, powerId: string, plan: PlanAttributes) => PowerRows;
interface PowerRows {
  times: number[];
  power: number[];
  surplus: number[];
}
type CreatePlanPicture = (options: {
  bars: PlanBar[];
  power: PowerRows;
  words: Words;
  formats: Formats;
  currency: string;
}) => HTMLElement[];
type PlanSentence = (context: WithFormats, plan: PlanAttributes, currency: string, now: number) => string;

type Point = [x: number, y: number];
interface DotsOptions {
  points: Point[];
  means: Point[];
  level: Axes["level"];
  mark: (value: number) => string;
  summary: string;
}

/** The axes of a plot, see `Chart`. */
interface Axes {
  times: number[];
  start: number;
  end: number;
  gap?: number;
  marks: Mark[];
  level: (value: number, digits: number) => string | undefined;
}

interface ChartOptions {
  curves: Curve[];
  times: number[];
  start: number;
  end: number;
  formats: Formats;
  words: Words;
  /** See `Axes`. By default, it depends on the distances of the times. */
  gap?: number;
  /** The times with a label. By default, they are round ones. */
  marked?: number[];
  /** The text of a time. By default, it is that of the clock. */
  textOf?: (time: number) => string;
}

interface TrackLine {
  points: TrackPoint[];
  /** Without it, that of the theme. */
  color?: string;
}

interface TrackPoint {
  time: number;
  position: MapPosition;
}

/** Why a request failed: a key of the exceptions with its placeholders. */
interface Failure {
  /** The name of the command, if it was one. */
  command?: string;
  reason: string;
  values?: Record<string, string>;
}

/** The state of a car for `drawCar`. */
interface DrawnCar {
  parts: Record<string, string | undefined>;
  marks: Record<string, boolean | undefined>;
  color?: string;
  level?: number;
  limit?: number;
}

/** Something that is left out if there is no entity for it. */
type CardOrNone = CardConfig | "" | false | undefined;
type CardGroups = (CardOrNone | CardOrNone[])[];
/** Returns what shows one entity. */
type OfEntity = (entity?: string, visibility?: Condition[], more?: CardConfig) => CardOrNone;
type CardGroup = (heading: string, icon: string, cards: CardOrNone[], more?: CardConfig) => CardConfig[];
type LidTiles = (hass: Hass, words: Words, car: Car, entity?: string, visibility?: Condition[]) => CardOrNone[];
type Simulation = ReturnType<
  typeof import("../custom_components/vehicle_remote_access/dashboard/www/simulation.js").getSimulation
>;
type SimulationCards = (hass: Hass, words: Words, car: Car, simulated: Simulation) => CardConfig[];
type LoadCharts = (hass: Hass, words: Words, car: Car) => Promise<CardConfig[]>;
/** Returns the view of a car. */
type CreateCarView = (
  hass: Hass,
  words: Words,
  car: Car,
  simulated: Simulation,
  options: DashboardConfig,
  charts: CardConfig[],
) => CardConfig;
type CreateOverview = (words: Words, cars: Car[], options: DashboardConfig) => CardConfig;
type PageName = NonNullable<ViewConfig["page"]>;
type PagePath = (car: { id: string }, page: PageName, search?: LogSearch) => string;
type NumberOptions = Intl.NumberFormatOptions;

type WithFormats = Pick<LogContext, "words" | "formats">;
type LogTexts = ReturnType<
  typeof import("../custom_components/vehicle_remote_access/dashboard/www/log_texts.js").logTexts
>;

type Sample = { at: string } & Partial<DriveSample & ChargeSample>;
type SampleValue = "speed" | "power" | "battery" | "price" | "cost";
type CurvesOf = (context: WithFormats, entry: DetailEntry, samples: Sample[], units: LogDetail["units"]) => Curve[];

type ShownBy = (hass: Hass, device: Device | undefined, names: EntityKeys) => Entities;
type EmptyView = (title: string, content: string, ...buttons: CardConfig[]) => CardConfig;
type CreateConfigForm = (
  words: Words,
  option: { name: string },
  label: string,
) => { schema: object[]; computeLabel: (field: { name: string }) => string };
type CreateAction = (text: string, press?: (event: MouseEvent) => void, attributes?: Attributes) => HTMLButtonElement;
type CreateForm = (
  attributes: Attributes,
  children: Child[],
  /** Gets the button that was pressed. */
  send: (submitter: HTMLButtonElement) => Promise<void>,
) => { form: HTMLFormElement; failure: HTMLElement; request: (perform: () => Promise<void>) => Promise<void> };
type CreateExport = (context: LogContext, getSearch: () => LogSearch) => HTMLElement;
type Periods = (context: WithFormats, months: string[], hasQuarters?: boolean) => HTMLOptGroupElement[];
type SelectPeriod = (field: HTMLSelectElement, context: WithFormats, period: string) => void;
type FillPeriods = (field: HTMLSelectElement, context: LogContext) => Promise<void>;
type CreatePlaceForm = (
  context: Pick<LogContext, "hass" | "words" | "reload">,
  place: { action: string; latitude: number; longitude: number },
) => HTMLElement;
type CreateLogPage = (car: Car, page: PageName, charts: CardConfig[]) => CardConfig;

type CreateDrawn = (name: string, attributes: Attributes, ...children: Child[]) => SVGElement;
type CreateTable = (name: string, header: string, columns: Column<never>[], ...parts: Child[]) => HTMLTableElement;
type LinkToPrice = (
  context: { hass: Hass; words: Words; car: Car },
  total: ChargeTotals | null,
) => HTMLElement | undefined;
type SettingsText = (context: { words: Words; car: Car }, text: string) => string;
type SettingsLink = (context: { words: Words; car: Car }, text: string) => HTMLElement;
type CreateChoice = <Value extends string | number | null>(
  name: string,
  options: [value: Value, text: string][],
  chosen: Value,
  show: (value: Value) => HTMLElement[],
) => { choice: HTMLElement; content: HTMLElement };
type CreateMap = (hass: Hass, name: string, lines: TrackLine[], title?: string) => Promise<HaMap | undefined>;
type NearestTime = (tracks: Track[], position: MapPosition) => number | undefined;

// Statements

/** The data in the page of a statement, from `dashboard/download.py`. */
interface StatementData {
  title: string;
  car: string;
  vin: string;
  period: string;
  tag: string | null;
  created: string;
  time_zone: string;
  /** A `FrontendLocale` as JSON. */
  locale: string | null;
  texts: Record<string, string>;
  columns: StatementColumn[];
  rows: StatementValue[][];
  /** Whether the times of each row are approximate. */
  approximate: boolean[];
  /** By the names of columns. */
  sums: Record<string, number | null>;
  remarks: string[];
}
/** `digits` is null for texts and times. */
type StatementColumn = { name: string; title: string; digits: number | null };
type StatementValue = string | number | null;
type StatementWords = (key: string, values: Record<string, unknown>) => string;
