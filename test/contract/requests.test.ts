/** Every operation, filter and request field, typed in the grammar and compared with the request. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Field } from '../../src/contract/field.ts';
import { type Operation, operations } from '../../src/contract/operation.ts';
import { api } from '../../src/resources/index.ts';
import { type Recorder, startRecorder } from '../harness/recorder.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

let service: Recorder;
beforeAll(async () => {
  service = await startRecorder();
});
afterAll(() => service.close());

const boh = (...argv: string[]) =>
  runBoh(argv, {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl },
  });

/** What is typed for a kind of field, and its value in the JSON; written by hand, apart from the program. */
function sample(field: Field): { typed: string; json: unknown } {
  const { amountField, words, allowed, creatable } = field.traits;
  switch (field.kind) {
    case 'integer':
      return { typed: '12', json: 12 };
    case 'decimal':
      return { typed: '2.5', json: 2.5 };
    case 'numeric_text':
      return { typed: '7.50', json: '7.50' };
    case 'unit':
      return { typed: 'kg', json: 'kg' };
    case 'boolean':
      return { typed: 'true', json: true };
    case 'date':
      return { typed: '2026-02-28', json: '2026-02-28' };
    case 'choice': {
      const value = creatable?.at(-1) ?? Object.values(words ?? {}).at(-1);
      const word = Object.keys(words ?? {}).find((key) => words?.[key] === value) ?? '';
      return { typed: word.replaceAll(' ', '-'), json: value };
    }
    case 'hour':
      return { typed: '9', json: 9 };
    case 'words':
      return { typed: `${allowed?.[0]},${allowed?.[1]}`, json: [allowed?.[0], allowed?.[1]] };
    case 'integers':
      return { typed: '1,9', json: [1, 9] };
    case 'ids':
      return { typed: 'a,b', json: ['a', 'b'] };
    case 'objects':
      return { typed: '[{"name":"Any"}]', json: [{ name: 'Any' }] };
    case 'many':
      if (field.traits.pivot?.order_unit) {
        const json = [{ id: 'a', order_unit: 'box', order_to_storage_factor: 2.5 }];
        return { typed: JSON.stringify(json), json };
      }
      return amountField
        ? {
            typed: 'a=2.5,b=1',
            json: [
              { id: 'a', [amountField]: 2.5 },
              { id: 'b', [amountField]: 1 },
            ],
          }
        : { typed: 'a,b', json: [{ id: 'a' }, { id: 'b' }] };
    case 'ring':
      return { typed: '[46.5,24.5]', json: [46.5, 24.5] };
    default:
      return { typed: 'some text', json: 'some text' };
  }
}

const ids = ['first-id', 'second-id'];

function targetOf({ path, params }: Operation): string {
  return params.reduce((text, { name }, index) => text.replace(`{${name}}`, ids[index] ?? ''), path);
}

const writes = api.collections.flatMap(operations).filter(({ body }) => body.length > 0);
const plain = (entry: Operation['body'][number]) => !entry.field.traits.secret;
const flag = (name: string) => `--${name.replaceAll(/[_.]/g, '-')}`;
const named = ({ resource, verb }: Operation) => `${resource.command} ${verb}`;

