/** Requests every filter, sort and include of the contract from the demo business, and compares the result with its records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Filter } from '../../src/api/contract/filter.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { api } from '../../src/api/resources/index.ts';
import { type Client, openClient } from '../sandbox/client.ts';
import { newRecordId } from '../sandbox/examples.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every resource
type Record = any;

let client: Client;
beforeAll(async () => {
  client = await openClient();
  // Deletes a record of each resource, so that the filters of deleted records find one.
  for (const { path, name } of api.collections.filter((resource) => resource.restore)) {
    const { data } = client.get(path).json;
    const id = data.length > 1 ? data.at(-1).id : newRecordId(client, name);
    client.delete(`${path}/${id}`);
  }
});
afterAll(() => client.sandbox.close());

/** Reads all pages of a list, and returns its records. */
function listAll(path: string, query = ''): Record[] {
  const records: Record[] = [];
  for (let page = 1; ; page += 1) {
    const { json } = client.get(`${path}?page=${page}${query}`);
    records.push(...json.data);
    if (json.links.next === null) return records;
  }
}

/** Returns the active and the deleted records. */
function allRecords({ path, filters }: Resource): Record[] {
  return filters.some(({ name }) => name === 'is_deleted')
    ? listAll(path, '&filter[is_deleted]=true')
    : listAll(path);
}

const isDeleted = ({ deleted_at }: Record) => deleted_at !== null;
const idsOf = (records: readonly Record[]) => records.map(({ id }) => id).sort();
const filters = api.collections.flatMap((resource) =>
  resource.filters.map((filter) => [`${resource.name} by ${filter.name}`, resource, filter] as const),
);

/** Filters that the API document doesn't explain, as the sandbox interprets them. */
const undocumentedFilters: Readonly<{
  [name: string]: { value: string; matches: (record: Record) => boolean };
}> = {
  has_app_access: { value: 'true', matches: ({ pin }) => pin !== '' },
  has_console_access: { value: 'true', matches: ({ email }) => email !== '' },
  type: { value: 'produced', matches: ({ ingredients }) => ingredients.length > 0 },
  reference: { value: 'TG-DRINKS', matches: ({ name }) => name === 'Soft Drinks' },
};

/** Returns a filter value that some record has, and a function that checks a record, independently of the sandbox's SQL. */
function createProbe(
  filter: Filter,
  records: readonly Record[],
): { value: string; matches: (record: Record) => boolean } {
  const { on = '', match } = filter;
  const fieldValue = (record: Record) => record[on];
  const exampleValue = records
    .map(fieldValue)
    .find((value) => value !== undefined && value !== null && value !== '' && `${value}` !== '');
  switch (match) {
    case 'contains': {
      const part = String(exampleValue).slice(1, 5);
      const lower = (text: unknown) => String(text ?? '').toLowerCase();
      return {
        value: part.toUpperCase(),
        matches: (record) => lower(fieldValue(record)).includes(lower(part)),
      };
    }
    case 'after':
    case 'before': {
      const middle =
        records.map(fieldValue).filter(Boolean).sort()[Math.floor(records.length / 2)] ?? '2026-01-01';
      const isAfter = match === 'after';
      return {
        value: middle,
        matches: (record) =>
          Boolean(fieldValue(record)) &&
          (isAfter ? fieldValue(record) > middle : fieldValue(record) < middle),
      };
    }
    case 'on_day': {
      const day = String(exampleValue ?? '2026-01-01').slice(0, 10);
      return { value: day, matches: (record) => String(fieldValue(record)).startsWith(day) };
    }
    case 'any': {
      const [firstName, secondName = ''] = on.split('.');
      const has = (record: Record) => {
        const value = record[firstName as string];
        if (!Array.isArray(value)) return value > 0;
        return secondName === '' ? value.length > 0 : value.some((item) => item[secondName].length > 0);
      };
      return { value: 'true', matches: has };
    }
    case 'deleted':
      return { value: 'true', matches: () => false };
    case 'unknown':
      return undocumentedFilters[filter.name] ?? { value: 'true', matches: () => true };
    default: {
      if (Array.isArray(exampleValue)) {
        const [{ id }] = exampleValue;
        return {
          value: id,
          matches: (record) => fieldValue(record).some((related: Record) => related.id === id),
        };
      }
      const comparableText = (value: Record) => String(value?.id ?? value);
      return {
        value: comparableText(exampleValue),
        matches: (record) => comparableText(fieldValue(record)) === comparableText(exampleValue),
      };
    }
  }
}

