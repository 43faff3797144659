/** Parses amounts of money as spreadsheets save them: `12,50 €`, `SAR 14`, `١٢٫٥٠ ر.س`. The API accepts only the number. */
import { removeInvisible } from '../../contract/normalize-key.ts';

/** An amount of money. */
export interface Amount {
  /** The number as written. */
  number: string;
  /** The sign, code or letters of the currency, if any. */
  currency?: string | undefined;
}

const arabicLetter = String.raw`[\u0621-\u064a\u0671-\u06d3]`;
/** Matches a currency sign, optionally with the letters of its country (`US$`), a code, or an Arabic or Persian name. */
const currencyPattern = [
  String.raw`[A-Z]{0,3}[\p{Sc}\u20a0-\u20cf]`,
  '[A-Z]{3}',
  String.raw`${arabicLetter}\.\s?${arabicLetter}{1,2}\.?`,
  'ريال|ریال|درهم|دينار|جنيه|ليرة|تومان',
].join('|');
const digit = String.raw`[\d٠-٩۰-۹]`;
const amountPattern = new RegExp(
  String.raw`^(?<sign>[-−–+]?)\s*(?:(?<before>${currencyPattern})\s*)?(?<number>[-−–+]?\.?${digit}(?:.*${digit})?)\s*(?<after>${currencyPattern})?$`,
  'u',
);

/** Splits an amount into number and currency. Returns other text as the number, without a currency. */
export function parseAmount(text: string): Amount {
  const {
    sign = '',
    before,
    number = '',
    after,
  } = amountPattern.exec(removeInvisible(text).trim())?.groups ?? {};
  const currency = before ?? after;
  const hasOneCurrency = currency !== undefined && (before === undefined) !== (after === undefined);
  return hasOneCurrency && isCurrency(currency) ? { number: `${sign}${number}`, currency } : { number: text };
}

let currencyCodes: ReadonlySet<string> | undefined;

/** Returns whether a string is a currency. Three letters may also be a unit, as in `12 PCS`. */
function isCurrency(text: string): boolean {
  currencyCodes ??= new Set(Intl.supportedValuesOf('currency'));
  return !/^[A-Z]{3}$/.test(text) || currencyCodes.has(text);
}
