/** The form for files from a log: the entries that the page shows, and statements. It is closed at first. */

import { element } from "./dom.js";
import { createAction, createField, createForm, option } from "./forms.js";
import { tagText } from "./log_texts.js";
import { monthsBetween, periods, selectPeriod } from "./periods.js";
import { DOMAIN } from "./words.js";

/** Seconds for which a page can be loaded again. */
const EXPIRES = 600;

/** Open a page, or download a file. */
async function openFile(/** @type {Hass} */ hass, /** @type {string} */ path, /** @type {boolean} */ isPage) {
  const more = isPage ? { expires: EXPIRES } : {};
  const signed = await hass.callWS({ type: "auth/sign_path", path: `/api/${DOMAIN}/${path}`, ...more });
  // As Home Assistant's own pages do it. This also works in the apps.
  const link = element("a", { href: signed.path, target: "_blank", hidden: "", ...(!isPage && { download: "" }) });
  document.body.append(link);
  link.click();
  link.remove();
}

/** @type {CreateExport} The form. `getSearch` returns what the page searches for, which is what a file has */
export function createExport(context, getSearch) {
  const { hass, words, formats, deviceId } = context;
  const statements = [option("mileage", words("statement_mileage")), option("charging", words("statement_charging"))];
  const file = element(
    "select",
    { name: "file" },
    option("drives", words("file_drives")),
    option("charges", words("file_charges")),
    option("stays", words("file_stays")),
    option("json", words("file_json")),
    element("optgroup", { label: words("print") }, ...statements),
  );
  const period = element("select", { name: "period", required: "" });
  const tag = element("select", { name: "tag" });
  // A field for numbers would read 0,23 as 23 in some languages.
  const rate = element("input", { name: "rate", inputmode: "decimal", pattern: "\\d+([.,]\\d+)?" });
  const [periodField, tagField] = [createField(words("period"), period), createField(words("tag"), tag)];
  const rateField = createField("", rate);
  const print = createAction(words("open_to_print"), undefined, { type: "submit", value: "html" });
  const download = createAction("", undefined, { type: "submit", value: "csv" });
  const isMileage = () => file.value === "mileage";
  const isStatement = () => statements.some(({ selected }) => selected);
  const showFields = () => {
    const per = isMileage() ? hass.config.unit_system.length : "kWh";
    const text = words("amount_in", { amount: words("rate"), unit: `${hass.config.currency}/${per}` });
    /** @type {Element} */ (rateField.firstElementChild).textContent = text;
    download.textContent = isStatement() ? words("download_csv") : words("download");
    for (const each of [periodField, rateField, print]) each.hidden = !isStatement();
    // What is hidden must not be required.
    period.disabled = !isStatement();
    tagField.hidden = !isMileage();
  };
  file.addEventListener("change", () => {
    // A rate for a kilometer is not one for a kWh.
    rate.value = "";
    showFields();
  });
  const load = async () => {
    const search = getSearch();
    if (search.kind && !isStatement()) file.value = search.kind;
    showFields();
    const [{ first, last }, { tags }] = await Promise.all([
      hass.callWS({ type: `${DOMAIN}/log/span`, device_id: deviceId }),
      hass.callWS({ type: `${DOMAIN}/log/list`, device_id: deviceId, limit: 1 }),
    ]);
    const months = first ? monthsBetween(first, last) : [];
    const now = formats.local(Date.now()).day;
    // Usually, a statement is for the last month that is over.
    const usual = months.find((month) => !now.startsWith(month)) ?? months[0];
    const chosen = { period: search.period ?? (period.value || usual), tag: search.tag ?? tag.value };
    period.replaceChildren(...periods(context, months, true));
    selectPeriod(period, context, chosen.period);
    tag.replaceChildren(
      ...tags.map((each) => option(each, tagText(words, each) ?? "")),
      option("", words("all_drives")),
    );
    tag.value = chosen.tag || (tags.includes("business") ? "business" : "");
  };
  const fields = [
    createField(words("file"), file),
    periodField,
    tagField,
    rateField,
    element("div", { class: "actions" }, print, download),
  ];
  const { form, request } = createForm({}, fields, ({ value: format }) => {
    if (!isStatement()) {
      const { kind, ...search } = getSearch();
      // The name of the other files says their kind.
      const query = new URLSearchParams(
        /** @type {{}} */ ({ ...search, ...(file.value === "json" && kind && { kind }) }),
      );
      return openFile(hass, `log/${deviceId}/${file.value}?${query}`, false);
    }
    const isPage = format === "html";
    const query = new URLSearchParams({
      ...{ period: period.value, language: hass.language },
      ...(isMileage() && tag.value && { tag: tag.value }),
      ...(rate.value && { rate: rate.value.replace(",", ".") }),
      ...(isPage && { locale: JSON.stringify(hass.locale) }),
    });
    return openFile(hass, `statement/${deviceId}/${file.value}.${format}?${query}`, isPage);
  });
  const details = element("details", {}, element("summary", {}, words("export")), form);
  details.addEventListener("toggle", () => details.open && request(load));
  return details;
}
