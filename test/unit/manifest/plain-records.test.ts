/** Many records that are alike are read at a glance: whatever is read so is what the words for mistakes would have read. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Resource } from '../../../src/contract/resource.ts';
import { Failure } from '../../../src/errors.ts';
import type { Declaration } from '../../../src/manifest/declared/declared.ts';
import { manifestFields } from '../../../src/manifest/declared/fields.ts';
import { declarationFrom } from '../../../src/manifest/declared/from-values.ts';
import { PlainRecord } from '../../../src/manifest/declared/plain-record.ts';
import { readManifests } from '../../../src/manifest/declared/read-manifests.ts';
import { Ref, replaceRefs } from '../../../src/manifest/declared/ref.ts';
import type { Place } from '../../../src/manifest/source/node.ts';
import { api } from '../../../src/resources/index.ts';
import { fc } from '../../harness/fast-check.ts';

const resources = api.collections.filter((resource) => manifestFields(resource).size > 0);

const values = fc.constantFrom(
  'A',
  'B',
  '',
  'kg',
  'male',
  'yes',
  '0550',
  '2026-01-02',
  '2026-13-02',
  '10:30',
  'a@b.co',
  '09:00',
  '5',
  'null',
  0,
  1,
  2,
  -1,
  5,
  1.5,
  1000,
  12345678,
  true,
  false,
  null,
); // prettier-ignore

const many = fc.constantFrom(...resources).chain((resource) => {
  const names = [...manifestFields(resource)].flatMap(([name, { field }]) =>
    ['many', 'ids', 'object', 'objects', 'ring', 'words', 'integers'].includes(field.kind) ? [] : [name],
  );
  const fields = fc.subarray(names, { minLength: 1 });
  return fields.chain((own) =>
    fc.array(fc.tuple(...own.map(() => values)), { minLength: 2, maxLength: 5 }).map((rows) => ({
      command: resource.command,
      records: rows.map((row) => Object.fromEntries(own.map((name, at) => [name, row[at]]))),
    })),
  );
});

/** What is declared, or all that is wrong with it. */
async function outcome(declared: Promise<Declaration>) {
  try {
    const { records } = await declared;
    return records.map(({ resource, key, given, isExact, oldKey }) => ({
      resource: resource.name,
      key: key.map(({ name, value }) => [name, shown(value)]),
      given: [...given].map(([name, { value, field }]) => [name, field.name, shown(value)]),
      isExact,
      oldKey,
    }));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Values have one place for all.
    return [...new Set(Object.values(error.details.fields ?? {}).flat())].sort();
  }
}

const shown = (value: unknown) => (value instanceof Ref ? value.mark : value);

describe('records that are alike', () => {
  it('are read at a glance as each is by itself', async () => {
    let glanced = 0;
    await fc.assert(
      fc.asyncProperty(many, fc.boolean(), async ({ command, records }, isJson) => {
        const known = { [command]: records };
        const text = isJson ? JSON.stringify(known) : stringify(known);
        const read = readManifests({
          paths: ['-'],
          api,
          env: {},
          stdin: Readable.from([text]),
          plainCell: (cell) => cell,
        });
        const plain = await outcome(read);
        // A record twice is a mistake in a file, and nowhere else.
        if (plain.some((each) => String(each).startsWith('is the same'))) return;
        expect(plain, text).toEqual(await outcome(declarationFrom(known, 'values', api)));
        const declared = await read.catch(() => undefined);
        glanced += declared?.records.filter((record) => record instanceof PlainRecord).length ?? 0;
      }),
      { numRuns: 1500 },
    );
    expect(glanced).toBeGreaterThan(10);
  });
});