describe('operations', () => {
  it.each(api.resources.flatMap(operations).map((operation) => [named(operation), operation] as const))(
    '%s',
    async (_, operation) => {
      const { resource, verb, params, body, effect, method } = operation;
      const words = resource.singleton ? [resource.command] : [resource.command, verb];
      const flags = body.filter(plain).flatMap(({ name, field }) => [flag(name), sample(field).typed]);
      const result = await boh(...words, ...ids.slice(0, params.length), ...flags, '--yes');
      expect(result.stderr).not.toContain('problem');
      expect(result.exitCode).toBe(0);
      const [request, ...others] = service.take();
      expect(others).toEqual([]);
      const json = Object.fromEntries(
        body.filter(plain).map(({ name, field }) => [name, sample(field).json]),
      );
      expect(request).toMatchObject({
        method,
        target: targetOf(operation) + (effect === 'act' ? '?order_id=some%20text' : ''),
        body: body.length > 0 && effect !== 'act' ? JSON.stringify(json) : '',
      });
      expect(request?.headers.authorization).toBe('Bearer a-token');
      expect(request?.headers['user-agent']).toMatch(/^boh\//);
    },
  );
});

describe('request fields', () => {
  const updates = writes.filter(({ effect }) => effect === 'update');
  const fields = updates.flatMap((operation) =>
    operation.body
      .filter(plain)
      .map((entry) => [`${named(operation)} ${flag(entry.name)}`, operation, entry] as const),
  );

  it.each(fields)('%s is sent alone', async (_, operation, { name, field }) => {
    const { typed, json } = sample(field);
    const result = await boh(operation.resource.command, 'update', 'first-id', flag(name), typed);
    expect(result.exitCode).toBe(0);
    expect(service.take()).toMatchObject([
      { target: targetOf(operation), body: JSON.stringify({ [name]: json }) },
    ]);
  });

  const required = writes.filter(({ effect }) => effect === 'create' || effect === 'link');

  it.each(required.map((operation) => [named(operation), operation] as const))(
    '%s: all missing required fields are named, and nothing is sent',
    async (_, { resource, verb, params, body, effect }) => {
      const result = await boh(resource.command, verb, ...ids.slice(0, params.length));
      const missing = body.filter(
        ({ field }) => field.traits.required && !field.traits.defaultsToSignedInUser,
      );
      if (effect === 'link' && missing.length === 0) {
        // The document requires nothing of it: the link alone says something.
        expect([result.exitCode, service.take().length]).toEqual([0, 1]);
        return;
      }
      expect(result.exitCode).toBe(2);
      expect(service.take()).toEqual([]);
      const told = missing.length > 0 ? missing.map(({ name }) => name) : ['_'];
      expect(Object.keys(failureOf(result).fields ?? {}).toSorted()).toEqual(told.toSorted());
    },
  );

  const secret = writes.flatMap((operation) =>
    operation.body
      .filter((entry) => !plain(entry))
      .map(({ name }) => [named(operation), operation, name] as const),
  );

  it.each(secret)('%s: secrets have no flag and are sent with --data', async (_, operation, name) => {
    const line = [operation.resource.command, operation.verb, ...ids.slice(0, operation.params.length)];
    expect((await boh(...line, flag(name), 'x')).exitCode).toBe(2);
    const body = { name: 'N', lang: 'en', [name]: 'hush' };
    expect((await boh(...line, '--data', JSON.stringify(body))).exitCode).toBe(0);
    expect(service.take()).toMatchObject([{ body: JSON.stringify(body) }]);
  });
});

describe('filters', () => {
  const filters = api.collections.flatMap((resource) =>
    resource.filters.map((filter) => [`${resource.command} ${flag(filter.name)}`, resource, filter] as const),
  );

  it.each(filters)('%s', async (_, resource, { name, value }) => {
    const cases: Partial<Record<Field['kind'], [string, string]>> = {
      timestamp: ['2026-02-28T03:00:00+03:00', '2026-02-28%2000%3A00%3A00'],
      boolean: ['true', 'true'],
      date: ['2026-02-28', '2026-02-28'],
      integer: ['966', '966'],
      choice: ['1,2', '1,2'],
      one: ['id-1,id-2', 'id-1,id-2'],
      many: ['id-1,id-2', 'id-1,id-2'],
    };
    const [typed, sent] = cases[value.kind] ?? ['Ä & b', '%C3%84%20%26%20b'];
    const result = await boh(resource.command, 'list', flag(name), typed);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toBe('[]\n');
    expect(service.take()).toMatchObject([
      { method: 'GET', target: `${resource.path}?filter[${name}]=${sent}` },
    ]);
  });
});
