/** Work over very many records hears that it is to end: nobody waits for the last of them. */
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { Ledger } from '../../../src/bulk/ledger/ledger.ts';
import { addRows } from '../../../src/manifest/apply/rows.ts';
import { readManifests } from '../../../src/manifest/declared/read-manifests.ts';
import type { Change } from '../../../src/manifest/plan/change.ts';
import type { Plan } from '../../../src/manifest/plan/make-plan.ts';
import { api } from '../../../src/resources/index.ts';

const lines = (length: number) =>
  Array.from({ length }, (_, at) => `  - name: Tag ${at}\n    type: customer\n`).join('');
const texts = {
  YAML: `tags:\n${lines(100_000)}`,
  JSON: JSON.stringify({
    tags: Array.from({ length: 100_000 }, (_, at) => ({ name: `Tag ${at}`, type: 1 })),
  }),
};

function reading(text: string, signal?: AbortSignal) {
  const stdin = Readable.from([text]);
  return readManifests({
    paths: ['-'],
    api,
    env: {},
    stdin,
    plainCell: (cell) => cell,
    ...(signal && { signal }),
  });
}

describe('reading manifests', () => {
  it.each(Object.entries(texts))('%s: stops when its signal is aborted', async (_, text) => {
    const ending = new AbortController();
    const read = reading(text, ending.signal);
    setTimeout(() => ending.abort(new Error('It is to end.')), 10);
    await expect(read).rejects.toThrow('It is to end.');
  });
});

test('a manifest of more than 16 million characters: refused before it is parsed', async () => {
  await expect(reading(`# ${'x'.repeat(16_000_000)}\n`)).rejects.toMatchObject({
    category: 'usage',
    details: {
      fields: {
        '-:1:1': [
          expect.stringMatching(/^is too long: it has 17 million characters, and the limit is 16 million/),
        ],
      },
    },
  });
});

test('noting down what an apply is to do ends when it is told to, before anything is sent', async () => {
  const resource = api.resource('tags');
  if (!resource) throw new Error('There are tags.');
  const changes = Array.from({ length: 100_000 }, (_, at): Change => {
    const create = { name: `Tag ${at}`, type: 1 };
    const work = {
      name: `tags ${at}`,
      isRestored: false,
      known: undefined,
      create,
      update: undefined,
      links: [],
    };
    const fields = { name: { old: null, new: create.name } };
    return {
      action: 'create',
      resource,
      key: create.name,
      title: undefined,
      id: undefined,
      fields,
      links: [],
      work,
    };
  });
  const plan: Plan = {
    changes,
    matches: new Map(),
    target: () => undefined,
    counts: new Map(),
    remarks: [],
    declaration: { records: [], resources: [resource] },
    rowName: () => '',
  };
  const ledger = new Ledger(':memory:');
  onTestFinished(() => ledger.close());
  const ending = new AbortController();
  setTimeout(() => ending.abort(new Error('It is to end.')), 10);
  await expect(addRows(ledger, plan, ending.signal)).rejects.toThrow('It is to end.');
});
