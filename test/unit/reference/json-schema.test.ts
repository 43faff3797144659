import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Fields } from '../../../src/contract/field.ts';
import { type BodyField, operations } from '../../../src/contract/operation.ts';
import { bodySchema, validateBody } from '../../../src/contract/validate.ts';
import {
  inputSchema,
  type JsonSchema,
  recordSchema,
  resourceSchema,
} from '../../../src/reference/json-schema.ts';
import { resources, whoami } from '../../../src/resources/index.ts';

const all = [...resources, whoami];
const writes = resources.flatMap(operations).filter(({ body }) => body.length > 0);

/** zod reads JSON Schema as well as it writes it, which makes it a second opinion on ours. */
function readerOf(schema: JsonSchema): z.ZodType {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
}

function accepts(schema: JsonSchema, value: unknown): boolean {
  return readerOf(schema).safeParse(value).success;
}

const ring = [
  [46.67, 24.7],
  [46.69, 24.7],
  [46.69, 24.72],
  [46.67, 24.7],
];

/** Values of every shape, right for some kinds of field and wrong for the others. */
const values: unknown[] = [
  ...[null, true, false, 0, 1, 2, 7, 8, 12, 99, -1, 1.5],
  ...['', 'word', '2.5', '-3', '2026-11-20', '20 November', 'new_transfer_order', 'orders:read'],
  ...[[], ['word'], ['new_transfer_order'], [1], [99], [1.5], {}, { id: 'a' }, [{ id: 'a' }], [{ id: '' }]],
  ...[[{ id: 'a', quantity: 1 }], [{ id: 'a', cost_per_unit: 1 }], [{ id: 'a', quantity: '1' }]],
  ...[[46.7, 24.7], [200, 24.7], ring, ring.slice(1, 3), [['x', 'y']]],
];

/** What a schema can't say is said here, so that nothing else may differ. */
function isBeyondSchema({ field }: BodyField, value: unknown): boolean {
  return field.kind === 'numeric_text' && typeof value === 'string';
}

describe('the schema of an input', () => {
  it.each(writes.map((write) => [`${write.resource.command} ${write.verb}`, write] as const))(
    '%s takes what the check before sending takes, and nothing else',
    (_, write) => {
      const { properties = {} } = inputSchema(write);
      const readers = write.body.map((entry) => ({ entry, reader: readerOf(properties[entry.name] ?? {}) }));
      const check = bodySchema(write);
      for (const value of values) {
        const body = Object.fromEntries(write.body.map(({ name }) => [name, value]));
        const refused = new Set(check.safeParse(body).error?.issues.map(({ path }) => path[0]));
        for (const { entry, reader } of readers) {
          if (isBeyondSchema(entry, value)) continue;
          const isTaken = reader.safeParse(value).success;
          expect([entry.name, value, isTaken]).toEqual([entry.name, value, !refused.has(entry.name)]);
        }
      }
    },
  );

  it('demands what the check demands, and refuses unknown fields', () => {
    for (const write of writes) {
      const schema = inputSchema(write);
      const missing = Object.entries(validateBody(write, {})).filter(([, said]) =>
        said.includes('is required'),
      );
      expect(schema.required, write.resource.command).toEqual(missing.map(([name]) => name));
      expect(accepts({ ...schema, required: [] }, { no_such_field: 1 })).toBe(false);
    }
  });

  it('says which values a new record can’t take', () => {
    const methods = writes.find(
      ({ resource, verb }) => resource.name === 'payment_methods' && verb === 'create',
    );
    if (!methods) throw new Error('payment methods can be created');
    const type = inputSchema(methods).properties?.type;
    expect(type?.oneOf?.map(({ title }) => title)).toEqual(['cash', 'card', 'other', '3rd party']);
  });
});

describe('the schema of a record', () => {
  it('is a schema, for every resource', () => {
    for (const resource of all) expect(() => accepts(resourceSchema(resource), {})).not.toThrow();
  });

  it('has every field that is ever shown, and no other', () => {
    for (const resource of all) {
      const fields: Fields = resource.fields;
      const shown = Object.keys(fields).filter((name) => !fields[name]?.traits.writeOnly);
      expect(Object.keys(recordSchema(resource).properties ?? {})).toEqual(shown);
    }
  });

  it('takes a record with more fields than the contract knows, and one with fewer', () => {
    const suppliers = resources.find(({ name }) => name === 'suppliers');
    if (!suppliers) throw new Error('there are suppliers');
    expect(accepts(recordSchema(suppliers), { id: 'a', name: 'Fresh Farms', brand_new: [1] })).toBe(true);
    expect(accepts(recordSchema(suppliers), { name: 'Fresh Farms' })).toBe(false);
    expect(accepts(recordSchema(suppliers), { id: 'a', items: [{ id: 'i', pivot: { cost: 'x' } }] })).toBe(
      false,
    );
  });

  it('holds for the whole of each resource: the record at the top, inputs by verb below', () => {
    const schema = resourceSchema(resources.find(({ name }) => name === 'suppliers') ?? whoami);
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(Object.keys(schema.$defs ?? {})).toEqual(['create', 'update', 'link-item']);
  });
});
