/** Formats records for people: several as a table, one as a card, with words for codes and names for relations. */

import { type Api, apiOf } from '../../api/contract/api.ts';
import type { Field, Fields } from '../../api/contract/field.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { wordOf } from '../../api/contract/value-text.ts';
import { timeInZone } from '../../base/local-time-zone.ts';
import { isObject } from '../../base/number-text.ts';
import { type CardEntry, renderCard } from '../terminal/card.ts';
import type { Streams } from '../terminal/streams.ts';
import { type Column, renderTable, type Table } from '../terminal/table.ts';
import { formatPlain, type ShownRow, valueAt } from '../terminal/value-at.ts';
import { fieldAt } from './columns.ts';
import { inferTitle } from './wording.ts';

export interface RecordLayout extends CardView {
  wide: boolean;
}

/** The maximum number of related records that a card shows for each relation. */
const maxRelated = 20;

export function renderRecordCard(
  view: RecordLayout,
  record: ShownRow,
  { color, unicode, isTerminal, columns }: Streams,
): string {
  const maxItems = view.wide ? undefined : maxRelated;
  return renderCard(createCardEntries(view, record), record, {
    color: color.out,
    unicode,
    isolate: isTerminal.out && unicode,
    maxItems,
    ...(isTerminal.out && !view.wide && { width: columns('out') }),
  });
}

/** Draws records as a table. Changed rows are highlighted, and deleted rows are struck through. */
export function renderRecordTable(
  view: RecordLayout,
  rows: readonly ShownRow[],
  { isTerminal, columns, color, unicode }: Streams,
  isChanged: (row: ShownRow) => boolean = () => false,
): Table {
  const isDeleted = (row: ShownRow) => row.deleted_at != null;
  const names = view.columns ?? [
    ...view.resource.columns,
    // Without colors a column shows which records are deleted.
    ...(!color.out && rows.some(isDeleted) ? ['deleted_at'] : []),
  ];
  const hasDeletionColumn = names.length > view.resource.columns.length;
  const renderColumns = (chosen: readonly string[]) => {
    const unranked = tableColumns(view, chosen);
    const rankedColumns = hasDeletionColumn
      ? unranked.map((column) => rankForDeleted(column, view.resource))
      : unranked;
    return renderTable(color.out ? rankedColumns : markChanged(rankedColumns, isChanged), rows, {
      ...(isTerminal.out && !view.wide && { width: columns('out') }),
      hasColumnFlags: true,
      color: color.out,
      unicode,
      isolate: isTerminal.out && unicode,
      highlight: (row) => (isDeleted(row) ? 'deleted' : isChanged(row) ? 'changed' : undefined),
    });
  };
  const table = renderColumns(names);
  // If only one column fits, the name is more useful than the ID.
  return table.shownColumns > 1 || view.columns ? table : renderColumns([...names.slice(1), 'id']);
}

/** Ranks the time of deletion like the title, so that it stays visible in a narrow window. Other keys get a lower rank. */
function rankForDeleted(column: Column, { title }: Resource): Column {
  if (column.name === 'deleted_at') return { ...column, rank: 0 };
  return column.rank === 0 && column.name !== title ? { ...column, rank: 1 } : column;
}

/** Marks changed rows with a star, for output without colors. */
function markChanged(columns: readonly Column[], isChanged: (row: ShownRow) => boolean): Column[] {
  const [first, ...otherColumns] = columns;
  if (!first) return [];
  const show = (value: unknown, row: ShownRow) =>
    (first.show?.(value, row) ?? formatPlain(value)) + (isChanged(row) ? ' *' : '');
  return [{ ...first, show }, ...otherColumns];
}

interface TextOptions {
  /** The API that relations belong to. */
  api: Api;
  /** The time zone in which timestamps are shown. */
  timeZone?: string | undefined;
}

export function tableColumns(view: CardView, names: readonly string[]): Column[] {
  const { resource, timeZone, columns } = view;
  const options = { api: apiOf(resource), timeZone };
  const isExplicit = columns !== undefined;
  return names.map((name) => {
    const field = fieldAt(resource, name);
    return {
      name,
      header: headerOf(name),
      ...(isNumber(field) && { align: 'right' as const }),
      ...(isMoment(field) && { isIndivisible: true }),
      ...(isExplicit
        ? { isRequested: isExplicit, ...(name === 'id' && { isIndivisible: true }) }
        : rankOf(view, name, field)),
      ...(field?.kind === 'one' && { value: (record: ShownRow) => record[name] ?? record[`${name}_id`] }),
      show: (value: unknown) => formatValue(field, value, options),
    };
  });
}

/** Ranks a column for a narrow window: dates and email addresses are omitted first, names and keys last. */
function rankOf(
  { resource, filtered = [] }: CardView,
  name: string,
  field: Field | undefined,
): Partial<Column> {
  if (name === 'id') return { rank: 2, isIndivisible: true };
  if (filtered.includes(name)) return { rank: 1 };
  if (isMoment(field) || field?.traits.form === 'email') return { rank: 3 };
  const isIdentifying = name === resource.title || resource.key.includes(name);
  return isIdentifying ? { rank: 0, minWidth: 30 } : { rank: 2 };
}

