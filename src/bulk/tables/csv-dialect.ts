/** How a CSV file separates its cells: found out from its first lines, or as it is said. */
import { usage } from '../../errors.ts';
import { plainName } from '../columns/columns.ts';

export interface Dialect {
  delimiter: string;
  /** How lines end, as far as the first of them tells. */
  lineBreak: '\n' | '\r\n' | '\r';
}

/** What may separate cells. */
export const delimiters = [',', ';', '\t', '|'] as const;

/** `beginning` is as much of the text as is at hand; `known` are names that a header may hold. */
export function dialectOf(beginning: string, known: ReadonlySet<string>, said?: string): Dialect {
  return { delimiter: delimiterOf(beginning, known, said), lineBreak: lineBreakOf(beginning) };
}

const words: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
  '\\t': '\t',
};

function delimiterOf(beginning: string, known: ReadonlySet<string>, said?: string): string {
  if (said !== undefined) {
    const delimiter = words[said] ?? said;
    if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
    throw usage('--delimiter takes one character, or comma, semicolon, tab or pipe.');
  }
  const records = sample(beginning);
  const [header = ''] = records;
  const scores = delimiters.map((delimiter) => {
    const names = cellsOf(header, delimiter);
    const recognised = names.filter((name) => known.has(plainName(name))).length;
    const alike = records.filter((record) => cellsOf(record, delimiter).length === names.length).length;
    return { delimiter, score: recognised * 1000 + (names.length > 1 ? alike * 10 + names.length : 0) };
  });
  return scores.reduce((best, next) => (next.score > best.score ? next : best)).delimiter;
}

/** The first records, as far as quotes tell where one ends. */
function sample(text: string): string[] {
  const records: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length && records.length < 20; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '\n' || character === '\r')) {
      if (at > from) records.push(text.slice(from, at));
      from = at + 1;
    }
  }
  if (records.length === 0) records.push(text.slice(from));
  return records;
}

/** Of a record whose quotes are closed, near enough to know a header by. */
export function cellsOf(record: string, delimiter: string): string[] {
  const cells: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at <= record.length; at++) {
    if (record[at] === '"') isQuoted = !isQuoted;
    else if (at === record.length || (!isQuoted && record[at] === delimiter)) {
      cells.push(record.slice(from, at).replaceAll('"', ''));
      from = at + 1;
    }
  }
  return cells;
}

function lineBreakOf(text: string): Dialect['lineBreak'] {
  const found = /\r\n|\n|\r/.exec(text)?.[0];
  return found === '\r\n' || found === '\r' ? found : '\n';
}
