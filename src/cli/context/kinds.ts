/** Defines how each kind of value is prompted for, edited and shown. TypeScript requires an entry for every kind. */

import { isListOrParts } from '../../api/contract/comma-list.ts';
import type { Field, Kind } from '../../api/contract/field.ts';

/** How a kind of value is prompted for, edited and shown. */
export interface KindPresentation {
  /** The kind of prompt. Completion offers the words of `word` and `words`. */
  question: 'text' | 'yes or no' | 'word' | 'words' | 'record' | 'records' | 'objects';
  /** The format in an editor: a value, a list of values, words or links, or nested lines. */
  editFormat: 'value' | 'values' | 'words' | 'links' | 'nested';
  /** The columns in CSV: one cell, a cell for each nested field, or the cells of one or several related records. */
  column: 'cell' | 'fields' | 'record' | 'records';
}

const plain = { question: 'text', editFormat: 'value', column: 'cell' } as const;

const kinds: Readonly<Record<Kind, KindPresentation>> = {
  text: plain,
  integer: plain,
  decimal: plain,
  numeric_text: plain,
  unit: plain,
  date: plain,
  timestamp: plain,
  hour: plain,
  boolean: { ...plain, question: 'yes or no' },
  choice: { ...plain, question: 'word' },
  words: { ...plain, question: 'words', editFormat: 'values' },
  integers: { ...plain, question: 'words', editFormat: 'words' },
  ids: { ...plain, editFormat: 'values' },
  ring: { ...plain, editFormat: 'nested' },
  one: { ...plain, question: 'record', column: 'record' },
  many: { question: 'records', editFormat: 'links', column: 'records' },
  object: { ...plain, editFormat: 'nested', column: 'fields' },
  objects: { question: 'objects', editFormat: 'nested', column: 'records' },
};

/** Returns how the values of a field are prompted for, edited and shown. */
export function presentationOf({ kind }: Field): KindPresentation {
  return kinds[kind];
}

/** Returns whether `--clear` can empty a field, with null or an empty list. */
export function canBeCleared(field: Field): boolean {
  return isListOrParts(field) || field.traits.nullable === true;
}
