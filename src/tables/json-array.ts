/** Rows of a JSON file: the objects of one list, taken apart as they come so that no more than one is held at a time. */
import { usage } from '../base/errors.ts';
import { decoded, type Encoded } from './encoding.ts';
import { jsonRow } from './ndjson.ts';
import type { Source } from './source.ts';
import type { Table, TableRow } from './table.ts';

/** In characters: a row that is longer is none. */
const longestRow = 16_000_000;

export function openJson(source: Source, { encoding }: Encoded): Table {
  return { form: 'json', rows: () => rows(source, encoding) };
}

/** Where in the list a character stands: before it, between its items, within one, or behind it. */
type Where = 'before' | 'between' | 'within' | 'behind';

async function* rows(source: Source, encoding: string): AsyncGenerator<TableRow> {
  let where = 'before' as Where;
  let [line, beganAt, depth] = [1, 1, 0];
  let [isText, isEscaped, needsComma] = [false, false, false];
  let item = '';

  for await (const text of decoded(source, encoding)) {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text[at] ?? '';
      if (character === '\n') line++;
      if (where === 'within') {
        if (isEscaped) isEscaped = false;
        else if (isText && character === '\\') isEscaped = true;
        else if (character === '"') isText = !isText;
        else if (!isText && (character === '{' || character === '[')) depth++;
        else if (!isText && depth > 0 && (character === '}' || character === ']')) depth--;
        else if (!isText && depth === 0 && (character === ',' || character === ']')) {
          yield jsonRow(item + text.slice(from, at), beganAt);
          item = '';
          where = character === ',' ? 'between' : 'behind';
          needsComma = character === ',';
        }
        continue;
      }
      if (/\s/.test(character)) continue;
      if (where === 'before' && character === '[') where = 'between';
      else if (where === 'between' && character === ']' && !needsComma) where = 'behind';
      else if (where === 'between' && character !== ',' && character !== ']') {
        where = 'within';
        beganAt = line;
        // Looked at once more, as a character of the item.
        from = at--;
        depth = 0;
      } else throw notAList(source, where, character, line);
    }
    if (where === 'within') item += text.slice(from);
    if (item.length > longestRow)
      throw usage(`${source.called} holds a row, at line ${beganAt}, that doesn't end.`);
  }
  if (where === 'before') throw usage(`${source.called} is empty.`);
  if (where !== 'behind') throw usage(`${source.called} ends too early: its list is not closed.`);
}

function notAList({ called }: Source, where: Where, character: string, line: number) {
  if (where === 'before') {
    return usage(`${called} does not begin with a list: "${character}" at line ${line}.`, {
      hint: 'JSON to import is a list of objects: [{…}, {…}]. An object on each line is NDJSON: name the file .ndjson, or say -o ndjson where it comes through a pipe.',
    });
  }
  const what = where === 'behind' ? 'goes on behind its list' : 'is not valid JSON';
  return usage(`${called} ${what}: "${character}" at line ${line}.`);
}
