/** A form that downloads the log, or a year or month of it, as a file. */

import { element } from "./dom.js";
import { fillPeriods, option } from "./periods.js";
import { DOMAIN } from "./words.js";

/** Open or download a file, as Home Assistant's own pages do it. This also works in the apps. */
export function openFile(/** @type {string} */ path, /** @type {Attributes} */ attributes) {
  const link = element("a", { href: path, target: "_blank", hidden: "", ...attributes });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Return a function that performs a request, and shows in an element why it failed. */
export const showingFailures =
  (/** @type {HTMLElement} */ failure) => async (/** @type {() => Promise<void>} */ request) => {
    failure.textContent = "";
    try {
      await request();
    } catch (error) {
      failure.textContent = error.message;
    }
  };

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

  const request = showingFailures(failure);
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