/** As people write them: each kind of field finds some that it takes, and many that it doesn’t. */
const written = [
  ...['A', '"B"', "'C'", '""', 'null', '~', 'true', 'False', 'yes', 'no', 'kg', 'male', '"female"', '"true"'],
  ...[
    '0',
    '1',
    '-0',
    '1.0',
    '1.50',
    '.5',
    '-2',
    '+3',
    '1e3',
    '0x10',
    '0o17',
    '0550',
    '1_000',
    '"2.50"',
    '007',
  ],
  ...['12345678901234567890', '0.1', '100', '1e400', '9007199254740993', '3.14159265358979323846'],
  ...[
    '2026-01-02',
    '2026-13-02',
    '"2026-01-02 10:00:00"',
    '10:30',
    '"09:00"',
    '12',
    '24',
    'a@b.co',
    '"$ {X}"',
  ],
  ...[`"$\{SET}"`, `$\{SET}`, `"$\{NUMBER}"`, `"$\{GONE:-2}"`, `"$$\{X}"`],
  ...[
    '[]',
    '[A]',
    '[1, 2]',
    '[A, 1.50]',
    '[{ id: A }]',
    '{ id: A }',
    '{ name: A }',
    '[[46.5, 24.75]]',
    '[46.5, 1]',
  ],
  ...['[{ name: Large, price: 2.50 }]', '[{ item: A, cost: 1.0 }]', '[{ ingredient: "1.50", quantity: .5 }]'],
  ...['[{ branch: B, minimum_level: 1 }]', '[dine in]', '[sat, "sun"]', '[customers:read]'],
];

/** What is declared, or all that is wrong, each with the place where it stands; `before` are lines that are not counted. */
async function placed(before: number, declared: Promise<Declaration>): Promise<unknown[]> {
  const at = ({ line, column }: Place) => `${line - before}:${column}`;
  try {
    const { records } = await declared;
    return records.map((record) => ({
      resource: record.resource.name,
      at: at(record.at),
      key: record.key,
      given: [...record.given].map(([name, { value, at: place }]) => [
        name,
        at(place),
        replaceRefs(value, (ref) => `${ref.mark} ${at(ref.at)}`),
      ]),
    }));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return Object.entries(error.details.fields ?? {}).map(([place, what]) => {
      const [line, column] = place.split(':').slice(1).map(Number);
      return `${at({ file: '-', line: line ?? 0, column: column ?? 0 })} ${what.join().replace(/ at -:\d+/, '')}`;
    });
  }
}

/** One field of each kind that is taken in the same way. */
function unlikeFields(): { resource: Resource; name: string }[] {
  const found = new Map<string, { resource: Resource; name: string }>();
  for (const resource of resources) {
    for (const [name, { field, link }] of manifestFields(resource)) {
      const { nullable, secret, writeOnly, limits } = field.traits;
      const mark = JSON.stringify([field.kind, link !== undefined, nullable, secret, writeOnly, limits]);
      if (name !== keyOf(resource)) found.set(mark, { resource, name });
    }
  }
  return [...found.values()];
}

function keyOf(resource: Resource): string {
  return resource.key.find((name) => manifestFields(resource).has(name)) ?? 'name';
}

/** The same text as boh reads it, and as the library does, which a directive calls for. */
async function bothRead(text: string): Promise<[own: unknown[], library: unknown[]]> {
  const env = { SET: '1.50', NUMBER: '3' };
  const read = (written: string, before: number) =>
    placed(
      before,
      readManifests({ paths: ['-'], api, env, stdin: Readable.from([written]), plainCell: (cell) => cell }),
    );
  return [await read(text, 0), await read(`%YAML 1.2\n---\n${text}`, 2)];
}

describe('a record', () => {
  it.each(unlikeFields().map(({ resource, name }) => [resource.command, name, resource] as const))(
    'is what the library reads, however its value is written: %s %s',
    async (command, name, resource) => {
      const record = (value: string, at: number, isFlow: boolean) => {
        const key = `${keyOf(resource)}: "${at}1000000"`;
        return isFlow ? `  - { ${key}, ${name}: ${value} }\n` : `  - ${key}\n    ${name}: ${value}\n`;
      };
      for (const value of written) {
        for (const isFlow of [false, true]) {
          // The second of two that are alike is read at a glance.
          const text = `${command}:\n${record(value, 1, isFlow)}${record(value, 2, isFlow)}`;
          const [own, library] = await bothRead(text);
          expect(own, text).toEqual(library);
        }
      }
    },
  );
});
