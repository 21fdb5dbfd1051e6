/** Conditions for cards and sections to be visible. Each is a list, so that several can be joined. */

import { WITHOUT_DATA, mainEntities } from "./status.js";

/** The number of columns on a wide screen. */
export const COLUMNS = 3;
export const threeColumns = [{ condition: "view_columns", min: COLUMNS }];
export const severalColumns = [{ condition: "view_columns", min: 2 }];
export const oneColumn = [{ condition: "view_columns", max: 1 }];
export const fewerColumns = [{ condition: "view_columns", max: COLUMNS - 1 }];

// An entity has one of these states, or none of them. Without the entity, these conditions are always true.
export const when = (/** @type {string=} */ entity, /** @type {string[]} */ ...state) =>
  entity ? [{ condition: "state", entity, state }] : [];
export const unless = (/** @type {string=} */ entity, /** @type {string[]} */ ...state_not) =>
  entity ? [{ condition: "state", entity, state_not }] : [];

const withAttribute =
  (/** @type {string} */ attribute, /** @type {Condition} */ states) => (/** @type {string=} */ entity) =>
    entity ? [{ condition: "state", entity, attribute, ...states }] : [];
// A command is pending that changes the state of a control, or none is. The attribute has the new state.
export const whilePending = withAttribute("target", { state_not: WITHOUT_DATA });
export const unlessPending = withAttribute("target", { state: WITHOUT_DATA });
/** The requests to the service fail. The attribute has the reason. */
export const whileFailing = withAttribute("reason", { state_not: WITHOUT_DATA });
/** The options forbid all commands. Otherwise, there is no attribute. */
export const whileReadOnly = withAttribute("read_only", { state_not: WITHOUT_DATA });

/** The car has sent data. */
export const hasData = (/** @type {Car} */ car) => {
  const main = mainEntities(car);
  const conditions = main.flatMap((each) => unless(each, ...WITHOUT_DATA));
  return main.length ? [{ condition: "or", conditions }] : [];
};

/** The car has sent data, or its log has a drive, which stays if the service fails. */
export const hasLog = (/** @type {Car} */ car) => {
  const conditions = [...hasData(car), ...unless(car.entities.lastDrive, ...WITHOUT_DATA)];
  return conditions.length ? [{ condition: "or", conditions }] : [];
};
