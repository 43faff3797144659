/** How records look to a person: headers, words for codes and names for relations, all from the contract. */

import { type Api, apiOf } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { wordOf } from '../../contract/text.ts';
import { usage } from '../../errors.ts';
import { isObject } from '../../number-text.ts';
import type { Entry } from '../../terminal/card.ts';
import type { Column } from '../../terminal/table.ts';
import { type ShownRow, valueAt } from '../../terminal/value-at.ts';
import { titleOf } from './wording.ts';

/** How values are put into words. */
export interface Words {
  /** Whose relations they may be. */
  api: Api;
  /** Timestamps in the time of this machine instead of UTC. */
  localTime: boolean;
}

/** The columns of a table, by name. */
export function tableColumns(view: CardView, names: readonly string[]): Column[] {
  const { resource, localTime, columns } = view;
  const words = { api: apiOf(resource), localTime };
  const asked = columns !== undefined;
  return names.map((name) => {
    const field = fieldAt(resource, name);
    return {
      name,
      header: headerOf(name),
      ...(isNumber(field) && { align: 'right' as const }),
      ...(isMoment(field) && { whole: true }),
      ...(asked ? { asked, ...(name === 'id' && { whole: true }) } : worth(view, name, field)),
      ...(field?.kind === 'one' && { value: (record: ShownRow) => record[name] ?? record[`${name}_id`] }),
      show: (value: unknown) => inWords(field, value, words),
    };
  });
}

/** What identifies a record stays longest, then what it was filtered by; when it changed and e-mail addresses go first. */
function worth(
  { resource, filtered = [] }: CardView,
  name: string,
  field: Field | undefined,
): Partial<Column> {
  if (name === 'id') return { rank: 2, middle: true };
  if (filtered.includes(name)) return { rank: 1 };
  if (isMoment(field) || field?.traits.form === 'email') return { rank: 3 };
  const identifies = name === resource.title || resource.key.includes(name);
  return identifies ? { rank: 0, least: 30 } : { rank: 2 };
}

export interface CardView {
  filtered?: readonly string[] | undefined;
  resource: Resource;
  localTime: boolean;
  columns?: readonly string[] | undefined;
}

/** A card of the columns asked for; else of all that the record holds, in the contract's order. */
export function cardEntries({ resource, columns, localTime }: CardView, record: ShownRow): Entry[] {
  const words = { api: apiOf(resource), localTime };
  if (!columns) return entriesOf(resource.fields, record, words);
  return columns.map((name) => entryOf(name, fieldAt(resource, name), valueAt(record, name), words));
}

/** Every column that can be chosen, dotted ones for what can be included. */
export function columnNames(resource: Resource): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => {
    if (field.traits.writeOnly) return [];
    const inner =
      field.traits.fields ??
      (isRelation(field) ? apiOf(resource).resource(field.traits.target ?? '')?.fields : undefined);
    const simple = Object.entries(inner ?? {}).filter(([, { kind }]) => kind !== 'one' && kind !== 'many');
    return [name, ...simple.map(([below]) => `${name}.${below}`)];
  });
}

/** Throws where a column can't exist; the service may answer more than the contract has, so deeper parts are free. */
export async function checkColumns(resource: Resource, chosen: readonly string[]): Promise<void> {
  const known = columnNames(resource);
  const own = Object.entries(resource.fields).flatMap(([name, { kind }]) =>
    // Some services show a relation to one record by its id alone.
    kind === 'one' ? [name, `${name}_id`] : [name],
  );
  const tops = new Set([...own, ...known.map((name) => name.split('.')[0] ?? '')]);
  const wrong = chosen.filter((name) => !tops.has(name.split('.')[0] ?? ''));
  if (wrong.length === 0) return;
  const { didYouMean } = await import('../../suggest.ts');
  const lines = wrong.map(
    (name) => `"${name}" is no column of ${resource.command}.${didYouMean(name, known)}`,
  );
  throw usage(lines.join(' '), { hint: 'See them all: --columns ?' });
}

