/**
 * Finds the record of each reference among the declared records and the records of the account. No match and several
 * matches are mistakes.
 */

import { isScalar } from '../../base/number-text.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Resource } from '../../contract/resource.ts';
import { isSameValue } from '../../session/diff/values.ts';
import { formatCountedCandidates } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import { type Declared, declaredValue, formatRecordKey, normalizeKeyValue } from '../declared/declared.ts';
import type { Ref } from '../declared/ref.ts';
import { maxShownMistakes } from '../source/mistakes.ts';
import { formatLocation } from '../source/node.ts';
import type { RecordLookup, Target } from './lookups.ts';

/** A reference with its record, or with a problem. */
export interface ReferenceResult {
  ref: Ref;
  target?: Target | undefined;
  problem?: string | undefined;
  /** Whether the record wasn't found. */
  isMissing?: boolean;
}

interface DeclaredMatches {
  declared: readonly Declared[];
  /** Returns the row of the account that matches a declared record. */
  rowOf(record: Declared): Row | undefined;
}

/** Returns the record of each reference, or its problem. */
export function findReferences(
  resource: Resource,
  references: readonly { ref: Ref; lookups: readonly { field: string; lookup: RecordLookup }[] }[],
  { declared, rowOf }: DeclaredMatches,
): ReferenceResult[] {
  const index = new DeclaredIndex(declared);
  const suggest = createSuggester(declared);
  const changingRecord = createChangeFinder(declared, rowOf);
  const absentRecords = declared.filter(({ isAbsent }) => isAbsent);
  const absentOf = (ids: Iterable<unknown>) => {
    const idSet = new Set(ids);
    return absentRecords.find((record) => idSet.has(rowOf(record)?.id));
  };
  return references.map(({ ref, lookups }) => {
    let renamed: Declared | undefined;
    for (const { lookup } of lookups) {
      const declaredMatches = index
        .matching(lookup)
        .filter((record) => !record.isAbsent && declaredMatchesTargetFilter(ref, record, rowOf(record)));
      const matches = lookup.matches.filter((row) => matchesTargetFilter(ref, row));
      const rows = matches.filter((row) => !changingRecord(row, lookup));
      renamed ??= matches.length > rows.length && matches[0] ? changingRecord(matches[0], lookup) : undefined;
      const ids = new Set([
        ...rows.map(({ id }) => id),
        ...declaredMatches.flatMap((record) => rowOf(record)?.id ?? []),
      ]);
      const newRecords = declaredMatches.filter((record) => !rowOf(record));
      const [record] = newRecords;
      const [id] = ids;
      if (ids.size + newRecords.length > 1) {
        const matchesText =
          rows.length > 1 ? formatCountedCandidates(resource, rows) : `several ${resource.nouns}`;
        return {
          ref,
          problem: `${ref.text} matches ${matchesText}: add fields that identify one, for example { name: …, … }`,
        };
      }
      const absentRecord = absentOf(ids);
      if (absentRecord)
        return {
          ref,
          problem: `${ref.text} is deleted by $absent at ${formatLocation(absentRecord.location)}: other records can't refer to it`,
        };
      if (typeof id === 'string') return { ref, target: { id } };
      if (record) return { ref, target: { record } };
    }
    if (renamed)
      return {
        ref,
        problem: `${ref.text} is the old key of the ${resource.noun} that ${formatLocation(renamed.location)} renames to ${formatRecordKey(renamed)}: use the new key`,
      };
    const suggestion = suggest(ref.text);
    const filterText = formatTargetFilter(ref, resource);
    return {
      ref,
      isMissing: true,
      problem: `${resource.noun} ${ref.text}${filterText} not found in the account or in the files${suggestion && `.${suggestion}?`}`,
    };
  });
}

/**
 * Returns a function that finds the declared record that matches a row and changes the values by which a reference
 * found it. Such a reference would be invalid afterwards.
 */
function createChangeFinder(
  declared: readonly Declared[],
  rowOf: DeclaredMatches['rowOf'],
): (row: Row, lookup: RecordLookup) => Declared | undefined {
  let byId: Map<unknown, Declared> | undefined;
  return (row, { names }) => {
    byId ??= new Map(declared.flatMap((record) => (rowOf(record) ? [[rowOf(record)?.id, record]] : [])));
    const record = byId.get(row.id);
    const losesReference = record && names.some((name) => changesField(record, name, row));
    return losesReference ? record : undefined;
  };
}

function changesField(record: Declared, name: string, row: Row): boolean {
  const [field, value] = [record.resource.fields[name], declaredValue(record, name)];
  if (!field || value === undefined || !isScalar(value)) return false;
  return !isSameValue(field, row[name], value);
}

/** Returns a function that suggests a declared record for an unknown name. It returns at most `maxShownMistakes` suggestions. */
function createSuggester(declared: readonly Declared[]): (text: string) => string {
  let names: string[] | undefined;
  let count = 0;
  return (text) => {
    if (++count > maxShownMistakes) return '';
    names ??= declared.flatMap(({ key }) => key.map(({ value }) => String(value)));
    return didYouMean(text, names).replace(/\?$/, '');
  };
}

/** Returns the restriction of a reference as text: " of the type customer". */
function formatTargetFilter({ targetFilter }: Ref, { fields }: Resource): string {
  if (!targetFilter) return '';
  const words = Object.entries(fields[targetFilter.field]?.traits.words ?? {});
  return ` of the ${targetFilter.field} ${words.find(([, value]) => value === targetFilter.value)?.[0] ?? targetFilter.value}`;
}

function matchesTargetFilter({ targetFilter }: Ref, row: Row): boolean {
  return !targetFilter || Number(row[targetFilter.field]) === targetFilter.value;
}

function declaredMatchesTargetFilter({ targetFilter }: Ref, record: Declared, row: Row | undefined): boolean {
  if (!targetFilter) return true;
  return (
    Number(declaredValue(record, targetFilter.field) ?? row?.[targetFilter.field]) === targetFilter.value
  );
}

class DeclaredIndex {
  readonly #records: readonly Declared[];
  readonly #byField = new Map<string, Map<string, Declared[]>>();

  constructor(records: readonly Declared[]) {
    this.#records = records;
  }

  matching({ names, values }: Pick<RecordLookup, 'names' | 'values'>): Declared[] {
    const [first] = names;
    const resource = this.#records[0]?.resource;
    if (first === undefined || !resource) return [];
    const normalizedValues = names.map((name, index) => normalizeKeyValue(resource, name, values[index]));
    const candidates = this.#indexOf(first).get(normalizedValues[0] ?? '') ?? [];
    return candidates.filter((record) =>
      names.every(
        (name, index) =>
          normalizeKeyValue(resource, name, declaredValue(record, name)) === normalizedValues[index],
      ),
    );
  }

  #indexOf(name: string): Map<string, Declared[]> {
    const existingIndex = this.#byField.get(name);
    if (existingIndex) return existingIndex;
    const index = new Map<string, Declared[]>();
    for (const record of this.#records) {
      const value = declaredValue(record, name);
      if (value === undefined || value === null) continue;
      const normalizedValue = normalizeKeyValue(record.resource, name, value);
      const records = index.get(normalizedValue);
      if (records) records.push(record);
      else index.set(normalizedValue, [record]);
    }
    this.#byField.set(name, index);
    return index;
  }
}
