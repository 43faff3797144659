/** Fills in a sheet in the user's editor: a table in plain text, with a comment above each line that has a problem. */
import { violations } from '../../base/errors.ts';
import { containsWords, foldedWords, foldText } from '../../base/fold-text.ts';
import type { Context } from '../../context/context.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { displayWidth, pad } from '../../terminal/width.ts';
import type { SheetQuestion, SheetRow } from '../terminal/questions.ts';
import { editText } from './editor.ts';

/** Opens a sheet in the editor until it is valid. Returns the texts of the rows in their order. */
export function fillInEditor(context: Context, name: string, question: SheetQuestion): Promise<string[]> {
  return editText(context, { name: `${name}.txt`, text: sheetText(question) }, async (saved, rewrite) => {
    const { texts, problems, text } = readSheet(saved, question);
    if (Object.keys(problems).length > 0) {
      await rewrite(text);
      throw violations('table', problems);
    }
    if (!question.mayBeEmpty && texts.every((typed) => typed === ''))
      throw violations('table', { _: ['has nothing filled in'] });
    return texts;
  });
}

type Sheet = Pick<SheetQuestion, 'message' | 'hint' | 'problem' | 'header' | 'columns' | 'rows'>;

const columnSeparator = '|';
/** The start of a comment about a problem in the next line. These comments are removed when the text is read. */
const mistakeSign = '#!';

/** Returns a sheet as text, with a line for each row. */
export function sheetText({ message, hint, problem, header, columns, rows }: Sheet): string {
  const lines = rows.map(({ id, label, cells, initial }) => [initial, label, ...cells, id].map(cell));
  const headers = [`# ${header}`, 'item', ...columns, 'id'].map(cell);
  const widths = headers.map((head, index) =>
    Math.max(...[headers, ...lines].map((line) => displayWidth(line[index] ?? '')), displayWidth(head)),
  );
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((text, index) =>
        index === cells.length - 1 ? text : pad(text, (widths[index] ?? 0) + (index === 0 ? 2 : 0)),
      )
      .join(` ${columnSeparator} `);
  return [
    `# ${message}.${hint ? ` ${hint}.` : ''}`,
    `# Fill in the first column, before the first ${columnSeparator}. Lines without a value are skipped.`,
    '# You can move and delete lines: the ID at the end identifies each. Lines that start with # are comments.',
    '# Save the file and close the editor to continue. If nothing is filled in, nothing is sent.',
    ...(problem ? [`${mistakeSign} ${problem}`] : []),
    lineOf(headers),
    ...lines.flatMap((line, row) => [...problemLines(rows[row]), lineOf(line)]),
    '',
  ].join('\n');
}

function problemLines(row: SheetRow | undefined): string[] {
  return row?.problem === undefined ? [] : [`${mistakeSign} ${cleanLine(row.problem)}`];
}

/** Returns the text of one cell without the column separator. */
function cell(text: string): string {
  return cleanLine(text).replaceAll(columnSeparator, '/');
}

/** The result of reading a sheet. */
export interface SheetReading {
  /** The text of each row of the question; empty if its line is empty or deleted. */
  texts: string[];
  /** The problems by line of `text`. */
  problems: Record<string, string[]>;
  /** The sheet with a comment above each line that has a problem. */
  text: string;
}

/** Reads a saved sheet. */
export function readSheet(
  text: string,
  { rows, validate }: Pick<SheetQuestion, 'rows' | 'validate'>,
): SheetReading {
  const findRow = rowFinder(rows);
  const texts = rows.map(() => '');
  const firstLines = new Map<number, number>();
  const lines: string[] = [];
  const problems: Record<string, string[]> = Object.create(null);
  const refuse = (line: string, label: string, problem: string) => {
    lines.push(`${mistakeSign} ${problem}`, line);
    problems[`line ${lines.length}`] = [label === '' ? problem : `${label}: ${problem}`];
  };
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed.startsWith(mistakeSign)) continue;
    if (trimmed === '' || trimmed.startsWith('#')) {
      lines.push(line);
      continue;
    }
    const cells = line.split(columnSeparator).map((part) => part.trim());
    const [typed = '', second = ''] = cells;
    if (cells.length < 2) {
      refuse(
        line,
        '',
        `${columnSeparator} is missing. Write the number before it, and the name or ID of the item after it.`,
      );
      continue;
    }
    const row = findRow(cells.at(-1) ?? '') ?? findRow(second);
    const name = rows[row ?? -1]?.label ?? second;
    const firstLine = row === undefined ? undefined : firstLines.get(row);
    if (row === undefined) {
      if (typed === '') lines.push(line);
      else refuse(line, '', `No item or several items match "${cleanLine(cells.at(-1) ?? '')}".`);
    } else if (typed === '') lines.push(line);
    else if (firstLine !== undefined) refuse(line, name, `Duplicate of line ${firstLine}.`);
    else {
      const problem = validate(typed, row);
      if (problem === undefined) lines.push(line);
      else refuse(line, name, problem);
      firstLines.set(row, lines.length);
      texts[row] = typed;
    }
  }
  return { texts, problems, text: lines.join('\n') };
}

/** Returns a function that finds a row by its id, by its name, or by words that only one name contains. */
function rowFinder(rows: readonly SheetRow[]): (text: string) => number | undefined {
  const ids = new Map(rows.map(({ id }, row) => [id, row]));
  const labels = rows.map(({ label }) => foldText(cell(label)));
  return (text) => {
    const words = foldedWords(text);
    if (words.length === 0) return undefined;
    const rowById = ids.get(text);
    if (rowById !== undefined) return rowById;
    const exactMatches = labels.flatMap((label, row) => (label === foldText(text) ? [row] : []));
    const matches =
      exactMatches.length > 0
        ? exactMatches
        : labels.flatMap((label, row) => (containsWords(label, words) ? [row] : []));
    return matches.length === 1 ? matches[0] : undefined;
  };
}