/** The contract's fields in its order, then what it doesn't know. */
function entriesOf(fields: Fields, record: ShownRow, words: Words): Entry[] {
  const known = Object.keys(fields).filter((name) => Object.hasOwn(record, name));
  const others = Object.keys(record).filter((name) => !Object.hasOwn(fields, name));
  return [...known, ...others].map((name) => entryOf(name, fields[name], record[name], words));
}

function entryOf(name: string, field: Field | undefined, value: unknown, words: Words): Entry {
  return {
    name,
    label: headerOf(name),
    show: (shown: unknown) => inWords(field, shown, words),
    ...nested(field, value, words),
  };
}

/** What is shown of a related record, or of each of them: its name first, then what the link itself holds. */
function nested(field: Field | undefined, value: unknown, words: Words): Partial<Entry> {
  const sample = Array.isArray(value) ? value.find(isObject) : value;
  if (!isObject(sample)) return {};
  const { target, pivot, fields, amount, unitFrom } = field?.traits ?? {};
  if (fields) return { entries: entriesOf(fields, sample, words) };
  const links = isObject(sample.pivot)
    ? Object.keys(sample.pivot).filter((name) => !pivot?.[name]?.traits.repeatsId)
    : [];
  if (links.length === 0) return { line: titleWithId, show: titleWithId };
  const heading = {
    name: 'id',
    label: words.api.nounOf(target ?? ''),
    value: (it: ShownRow) => it,
    show: titleWithId,
  };
  const pivots = links.map((name) => ({
    name: `pivot.${name}`,
    label: headerOf(name),
    show: (it: unknown, line: ShownRow) => {
      const unit = name === amount && unitFrom !== undefined ? line[unitFrom] : undefined;
      return inWords(pivot?.[name], it, words) + (typeof unit === 'string' ? ` ${unit}` : '');
    },
  }));
  return { entries: [heading, ...pivots] };
}

/** `Vegetables (c1)`: by name, and by the id that commands take. */
function titleWithId(record: unknown): string {
  if (!isObject(record)) return String(record);
  const title = titleOf(record);
  if (record.id === undefined) return title || JSON.stringify(record);
  return title === record.id ? title : `${title} (${record.id})`;
}

/** A value in a person's words. Not called for null. */
function inWords(field: Field | undefined, value: unknown, words: Words): string {
  if (Array.isArray(value)) {
    if (field?.kind === 'ring') return `${value.length} points`;
    return value.map((item) => inWords(field, item, words)).join(', ');
  }
  if (isObject(value)) return titleOf(value) || JSON.stringify(value);
  // Samples show 1 and 0 where the tables say boolean.
  if (field?.kind === 'boolean') return value === true || value === 1 || value === '1' ? 'yes' : 'no';
  if (field?.kind === 'timestamp' && words.localTime) return localTime(String(value));
  if (field?.kind === 'hour')
    return typeof value === 'number' ? `${String(value).padStart(2, '0')}:00` : String(value);
  return (field && wordOf(field, value)) ?? String(value);
}

function localTime(utc: string): string {
  const moment = new Date(`${utc.replace(' ', 'T')}Z`);
  if (Number.isNaN(moment.getTime())) return utc;
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-');
  return `${day} ${[moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':')}`;
}

/** `tags.name` leads through the relation to the field of the resource on the other side. */
function fieldAt(resource: Resource, path: string): Field | undefined {
  let fields: Fields | undefined = resource.fields;
  let field: Field | undefined;
  for (const name of path.split('.')) {
    field = name === 'pivot' ? field : fields?.[name];
    fields =
      name === 'pivot'
        ? field?.traits.pivot
        : (field?.traits.fields ?? apiOf(resource).resource(field?.traits.target ?? '')?.fields);
  }
  return field;
}

/** `order_to_storage_factor` as a heading. */
export function headerOf(name: string): string {
  return name.replaceAll(/[._]/g, ' ').replace(/^is /, '');
}

/** Half a date is another date. */
function isMoment(field: Field | undefined): boolean {
  return field?.kind === 'date' || field?.kind === 'timestamp';
}

function isNumber(field: Field | undefined): boolean {
  return (
    field !== undefined && ['integer', 'decimal', 'numeric_text'].includes(field.kind) && !field.traits.words
  );
}

function isRelation({ kind }: Field): boolean {
  return kind === 'one' || kind === 'many';
}
