/** Opens a sheet in the user's editor as a plain text table, with a comment above each line that has a problem. */
import { violations } from '../../base/errors.ts';
import { containsWords, foldText, foldWords } from '../../base/fold-text.ts';
import type { Context } from '../../context/context.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { displayWidth, pad } from '../../terminal/width.ts';
import type { SheetQuestion, SheetRow } from '../terminal/questions.ts';
import { editText } from './editor.ts';

/** Opens a sheet in the editor until it is valid. Returns the text of each row, in their order. */
export function fillInEditor(context: Context, name: string, question: SheetQuestion): Promise<string[]> {
  return editText(context, { name: `${name}.txt`, text: formatSheet(question) }, async (saved, rewrite) => {
    const { texts, problems, text } = parseSheet(saved, question);
    if (Object.keys(problems).length > 0) {
      await rewrite(text);
      throw violations('table', problems);
    }
    if (!question.mayBeEmpty && texts.every((text) => text === ''))
      throw violations('table', { _: ['has nothing filled in'] });
    return texts;
  });
}

type Sheet = Pick<SheetQuestion, 'message' | 'hint' | 'problem' | 'header' | 'columns' | 'rows'>;

const columnSeparator = '|';
/** The prefix of a comment about a problem in the next line. These comments are removed when the text is parsed. */
const problemPrefix = '#!';

/** Returns a sheet as text, with a line for each row. */
export function formatSheet({ message, hint, problem, header, columns, rows }: Sheet): string {
  const lines = rows.map(({ id, label, cells, initial }) => [initial, label, ...cells, id].map(cleanCell));
  const headers = [`# ${header}`, 'item', ...columns, 'id'].map(cleanCell);
  const widths = headers.map((head, index) =>
    Math.max(...[headers, ...lines].map((line) => displayWidth(line[index] ?? '')), displayWidth(head)),
  );
  const formatLine = (cells: readonly string[]) =>
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
    ...(problem ? [`${problemPrefix} ${problem}`] : []),
    formatLine(headers),
    ...lines.flatMap((line, row) => [...problemLines(rows[row]), formatLine(line)]),
    '',
  ].join('\n');
}

function problemLines(row: SheetRow | undefined): string[] {
  return row?.problem === undefined ? [] : [`${problemPrefix} ${cleanLine(row.problem)}`];
}

/** Returns the text of one cell without the column separator. */
function cleanCell(text: string): string {
  return cleanLine(text).replaceAll(columnSeparator, '/');
}

/** The texts and problems of an edited sheet. */
export interface ParsedSheet {
  /** The text of each row of the question; empty if its line is empty or deleted. */
  texts: string[];
  /** The problems by line of `text`. */
  problems: Record<string, string[]>;
  /** The sheet with a comment above each line that has a problem. */
  text: string;
}

/** Parses an edited sheet. */
export function parseSheet(
  text: string,
  { rows, validate }: Pick<SheetQuestion, 'rows' | 'validate'>,
): ParsedSheet {
  const findRow = rowFinder(rows);
  const texts = rows.map(() => '');
  const firstLines = new Map<number, number>();
  const lines: string[] = [];
  const problems: Record<string, string[]> = Object.create(null);
  const addProblem = (line: string, label: string, problem: string) => {
    lines.push(`${problemPrefix} ${problem}`, line);
    problems[`line ${lines.length}`] = [label === '' ? problem : `${label}: ${problem}`];
  };
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed.startsWith(problemPrefix)) continue;
    if (trimmed === '' || trimmed.startsWith('#')) {
      lines.push(line);
      continue;
    }
    const cells = line.split(columnSeparator).map((part) => part.trim());
    const [input = '', secondCell = ''] = cells;
    if (cells.length < 2) {
      addProblem(
        line,
        '',
        `${columnSeparator} is missing. Write the number before it, and the name or ID of the item after it.`,
      );
      continue;
    }
    const row = findRow(cells.at(-1) ?? '') ?? findRow(secondCell);
    const name = rows[row ?? -1]?.label ?? secondCell;
    const firstLine = row === undefined ? undefined : firstLines.get(row);
    if (row === undefined) {
      if (input === '') lines.push(line);
      else addProblem(line, '', `No item or several items match "${cleanLine(cells.at(-1) ?? '')}".`);
    } else if (input === '') lines.push(line);
    else if (firstLine !== undefined) addProblem(line, name, `Duplicate of line ${firstLine}.`);
    else {
      const problem = validate(input, row);
      if (problem === undefined) lines.push(line);
      else addProblem(line, name, problem);
      firstLines.set(row, lines.length);
      texts[row] = input;
    }
  }
  return { texts, problems, text: lines.join('\n') };
}

/** Returns a function that finds a row by its ID, by its name, or by words that only one name contains. */
function rowFinder(rows: readonly SheetRow[]): (text: string) => number | undefined {
  const ids = new Map(rows.map(({ id }, row) => [id, row]));
  const labels = rows.map(({ label }) => foldText(cleanCell(label)));
  return (text) => {
    const words = foldWords(text);
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
