/** Makes a workbook from its rows, which are written to a temporary file first, as there may be many. */
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../base/errors.ts';
import { openScratch } from '../../base/scratch.ts';
import type { SheetCell } from './cell.ts';
import { inWorker } from './in-worker.ts';
import type { SheetHead } from './messages.ts';

/** Returns the bytes of a workbook. `texts` are lines of `headLine` and `rowLine`, sheet after sheet. */
export async function* bookBytes(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Buffer> {
  const folder = openScratch('workbook');
  try {
    const [rows, file] = [join(folder.path, 'rows'), join(folder.path, 'book')];
    await pipeline(Readable.from(texts), createWriteStream(rows, { mode: 0o600 }));
    const ended = await inWorker({ task: 'write', rows, file });
    if (!('written' in ended)) throw notMade('broken' in ended ? ended.broken : undefined);
    for await (const chunk of createReadStream(file)) yield chunk as Buffer;
  } finally {
    folder.remove();
  }
}

/** Returns the line that starts a sheet. */
export function headLine(head: SheetHead): string {
  return `${JSON.stringify(head)}\n`;
}

/** Returns the line of a row. */
export function rowLine(cells: readonly SheetCell[]): string {
  return `${JSON.stringify(cells)}\n`;
}

function notMade(reason: string | undefined): Failure {
  const why = reason === undefined ? 'it takes too much time or memory' : reason.replace(/\.$/, '');
  return new Failure('unavailable', `Can't write the workbook: ${why}.`, {
    hint: 'Choose fewer columns, or write CSV or NDJSON, which have no size limit.',
  });
}
