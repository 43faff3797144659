/** The demo business covers the contract: every filter narrows it, and every relation and list has a value somewhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Field, Fields } from '../../src/api/contract/field.ts';
import type { Filter } from '../../src/api/contract/filter.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { api } from '../../src/api/resources/index.ts';
import demo from '../../src/sandbox/demo/demo.json' with { type: 'json' };
import { Tables } from '../../src/sandbox/store/tables.ts';
import { isDocumented } from '../harness/api-document.ts';
import { type Client, openClient } from '../sandbox/client.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every resource
type Record = any;

let client: Client;
const cachedRecords = new Map<string, Record[]>();
beforeAll(async () => {
  client = await openClient({ variant: { 'wire.page_size': 500 } });
});
afterAll(() => client.sandbox.close());

/** Returns all records of a resource, active and deleted, with all includable relations. */
function allRecords({ name, path, fields, filters }: Resource): Record[] {
  const cached = cachedRecords.get(name);
  if (cached) return cached;
  const include = Object.keys(fields).filter((field) => fields[field]?.traits.includable);
  const query = [
    ...(include.length > 0 ? [`include=${include}`] : []),
    ...(filters.some(({ match }) => match === 'deleted') ? ['is_deleted=true'] : []),
  ];
  const { data } = client.get(`${path}?${query.join('&')}`).json;
  cachedRecords.set(name, data);
  return data;
}

const isDeleted = ({ deleted_at }: Record) => typeof deleted_at === 'string';
const idsOf = (rows: readonly Record[]) => rows.map(({ id }) => id);
/** The resources in the API document, for which the demo business has its own records. */
const resources = api.collections.filter(isDocumented);
const filters = resources.flatMap((resource) =>
  resource.filters.map((filter) => [`${resource.name} by ${filter.name}`, resource, filter] as const),
);

/** The values of filters that the API document doesn't explain, as the sandbox interprets them (docs/reference/sandbox-rules.md: "Lists"). */
const undocumentedFilterValues: Readonly<{ [name: string]: string[] }> = {
  'users has_app_access': ['true', 'false'],
  'users has_console_access': ['true', 'false'],
  'inventory_items type': ['produced', 'raw'],
  'tax_groups reference': ['TG-DRINKS'],
};

/** Returns filter values that some of the records have. */
function candidates({ name }: Resource, filter: Filter, records: readonly Record[]): string[] {
  const { on = '', match, value } = filter;
  if (match === 'unknown') return undocumentedFilterValues[`${name} ${filter.name}`] ?? [];
  if (match === 'any' || value.kind === 'boolean') return ['true', 'false'];
  const values = records
    .flatMap((record) => [record[on]].flat())
    .filter((fieldValue) => fieldValue !== null && fieldValue !== '');
  const texts = values.map((fieldValue) => String(fieldValue?.id ?? fieldValue));
  if (match === 'on_day') return texts.map((text) => text.slice(0, 10));
  return match === 'contains' ? texts.flatMap((text) => [text.slice(0, 4), text.slice(-3)]) : texts;
}

describe('filter of the demo business', () => {
  it.each(filters)('%s: returns some records, but not all', (_, resource, filter) => {
    const resourceRecords = allRecords(resource);
    const active = resourceRecords.filter((record) => !isDeleted(record));
    const filteredIds = (value: string) =>
      idsOf(client.get(`${resource.path}?filter[${filter.name}]=${encodeURIComponent(value)}`).json.data);
    if (filter.match === 'deleted') {
      expect(filteredIds('true').length).toBeGreaterThan(active.length);
      expect(filteredIds('false')).toEqual(idsOf(active));
      return;
    }
    const records = filter.on === 'deleted_at' ? resourceRecords.filter(isDeleted) : active;
    const counts = [...new Set(candidates(resource, filter, records))].map(
      (value) => filteredIds(value).length,
    );
    expect(counts.filter((count) => count > 0 && count < records.length)).not.toEqual([]);
  });

  it('contract: has 241 filters', () => expect(filters).toHaveLength(241));
});

/** Yields the paths of relations and lists below some fields, with their values in some records. */
function* lists(fields: Fields, records: readonly Record[], path = ''): Generator<[string, unknown[]]> {
  for (const [name, field] of Object.entries(fields)) {
    const values = records.flatMap((record) => [record?.[name]].flat());
    const filled = values.filter((value) => value !== null && value !== undefined);
    if (isListed(field)) yield [path + name, filled];
    yield* lists(field.traits.fields ?? {}, filled as Record[], `${path}${name}.`);
    const pivots = filled.map((value) => (value as Record).pivot);
    for (const pivotField of Object.keys(field.traits.pivot ?? {})) {
      yield [
        `${path}${name}.pivot.${pivotField}`,
        pivots.map((pivot) => pivot?.[pivotField]).filter((value) => value !== null),
      ];
    }
  }
}

function isListed({ kind }: Field): boolean {
  return ['one', 'many', 'objects', 'words', 'integers', 'ids', 'ring'].includes(kind);
}

it.each(resources.map((resource) => [resource.name, resource] as const))(
  'demo data of %s: every relation and list has a value in some record',
  (_, resource) => {
    const listValues = [...lists(resource.fields, allRecords(resource))];
    expect(listValues.filter(([, values]) => values.length === 0).map(([path]) => path)).toEqual([]);
  },
);

it.each(Object.entries({ ...demo.always, ...demo.business }))(
  '%s in demo.json: every column is a field, and no row has more cells than columns',
  (name, { columns, rows }) => {
    const table = new Tables(api).get(name);
    const fields = [...table.columns, ...table.relations].map(({ fieldName }) => fieldName);
    expect(columns.filter((column) => !fields.includes(column) && column !== 'id')).toEqual([]);
    expect(rows.filter((row) => row.length > columns.length)).toEqual([]);
  },
);
