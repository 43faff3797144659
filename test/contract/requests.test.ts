/** Runs every operation, filter and request field as a command, and compares the request with the expected one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Field } from '../../src/api/contract/field.ts';
import { type Operation, operations } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { type Recorder, startRecorder } from '../harness/recorder.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

let service: Recorder;
beforeAll(async () => {
  service = await startRecorder({
    'GET /loyalty_rewards/first-id?order_id=some%20text': { id: 'first-id', order_id: 'some text' },
  });
  // The first write with a token also requests its account.
  await boh('tags', 'create', '--name', 'First', '--type', '1');
  service.takeRequests();
});
afterAll(() => service.close());

const boh = (...argv: string[]) =>
  runBoh(argv, {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl },
  });

/** Returns an argument for a kind of field with its JSON value, written independently of the program. */
function sampleOf(field: Field): { input: string; json: unknown } {
  const { amountField, words, allowed, creatable } = field.traits;
  switch (field.kind) {
    case 'integer':
      return { input: '12', json: 12 };
    case 'decimal':
      return { input: '2.5', json: 2.5 };
    case 'numeric_text':
      return { input: '7.50', json: '7.50' };
    case 'unit':
      return { input: 'kg', json: 'kg' };
    case 'boolean':
      return { input: 'true', json: true };
    case 'date':
      return { input: '2026-02-28', json: '2026-02-28' };
    case 'choice': {
      const value = creatable?.at(-1) ?? Object.values(words ?? {}).at(-1);
      const word = Object.keys(words ?? {}).find((key) => words?.[key] === value) ?? '';
      return { input: word.replaceAll(' ', '-'), json: value };
    }
    case 'hour':
      return { input: '9', json: 9 };
    case 'words':
      return { input: `${allowed?.[0]},${allowed?.[1]}`, json: [allowed?.[0], allowed?.[1]] };
    case 'integers':
      return { input: '1,9', json: [1, 9] };
    case 'ids':
      return { input: 'a,b', json: ['a', 'b'] };
    case 'objects':
      return { input: '[{"name":"Any"}]', json: [{ name: 'Any' }] };
    case 'many':
      if (field.traits.pivot?.order_unit) {
        const json = [{ id: 'a', order_unit: 'box', order_to_storage_factor: 2.5 }];
        return { input: JSON.stringify(json), json };
      }
      return amountField
        ? {
            input: 'a=2.5,b=1',
            json: [
              { id: 'a', [amountField]: 2.5 },
              { id: 'b', [amountField]: 1 },
            ],
          }
        : { input: 'a,b', json: [{ id: 'a' }, { id: 'b' }] };
    case 'ring':
      return { input: '[46.5,24.5]', json: [46.5, 24.5] };
    default:
      return { input: 'some text', json: 'some text' };
  }
}

const ids = ['first-id', 'second-id'];

function targetOf({ path, params }: Operation): string {
  return params.reduce((text, { name }, index) => text.replace(`{${name}}`, ids[index] ?? ''), path);
}

const writeOperations = api.collections.flatMap(operations).filter(({ body }) => body.length > 0);
const hasFlag = (entry: Operation['body'][number]) => !entry.field.traits.secret;
const flagOf = (name: string) => `--${name.replaceAll(/[_.]/g, '-')}`;
const commandOf = ({ resource, verb }: Operation) => `${resource.command} ${verb}`;

