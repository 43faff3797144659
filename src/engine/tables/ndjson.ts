/** Reads rows of NDJSON: one object per line. */
import { parseStrictJson } from '../../api/contract/strict-json.ts';
import { type DetectedEncoding, decodeFile } from './detect-encoding.ts';
import type { InputFile } from './input-file.ts';
import type { RowProblem, Table, TableRow } from './table.ts';

export function openNdjson(source: InputFile, { encoding }: DetectedEncoding): Table {
  return { format: 'ndjson', rows: () => readRows(source, encoding) };
}

async function* readRows(source: InputFile, encoding: string): AsyncGenerator<TableRow> {
  let line = 1;
  for await (const text of splitLines(decodeFile(source, encoding))) {
    if (text.trim() !== '') yield parseJsonRow(text, line);
    line++;
  }
}

/** Parses one JSON value as a row. The row has a problem if the value isn't a valid object. */
export function parseJsonRow(text: string, line: number): TableRow {
  const raw = text.trim();
  const { value, problems } = parseStrictJson(raw);
  if (problems) {
    const reasons = problems.map((problem) => problem.description).join('; ');
    const message =
      reasons === '' ? `is not valid JSON${describeErrorPosition(raw)}` : `can't be used: ${reasons}`;
    return { line, cells: new Map(), raw, problems: [{ what: message }] };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const problem: RowProblem = {
      what: `is ${Array.isArray(value) ? 'a list' : 'a single value'}, not an object`,
    };
    return { line, cells: new Map(), raw, problems: [problem] };
  }
  return { line, cells: new Map(Object.entries(value)), raw, problems: [] };
}

/** Returns the position of a syntax error in JSON for messages; '' if the engine doesn't report it. */
function describeErrorPosition(raw: string): string {
  try {
    JSON.parse(raw);
    return '';
  } catch (error) {
    const { message } = error as SyntaxError;
    if (/end of JSON/.test(message)) return ': it ends too early';
    const position = /at position (\d+)/.exec(message)?.[1];
    if (position === undefined) return '';
    const character = [...raw.slice(Number(position))][0];
    return character === undefined
      ? ': it ends too early'
      : ` at character ${Number(position) + 1}: ${JSON.stringify(character)}`;
  }
}

/** The maximum number of characters in a line. */
const maxLineCharacters = 16_000_000;

/** Yields the lines of text that arrives in chunks. If a line is too long, yields its beginning and stops. */
export async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let remainder = '';
  for await (const chunk of chunks) {
    const parts = (remainder + chunk).split('\n');
    remainder = parts.pop() ?? '';
    yield* parts;
    if (remainder.length > maxLineCharacters) {
      yield remainder.slice(0, 100);
      return;
    }
  }
  if (remainder !== '') yield remainder;
}
