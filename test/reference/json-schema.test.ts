import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { Fields } from '../../src/api/contract/field.ts';
import { type Operation, operations } from '../../src/api/contract/operation.ts';
import { bodySchema, validateBody } from '../../src/api/contract/validate.ts';
import {
  inputSchema,
  type JsonSchema,
  recordSchema,
  resourceSchema,
} from '../../src/api/reference/json-schema.ts';
import { api } from '../../src/api/resources/index.ts';
import { whoami } from '../../src/api/resources/whoami.ts';
import { anything, values } from '../contract/any-value.ts';
import { toys } from '../contract/toy.ts';
import { fc } from '../harness/fast-check.ts';

const resources = api.resources;
const writes = [...api.collections, ...toys].flatMap(operations).filter(({ body }) => body.length > 0);

/** An independent JSON Schema validator, which also refuses unknown keywords. */
const validator = new Ajv2020({ strictTypes: false, strictTuples: false });
addFormats.default(validator);

function compile(schema: JsonSchema): (value: unknown) => boolean {
  return validator.compile(schema);
}

function accepts(schema: JsonSchema, value: unknown): boolean {
  return compile(schema)(value);
}

/** Returns whether the validation refuses a body for a reason that a schema can express. */
function isRefused(write: Operation, body: object): boolean {
  const issues = bodySchema(write).safeParse(body).error?.issues ?? [];
  return issues.some((issue) => issue.code !== 'custom' || !issue.params?.notInJsonSchema);
}

describe('inputSchema', () => {
  it.each(writes.map((write) => [write.command, write] as const))(
    '%s: accepts the same bodies as validateBody',
    (_, write) => {
      const schema = inputSchema(write);
      const isAccepted = compile(schema);
      const names = write.body.map(({ name }) => name);
      const isValid = (name: string, value: unknown) =>
        !Object.keys(validateBody(write, { [name]: value })).some((path) => path.split('.')[0] === name);
      const validValues = Object.fromEntries(
        names.map((name) => [name, values.filter((value) => isValid(name, value))]),
      );
      for (const name of names) expect([name, validValues[name]]).not.toEqual([name, []]);
      const expectSameResult = (body: object): void => {
        expect([body, isAccepted(body)]).toEqual([body, !isRefused(write, body)]);
      };

      const completeBody = Object.fromEntries(names.map((name) => [name, validValues[name]?.at(-1)]));
      for (const name of names)
        for (const value of values) expectSameResult({ ...completeBody, [name]: value });
      const anyValidBody = fc.record(
        Object.fromEntries(names.map((name) => [name, fc.constantFrom(...(validValues[name] ?? []))])),
        { requiredKeys: [] },
      );
      const anyChange = fc.dictionary(fc.constantFrom(...names, 'no_such_field'), anything, { maxKeys: 2 });
      fc.assert(
        fc.property(anyValidBody, anyChange, (body, change) => expectSameResult({ ...body, ...change })),
      );
    },
  );

  it('requires the same fields as validateBody, and refuses unknown fields', () => {
    for (const write of writes) {
      const schema = inputSchema(write);
      const missing = Object.entries(validateBody(write, {})).filter(([, messages]) =>
        messages.includes('is required'),
      );
      expect(schema.required, write.resource.command).toEqual(missing.map(([name]) => name));
      expect(accepts({ ...schema, required: [] }, { no_such_field: 1 })).toBe(false);
    }
  });

  it('payment-methods create: contains only the types that a new record can have', () => {
    const methods = writes.find(
      ({ resource, verb }) => resource.name === 'payment_methods' && verb === 'create',
    );
    if (!methods) throw new Error('payment methods can be created');
    const type = inputSchema(methods).properties?.type;
    expect(type?.oneOf?.flatMap(({ title }) => title ?? [])).toEqual(['cash', 'card', 'other', '3rd party']);
    expect([3, 4, 5, 6, 7, 8].filter((value) => accepts(type ?? {}, value))).toEqual([3, 6, 7, 8]);
  });
});

describe('recordSchema and resourceSchema', () => {
  it('are valid schemas for every resource', () => {
    for (const resource of resources) expect(() => accepts(resourceSchema(resource), {})).not.toThrow();
  });

  it('have exactly the fields that responses can contain', () => {
    for (const resource of resources) {
      const fields: Fields = resource.fields;
      const readable = Object.keys(fields).filter((name) => !fields[name]?.traits.writeOnly);
      expect(Object.keys(recordSchema(resource).properties ?? {})).toEqual(readable);
    }
  });

  it('accept unknown fields, and refuse a record without an ID', () => {
    const suppliers = api.collections.find(({ name }) => name === 'suppliers');
    if (!suppliers) throw new Error('there are suppliers');
    expect(accepts(recordSchema(suppliers), { id: 'a', name: 'Fresh Farms', brand_new: [1] })).toBe(true);
    expect(accepts(recordSchema(suppliers), { name: 'Fresh Farms' })).toBe(false);
    expect(accepts(recordSchema(suppliers), { id: 'a', items: [{ id: 'i', pivot: { cost: 'x' } }] })).toBe(
      false,
    );
  });

  it('have the record at the top, and the inputs by verb in $defs', () => {
    const schema = resourceSchema(api.collections.find(({ name }) => name === 'suppliers') ?? whoami);
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(Object.keys(schema.$defs ?? {})).toEqual(['create', 'update', 'link-item']);
  });
});
