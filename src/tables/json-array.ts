/** Reads rows of a JSON file: the objects of one list, parsed one at a time. */
import { usage } from '../base/errors.ts';
import { decoded, type Encoded } from './encoding.ts';
import { jsonRow } from './ndjson.ts';
import type { Source } from './source.ts';
import type { Table, TableRow } from './table.ts';

/** Characters of a row at most. */
const maxRowLength = 16_000_000;

/** Opens a JSON file. */
export function openJson(source: Source, { encoding }: Encoded): Table {
  return { form: 'json', rows: () => rows(source, encoding) };
}

/** Where a character is: before the list, between its items, within one, or after it. */
type Where = 'before' | 'between' | 'within' | 'after';

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
          where = character === ',' ? 'between' : 'after';
          needsComma = character === ',';
        }
        continue;
      }
      if (/\s/.test(character)) continue;
      if (where === 'before' && character === '[') where = 'between';
      else if (where === 'between' && character === ']' && !needsComma) where = 'after';
      else if (where === 'between' && character !== ',' && character !== ']') {
        where = 'within';
        beganAt = line;
        // Read again as a character of the item.
        from = at--;
        depth = 0;
      } else throw notAList(source, where, character, line);
    }
    if (where === 'within') item += text.slice(from);
    if (item.length > maxRowLength)
      throw usage(`${source.label} has a row at line ${beganAt} that doesn't end.`);
  }
  if (where === 'before') throw usage(`${source.label} is empty.`);
  if (where !== 'after') throw usage(`${source.label} ends too early: the list is not closed.`);
}

function notAList({ label }: Source, where: Where, character: string, line: number) {
  if (where === 'before') {
    return usage(`${label} does not start with a list: "${character}" at line ${line}.`, {
      hint: 'Write a list of objects: [{…}, {…}]. For one object per line (NDJSON), name the file .ndjson, or add -o ndjson in a pipe.',
    });
  }
  const what = where === 'after' ? 'continues after its list' : 'is not valid JSON';
  return usage(`${label} ${what}: "${character}" at line ${line}.`);
}
