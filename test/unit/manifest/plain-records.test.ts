/** Many records that are alike are read at a glance: whatever is read so is what the words for mistakes would have read. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Failure } from '../../../src/errors.ts';
import type { Declaration } from '../../../src/manifest/declared/declared.ts';
import { manifestFields } from '../../../src/manifest/declared/fields.ts';
import { declarationFrom } from '../../../src/manifest/declared/from-values.ts';
import { PlainRecord } from '../../../src/manifest/declared/plain-record.ts';
import { readManifests } from '../../../src/manifest/declared/read-manifests.ts';
import { Ref } from '../../../src/manifest/declared/ref.ts';
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
