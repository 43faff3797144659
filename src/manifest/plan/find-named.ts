/**
 * Finds the record of each reference, among the declared records and the records of the account: exactly one, or a
 * mistake.
 */

import { isScalar } from '../../base/number-text.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Resource } from '../../contract/resource.ts';
import { isSame } from '../../session/diff/values.ts';
import { severalText } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import { type Declared, formOf, givenValue, keyText } from '../declared/declared.ts';
import type { Ref } from '../declared/ref.ts';
import { maxShown } from '../source/mistakes.ts';
import { locationText } from '../source/node.ts';
import type { Target, Want } from './wants.ts';

/** A reference with the record that it identifies, or the problem with it. */
export interface Found {
  ref: Ref;
  target?: Target | undefined;
  problem?: string | undefined;
  /** Whether the problem is that there is no such record. */
  isMissing?: boolean;
}

interface Among {
  declared: readonly Declared[];
  /** Returns the row of the account that matches a declared record. */
  rowOf(record: Declared): Row | undefined;
}

/** Returns the record of each reference, or the problem with it. */
export function findNamed(
  resource: Resource,
  named: readonly { ref: Ref; wants: readonly { field: string; want: Want }[] }[],
  { declared, rowOf }: Among,
): Found[] {
  const index = new DeclaredIndex(declared);
  const guesses = guessesAmong(declared);
  const loses = losingAmong(declared, rowOf);
  const absent = declared.filter(({ isAbsent }) => isAbsent);
  const absentOf = (ids: Iterable<unknown>) => {
    const all = new Set(ids);
    return absent.find((record) => all.has(rowOf(record)?.id));
  };
  return named.map(({ ref, wants }) => {
    let lost: Declared | undefined;
    for (const { want } of wants) {
      const own = index
        .matching(want)
        .filter((record) => !record.isAbsent && fitsDeclared(ref, record, rowOf(record)));
      const fitting = want.found.filter((row) => fitsRow(ref, row));
      const rows = fitting.filter((row) => !loses(row, want));
      lost ??= fitting.length > rows.length && fitting[0] ? loses(fitting[0], want) : undefined;
      const ids = new Set([...rows.map(({ id }) => id), ...own.flatMap((record) => rowOf(record)?.id ?? [])]);
      const fresh = own.filter((record) => !rowOf(record));
      const [record] = fresh;
      const [id] = ids;
      if (ids.size + fresh.length > 1) {
        const what = rows.length > 1 ? severalText(resource, rows) : `several ${resource.nouns}`;
        return {
          ref,
          problem: `${ref.text} matches ${what}: add fields that identify one, for example { name: …, … }`,
        };
      }
      const gone = absentOf(ids);
      if (gone)
        return {
          ref,
          problem: `${ref.text} is deleted by $absent at ${locationText(gone.at)}, so other records can't refer to it`,
        };
      if (typeof id === 'string') return { ref, target: { id } };
      if (record) return { ref, target: { record } };
    }
    if (lost)
      return {
        ref,
        problem: `${ref.text} is the old key of the ${resource.noun} that ${locationText(lost.at)} renames to ${keyText(lost)}: use the new key`,
      };
    const guess = guesses(ref.text);
    const kind = kindOf(ref, resource);
    return {
      ref,
      isMissing: true,
      problem: `no ${resource.noun} ${ref.text}${kind} exists or is declared${guess && `.${guess}?`}`,
    };
  });
}

/**
 * Finds the declared record that matches a row but will lose the values by which the reference found it: afterwards
 * the reference is invalid.
 */
function losingAmong(
  declared: readonly Declared[],
  rowOf: Among['rowOf'],
): (row: Row, want: Want) => Declared | undefined {
  let byId: Map<unknown, Declared> | undefined;
  return (row, { names }) => {
    byId ??= new Map(declared.flatMap((record) => (rowOf(record) ? [[rowOf(record)?.id, record]] : [])));
    const record = byId.get(row.id);
    const isLost = record && names.some((name) => changes(record, name, row));
    return isLost ? record : undefined;
  };
}

function changes(record: Declared, name: string, row: Row): boolean {
  const [field, given] = [record.resource.fields[name], givenValue(record, name)];
  if (!field || given === undefined || !isScalar(given)) return false;
  return !isSame(field, row[name], given);
}

/** Returns a function that suggests a declared record for an unknown name, for as many names as are reported. */
function guessesAmong(declared: readonly Declared[]): (text: string) => string {
  let names: string[] | undefined;
  let count = 0;
  return (text) => {
    if (++count > maxShown) return '';
    names ??= declared.flatMap(({ key }) => key.map(({ value }) => String(value)));
    return didYouMean(text, names).replace(/\?$/, '');
  };
}

/** Returns the restriction of a reference as text: " of the type customer". */
function kindOf({ only }: Ref, { fields }: Resource): string {
  if (!only) return '';
  const words = Object.entries(fields[only.field]?.traits.words ?? {});
  return ` of the ${only.field} ${words.find(([, value]) => value === only.value)?.[0] ?? only.value}`;
}

function fitsRow({ only }: Ref, row: Row): boolean {
  return !only || Number(row[only.field]) === only.value;
}

function fitsDeclared({ only }: Ref, record: Declared, row: Row | undefined): boolean {
  if (!only) return true;
  return Number(givenValue(record, only.field) ?? row?.[only.field]) === only.value;
}

class DeclaredIndex {
  readonly #records: readonly Declared[];
  readonly #byField = new Map<string, Map<string, Declared[]>>();

  constructor(records: readonly Declared[]) {
    this.#records = records;
  }

  matching({ names, values }: Pick<Want, 'names' | 'values'>): Declared[] {
    const [first] = names;
    const resource = this.#records[0]?.resource;
    if (first === undefined || !resource) return [];
    const forms = names.map((name, at) => formOf(resource, name, values[at]));
    const found = this.#by(first).get(forms[0] ?? '') ?? [];
    return found.filter((record) =>
      names.every((name, at) => formOf(resource, name, givenValue(record, name)) === forms[at]),
    );
  }

  #by(name: string): Map<string, Declared[]> {
    const made = this.#byField.get(name);
    if (made) return made;
    const index = new Map<string, Declared[]>();
    for (const record of this.#records) {
      const value = givenValue(record, name);
      if (value === undefined || value === null) continue;
      const form = formOf(record.resource, name, value);
      const known = index.get(form);
      if (known) known.push(record);
      else index.set(form, [record]);
    }
    this.#byField.set(name, index);
    return index;
  }
}
