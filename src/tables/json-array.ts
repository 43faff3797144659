/** Reads rows of a JSON file: the objects of one list, parsed one at a time. */
import { usage } from '../base/errors.ts';
import { type DetectedEncoding, decodeFile } from './detect-encoding.ts';
import type { InputFile } from './input-file.ts';
import { parseJsonRow } from './ndjson.ts';
import type { Table, TableRow } from './table.ts';

/** The maximum number of characters in a row. */
const maxRowCharacters = 16_000_000;

/** Opens a JSON file, whose rows are the objects of one array. */
export function openJson(source: InputFile, { encoding }: DetectedEncoding): Table {
  return { format: 'json', rows: () => readRows(source, encoding) };
}

/** The position of a character: before the list, between two items, within an item, or after the list. */
type ListPosition = 'before' | 'between' | 'within' | 'after';

async function* readRows(source: InputFile, encoding: string): AsyncGenerator<TableRow> {
  let position = 'before' as ListPosition;
  let [line, itemLine, depth] = [1, 1, 0];
  let [isInString, isEscaped, needsComma] = [false, false, false];
  let item = '';

  for await (const text of decodeFile(source, encoding)) {
    let from = 0;
    for (let index = 0; index < text.length; index++) {
      const character = text[index] ?? '';
      if (character === '\n') line++;
      if (position === 'within') {
        if (isEscaped) isEscaped = false;
        else if (isInString && character === '\\') isEscaped = true;
        else if (character === '"') isInString = !isInString;
        else if (!isInString && (character === '{' || character === '[')) depth++;
        else if (!isInString && depth > 0 && (character === '}' || character === ']')) depth--;
        else if (!isInString && depth === 0 && (character === ',' || character === ']')) {
          yield parseJsonRow(item + text.slice(from, index), itemLine);
          item = '';
          position = character === ',' ? 'between' : 'after';
          needsComma = character === ',';
        }
        continue;
      }
      if (/\s/.test(character)) continue;
      if (position === 'before' && character === '[') position = 'between';
      else if (position === 'between' && character === ']' && !needsComma) position = 'after';
      else if (position === 'between' && character !== ',' && character !== ']') {
        position = 'within';
        itemLine = line;
        // Reads the character again as part of the item.
        from = index--;
        depth = 0;
      } else throw listFailure(source, position, character, line);
    }
    if (position === 'within') item += text.slice(from);
    if (item.length > maxRowCharacters)
      throw usage(`${source.label} has a row at line ${itemLine} that doesn't end.`);
  }
  if (position === 'before') throw usage(`${source.label} is empty.`);
  if (position !== 'after') throw usage(`${source.label} ends too early: the list is not closed.`);
}

function listFailure({ label }: InputFile, position: ListPosition, character: string, line: number) {
  if (position === 'before') {
    return usage(`${label} does not start with a list: "${character}" at line ${line}.`, {
      hint: 'Write a list of objects: [{…}, {…}]. For one object per line (NDJSON), name the file .ndjson, or add -o ndjson in a pipe.',
    });
  }
  const problem = position === 'after' ? 'continues after its list' : 'is not valid JSON';
  return usage(`${label} ${problem}: "${character}" at line ${line}.`);
}
