/** The values of a field’s flag from its texts. A text that is empty is a mistake: it would wipe what is there. */
import type { Field } from '../../contract/field.ts';
import { isList, splitList } from '../../contract/list-text.ts';
import { flagName, type Read, readText } from '../../contract/text.ts';
import { borderIn } from './border-file.ts';
import { canBeCleared } from './clearing.ts';

/** A list flag may be repeated; of any other the last one counts, and commander has kept only that. */
export function readTexts(name: string, field: Field, texts: readonly string[], flag = flagName(name)): Read {
  if (texts.some((text) => isEmpty(field, text))) {
    const how = flag === flagName(name) ? howToEmpty(name, field) : '';
    return { problem: `--${flag} is empty, as a variable that is not set would be${how}` };
  }
  const reads = texts.map((text) => (text.startsWith('@') ? readSaid(field, text) : readText(field, text)));
  const failed = reads.find(({ problem }) => problem !== undefined);
  if (failed) return { problem: `--${flag} ${failed.problem}` };
  const [only = { value: undefined }, ...others] = reads;
  return others.length === 0 ? only : { value: reads.flatMap(({ value }) => value) };
}

/** Of a border `@FILE` is a file of GeoJSON; of anything else it is what it is. */
function readSaid(field: Field, text: string): Read {
  if (field.kind !== 'ring') return readText(field, text);
  const border = borderIn(text);
  return 'problem' in border ? border : readText(field, border.text);
}

function isEmpty(field: Field, text: string): boolean {
  return text === '' || (isList(field) && splitList(text).length === 0);
}

/** A variable of a shell that isn’t set looks the same as a wish to empty the field: the wish has its own words. */
function howToEmpty(name: string, field: Field): string {
  if (canBeCleared(field)) return `; --clear ${flagName(name)} empties the field`;
  const isText = field.kind === 'text' && !field.traits.required;
  const text = isText ? `; an empty text is sent with --data '{"${name}":""}'` : '';
  return `, and it is no field that --clear can empty${text}`;
}
