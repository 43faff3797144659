/** The records of a CSV file, as many at a time as have been read. */
import { usage } from '../base/errors.ts';
import { type CsvRecord, CsvSplitter, type CsvSyntax, longestRecord, RecordTooLong } from './csv-splitter.ts';
import { decoded, type Encoded } from './encoding.ts';
import type { Source } from './source.ts';

/** Begins with the first record, title or header. Throws a usage failure for a line that doesn't end. */
export async function* records(
  source: Source,
  { encoding }: Encoded,
  syntax: CsvSyntax,
  width?: number,
): AsyncGenerator<readonly CsvRecord[]> {
  const splitter = new CsvSplitter(syntax, width);
  try {
    for await (const text of decoded(source, encoding)) {
      const found = [...splitter.split(text, false)];
      if (found.length > 0) yield found;
    }
    yield [...splitter.split('', true)];
  } catch (error) {
    if (!(error instanceof RecordTooLong)) throw error;
    const limit = longestRecord.toLocaleString('en-US');
    throw usage(`${source.called}: the row at line ${error.line} has more than ${limit} characters.`, {
      hint: 'A row of that length mostly has no line breaks that a CSV file may have: LF, CRLF or CR.',
    });
  }
}
