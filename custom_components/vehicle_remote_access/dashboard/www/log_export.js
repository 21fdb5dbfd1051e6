/** A form that downloads the log, or a year or month of it, as a file. */

import { element } from "./dom.js";
import { DOMAIN } from "./words.js";

/** A choice of a field. */
export const option = (/** @type {string} */ value, /** @type {string} */ text) => element("option", { value }, text);

/** The months from the first to the last one, newest first, such as `2026-10`. */
export function monthsBetween(/** @type {string} */ first, /** @type {string} */ last) {
  const months = [];
  const day = new Date(last);
  for (; day >= new Date(first); day.setUTCMonth(day.getUTCMonth() - 1)) months.push(day.toISOString().slice(0, 7));
  return months;
}

/** The choices of a time: everything, and for each year the year and its months. */
export function periods(/** @type {Words} */ words, /** @type {Formats} */ formats, /** @type {string[]} */ months) {
  const years = [...new Set(months.map((month) => month.slice(0, 4)))];
  const groups = years.map((year) =>
    element(
      "optgroup",
      { label: year },
      option(year, words("whole_year", { year })),
      ...months.filter((month) => month.startsWith(year)).map((month) => option(month, formats.period(month))),
    ),
  );
  return [option("", words("all_time")), ...groups];
}

/** @type {FillPeriods} Load the choices of a time. The chosen one stays */
export async function fillPeriods(field, hass, words, formats, deviceId) {
  const { first, last } = await hass.callWS({ type: `${DOMAIN}/log/span`, device_id: deviceId });
  const chosen = field.value;
  field.replaceChildren(...periods(words, formats, first ? monthsBetween(first, last) : []));
  field.value = chosen;
}

/** Open or download a file, as Home Assistant's own pages do it. This also works in the apps. */
export function openFile(/** @type {string} */ path, /** @type {Attributes} */ attributes) {
  const link = element("a", { href: path, target: "_blank", hidden: "", ...attributes });
  document.body.append(link);
  link.click();
  link.remove();
}

/** @type {CreateExport} Return the form, which is closed at first */
export function createExport(hass, words, formats, deviceId) {
  const content = element(
    "select",
    { name: "content" },
    option("drives", words("file_drives")),
    option("charges", words("file_charges")),
    option("stays", words("file_stays")),
    option("json", words("file_json")),
  );
  const period = element("select", { name: "period" }, option("", words("all_time")));
  const failure = element("p", { class: "failure", role: "alert" });
  const submit = element("button", { class: "action", type: "submit" }, words("download"));
  const form = element(
    "form",
    {},
    element("label", {}, element("span", {}, words("file")), content),
    element("label", {}, element("span", {}, words("period")), period),
    submit,
    failure,
  );
  const details = element("details", {}, element("summary", {}, words("download")), form);

  const request = async (/** @type {() => Promise<void>} */ action) => {
    failure.textContent = "";
    try {
      await action();
    } catch (error) {
      failure.textContent = error.message;
    }
  };
  const loadPeriods = () => fillPeriods(period, hass, words, formats, deviceId);
  details.addEventListener("toggle", () => details.open && request(loadPeriods));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    request(async () => {
      const query = period.value ? `?period=${period.value}` : "";
      const path = `/api/${DOMAIN}/log/${deviceId}/${content.value}${query}`;
      openFile((await hass.callWS({ type: "auth/sign_path", path })).path, { download: "" });
    });
  });
  return details;
}
