/** Amounts of money as spreadsheets show and save them: `12,50 €`, `SAR 14`, `١٢٫٥٠ ر.س`. The API has the number alone. */
import { withoutInvisible } from '../../contract/key-form.ts';

export interface Amount {
  /** The number, as it stands there. */
  number: string;
  /** The sign, code or letters beside it; undefined where there are none. */
  currency?: string | undefined;
}

const arabicLetter = String.raw`[\u0621-\u064a\u0671-\u06d3]`;
/** A sign, perhaps with the letters of its country (`US$`), a code, or what Arabic and Persian write. */
const mark = [
  String.raw`[A-Z]{0,3}[\p{Sc}\u20a0-\u20cf]`,
  '[A-Z]{3}',
  String.raw`${arabicLetter}\.\s?${arabicLetter}{1,2}\.?`,
  'ريال|ریال|درهم|دينار|جنيه|ليرة|تومان',
].join('|');
const digit = String.raw`[\d٠-٩۰-۹]`;
const form = new RegExp(
  String.raw`^(?<sign>[-−–+]?)\s*(?:(?<before>${mark})\s*)?(?<number>[-−–+]?\.?${digit}(?:.*${digit})?)\s*(?<after>${mark})?$`,
  'u',
);

/** A text that is no amount comes back as it was. */
export function amountIn(text: string): Amount {
  const { sign = '', before, number = '', after } = form.exec(withoutInvisible(text).trim())?.groups ?? {};
  const currency = before ?? after;
  const isOne = currency !== undefined && (before === undefined) !== (after === undefined);
  return isOne && isCurrency(currency) ? { number: `${sign}${number}`, currency } : { number: text };
}

let codes: ReadonlySet<string> | undefined;

/** Three letters may be a unit: `12 PCS`. */
function isCurrency(text: string): boolean {
  codes ??= new Set(Intl.supportedValuesOf('currency'));
  return !/^[A-Z]{3}$/.test(text) || codes.has(text);
}
