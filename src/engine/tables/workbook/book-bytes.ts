/** Builds a workbook from its rows. The rows are first written to a temporary file, because there may be many. */
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../../base/errors.ts';
import { createTemporaryFolder } from '../../../base/temporary-folder.ts';
import type { SheetCell } from './cell.ts';
import { runInWorker } from './in-worker.ts';
import type { SheetHeader } from './messages.ts';

/** Returns the bytes of a workbook. `lines` are results of `formatSheetHeader` and `formatSheetRow`, sheet after sheet. */
export async function* workbookBytes(
  lines: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<Buffer> {
  const scratch = createTemporaryFolder('workbook');
  try {
    const [rowsFile, file] = [join(scratch.path, 'rows'), join(scratch.path, 'book')];
    await pipeline(Readable.from(lines), createWriteStream(rowsFile, { mode: 0o600 }));
    const result = await runInWorker({ task: 'write', rowsFile, file });
    if (!('written' in result)) throw writeFailure('broken' in result ? result.broken : undefined);
    for await (const chunk of createReadStream(file)) yield chunk as Buffer;
  } finally {
    scratch.remove();
  }
}

export function formatSheetHeader(header: SheetHeader): string {
  return `${JSON.stringify(header)}\n`;
}

export function formatSheetRow(cells: readonly SheetCell[]): string {
  return `${JSON.stringify(cells)}\n`;
}

function writeFailure(problem: string | undefined): Failure {
  const reason = problem === undefined ? 'it takes too much time or memory' : problem.replace(/\.$/, '');
  return new Failure('unavailable', `Can't write the workbook: ${reason}.`, {
    hint: 'Choose fewer columns, or write CSV or NDJSON, which have no size limit.',
  });
}
