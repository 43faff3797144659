/** What a record is found by in a list: words over its columns, a part of its id, of its phone number as people say it. */
import type { Row } from '../../client/shape.ts';
import type { Field } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { foldedWords, foldText } from '../../fold-text.ts';
import { tableColumns } from '../output/record-words.ts';

export interface Searched {
  /** Every column that a table shows, folded. */
  text: string;
  id: string;
  /** Calling code and number, digits alone. */
  phone: string;
}

export interface Wanted {
  words: readonly string[];
  /** Digits that belong together, as those of a phone number: without what is dialled before it. */
  number: string;
  /** Whether they are that for certain: alone they may as well be a part of a code, and stand among the words then. */
  isWhole: boolean;
}

/** A part of an id that is shorter says nothing: three letters stand in many of them by chance. */
const leastOfId = 4;

/** Blanks, brackets and dashes between digits are those of a phone number. */
const digitsAlone = /^[+(]*[\d()./-]+$/;

export function searchedRow(resource: Resource, row: Row): Searched {
  const names = [...new Set([...resource.columns, ...resource.key])].filter((name) => row[name] != null);
  const texts = tableColumns({ resource, localTime: false }, names)
    .filter(({ name }) => name !== 'id')
    .map(({ name, value, show }) => {
      const shown = value ? value(row) : row[name];
      return shown == null ? '' : (show?.(shown, row) ?? String(shown));
    });
  const numbers = phonesOf(resource).map(
    ([
      name,
      {
        traits: { dialCode },
      },
    ]) => `${dialCode === undefined ? '' : (row[dialCode] ?? '')}${row[name] ?? ''}`.replaceAll(/\D/g, ''),
  );
  return { text: foldText(texts.join(' ')), id: foldText(String(row.id)), phone: numbers.join(' ') };
}

function phonesOf({ fields }: Resource): [name: string, field: Field][] {
  return Object.entries(fields).filter(([, { traits }]) => traits.form === 'phone');
}

export function wanted(resource: Resource, typed: string): Wanted {
  const all = foldedWords(typed);
  const digits = all.filter((word) => digitsAlone.test(word));
  const number = digits.join('').replaceAll(/\D/g, '').replace(/^0+/, '');
  const isWhole = phonesOf(resource).length > 0 && (digits.length > 1 || /^[+(]/.test(digits[0] ?? ''));
  return { words: isWhole ? all.filter((word) => !digits.includes(word)) : all, number, isWhole };
}

export function isFound({ text, id, phone }: Searched, { words, number, isWhole }: Wanted): boolean {
  const holds = (word: string) =>
    text.includes(word) ||
    (word.length >= leastOfId && id.includes(word)) ||
    (number !== '' && digitsAlone.test(word) && phone.includes(number));
  if (!words.every(holds)) return false;
  return !isWhole || phone.includes(number);
}
