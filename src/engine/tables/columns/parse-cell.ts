/** Parses the value of a cell: text as people write it, or a JSON value as in responses. */

import { isRow, type Row } from '../../../account/session/row.ts';
import { apiOf } from '../../../api/contract/api.ts';
import { toAsciiDigits } from '../../../api/contract/ascii-digits.ts';
import { joinList } from '../../../api/contract/comma-list.ts';
import { type DateOrder, toApiDate } from '../../../api/contract/date-formats.ts';
import { type Field, isMoney, type Kind } from '../../../api/contract/field.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { parseTyped } from '../../../api/contract/typed-text.ts';
import { type ParseResult, parseValue } from '../../../api/contract/value-text.ts';
import { formatCell } from '../workbook/cell.ts';
import { type Amount, currencyCode, decimalsOf, parseAmount } from './amounts.ts';
import type { Column } from './columns.ts';
import { normalizeCellText, withoutTextMarks } from './normalize-cell-text.ts';
import {
  type DecimalSeparator,
  detectDecimalSeparator,
  isAmbiguousNumber,
  toApiNumber,
  withoutPercent,
} from './numbers.ts';
import { findValueWord } from './synonyms.ts';

/** The formats of numbers and dates in a file. */
export interface ValueFormats {
  decimal: DecimalSeparator;
  dates: DateOrder;
  /** The ambiguous numbers that are refused: only those with a comma (`1,234`), or all (also `1.234`). */
  refusedNumbers?: 'commas' | 'all' | undefined;
  /** The currency of all amounts of money, if the file has one. */
  currency?: string | undefined;
}

/** The formats of JSON values and of number cells in sheets. */
export const apiFormats: ValueFormats = { decimal: 'point', dates: 'ymd' };

/** The value of a cell that clears its field. */
export const clearedValue = null;

export const ambiguousNumber = 'is ambiguous: its separator can be for thousands or for decimals';

/** Parses the text of a cell that isn't empty. Returns its value or the problem. */
export function parseTextCell(
  resource: Resource,
  column: Column,
  input: string,
  formats: ValueFormats,
): ParseResult {
  const { field } = column;
  if (!field) return { value: input };
  const text = withoutTextMarks(field, input);
  switch (field.kind) {
    case 'choice':
      return parseNumber(field, wordFor(field, text) ?? text, formats, wholeNumber);
    case 'hour': {
      const parsed = parseNumber(field, text, formats, wholeNumber);
      const typed = parsed.problem === undefined ? parsed : parseTyped(field, text, {});
      return typed.problem === undefined ? { value: typed.value } : parsed;
    }
    case 'integer':
      return parseNumber(field, text, formats, wholeNumber);
    case 'decimal':
    case 'numeric_text':
      return parseNumber(field, text, formats);
    case 'integers':
      return parseValue(field, toAsciiDigits(text));
    case 'boolean':
      return parseBoolean(field, text);
    case 'date':
      return parseValue(field, toApiDate(text, formats.dates));
    case 'one':
      return { value: toLookup(resource, column, text.trim()) };
    case 'many':
      return parseLinks(resource, column, text, formats);
    default:
      return parseValue(field, normalizeCellText(field, text));
  }
}

/**
 * Parses a JSON value as in a request or a response. The contract validates it later. In a file of another account, a
 * related record is identified by its name if the value contains it, because its id doesn't exist in this account.
 */
export function parseJsonCell(
  resource: Resource,
  column: Column,
  value: unknown,
  { formats, isOfOtherAccount = false }: { formats: ValueFormats; isOfOtherAccount?: boolean | undefined },
): ParseResult {
  const { field } = column;
  if (!field || value === null) return { value };
  const idOf = (record: Row) =>
    (isOfOtherAccount ? nameLookup(resource, column, record) : undefined) ?? record.id;
  if (field.kind === 'one') {
    if (isRow(value)) return { value: idOf(value) };
    return { value: typeof value === 'string' ? toLookup(resource, column, value) : value };
  }
  if (field.kind === 'many' && Array.isArray(value)) {
    return {
      value: value.map((link) => {
        if (typeof link === 'string') return { id: toLookup(resource, column, link) };
        return isRow(link) ? { id: idOf(link), ...writableFields(field, link) } : link;
      }),
    };
  }
  // Programs write numbers as text and text as numbers.
  if (typeof value === 'string' && scalarKinds.has(field.kind))
    return parseTextCell(resource, column, value, formats);
  if (typeof value === 'number' && (field.kind === 'text' || field.kind === 'numeric_text'))
    return { value: formatCell(value) };
  if (field.kind === 'integers' && Array.isArray(value) && value.some((item) => typeof item === 'string')) {
    return parseValue(field, joinList(value.map(String)));
  }
  if (field.kind === 'boolean' && (value === 0 || value === 1)) return { value: value === 1 };
  return { value };
}

/** The kinds whose values JSON may have as text. */
const scalarKinds: ReadonlySet<Kind> = new Set(['integer', 'decimal', 'choice', 'hour', 'boolean', 'date']);

