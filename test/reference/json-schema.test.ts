import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { Fields } from '../../src/contract/field.ts';
import { type Operation, operations } from '../../src/contract/operation.ts';
import { bodySchema, validateBody } from '../../src/contract/validate.ts';
import {
  inputSchema,
  type JsonSchema,
  recordSchema,
  resourceSchema,
} from '../../src/reference/json-schema.ts';
import { api } from '../../src/resources/index.ts';
import { whoami } from '../../src/resources/whoami.ts';
import { anything, values } from '../contract/any-value.ts';
import { toys } from '../contract/toy.ts';
import { fc } from '../harness/fast-check.ts';

const all = api.resources;
const writes = [...api.collections, ...toys].flatMap(operations).filter(({ body }) => body.length > 0);

/** An independent JSON Schema validator, which also refuses unknown keywords. */
const reader = new Ajv2020({ strictTypes: false, strictTuples: false });
addFormats.default(reader);

function readerOf(schema: JsonSchema): (value: unknown) => boolean {
  return reader.compile(schema);
}

function accepts(schema: JsonSchema, value: unknown): boolean {
  return readerOf(schema)(value);
}

/** Returns whether the validation refuses a body for a reason that a schema can express. */
function isRefused(write: Operation, body: object): boolean {
  const issues = bodySchema(write).safeParse(body).error?.issues ?? [];
  return issues.some((issue) => issue.code !== 'custom' || !issue.params?.notInJsonSchema);
}

describe('JSON Schema of an input', () => {
  it.each(writes.map((write) => [write.command, write] as const))(
    '%s accepts exactly what the validation before sending accepts',
    (_, write) => {
      const schema = inputSchema(write);
      const isTaken = readerOf(schema);
      const names = write.body.map(({ name }) => name);
      const fits = (name: string, value: unknown) =>
        !Object.keys(validateBody(write, { [name]: value })).some((path) => path.split('.')[0] === name);
      const good = Object.fromEntries(names.map((name) => [name, values.filter((it) => fits(name, it))]));
      for (const name of names) expect([name, good[name]]).not.toEqual([name, []]);
      const same = (body: object): void => {
        expect([body, isTaken(body)]).toEqual([body, !isRefused(write, body)]);
      };

      const whole = Object.fromEntries(names.map((name) => [name, good[name]?.at(-1)]));
      for (const name of names) for (const value of values) same({ ...whole, [name]: value });
      const given = fc.record(
        Object.fromEntries(names.map((name) => [name, fc.constantFrom(...(good[name] ?? []))])),
        { requiredKeys: [] },
      );
      const strange = fc.dictionary(fc.constantFrom(...names, 'no_such_field'), anything, { maxKeys: 2 });
      fc.assert(fc.property(given, strange, (body, change) => same({ ...body, ...change })));
    },
  );

  it('requires the same fields as the validation, and refuses unknown fields', () => {
    for (const write of writes) {
      const schema = inputSchema(write);
      const missing = Object.entries(validateBody(write, {})).filter(([, said]) =>
        said.includes('is required'),
      );
      expect(schema.required, write.resource.command).toEqual(missing.map(([name]) => name));
      expect(accepts({ ...schema, required: [] }, { no_such_field: 1 })).toBe(false);
    }
  });

  it("lists the values that a new record can't have", () => {
    const methods = writes.find(
      ({ resource, verb }) => resource.name === 'payment_methods' && verb === 'create',
    );
    if (!methods) throw new Error('payment methods can be created');
    const type = inputSchema(methods).properties?.type;
    expect(type?.oneOf?.map(({ title }) => title)).toEqual(['cash', 'card', 'other', '3rd party']);
  });
});

describe('JSON Schema of a record', () => {
  it('is valid for every resource', () => {
    for (const resource of all) expect(() => accepts(resourceSchema(resource), {})).not.toThrow();
  });

  it('has exactly the fields that are ever shown', () => {
    for (const resource of all) {
      const fields: Fields = resource.fields;
      const shown = Object.keys(fields).filter((name) => !fields[name]?.traits.writeOnly);
      expect(Object.keys(recordSchema(resource).properties ?? {})).toEqual(shown);
    }
  });

  it('accepts a record with unknown fields, and one with missing fields', () => {
    const suppliers = api.collections.find(({ name }) => name === 'suppliers');
    if (!suppliers) throw new Error('there are suppliers');
    expect(accepts(recordSchema(suppliers), { id: 'a', name: 'Fresh Farms', brand_new: [1] })).toBe(true);
    expect(accepts(recordSchema(suppliers), { name: 'Fresh Farms' })).toBe(false);
    expect(accepts(recordSchema(suppliers), { id: 'a', items: [{ id: 'i', pivot: { cost: 'x' } }] })).toBe(
      false,
    );
  });

  it('covers each resource: the record at the top, inputs by verb below', () => {
    const schema = resourceSchema(api.collections.find(({ name }) => name === 'suppliers') ?? whoami);
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(Object.keys(schema.$defs ?? {})).toEqual(['create', 'update', 'link-item']);
  });
});
