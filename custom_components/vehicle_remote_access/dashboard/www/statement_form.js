/** A form for a statement of tagged drives or of charges at home: as a page to print, or as CSV. */

import { element } from "./dom.js";
import { openFile, showingFailures } from "./log_export.js";
import { tagText } from "./log_texts.js";
import { monthsBetween, option, periods } from "./periods.js";
import { DOMAIN } from "./words.js";

/** How long the page can be loaded again, in seconds. */
const EXPIRES = 600;

/** @type {CreateExport} Return the form, which is closed at first */
export function createStatementForm(hass, words, formats, deviceId) {
  const kind = element(
    "select",
    { name: "statement" },
    option("mileage", words("statement_mileage")),
    option("charging", words("statement_charging")),
  );
  const period = element("select", { name: "period", required: "" });
  const tag = element("select", { name: "tag" });
  // A field for numbers would read 0,23 as 23 in some languages.
  const rate = element("input", { name: "rate", inputmode: "decimal", pattern: "\\d+([.,]\\d+)?" });
  const label = (/** @type {Child} */ text, /** @type {HTMLElement} */ field) =>
    element("label", {}, element("span", {}, text), field);
  const tagLabel = label(words("tag"), tag);
  const rateLabel = label("", rate);
  const failure = element("p", { class: "failure", role: "alert" });
  const button = (/** @type {string} */ value, /** @type {string} */ text) =>
    element("button", { class: "action", type: "submit", value }, text);
  const form = element(
    "form",
    {},
    label(words("statement"), kind),
    label(words("period"), period),
    tagLabel,
    rateLabel,
    element("div", { class: "actions" }, button("html", words("open_to_print")), button("csv", words("download_csv"))),
    failure,
  );
  const details = element("details", {}, element("summary", {}, words("statement")), form);

  const isMileage = () => kind.value === "mileage";
  const showFields = () => {
    const per = isMileage() ? hass.config.unit_system.length : "kWh";
    const text = words("amount_in", { amount: words("rate"), unit: `${hass.config.currency}/${per}` });
    /** @type {Element} */ (rateLabel.firstElementChild).textContent = text;
    tagLabel.hidden = !isMileage();
  };
  kind.addEventListener("change", () => {
    // A rate for each kilometer is none for each kWh.
    rate.value = "";
    showFields();
  });
  showFields();

  const request = showingFailures(failure);
  const loadChoices = async () => {
    const [{ first, last }, { tags }] = await Promise.all([
      hass.callWS({ type: `${DOMAIN}/log/span`, device_id: deviceId }),
      hass.callWS({ type: `${DOMAIN}/log/list`, device_id: deviceId, limit: 1 }),
    ]);
    const months = first ? monthsBetween(first, last) : [];
    const chosen = { period: period.value, tag: tag.value };
    period.replaceChildren(...periods(words, formats, months, true));
    const now = formats.local(Date.now()).day;
    // Usually, a statement is for the last month that is over.
    period.value = chosen.period || (months.find((month) => !now.startsWith(month)) ?? months[0]);
    tag.replaceChildren(
      ...tags.map((each) => option(each, tagText(words, each) ?? "")),
      option("", words("all_drives")),
    );
    tag.value = chosen.tag || (tags.find((each) => each === "business") ?? tags[0] ?? "");
  };
  details.addEventListener("toggle", () => details.open && request(loadChoices));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const isPage = /** @type {HTMLButtonElement} */ (event.submitter).value === "html";
    request(async () => {
      const query = new URLSearchParams({
        ...{ period: period.value, language: hass.language },
        ...(isMileage() && tag.value && { tag: tag.value }),
        ...(rate.value && { rate: rate.value.replace(",", ".") }),
        ...(isPage && { locale: JSON.stringify(hass.locale) }),
      });
      const file = `${kind.value}.${isPage ? "html" : "csv"}`;
      const path = `/api/${DOMAIN}/statement/${deviceId}/${file}?${query}`;
      const signed = await hass.callWS({ type: "auth/sign_path", path, expires: EXPIRES });
      openFile(signed.path, isPage ? {} : { download: "" });
    });
  });
  return details;
}
