/** Forms for files from a log: the log itself, and statements. The forms are closed at first. */

import { element } from "./dom.js";
import { createAction, createField, createForm, option } from "./forms.js";
import { tagText } from "./log_texts.js";
import { fillPeriods, monthsBetween, periods } from "./periods.js";
import { DOMAIN } from "./words.js";

/** Seconds for which a page can be loaded again. */
const EXPIRES = 600;

/** @type {CreateFileForm} A form that opens a page or downloads a file. `load` loads its choices when it is opened */
function createFileForm(hass, title, fields, load, fileOf) {
  const { form, request } = createForm({}, fields, async (submitter) => {
    const { path, isPage } = fileOf(submitter);
    const more = isPage ? { expires: EXPIRES } : {};
    const signed = await hass.callWS({ type: "auth/sign_path", path: `/api/${DOMAIN}/${path}`, ...more });
    // As Home Assistant's own pages do it. This also works in the apps.
    const link = element("a", { href: signed.path, target: "_blank", hidden: "", ...(!isPage && { download: "" }) });
    document.body.append(link);
    link.click();
    link.remove();
  });
  const details = element("details", {}, element("summary", {}, title), form);
  details.addEventListener("toggle", () => details.open && request(load));
  return details;
}

/** @type {CreateFiles} The form that downloads the log, or a year or month of it */
export function createExport(context) {
  const { hass, words, deviceId } = context;
  const content = element(
    "select",
    { name: "content" },
    option("drives", words("file_drives")),
    option("charges", words("file_charges")),
    option("stays", words("file_stays")),
    option("json", words("file_json")),
  );
  const period = element("select", { name: "period" }, option("", words("all_time")));
  const fields = [
    createField(words("file"), content),
    createField(words("period"), period),
    createAction(words("download"), undefined, { type: "submit" }),
  ];
  const load = () => fillPeriods(period, context);
  return createFileForm(hass, words("download"), fields, load, () => {
    const query = period.value ? `?period=${period.value}` : "";
    return { path: `log/${deviceId}/${content.value}${query}`, isPage: false };
  });
}

/** @type {CreateFiles} The form for a statement of tagged drives or of charges: as a page to print, or as CSV */
export function createStatementForm(context) {
  const { hass, words, formats, deviceId } = context;
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
  const tagField = createField(words("tag"), tag);
  const rateField = createField("", rate);
  const isMileage = () => kind.value === "mileage";
  const showFields = () => {
    const per = isMileage() ? hass.config.unit_system.length : "kWh";
    const text = words("amount_in", { amount: words("rate"), unit: `${hass.config.currency}/${per}` });
    /** @type {Element} */ (rateField.firstElementChild).textContent = text;
    tagField.hidden = !isMileage();
  };
  kind.addEventListener("change", () => {
    // A rate for a kilometer is not one for a kWh.
    rate.value = "";
    showFields();
  });
  showFields();
  const load = async () => {
    const [{ first, last }, { tags }] = await Promise.all([
      hass.callWS({ type: `${DOMAIN}/log/span`, device_id: deviceId }),
      hass.callWS({ type: `${DOMAIN}/log/list`, device_id: deviceId, limit: 1 }),
    ]);
    const months = first ? monthsBetween(first, last) : [];
    const chosen = { period: period.value, tag: tag.value };
    period.replaceChildren(...periods(context, months, true));
    const now = formats.local(Date.now()).day;
    // Usually, a statement is for the last month that is over.
    period.value = chosen.period || (months.find((month) => !now.startsWith(month)) ?? months[0]);
    tag.replaceChildren(
      ...tags.map((each) => option(each, tagText(words, each) ?? "")),
      option("", words("all_drives")),
    );
    tag.value = chosen.tag || (tags.find((each) => each === "business") ?? tags[0] ?? "");
  };
  const actions = [
    createAction(words("open_to_print"), undefined, { type: "submit", value: "html" }),
    createAction(words("download_csv"), undefined, { type: "submit", value: "csv" }),
  ];
  const fields = [
    createField(words("statement"), kind),
    createField(words("period"), period),
    tagField,
    rateField,
    element("div", { class: "actions" }, ...actions),
  ];
  return createFileForm(hass, words("statement"), fields, load, ({ value: format }) => {
    const isPage = format === "html";
    const query = new URLSearchParams({
      ...{ period: period.value, language: hass.language },
      ...(isMileage() && tag.value && { tag: tag.value }),
      ...(rate.value && { rate: rate.value.replace(",", ".") }),
      ...(isPage && { locale: JSON.stringify(hass.locale) }),
    });
    return { path: `statement/${deviceId}/${kind.value}.${format}?${query}`, isPage };
  });
}
