/**
 * Finds the record of each reference among the declared records and the records of the account. No match and several
 * matches are mistakes.
 */

import { isScalar } from '../../base/number-text.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { KeyRelation } from '../../contract/normalize-key.ts';
import type { Resource } from '../../contract/resource.ts';
import { isSameValue } from '../../session/diff/values.ts';
import { formatCountedCandidates, KeyIndex, keyFromNames, keyTexts } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import { spellingNote } from '../../session/spellings.ts';
import { type Declared, declaredValue, formatRecordKey, isSpellingOfKey } from '../declared/declared.ts';
import type { Ref } from '../declared/ref.ts';
import { maxShownMistakes } from '../source/mistakes.ts';
import { formatLocation } from '../source/node.ts';
import type { RecordLookup, Target } from './lookups.ts';

/** A reference with its record, or with a problem. */
export interface ReferenceResult {
  ref: Ref;
  target?: Target | undefined;
  problem?: string | undefined;
  /** The note about a record that was found by another spelling. */
  note?: string | undefined;
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
    // The same key wins over another spelling of any key.
    const searches = (['same', 'folded'] as const).flatMap((relation) =>
      lookups.map(({ lookup }) => ({ lookup, relation })),
    );
    for (const { lookup, relation } of searches) {
      const declaredMatches = index
        .matching(lookup, relation)
        .filter((record) => !record.isAbsent && declaredMatchesTargetFilter(ref, record, rowOf(record)));
      const found = relation === 'folded' ? lookup.folded : lookup.matches;
      const matches = found.filter((row) => matchesTargetFilter(ref, row));
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
      const stored = rows[0]
        ? keyTexts(rows[0], keyFromNames(resource, lookup.names))
        : declaredMatches.map(formatRecordKey).join();
      const note = relation === 'folded' ? spellingNote({ written: ref.text, stored }) : undefined;
      if (typeof id === 'string') return { ref, target: { id }, note };
      if (record) return { ref, target: { record }, note };
    }
    if (renamed)
      return {
        ref,
        problem: `${ref.text} is the old key of the ${resource.noun} that ${formatLocation(renamed.location)} renames to ${formatRecordKey(renamed)}: use the new key`,
      };
    const similar = lookups.map(({ lookup }) => lookup).find((lookup) => lookup.similar.length > 0);
    const [row] = similar?.similar ?? [];
    const suggestion = row
      ? ` Did you mean "${keyTexts(row, keyFromNames(resource, similar?.names ?? []))}"`
      : suggest(ref.text);
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
  return !isSameValue(field, row[name], value) && !isSpellingOfKey(record, name, row[name], value);
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

/** Finds declared records by the values of any fields. */
class DeclaredIndex {
  readonly #records: readonly Declared[];
  /** By the names of the fields. */
  readonly #indexes = new Map<string, KeyIndex<Declared>>();

  constructor(records: readonly Declared[]) {
    this.#records = records;
  }

  /** Returns the records whose values have this relation to those of a lookup. */
  matching({ names, values }: Pick<RecordLookup, 'names' | 'values'>, relation: KeyRelation): Declared[] {
    const lookup = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    const related = this.#indexOf(names).relatedItems(lookup);
    return related.filter((other) => other.relation === relation).map(({ item }) => item);
  }

  #indexOf(names: readonly string[]): KeyIndex<Declared> {
    const id = names.join();
    const index = this.#indexes.get(id) ?? new KeyIndex<Declared>();
    if (!this.#indexes.has(id))
      for (const record of this.#records) {
        const fieldValue = (name: string) => declaredValue(record, name);
        const values = names.map((name) => String(fieldValue(name) ?? ''));
        index.add({ key: keyFromNames(record.resource, names), values, fieldValue }, record);
      }
    this.#indexes.set(id, index);
    return index;
  }
}
