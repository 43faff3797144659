/** Asks how a file is read, if the file doesn't show it. */
import type { Context } from '../../context/context.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { labelInSentence } from '../../tables/check-file.ts';
import { formatRow, type NumberedRow } from '../../tables/find-header.ts';
import type { InputFile } from '../../tables/input-file.ts';
import type { EncodingSample } from '../../tables/possible-encodings.ts';
import { note } from '../../terminal/messages.ts';

/** Returns a function that asks for the encoding of a file, with some of its lines in each encoding. */
export function encodingChooser({ label }: InputFile, { streams }: Context) {
  return async (samples: readonly EncodingSample[]): Promise<string> => {
    const entries = samples.map(({ encoding, lines }) => ({
      value: encoding,
      label: `${encoding}: ${lines}`,
    }));
    const message = `${label} is not UTF-8. Which text is right?`;
    const encoding = await (await promptsFor(streams)).pick({ message, entries });
    note(
      streams,
      `To read it without this question: --encoding ${encoding}. --save-map also saves the encoding.`,
    );
    return encoding;
  };
}

/** Returns a function that asks which of the first rows of a file is its header. */
export function headerChooser({ label }: InputFile, { streams }: Context) {
  return async (rows: readonly NumberedRow[]): Promise<number> => {
    const entries = rows.map((row) => ({ value: row.row, label: `${row.row}: ${formatRow(row)}` }));
    const message = `No row of ${labelInSentence(label)} has known column names. Which row is its header?`;
    const headerRow = await (await promptsFor(streams)).pick({ message, entries });
    note(streams, `To read it without this question: --header-row ${headerRow}`);
    return headerRow;
  };
}
