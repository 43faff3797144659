/** Lines without quotes are taken apart at once, and what follows a quote is read by the library: the same rows either way. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { records } from '../../../src/bulk/tables/csv-records.ts';
import type { Source } from '../../../src/bulk/tables/source.ts';
import { fc } from '../../harness/fast-check.ts';

const encoded = { encoding: 'utf-8', hasMark: false, isGuess: false };

/** A file that comes in pieces of so many bytes. */
function sourceOf(text: string, size: number): Source {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return {
    called: 'a.csv',
    name: 'a.csv',
    extension: 'csv',
    read: () => Readable.from(chunks),
  } as unknown as Source;
}

async function read(text: string, size: number, delimiter = ',') {
  const found = [];
  for await (const each of records(sourceOf(text, size), encoded, { delimiter, lineBreak: '\n' }))
    found.push(...each);
  return found;
}

const cells = fc.constantFrom('a', '', 'ب 🍅', '-5', '2.50', ' x ', 'sep=;', ';');
const ends = fc.constantFrom('\n', '\r\n', '\r', '\n\n');

describe('rows of CSV', () => {
  it('are the same whether a quote stands behind them or not, however the file comes in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(cells, { minLength: 1, maxLength: 3 }), ends), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(',', ';'),
        async (lines, size, delimiter) => {
          const text = lines.map(([row, end]) => row.join(delimiter) + end).join('');
          const plain = await read(`${text}last`, size, delimiter);
          const quoted = await read(`${text}"last"`, 1000, delimiter);
          expect(plain.slice(0, -1)).toEqual(quoted.slice(0, -1));
          expect(plain.at(-1)).toEqual({ ...quoted.at(-1), raw: 'last' });
          expect(await read(`${text}"last"`, size, delimiter)).toEqual(quoted);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('with a quote that isn’t closed name its line, wherever the quotes begin', async () => {
    const text = 'a,b\n1,2\n3,4\n5,6\n7,"8\n9,10\n';
    for (const size of [4, 7, 100]) {
      await expect(read(text, size)).rejects.toThrow('line 5');
    }
  });
});
