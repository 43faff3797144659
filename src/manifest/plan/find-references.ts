/**
 * Finds the record of each reference among the declared records and the records of the account. No match and several
 * matches are mistakes.
 */

import { isScalar } from '../../base/number-text.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Resource } from '../../contract/resource.ts';
import { isSameValue } from '../../session/diff/values.ts';
import { formatCountedCandidates, KeyIndex, keyTexts, type RelatedItems } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import type { Spellings } from '../../session/spellings.ts';
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
  /** Whether the record wasn't found. */
  isMissing?: boolean;
}

interface DeclaredMatches {
  declared: readonly Declared[];
  /** Returns the row of the account that matches a declared record. */
  rowOf(record: Declared): Row | undefined;
  /** Gets the records that are found by another spelling. */
  spellings: Spellings;
}

/** Returns the record of each reference, or its problem. */
export function findReferences(
  resource: Resource,
  references: readonly { ref: Ref; lookups: readonly RecordLookup[] }[],
  { declared, rowOf, spellings }: DeclaredMatches,
): ReferenceResult[] {
  const findDeclared = createDeclaredFinder(declared);
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
      lookups.map((lookup) => ({ lookup, relation })),
    );
    for (const { lookup, relation } of searches) {
      const declaredMatches = findDeclared(lookup)[relation].filter(
        (record) => !record.isAbsent && declaredMatchesTargetFilter(ref, record, rowOf(record)),
      );
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
      const target = typeof id === 'string' ? { id } : record && { record };
      if (!target) continue;
      const stored = rows[0] ? keyTexts(rows[0], lookup.key) : declaredMatches.map(formatRecordKey).join();
      if (relation === 'folded') spellings.add({ written: ref.text, stored });
      return { ref, target };
    }
    if (renamed)
      return {
        ref,
        problem: `${ref.text} is the old key of the ${resource.noun} that ${formatLocation(renamed.location)} renames to ${formatRecordKey(renamed)}: use the new key`,
      };
    const [similar] = lookups.flatMap((lookup) => lookup.similar.map((row) => keyTexts(row, lookup.key)));
    const suggestion = similar === undefined ? suggest(ref.text) : ` Did you mean "${similar}"`;
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
  return (row, { key }) => {
    byId ??= new Map(declared.flatMap((record) => (rowOf(record) ? [[rowOf(record)?.id, record]] : [])));
    const record = byId.get(row.id);
    const losesReference = record && key.some(({ responseName }) => changesField(record, responseName, row));
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

/** Returns a function that finds declared records by the values of a lookup. */
function createDeclaredFinder(
  declared: readonly Declared[],
): (lookup: RecordLookup) => RelatedItems<Declared> {
  const indexes = new Map<string, KeyIndex<Declared>>();
  return ({ key, values }) => {
    const id = key.map(({ responseName }) => responseName).join();
    const index = indexes.get(id) ?? new KeyIndex<Declared>();
    if (!indexes.has(id))
      for (const record of declared)
        index.add(
          key,
          Object.fromEntries(record.values.entries().map(([name, { value }]) => [name, value])),
          record,
        );
    indexes.set(id, index);
    return index.related(values);
  };
}