function writableFields({ traits: { pivot: fields = {} } }: Field, link: Row): Row {
  const data = isRow(link.pivot) ? link.pivot : link;
  const names = Object.keys(fields).filter(
    (name) => data[name] !== undefined && fields[name]?.traits.writable !== undefined,
  );
  return Object.fromEntries(names.map((name) => [name, data[name]]));
}

/** Returns the lookup of a related record by the first of its keys that the record contains. */
function nameLookup(resource: Resource, { field }: Column, record: Row): string | undefined {
  const api = apiOf(resource);
  const name = field?.traits.target ?? '';
  const target = api.resource(name);
  if (!target) return api.reference(name)?.isNamed && isName(record.name) ? `@${record.name}` : undefined;
  const key = target.list && target.key.find((name) => isName(record[name]));
  return key ? `@${key}:${record[key]}` : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Returns the word of an enumeration for a common word in any language. */
function wordFor({ traits: { words = {} } }: Field, text: string): string | undefined {
  const word = findValueWord(text);
  return word !== undefined && Object.hasOwn(words, word) ? word : undefined;
}

function parseBoolean(field: Field, text: string): ParseResult {
  return parseValue(field, findValueWord(text) ?? text);
}

function parseNumber(
  field: Field,
  input: string,
  formats: ValueFormats,
  convert = (number: string) => number,
): ParseResult {
  const { decimal, currency: expectedCurrency } = formats;
  const { number: text, currency } = splitNumber(field, input);
  if (currency !== undefined && currencyCode(currency) !== currencyCode(expectedCurrency ?? ''))
    return {
      problem: `is in ${currency}, but the first rows of the file are in ${expectedCurrency ?? 'no currency'}`,
    };
  if (
    isAmbiguous(field, input, formats) &&
    (formats.refusedNumbers === 'all' || !hasDefaultSeparator(field, text, currency))
  )
    return { problem: ambiguousNumber };
  const number = toApiNumber(text, decimal);
  if (number !== undefined) return parseValue(field, convert(number));
  // The text is a word of an enumeration, an hour such as 09:00, or invalid.
  const { value, problem } = parseValue(field, decimal === 'comma' ? text.replaceAll('.', ' . ') : text);
  if (problem === undefined) return { value };
  const isNumeric = decimal === 'comma' && /\d/.test(text);
  return { problem: isNumeric ? `${problem}; this file has decimal commas` : problem };
}

/** Returns whether a number can have two values, because neither it nor the file shows the decimal separator. */
export function isAmbiguous(field: Field, input: string, { decimal, refusedNumbers }: ValueFormats): boolean {
  const amount = splitNumber(field, input);
  return (
    refusedNumbers !== undefined &&
    isAmbiguousNumber(amount.number) &&
    detectDecimalSeparator(amount.number, decimalsOf(amount)) !== decimal
  );
}

/**
 * Returns whether the decimal separator of an ambiguous number is a point by default: programs write plain fractions like
 * this, but not whole numbers or amounts with a currency.
 */
export function hasDefaultSeparator(field: Field, number: string, currency: string | undefined): boolean {
  return !number.includes(',') && currency === undefined && field.kind !== 'integer';
}

/** Splits the text of a number from its currency or percent sign. */
export function splitNumber(field: Field, text: string): Amount {
  if (isMoney(field)) return parseAmount(text);
  return { number: field.traits.unit === 'percent' ? withoutPercent(text) : text };
}

/** Removes a zero fraction, which spreadsheets write for some column formats: `12.00`. */
function wholeNumber(text: string): string {
  return text.replace(/\.0+$/, '');
}

/** Parses links. With decimal commas, as in `SKU-1=2,5`, semicolons separate them. */
function parseLinks(resource: Resource, column: Column, text: string, formats: ValueFormats): ParseResult {
  const { field } = column;
  if (!field) return { value: text };
  const { amountField } = field.traits;
  const hasDecimalCommas = formats.decimal === 'comma' && amountField !== undefined;
  const withDecimalPoints = hasDecimalCommas
    ? text
        .replaceAll(
          /=\s*([\d٠-٩۰-۹.,]+?)\s*(?=;|,\s*\D|$)/g,
          (_, number: string) => `=${toApiNumber(number, 'comma') ?? number}`,
        )
        .replaceAll(';', ',')
    : text;
  const { value, problem } = parseValue(field, withDecimalPoints);
  if (problem !== undefined) return { problem };
  if (!Array.isArray(value)) return { value };
  return {
    value: value.map((link) =>
      isRow(link) && typeof link.id === 'string'
        ? { ...link, id: toLookup(resource, column, link.id) }
        : link,
    ),
  };
}

/** Returns the name with @ if records of this kind can be looked up by name. Otherwise returns it unchanged, as an id. */
function toLookup(resource: Resource, column: Column, text: string): string {
  if (column.isById || text.startsWith('@')) return text;
  const api = apiOf(resource);
  const name = column.field?.traits.target ?? '';
  const target = api.resource(name);
  const hasNames = target ? target.list && target.key.length > 0 : api.reference(name)?.isNamed;
  return hasNames ? `@${text}` : text;
}
