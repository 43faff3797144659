/** Long operations on many records stop on a signal: they check regularly whether the signal is aborted. */
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { addRows } from '../../src/engine/manifest/apply/rows.ts';
import { readManifests } from '../../src/engine/manifest/declared/read-manifests.ts';
import type { Change } from '../../src/engine/manifest/plan/change.ts';
import type { ManifestPlan } from '../../src/engine/manifest/plan/make-plan.ts';
import { Ledger } from '../../src/engine/runs/ledger/ledger.ts';

const recordCount = 5_000;

/**
 * The fake clock advances by an hour at each reading, so that a pause is always due, on any machine. The signal is
 * aborted at the tenth reading; `reads` returns the total number of readings.
 */
function abortAtTenthRead() {
  const controller = new AbortController();
  const counted = { signal: controller.signal, reads: 0 };
  vi.spyOn(performance, 'now').mockImplementation(() => {
    if (++counted.reads === 10) controller.abort(new Error('Aborted.'));
    return counted.reads * 3_600_000;
  });
  return counted;
}

const lines = (length: number) =>
  Array.from({ length }, (_, index) => `  - name: Tag ${index}\n    type: customer\n`).join('');
const files = {
  YAML: `tags:\n${lines(recordCount)}`,
  JSON: JSON.stringify({
    tags: Array.from({ length: recordCount }, (_, index) => ({ name: `Tag ${index}`, type: 1 })),
  }),
};

function read(text: string, signal?: AbortSignal) {
  const stdin = Readable.from([text]);
  return readManifests({
    paths: ['-'],
    api,
    env: {},
    stdin,
    unguardCell: (cell) => cell,
    ...(signal && { signal }),
  });
}

describe('reading manifests', () => {
  it.each(Object.entries(files))('%s: stops when the signal is aborted', async (_, text) => {
    const counted = abortAtTenthRead();
    await expect(read(text, counted.signal)).rejects.toThrow('Aborted.');
    expect(counted.reads).toBeLessThan(20);
  });
});

test('a manifest of more than 16 million characters: is refused before it is parsed', async () => {
  await expect(read(`# ${'x'.repeat(16_000_000)}\n`)).rejects.toMatchObject({
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

test('apply: stops before it sends anything if the signal is aborted while it adds rows to the ledger', async () => {
  const resource = api.resource('tags');
  if (!resource) throw new Error('The contract has no tags.');
  const changes = Array.from({ length: recordCount }, (_, index): Change => {
    const create = { name: `Tag ${index}`, type: 1 };
    const work = {
      name: `tags ${index}`,
      current: undefined,
      values: create,
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
      requests: work,
    };
  });
  const plan: ManifestPlan = {
    changes,
    matches: new Map(),
    target: () => undefined,
    prune: [],
    counts: new Map(),
    notes: [],
    notCompared: [],
    declaration: { records: [], resources: [resource] },
    rowName: () => '',
  };
  const ledger = new Ledger(':memory:');
  onTestFinished(() => ledger.close());
  const counted = abortAtTenthRead();
  await expect(addRows(ledger, plan, counted.signal)).rejects.toThrow('Aborted.');
  expect(counted.reads).toBeLessThan(20);
});
