/** Recognizes text that a spreadsheet or a wrong encoding has damaged: in new values, and compared with the earlier value. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import type { Changes } from '../../../account/session/diff/fields.ts';
import { parseNamedDate } from '../../../api/contract/date-formats.ts';
import type { Field } from '../../../api/contract/field.ts';
import { isCode } from '../../../api/contract/normalize-key.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { encodeExactly } from '../encode.ts';
import type { RowProblem } from '../table.ts';
import { isErrorText } from '../workbook/cell.ts';
import type { ImportOptions } from './options.ts';

/** Matches a number in scientific notation, as programs write it. Codes such as 1E5 don't match. */
const shortenedNumber = /^[+-]?\d{1,3}(?:[.,]\d+e[+-]?|e\+)\d{1,3}$/i;

/** Matches a number with separators of thousands, as spreadsheets show it: `1,001`, `1,001.00`. */
const groupedNumber = /^\d{1,3}(?:,\d{3})+(?:\.0+)?$/;

/**
 * Returns the problem of text that is probably damaged: a shortened number (`9.66512E+11`, `8,9e12`), a code with a
 * fraction (`1001.0`) or as a date (`1-Mar`), an error (`#N/A`), a column that was too narrow (`####`), or text that was
 * read in a wrong encoding.
 */
export function suspectTextProblem(field: Field, text: string): string | undefined {
  if (field.kind !== 'text' && field.kind !== 'unit') return undefined;
  if (shortenedNumber.test(text))
    return `is a number that a spreadsheet has shortened: "${text}". Format the column as text and enter it again`;
  if (isErrorText(text)) return `is the error of a formula: "${text}"`;
  if (/^#{3,}$/.test(text)) return `is "${text}", because its column was too narrow`;
  if (isMisread(text)) return `is text in a wrong encoding: "${text}"`;
  if (!isCodeOrPhone(field)) return undefined;
  if (/^\d+[.,]0+$/.test(text) || groupedNumber.test(text))
    return `is a code that a program has read as a number: "${text}"`;
  return isSpreadsheetDate(text) || (field.traits.digits && isDay(text))
    ? `is a code that a spreadsheet has turned into a date: "${text}"`
    : undefined;
}

/** Returns the problems of changes that only damage the earlier value. */
export function damageProblems(
  { fields }: Pick<Resource, 'fields'>,
  changes: Changes,
  {
    acceptsDamage = false,
    normalizesPhones = false,
  }: Pick<ImportOptions, 'acceptsDamage' | 'normalizesPhones'>,
): RowProblem[] {
  if (acceptsDamage) return [];
  return Object.entries(changes).flatMap(([column, [old, value]]) => {
    const field = fields[column];
    const damage = field && damageOf(field, old, value);
    if (damage === undefined || (normalizesPhones && field?.traits.form === 'phone')) return [];
    const what = `${damage}: ${JSON.stringify(old)} would become ${JSON.stringify(value)} (to write it: --accept-damage)`;
    return [{ column, what }];
  });
}

/**
 * Returns how the new value of a field is only the earlier one after a spreadsheet or a wrong encoding has damaged it, as
 * the end of a sentence. Undefined for other changes, such as the repair of the same damage.
 */
function damageOf(field: Field, old: unknown, text: unknown): string | undefined {
  if (field.kind !== 'text' || field.traits.secret || typeof old !== 'string' || typeof text !== 'string')
    return undefined;
  if (losesCharacters(old, text)) return 'only loses zeros, digits or letters, as in a spreadsheet';
  if (isDay(text) && !isDay(old) && old !== '' && isCodeOrPhone(field))
    return 'becomes a date, as in a spreadsheet';
  return isInWrongEncoding(old, text) ? 'is the same text in a wrong encoding' : undefined;
}

function isCodeOrPhone(field: Field): boolean {
  return isCode(field) || field.traits.form === 'phone';
}

/** Returns whether a spreadsheet reads a text as a number, and writes this other text. */
function losesCharacters(old: string, text: string): boolean {
  if (groupedNumber.test(text) && text.replace(/\..*/, '').replaceAll(',', '') === old) return true;
  const number = text.replace(/[.,]0+$/, '');
  const isShortened = shortenedNumber.test(text);
  if (old === text || !(isShortened || /^-?(?:0|[1-9]\d*)(?:[.,]\d*[1-9])?$/.test(number))) return false;
  // Number formats show letters, zeros and separators that the number doesn't have.
  const digits = old.replaceAll(/\D/g, '');
  if (/^\d+$/.test(number) && digits.replace(/^0+(?=\d)/, '') === number)
    return digits !== number || number !== text || /[\p{L}+]/u.test(old);
  if (!/^[+-]?\d*[.,]?\d+(?:e[+-]?\d+)?$/i.test(old)) return false;
  const [oldValue = 0, value] = [old, text].map((written) => Number(written.replace(',', '.')));
  // Programs that shorten a long number (6.28E+12) later write zeros for the digits.
  const [, kept = ''] = /^(\d+?)0{3,}$/.exec(text) ?? [];
  const digitCount = text.length > 7 && kept !== '' ? kept.length : 15;
  const precision = isShortened ? text.split(/e/i)[0]?.replaceAll(/\D/g, '').length : digitCount;
  return Number(oldValue.toPrecision(precision)) === value;
}

/** Matches days as spreadsheets write them instead of codes: `1-Mar`, `Mar-26`, `2026-03-01 00:00:00`. */
function isSpreadsheetDate(text: string): boolean {
  const [, day = '', month = ''] =
    /^(\d{1,2})[-. ]{1,2}(\p{L}{3,9})\.?(?:[-. ]\d{2,4})?$/u.exec(text) ??
    /^()(\p{L}{3,9})[-. ]\d{2,4}$/u.exec(text) ??
    [];
  // Codes are in capitals: MAR-01.
  const isMonth = !/^\p{Lu}*$/u.test(month) && parseNamedDate(`${day || 1} ${month}`, 2000) !== undefined;
  return isMonth || /^\d{4}-\d\d-\d\d[ T]0?0:00(?::00)?$/.test(text);
}

const dayPattern = /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|\d{1,2}\/\d{1,2}\/\d\d)$/;

