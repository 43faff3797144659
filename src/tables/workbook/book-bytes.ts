/** A workbook from its rows: they go to a file first, as there may be many, and come back packed. */
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../base/errors.ts';
import { openScratch } from '../../base/scratch.ts';
import type { SheetCell } from './cell.ts';
import { inWorker } from './in-worker.ts';
import type { SheetHead } from './messages.ts';

/** `texts` are the lines of `headLine` and `rowLine`, sheet after sheet. Throws where they do, or where it can't be made. */
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

export function headLine(head: SheetHead): string {
  return `${JSON.stringify(head)}\n`;
}

export function rowLine(cells: readonly SheetCell[]): string {
  return `${JSON.stringify(cells)}\n`;
}

function notMade(reason: string | undefined): Failure {
  const why = reason === undefined ? 'it takes too much time or memory' : reason.replace(/\.$/, '');
  return new Failure('unavailable', `The workbook can't be made: ${why}.`, {
    hint: 'Leave columns out, or write it as CSV or NDJSON: those may have any size.',
  });
}