describe('operation', () => {
  it.each(api.resources.flatMap(operations).map((operation) => [commandOf(operation), operation] as const))(
    '%s: sends its request',
    async (_, operation) => {
      const { resource, verb, params, body, effect, method } = operation;
      const words = resource.singleton ? [resource.command] : [resource.command, verb];
      const flags = body.filter(hasFlag).flatMap(({ name, field }) => [flagOf(name), sampleOf(field).input]);
      const result = await boh(...words, ...ids.slice(0, params.length), ...flags, '--yes');
      expect(result.stderr).not.toContain('problem');
      expect(result.exitCode).toBe(0);
      const [request, ...otherRequests] = service.takeRequests();
      expect(otherRequests).toEqual([]);
      const json = Object.fromEntries(
        body.filter(hasFlag).map(({ name, field }) => [name, sampleOf(field).json]),
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

describe('request field', () => {
  const updates = writeOperations.filter(({ effect }) => effect === 'update');
  const fields = updates.flatMap((operation) =>
    operation.body
      .filter(hasFlag)
      .map((entry) => [`${commandOf(operation)} ${flagOf(entry.name)}`, operation, entry] as const),
  );

  it.each(fields)('%s: is sent without other fields', async (_, operation, { name, field }) => {
    const { input, json } = sampleOf(field);
    const result = await boh(operation.resource.command, 'update', 'first-id', flagOf(name), input, '--yes');
    expect(result.exitCode).toBe(0);
    expect(service.takeRequests()).toMatchObject([
      { target: targetOf(operation), body: JSON.stringify({ [name]: json }) },
    ]);
  });

  const creations = writeOperations.filter(({ effect }) => effect === 'create' || effect === 'link');

  it.each(creations.map((operation) => [commandOf(operation), operation] as const))(
    '%s without its required fields: reports all of them and sends nothing',
    async (_, { resource, verb, params, body, effect }) => {
      const result = await boh(resource.command, verb, ...ids.slice(0, params.length));
      const missingFields = body.filter(
        ({ field }) => field.traits.required && !field.traits.defaultsToSignedInUser,
      );
      if (effect === 'link' && missingFields.length === 0) {
        // The API document requires no field of the link, so the request is valid.
        expect([result.exitCode, service.takeRequests().length]).toEqual([0, 1]);
        return;
      }
      expect(result.exitCode).toBe(2);
      expect(service.takeRequests()).toEqual([]);
      const expectedFields = missingFields.length > 0 ? missingFields.map(({ name }) => name) : ['_'];
      expect(Object.keys(failureOf(result).fields ?? {}).toSorted()).toEqual(expectedFields.toSorted());
    },
  );

  const secretFields = writeOperations.flatMap((operation) =>
    operation.body
      .filter((entry) => !hasFlag(entry))
      .map(({ name }) => [commandOf(operation), operation, name] as const),
  );

  it.each(secretFields)('%s: a secret has no flag, and is sent with --data', async (_, operation, name) => {
    const line = [operation.resource.command, operation.verb, ...ids.slice(0, operation.params.length)];
    expect((await boh(...line, flagOf(name), 'x')).exitCode).toBe(2);
    const body = { name: 'N', lang: 'en', [name]: 'secret' };
    expect((await boh(...line, '--data', JSON.stringify(body))).exitCode).toBe(0);
    expect(service.takeRequests()).toMatchObject([{ body: JSON.stringify(body) }]);
  });
});

describe('filter', () => {
  const filters = api.collections.flatMap((resource) =>
    resource.filters.map(
      (filter) => [`${resource.command} ${flagOf(filter.name)}`, resource, filter] as const,
    ),
  );

  it.each(filters)('%s: is sent in the query', async (_, resource, { name, value }) => {
    const cases: Partial<Record<Field['kind'], [string, string]>> = {
      timestamp: ['2026-02-28T03:00:00+03:00', '2026-02-28%2000%3A00%3A00'],
      boolean: ['true', 'true'],
      date: ['2026-02-28', '2026-02-28'],
      integer: ['966', '966'],
      choice: ['1,2', '1,2'],
      one: ['id-1,id-2', 'id-1,id-2'],
      many: ['id-1,id-2', 'id-1,id-2'],
    };
    const [input, queryValue] = cases[value.kind] ?? ['Ä & b', '%C3%84%20%26%20b'];
    const result = await boh(resource.command, 'list', flagOf(name), input);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toBe('[]\n');
    expect(service.takeRequests()).toMatchObject([
      { method: 'GET', target: `${resource.path}?filter[${name}]=${queryValue}` },
    ]);
  });
});