function isDay(text: string): boolean {
  return isSpreadsheetDate(text) || dayPattern.test(text);
}

/** The encodings in which programs often read text of another encoding. Text in the first ones is hardly ever valid UTF-8. */
const distinctEncodings = ['windows-1252', 'windows-1254', 'windows-1256', 'windows-1251'];
const singleByteEncodings = [
  ...distinctEncodings,
  ...['windows-1250', 'windows-1253', 'windows-1255', 'windows-1257', 'iso-8859-6', 'macintosh'],
];
const multiByteEncodings = ['gb18030', 'shift_jis', 'euc-kr', 'big5'];

function decode(bytes: Uint8Array, encoding: string): string {
  // Some versions of Node decode windows-1252 as ISO 8859-1 unless it is a stream.
  return new TextDecoder(encoding).decode(bytes, { stream: !multiByteEncodings.includes(encoding) });
}

const notAscii = /[^\s\x20-\x7e]+/g;

/** Returns whether text is UTF-8 that was read in another encoding: `Ã©`, `Ø¹Ù„ÙŠ`. */
function isMisread(text: string): boolean {
  if (text.search(notAscii) === -1 || text.includes('\ufffd')) return text.includes('\ufffd');
  return distinctEncodings.some((encoding) => {
    const bytes = encodeExactly(text, encoding);
    const letters = bytes && isUtf8(bytes) ? bytes.toString().match(notAscii)?.join('') : undefined;
    // Two characters of text may also be one of UTF-8: CAFÉ’S.
    return letters !== undefined && (letters.length > 1 || /[\u0080-\u017f]/.test(letters));
  });
}

const otherScript = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

/** Returns whether a text is another one that was saved in one encoding and read in another. */
function isInWrongEncoding(old: string, text: string): boolean {
  if (old.search(notAscii) === -1 || old === text) return false;
  // An encoding without some characters replaces them.
  const outline = (value: string) => value.replaceAll(notAscii, '?').replaceAll(/\?+/g, '?');
  const count = (value: string, pattern: RegExp) => value.match(pattern)?.join('').length ?? 0;
  const isReplaced = count(text, /[?\ufffd]/g) > count(old, /[?\ufffd]/g);
  const hasFewerLetters = count(text.replaceAll('\ufffd', ''), notAscii) < count(old, notAscii);
  if (isReplaced && hasFewerLetters && outline(old) === outline(text)) return true;
  const visible = (value: string) => value.replaceAll(/[\s\u0080-\u009f]/g, '');
  const isText = (value: string) => visible(value) === visible(text);
  const isMisreadAs = (encoding: string) => {
    const misread = decode(Buffer.from(old), encoding);
    return isText(misread) || isText(decode(Buffer.from(misread), encoding));
  };
  if ([...singleByteEncodings, ...multiByteEncodings].some(isMisreadAs)) return true;
  // The other way is a repair.
  if (otherScript.test(text) && !otherScript.test(old)) return false;
  return singleByteEncodings.some((encoding) => {
    const saved = encodeExactly(old, encoding);
    return saved && singleByteEncodings.some((other) => isText(decode(saved, other)));
  });
}