describe('filter in the sandbox', () => {
  it.each(filters)('%s: returns the matching records', (_, resource, filter) => {
    const { path } = resource;
    const query = (value: string) => `&filter[${filter.name}]=${encodeURIComponent(value)}`;
    if (filter.match === 'deleted') {
      const [recordsWithDeleted, active] = [listAll(path, query('true')), listAll(path)];
      expect(active.filter(isDeleted)).toEqual([]);
      expect(recordsWithDeleted.some(isDeleted)).toBe(true);
      expect(idsOf(recordsWithDeleted.filter((record) => !isDeleted(record)))).toEqual(idsOf(active));
      expect(idsOf(listAll(path, query('false')))).toEqual(idsOf(active));
      return;
    }
    const areDeleted = filter.on === 'deleted_at';
    const include = filter.on === 'options.ingredients' ? '&include=options' : '';
    const listedRecords = listAll(path, include + (areDeleted ? '&filter[is_deleted]=true' : ''));
    const records = areDeleted ? listedRecords.filter(isDeleted) : listedRecords;
    const { value, matches } = createProbe(filter, records);
    const expected = idsOf(records.filter(matches));
    expect(idsOf(listAll(path, query(value)))).toEqual(expected);
    // Some deployments write filters without brackets.
    expect(idsOf(listAll(path, `&${filter.name}=${encodeURIComponent(value)}`))).toEqual(expected);
    if (filter.match === 'any') {
      expect(idsOf(listAll(path, query('false')))).toEqual(
        idsOf(records.filter((record) => !matches(record))),
      );
    }
  });
});

describe.each(api.collections.map((resource) => [resource.name, resource] as const))(
  'list in the sandbox: %s',
  (_, resource) => {
    const { path, fields } = resource;
    const names = Object.keys(fields);

    it('contains each record once over all pages', () => {
      const ids = idsOf(allRecords(resource));
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('sorts by sortable fields in both directions, and refuses other fields', () => {
      for (const name of names) {
        const { status, json } = client.get(`${path}?sort=-${name}`);
        if (!fields[name]?.traits.sortable) {
          expect([status, json.message]).toEqual([400, expect.stringContaining(name)]);
          continue;
        }
        const values = listAll(path, `&sort=${name}`).map((record) => record[name]);
        expect(values).toEqual([...values].sort());
        expect(listAll(path, `&sort=-${name}`).map((record) => record[name])).toEqual(values.toReversed());
      }
    });

    it('includes includable relations in full, and refuses other fields', () => {
      for (const name of names) {
        const { status, json } = client.get(`${path}?include=${name}`);
        if (!fields[name]?.traits.includable) {
          expect([status, json.message]).toEqual([400, expect.stringContaining(name)]);
          continue;
        }
        expect(status).toBe(200);
        const plainRecords = client.get(path).json.data;
        for (const [index, record] of json.data.entries()) {
          const [included, notIncluded] = [[record[name]].flat(), [plainRecords[index][name]].flat()];
          if (typeof notIncluded[0] === 'string') expect(included).toEqual(notIncluded);
          else
            expect(included.map((related) => related?.id)).toEqual(notIncluded.map((related) => related?.id));
          // The API document describes only the IDs of orders.
          const isComplete = (related: Record) =>
            related === null ||
            typeof related === 'string' ||
            'name' in related ||
            fields[name]?.traits.target === 'orders';
          expect(included.filter((related) => !isComplete(related))).toEqual([]);
        }
      }
    });

    it('refuses unknown filters', () => {
      const { status, json } = client.get(`${path}?filter[nonsense]=1`);
      expect([status, json.message]).toEqual([400, expect.stringContaining('nonsense')]);
    });
  },
);

it('get in the sandbox: includes nested relations', () => {
  const { json } = client.get(
    '/customers/' +
      client.get('/addresses/address-huda-home').json.data.customer.id +
      '?include=addresses.delivery_zone,tags',
  );
  const [address] = json.data.addresses;
  expect(address).toMatchObject({ id: 'address-huda-home', name: 'Home' });
  expect(address.delivery_zone.name).toEqual(expect.any(String));
  expect(json.data.tags[0]).toMatchObject({ name: 'Regular', type: 1 });
});
