/** Checks the flags that add and remove values, for every list of an update: the request contains the complete new list. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relationsToInclude } from '../../src/account/session/record-body.ts';
import { isList } from '../../src/api/contract/comma-list.ts';
import type { Field } from '../../src/api/contract/field.ts';
import { isUndocumentedInclude } from '../../src/api/contract/include.ts';
import { linkFields, operations } from '../../src/api/contract/operation.ts';
import { flagName, inputWords } from '../../src/api/contract/value-text.ts';
import { api } from '../../src/api/resources/index.ts';
import { type Recorder, startRecorder } from '../harness/recorder.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

const lists = api.collections
  .flatMap(operations)
  .filter(({ effect }) => effect === 'update')
  .flatMap((operation) =>
    operation.body
      .filter(({ field }) => isList(field))
      .map((entry) => ({ operation, entry, label: `${operation.command} --add-${flagName(entry.name)}` })),
  );

/** Returns three values of a list: as an argument, in a response, and in a request. */
function exampleValues(field: Field): { input: string; returned: unknown; sent: unknown; key: string }[] {
  const { amountField, allowed = [], words = {} } = field.traits;
  switch (field.kind) {
    case 'words':
      return allowed.slice(0, 3).map((word) => ({ input: word, returned: word, sent: word, key: word }));
    case 'integers':
      return inputWords(field)
        .slice(0, 3)
        .map((word, index) => ({
          input: word,
          returned: Object.values(words)[index],
          sent: Object.values(words)[index],
          key: word,
        }));
    case 'ids':
      return ['a', 'b', 'c'].map((id) => ({ input: id, returned: id, sent: id, key: id }));
    default:
      return ['a', 'b', 'c'].map((id) => {
        const pivot = Object.fromEntries(
          linkFields(field).map(({ name, field: linkField }) => [name, linkField.traits.example ?? 1.5]),
        );
        const sent = { id, ...pivot };
        const number = amountField && pivot[amountField];
        const inputText = number === undefined ? id : `${id}=${number}`;
        const isPlain = Object.keys(pivot).length === (amountField ? 1 : 0);
        return {
          input: isPlain ? inputText : JSON.stringify([sent]),
          returned: { id, name: `The ${id}`, pivot },
          sent,
          key: id,
        };
      });
  }
}

let service: Recorder;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'boh-lists-'));
  const data: Record<string, Record<string, unknown>> = {};
  for (const { operation, entry } of lists) {
    const include = relationsToInclude(operation).filter(
      (path) => !isUndocumentedInclude(operation.resource, path),
    );
    const query = include.length > 0 ? `?include=${include.join(',')}` : '';
    const request = `GET ${operation.resource.path}/5${query}`;
    const relations = operation.resource.fields;
    const empty = Object.entries(relations).map(([name, { kind }]) => [name, kind === 'one' ? null : []]);
    const record = data[request] ?? { ...Object.fromEntries(empty), id: '5', name: 'It' };
    data[request] = record;
    record[entry.responseName] = exampleValues(entry.field)
      .slice(0, 2)
      .map(({ returned }) => returned);
  }
  service = await startRecorder(data);
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const boh = (...argv: string[]) =>
  runBoh(argv, { env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: folder } });
const sentBodies = () =>
  service
    .takeRequests()
    .filter(({ method }) => method === 'PUT')
    .map(({ body }) => JSON.parse(body));

it('update: more than 15 lists have flags that add and remove values', () =>
  expect(lists.length).toBeGreaterThan(15));

describe.each(lists)('$label', ({ operation, entry }) => {
  const [first, second, third] = exampleValues(entry.field);
  const flag = flagName(entry.name);
  const update = [operation.resource.command, 'update', '5'];

  it('--add and --remove: keep the other values of the list', async () => {
    const addResult = await boh(...update, `--add-${flag}`, third?.input ?? '');
    expect([addResult.exitCode, addResult.stderr]).toEqual([0, expect.stringContaining('updated')]);
    expect(sentBodies()).toEqual([{ [entry.name]: [first?.sent, second?.sent, third?.sent] }]);
    await boh(...update, `--remove-${flag}`, first?.key ?? '', `--add-${flag}`, third?.input ?? '');
    expect(sentBodies()).toEqual([{ [entry.name]: [second?.sent, third?.sent] }]);
  });

  it('--add: refuses another flag for the whole list, and --remove of the same value', async () => {
    for (const conflictingFlags of [
      [`--${flag}`, first?.input ?? ''],
      ['--clear', flag],
      ['--data', `{"${entry.name}":[]}`],
    ]) {
      const result = await boh(...update, `--add-${flag}`, third?.input ?? '', ...conflictingFlags);
      expect(result.exitCode).toBe(2);
      expect(failureOf(result).fields).toEqual({ [entry.name]: [expect.stringContaining('the whole list')] });
    }
    const bothResult = await boh(
      ...update,
      `--add-${flag}`,
      third?.input ?? '',
      `--remove-${flag}`,
      third?.key ?? '',
    );
    expect([bothResult.exitCode, failureOf(bothResult).message]).toEqual([
      2,
      expect.stringContaining("can't be added to"),
    ]);
    expect(sentBodies()).toEqual([]);
  });

  it('help: describes the flags, and that the flag without a prefix replaces the list', async () => {
    const { stdout } = await boh(...update, '--help');
    expect(stdout).toMatch(new RegExp(`--add-${flag} <`));
    expect(stdout).toMatch(new RegExp(`--remove-${flag} <`));
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(`--${flag} <[^>]*>[^<]*\\(replaces the list\\) --`),
    );
  });
});

describe('list changes with other flags', () => {
  it('other fields are also updated, and --full keeps the remaining fields', async () => {
    await boh('suppliers', 'update', '5', '--name', 'New', '--add-tags', 'c');
    expect(sentBodies()).toEqual([{ name: 'New', tags: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] }]);
    const fullResult = await boh(
      'tax-groups',
      'update',
      '5',
      '--remove-taxes',
      'a',
      '--name-localized',
      'x',
      '--full',
    );
    expect([fullResult.exitCode, fullResult.stderr]).toEqual([0, expect.stringContaining('updated')]);
    expect(sentBodies()).toEqual([{ name: 'It', name_localized: 'x', taxes: [{ id: 'b' }] }]);
  });

  it('--dry-run: reads the record and prints the new list; --offline is refused', async () => {
    const result = await boh('suppliers', 'update', '5', '--add-tags', 'c', '--dry-run');
    expect(JSON.parse(result.stdout).body).toEqual({ tags: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] });
    const offlineResult = await boh('suppliers', 'update', '5', '--add-tags', 'c', '--dry-run', '--offline');
    expect([offlineResult.exitCode, failureOf(offlineResult).message]).toEqual([
      2,
      expect.stringContaining('offline'),
    ]);
    expect(sentBodies()).toEqual([]);
  });

  it('invalid added value: is refused before anything is sent', async () => {
    const result = await boh('timed-events', 'update', '5', '--add-order-types', 'brunch');
    expect([result.exitCode, Object.keys(failureOf(result).fields ?? {})]).toEqual([2, ['order_types']]);
    expect(service.takeRequests()).toEqual([]);
  });

  it('added value that neither the document nor the account has: is refused with --strict-values', async () => {
    const result = await boh('users', 'update', '5', '--add-notifications', 'nothing', '--strict-values');
    expect([result.exitCode, Object.keys(failureOf(result).fields ?? {})]).toEqual([2, ['notifications']]);
    expect(sentBodies()).toEqual([]);
  });
});
