/** The objects of Home Assistant's frontend, as far as the scripts of the dashboard use them. All are global. */

interface Hass {
  states: Record<string, HassEntity | undefined>;
  entities: Record<string, EntityRegistryDisplayEntry>;
  devices: Record<string, DeviceRegistryEntry>;
  locale: FrontendLocale;
  config: HassConfig;
  /** The language of the page. It can differ from that of `locale`, which formats numbers and times. */
  language: string;
  /** Undefined until it is loaded. */
  user?: { id: string; name: string; is_admin: boolean; is_owner: boolean };
  /** By the first part of their path. */
  panels?: Record<string, { url_path: string; component_name: string } | undefined>;
  connection: HassConnection;
  translationMetadata?: { translations: Record<string, { nativeName: string; isRTL?: boolean } | undefined> };
  localize: Localize;

  /** Rejects with a `HassError`. */
  callWS<C extends keyof LogResults>(message: HassMessage<`vehicle_remote_access/log/${C}`>): Promise<LogResults[C]>;
  callWS<C extends keyof CommandResults>(message: HassMessage<C>): Promise<CommandResults[C]>;
  /** Rejects with a `HassError`. */
  callService(
    domain: string,
    service: string,
    data?: Record<string, unknown>,
    target?: { entity_id?: string | string[]; device_id?: string | string[] },
    notifyOnError?: boolean,
  ): Promise<unknown>;
  loadBackendTranslation(category: string, integration?: string): Promise<Localize>;
  formatEntityState(state: HassEntity | undefined, value?: string): string;
  formatEntityName(state: HassEntity, part: { type: "entity" | "device" | "area" | "floor" }): string;
  formatEntityAttributeName(state: HassEntity, attribute: string): string;
  formatEntityAttributeValue(state: HassEntity, attribute: string): string;
}

/** What the formats of a user depend on. */
type HassFormats = Pick<Hass, "language" | "locale" | "translationMetadata"> & {
  config: Pick<HassConfig, "time_zone">;
};

/** Returns an empty text if there is none for the key. */
type Localize = (key: string, values?: Record<string, unknown>) => string;

interface HassEntity {
  entity_id: string;
  state: string;
  attributes: Record<string, any>;
  last_changed: string;
  last_updated: string;
}

/** What every user gets of the entity registry. */
interface EntityRegistryDisplayEntry {
  entity_id: string;
  device_id?: string;
  platform?: string;
  translation_key?: string;
  hidden?: boolean;
}

interface DeviceRegistryEntry {
  id: string;
  name: string | null;
  name_by_user: string | null;
  /** A domain, and an id that is unique in it. */
  identifiers: [string, string][];
  via_device_id: string | null;
  disabled_by: string | null;
  entry_type: "service" | null;
}

interface FrontendLocale {
  language: string;
  number_format: "language" | "system" | "comma_decimal" | "decimal_comma" | "space_comma" | "quote_decimal" | "none";
  time_format: "language" | "system" | "12" | "24";
  time_zone: "local" | "server";
}

interface HassConfig {
  components: string[];
  country: string | null;
  currency: string;
  time_zone: string;
  unit_system: { length: string; temperature: string };
}

/** The results of commands other than those about the log, by type. */
interface CommandResults {
  "vehicle_remote_access/arrived": null;
  "auth/sign_path": { path: string };
  "zone/create": unknown;
  "recorder/statistics_during_period": Record<string, unknown[]>;
}

type HassMessage<C extends string = string> = { type: C; [name: string]: unknown };

/** What a failed command or action rejects with. It is no `Error`. */
interface HassError {
  code: string | number;
  message: string;
}

interface HassConnection {
  addEventListener(event: "ready" | "disconnected" | "reconnect-error", listener: () => void): void;
  removeEventListener(event: "ready" | "disconnected" | "reconnect-error", listener: () => void): void;
  subscribeMessage<E>(
    receive: (event: E) => void,
    message: HassMessage,
    options?: { resubscribe?: boolean },
  ): Promise<() => Promise<void>>;
}

// Cards and strategies

/** The options of a card, a badge, or a feature. */
type CardConfig = Record<string, any>;

interface CardHelpers {
  createCardElement(config: CardConfig): HTMLElement;
}

interface CustomCard {
  type: string;
  name?: string;
  description?: string;
  preview?: boolean;
  documentationURL?: string;
  getEntitySuggestion?: (hass: Hass, entityId: string) => { config: CardConfig } | null;
}

interface CustomStrategy {
  type: string;
  strategyType: "dashboard" | "view" | "section";
  name?: string;
  description?: string;
  documentationURL?: string;
}

interface Window {
  customCards?: CustomCard[];
  customStrategies?: CustomStrategy[];
  loadCardHelpers?: () => Promise<CardHelpers>;
}

// Elements

type MapPosition = [latitude: number, longitude: number];

/** What is optional here is missing until Home Assistant has loaded the element. */
interface HaMap extends HTMLElement {
  hass?: Hass;
  clickable?: boolean;
  entities?: string[];
  paths?: {
    name?: string;
    color?: string;
    fullDatetime?: boolean;
    points: { point: MapPosition; timestamp: Date }[];
  }[];
  updateComplete?: Promise<unknown>;
  fitBounds?: (positions: MapPosition[], options?: { zoom?: number; pad?: number }) => void;
}

/** What draws a map in newer versions of Home Assistant. It is a private part of its element. */
interface MapEngine {
  addPath?: (path: { segments?: unknown[]; markers: unknown[] }) => unknown;
}

interface HTMLElementTagNameMap {
  "home-assistant": HTMLElement & { hass?: Hass };
  "ha-map": HaMap;
  "ha-state-icon": HTMLElement & { hass?: Hass; stateObj?: HassEntity };
}

interface HTMLElementEventMap {
  "hass-more-info": CustomEvent<{ entityId: string }>;
  "map-clicked": CustomEvent<{ location: MapPosition }>;
}

interface WindowEventMap {
  "location-changed": CustomEvent<{ replace: boolean }>;
}
