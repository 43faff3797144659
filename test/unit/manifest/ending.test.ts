/** Reading very many records hears that it is to end: nobody waits for the last of them. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readManifests } from '../../../src/manifest/declared/read-manifests.ts';
import { api } from '../../../src/resources/index.ts';

const lines = Array.from({ length: 40_000 }, (_, at) => `  - name: Tag ${at}\n    type: customer\n`).join('');
const texts = {
  'plain YAML': `tags:\n${lines}`,
  JSON: JSON.stringify({ tags: Array.from({ length: 40_000 }, (_, at) => ({ name: `Tag ${at}`, type: 1 })) }),
  'YAML of every kind': `tags:\n  - name: &first First\n    type: customer\n${lines}`,
};

describe('reading manifests', () => {
  it.each(Object.entries(texts))('%s ends when it is told to', async (_, text) => {
    const ending = new AbortController();
    const read = readManifests({
      paths: ['-'],
      api,
      env: {},
      stdin: Readable.from([text]),
      plainCell: (cell) => cell,
      signal: ending.signal,
    });
    setTimeout(() => ending.abort(new Error('It is to end.')), 10);
    await expect(read).rejects.toThrow('It is to end.');
  });
});
