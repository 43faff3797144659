/** From a cell to the value that a request gives: texts as people write them, JSON values as answers show them. */

import { apiOf } from '../../contract/api.ts';
import type { Field } from '../../contract/field.ts';
import { joinList } from '../../contract/list-text.ts';
import type { Resource } from '../../contract/resource.ts';
import { type Read, readText } from '../../contract/text.ts';
import { isRow } from '../../session/row.ts';
import type { Column } from './columns.ts';
import { type DateForm, plainDate } from './dates.ts';
import { type DecimalMark, plainDigits, plainNumber } from './numbers.ts';

/** How the texts of a file are to be understood. */
export interface Understanding {
  decimal: DecimalMark;
  dates: DateForm;
}

/** Answered for a cell that empties its field. */
export const cleared = null;

/** A text as it stands in a cell that is not empty. */
export function readTextCell(resource: Resource, column: Column, text: string, how: Understanding): Read {
  const { field } = column;
  if (!field) return { value: text };
  switch (field.kind) {
    case 'integer':
    case 'choice':
    case 'hour':
      return readText(field, wholeNumber(plainNumber(text, how.decimal)));
    case 'decimal':
    case 'numeric_text':
      return readText(field, plainNumber(text, how.decimal));
    case 'unit':
      return readText(field, /^\d+$/.test(plainDigits(text.trim())) ? plainDigits(text.trim()) : text);
    case 'integers':
      return readText(field, plainDigits(text));
    case 'boolean':
      return readBoolean(field, text);
    case 'date':
      return readText(field, plainDate(text, how.dates));
    case 'one':
      return { value: named(resource, column, text.trim()) };
    case 'many':
      return readLinks(resource, column, text, how);
    default:
      return readText(field, text);
  }
}

/** A value of JSON, as a request or an answer has it. What can't be sent is for the contract to say. */
export function readJsonCell(resource: Resource, column: Column, value: unknown): Read {
  const { field } = column;
  if (!field || value === null) return { value };
  if (field.kind === 'one') {
    if (isRow(value)) return { value: value.id };
    return { value: typeof value === 'string' ? named(resource, column, value) : value };
  }
  if (field.kind === 'many' && Array.isArray(value)) {
    return { value: value.map((link) => readLink(resource, column, link)) };
  }
  if (field.kind === 'choice' && typeof value === 'string') return readText(field, value);
  if (field.kind === 'integers' && Array.isArray(value) && value.some((item) => typeof item === 'string')) {
    return readText(field, joinList(value.map(String)));
  }
  if (field.kind === 'boolean' && (value === 0 || value === 1)) return { value: value === 1 };
  return { value };
}

function readLink(resource: Resource, column: Column, link: unknown): unknown {
  if (typeof link === 'string') return { id: named(resource, column, link) };
  if (!isRow(link)) return link;
  const { id } = link;
  const pivot = isRow(link.pivot) ? link.pivot : link;
  const held = Object.keys(column.field?.traits.pivot ?? {}).filter((name) => pivot[name] !== undefined);
  const writable = held.filter((name) => column.field?.traits.pivot?.[name]?.traits.written !== undefined);
  return { id, ...Object.fromEntries(writable.map((name) => [name, pivot[name]])) };
}

const yes = new Set(['true', 'yes', 'y', '1', 'نعم']);
const no = new Set(['false', 'no', 'n', '0', 'لا']);

function readBoolean(field: Field, text: string): Read {
  const word = plainDigits(text.trim().toLowerCase());
  if (yes.has(word)) return { value: true };
  return no.has(word) ? { value: false } : readText(field, text);
}

/** Spreadsheets write whole numbers with a fraction where the column is formatted so: `12.00`. */
function wholeNumber(text: string): string {
  return text.replace(/\.0+$/, '');
}

/** `SKU-1=2,5` has a comma of its own: with a decimal comma, semicolons separate the links. */
function readLinks(resource: Resource, column: Column, text: string, how: Understanding): Read {
  const { field } = column;
  if (!field) return { value: text };
  const { amount } = field.traits;
  const isByComma = how.decimal === 'comma' && amount !== undefined;
  const plain = isByComma
    ? text
        .replaceAll(
          /=\s*([\d٠-٩۰-۹.,]+?)\s*(?=;|,\s*\D|$)/g,
          (_, number: string) => `=${plainNumber(number, 'comma')}`,
        )
        .replaceAll(';', ',')
    : text;
  const { value, problem } = readText(field, plain);
  if (problem !== undefined) return { problem };
  if (!Array.isArray(value)) return { value };
  return {
    value: value.map((link) =>
      isRow(link) && typeof link.id === 'string' ? { ...link, id: named(resource, column, link.id) } : link,
    ),
  };
}

/** What stands for an id: people’s name for the record where it can be looked up, with an @ in front as everywhere. */
function named(resource: Resource, column: Column, text: string): string {
  if (column.isById || text.startsWith('@')) return text;
  const api = apiOf(resource);
  const name = column.field?.traits.target ?? '';
  const target = api.resource(name);
  const hasNames = target ? target.list && target.key.length > 0 : api.reference(name)?.isNamed;
  return hasNames ? `@${text}` : text;
}
