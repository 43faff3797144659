/** How people meet each kind of value, in one table: a new kind doesn't compile until it stands here. */
import type { Field, Kind } from '../contract/field.ts';

export interface KindForPeople {
  /** How a question asks for it; completion offers the words of those that have some. */
  asked: 'text' | 'yes or no' | 'word' | 'words' | 'record' | 'records';
  /** What stands for it in an editor: a value, a list of values, of words or of links, or nested lines of its own. */
  edited: 'value' | 'values' | 'words' | 'links' | 'nested';
  /** What it is in a row of CSV: a cell, cells of its fields, or what is known of one or several other records. */
  column: 'cell' | 'fields' | 'record' | 'records';
}

const plain = { asked: 'text', edited: 'value', column: 'cell' } as const;

const kinds: Readonly<Record<Kind, KindForPeople>> = {
  text: plain,
  integer: plain,
  decimal: plain,
  numeric_text: plain,
  unit: plain,
  date: plain,
  timestamp: plain,
  hour: plain,
  boolean: { ...plain, asked: 'yes or no' },
  choice: { ...plain, asked: 'word' },
  words: { ...plain, asked: 'words', edited: 'values' },
  integers: { ...plain, asked: 'words', edited: 'words' },
  ids: { ...plain, edited: 'values' },
  ring: { ...plain, edited: 'nested' },
  one: { ...plain, asked: 'record', column: 'record' },
  many: { asked: 'records', edited: 'links', column: 'records' },
  object: { ...plain, edited: 'nested', column: 'fields' },
  objects: { ...plain, edited: 'nested', column: 'records' },
};

export function forPeople({ kind }: Field): KindForPeople {
  return kinds[kind];
}