/** The columns to show. */
export interface CardView {
  resource: Resource;
  columns?: readonly string[] | undefined;
  /** The fields of the list's filters, which stay visible. */
  filtered?: readonly string[] | undefined;
  /** The time zone of timestamps; UTC by default. */
  timeZone?: string | undefined;
}

/** Returns the entries of a card: the chosen columns, else all fields of the record in the contract's order. */
export function createCardEntries({ resource, columns, timeZone }: CardView, record: ShownRow): CardEntry[] {
  const options = { api: apiOf(resource), timeZone };
  if (!columns) return entriesOf(resource.fields, record, options);
  return columns.map((name) => entryOf(name, fieldAt(resource, name), valueAt(record, name), options));
}

/** Returns the contract's fields in their order, then fields that it doesn't have. */
function entriesOf(fields: Fields, record: ShownRow, options: TextOptions): CardEntry[] {
  const documented = Object.keys(fields).filter((name) => Object.hasOwn(record, name));
  const unknownNames = Object.keys(record).filter((name) => !Object.hasOwn(fields, name));
  return [...documented, ...unknownNames].map((name) => entryOf(name, fields[name], record[name], options));
}

function entryOf(name: string, field: Field | undefined, value: unknown, options: TextOptions): CardEntry {
  return {
    name,
    label: headerOf(name),
    show: (value: unknown) => formatValue(field, value, options),
    ...relatedEntries(field, value, options),
  };
}

/** Returns the entries of related records: the name first, then the fields of the link. */
function relatedEntries(field: Field | undefined, value: unknown, options: TextOptions): Partial<CardEntry> {
  const sample = Array.isArray(value) ? value.find(isObject) : value;
  if (!isObject(sample)) return {};
  const { target, pivot, fields, amountField, unitFrom } = field?.traits ?? {};
  if (fields) return { entries: entriesOf(fields, sample, options) };
  const links = isObject(sample.pivot)
    ? Object.keys(sample.pivot).filter((name) => !pivot?.[name]?.traits.repeatsId)
    : [];
  if (links.length === 0) return { formatItem: formatTitleWithId, show: formatTitleWithId };
  const heading = {
    name: 'id',
    label: options.api.nounOf(target ?? ''),
    value: (related: ShownRow) => related,
    show: formatTitleWithId,
  };
  const pivots = links.map((name) => ({
    name: `pivot.${name}`,
    label: headerOf(name),
    show: (value: unknown, line: ShownRow) => {
      const unit = name === amountField && unitFrom !== undefined ? line[unitFrom] : undefined;
      return formatValue(pivot?.[name], value, options) + (typeof unit === 'string' ? ` ${unit}` : '');
    },
  }));
  return { entries: [heading, ...pivots] };
}

/** Returns the name and ID of a record: `Vegetables (c1)`. */
function formatTitleWithId(record: unknown): string {
  if (!isObject(record)) return String(record);
  const title = inferTitle(record);
  if (record.id === undefined) return title || JSON.stringify(record);
  return title === record.id ? title : `${title} (${record.id})`;
}

/** Formats a value for people. Not called for null. */
function formatValue(field: Field | undefined, value: unknown, options: TextOptions): string {
  if (Array.isArray(value)) {
    if (field?.kind === 'ring') return `${value.length} points`;
    return value.map((item) => formatValue(field, item, options)).join(', ');
  }
  if (isObject(value)) return inferTitle(value) || JSON.stringify(value);
  // In the samples of the API document, boolean fields have the values 1 and 0.
  if (field?.kind === 'boolean') return value === true || value === 1 || value === '1' ? 'yes' : 'no';
  if (field?.kind === 'timestamp') return timeInZone(String(value), options.timeZone ?? 'UTC');
  if (field?.kind === 'hour')
    return typeof value === 'number' ? `${String(value).padStart(2, '0')}:00` : String(value);
  return (field && wordOf(field, value)) ?? String(value);
}

/** Returns the header of a field: "order to storage factor". */
export function headerOf(name: string): string {
  return name.replaceAll(/[._]/g, ' ').replace(/^is /, '');
}

/** Returns the time zone to report below a result: that of its timestamps, if it isn't UTC. */
export function reportedZone(
  { resource, columns, timeZone }: CardView,
  names: readonly string[],
): string | undefined {
  const hasTimes = (columns ?? names).some((name) => fieldAt(resource, name)?.kind === 'timestamp');
  return timeZone !== undefined && timeZone !== 'UTC' && hasTimes ? timeZone : undefined;
}

/** Returns whether a field is a date or time, which are never truncated. */
function isMoment(field: Field | undefined): boolean {
  return field?.kind === 'date' || field?.kind === 'timestamp';
}

function isNumber(field: Field | undefined): boolean {
  return (
    field !== undefined && ['integer', 'decimal', 'numeric_text'].includes(field.kind) && !field.traits.words
  );
}
