/** How each kind of value is asked for, edited and shown, in one table: a new kind doesn't compile until it is here. */
import type { Field, Kind } from '../contract/field.ts';
import { isList } from '../contract/list-text.ts';

/** How people work with a kind of value. */
export interface KindForPeople {
  /** The kind of question that asks for it; completion offers words. */
  asked: 'text' | 'yes or no' | 'word' | 'words' | 'record' | 'records';
  /** Its form in an editor: a value, a list of values, words or links, or nested lines. */
  edited: 'value' | 'values' | 'words' | 'links' | 'nested';
  /** Its columns in CSV: one cell, cells of its fields, or those of one or several related records. */
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

/** Returns how people work with a field. */
export function forPeople({ kind }: Field): KindForPeople {
  return kinds[kind];
}

/** Returns whether `--clear` can empty a field, with null or an empty list. */
export function canBeCleared(field: Field): boolean {
  return isList(field) || field.kind === 'objects' || field.traits.nullable === true;
}
