/** The types of the dashboard's scripts that several of them use. All are global. */

type Car = import("../custom_components/vehicle_remote_access/dashboard/www/cars.js").Car;
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
  vehicles?: string[];
  driver_side?: "left" | "right";
}
interface ViewConfig extends DashboardConfig {
  device_id: string;
  page?: "log" | "months" | "battery";
}

/** A condition for a card to be visible. */
type Condition = Record<string, unknown>;

type Device = DeviceRegistryEntry;
/** Ids of entities by their names in the scripts. */
type Entities = Record<string, string | undefined>;

/** The content of a card, as its host uses it. */
interface Content {
  setConfig(config: CarCardConfig): void;
  hass: HomeAssistant;
  connected(): void;
  disconnected(): void;
}

/** How `main.js` defines a card. */
interface CardDefinition {
  script: string;
  size: number;
  grid?: Record<string, number | string>;
  shows?: string[];
}

/** Scripts look only for elements of their own templates. So the result is neither null nor of another kind. */
interface ParentNode {
  querySelector(selector: string): any;
  querySelectorAll(selector: string): NodeListOf<any>;
}
