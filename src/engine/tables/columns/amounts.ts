/** Parses amounts of money as spreadsheets save them: `12,50 €`, `SAR 14`, `١٢٫٥٠ ر.س`. The API accepts only the number. */
import { removeInvisible } from '../../../api/contract/normalize-key.ts';

export interface Amount {
  /** The number as written. */
  number: string;
  /** The sign, code or letters of the currency, as written, if any. */
  currency?: string | undefined;
}

/** The signs and words for currencies, without points and spaces. Several countries use the words without a code. */
const spellings: Readonly<Record<string, string>> = {
  SAR: 'sr ﷼ \u20c1 رس ريال ريالسعودي',
  AED: 'dh dhs دإ درهم',
  KWD: 'kd دك',
  BHD: 'bd دب',
  OMR: 'ro رع',
  QAR: 'qr رق',
  JOD: 'jd دأ',
  IQD: 'id دع',
  LYD: 'ld دل',
  TND: 'dt دت',
  DZD: 'da دج',
  MAD: 'دم',
  EGP: 'le £e e£ جم جنيه',
  LBP: 'll لل',
  YER: 'ري',
  IRR: 'ریال',
  EUR: '€ euro euros',
  USD: '$ us$ dollar dollars',
  GBP: '£',
  INR: '₹ rs',
  TRY: '₺ tl',
  JPY: '円 jp¥',
  CNY: '元 cn¥ rmb',
  KRW: '₩ 원',
  VND: '₫ đ',
  IDR: 'rp',
  MYR: 'rm',
  ILS: '₪',
  BRL: 'r$',
  RUB: '₽ руб',
  PLN: 'zł',
  CZK: 'kč',
  HUF: 'ft',
  RON: 'lei',
  CHF: 'fr sfr',
  KES: 'ksh',
  '': 'kr دينار ليرة تومان',
};

/** Matches letters and points that end with the sign of a currency (`US$`) or a letter and perhaps a point (`Rs.`). */
const currencyPattern = String.raw`(?:\p{L}[\p{L}.\s]*)?[\p{Sc}\u20a0-\u20cf]\p{L}?|\p{L}(?:[\p{L}.\s]*\p{L})?\.?`;
const digit = String.raw`[\d٠-٩۰-۹]`;
const amountPattern = new RegExp(
  String.raw`^(?<sign>[-−–+]?)\s*(?:(?<before>${currencyPattern})\s*)?(?<number>[-−–+]?\.?${digit}(?:.*${digit})?)\s*(?<after>${currencyPattern})?$`,
  'u',
);

/** Matches a stroke instead of a fraction: `15,-`, `1,50,000/-`. */
const noFraction = /(?<=\d)(?:[.,]\s?[-−–—]+|\/[-−–])$/;

/** Splits an amount into number and currency. Returns other text as the number, without a currency. */
export function parseAmount(text: string): Amount {
  const {
    sign = '',
    before,
    number = '',
    after,
  } = amountPattern.exec(removeInvisible(text).trim().replace(noFraction, ''))?.groups ?? {};
  const currency = before ?? after;
  const hasOneCurrency = currency !== undefined && (before === undefined) !== (after === undefined);
  return hasOneCurrency && currencyCode(currency) !== undefined
    ? { number: `${sign}${number}`, currency }
    : { number: currency === undefined && number !== '' ? `${sign}${number}` : text };
}

let codesBySpelling: ReadonlyMap<string, string> | undefined;

/** Returns the code of a currency, or its sign if several currencies have it; undefined for other text, such as `PCS`. */
export function currencyCode(text: string): string | undefined {
  codesBySpelling ??= new Map([
    ...Intl.supportedValuesOf('currency').map((code) => [code, code] as const),
    ...Object.entries(spellings).flatMap(([code, words]) =>
      words.split(' ').map((word) => [word, code || word] as const),
    ),
  ]);
  const spelling = text.replaceAll(/[.\s]/g, '');
  const code = codesBySpelling.get(spelling) ?? codesBySpelling.get(spelling.toLowerCase());
  return code ?? (/[\p{Sc}\u20a0-\u20cf]/u.test(spelling) ? spelling : undefined);
}

/** Returns the number of decimals of an amount in a currency; undefined if it is unknown. */
export function decimalsOf({ number, currency = '' }: Amount): number | undefined {
  const code = currencyCode(currency);
  // Yen have no decimals; yuan have two, and no country with this sign has decimal commas.
  if (code === '¥' || code === '￥') return number.includes(',') ? 0 : undefined;
  if (code === undefined || !/^[A-Z]{3}$/.test(code)) return undefined;
  return new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
    .maximumFractionDigits;
}
