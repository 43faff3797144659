/** Reads amounts of money as spreadsheets save them: `12,50 €`, `SAR 14`, `١٢٫٥٠ ر.س`. The API takes only the number. */
import { withoutInvisible } from '../../contract/key-form.ts';

/** An amount of money. */
export interface Amount {
  /** The text of the number. */
  number: string;
  /** The sign, code or letters of the currency, if any. */
  currency?: string | undefined;
}

const arabicLetter = String.raw`[\u0621-\u064a\u0671-\u06d3]`;
/** Matches a currency sign, maybe with the letters of its country (`US$`), a code, or an Arabic or Persian name. */
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

/** Splits a text into number and currency. A text that isn't an amount is returned as the number. */
export function amountIn(text: string): Amount {
  const { sign = '', before, number = '', after } = form.exec(withoutInvisible(text).trim())?.groups ?? {};
  const currency = before ?? after;
  const isOne = currency !== undefined && (before === undefined) !== (after === undefined);
  return isOne && isCurrency(currency) ? { number: `${sign}${number}`, currency } : { number: text };
}

let codes: ReadonlySet<string> | undefined;

/** Returns whether a text is a currency: three letters may also be a unit, as in `12 PCS`. */
function isCurrency(text: string): boolean {
  codes ??= new Set(Intl.supportedValuesOf('currency'));
  return !/^[A-Z]{3}$/.test(text) || codes.has(text);
}
