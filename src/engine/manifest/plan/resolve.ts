/** Matches declared records and references with the records of the account. Reads in bulk, and writes nothing. */

import { isSameValue } from '../../../account/session/diff/values.ts';
import { isDeleted } from '../../../account/session/list.ts';
import {
  formatCountedCandidates,
  KeyIndex,
  keyTexts,
  type RelatedItems,
} from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { Spellings } from '../../../account/session/spellings.ts';
import { includePaths } from '../../../api/contract/include.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure } from '../../../base/errors.ts';
import { isScalar } from '../../../base/number-text.ts';
import { didYouMean } from '../../../base/suggest.ts';
import {
  type Declaration,
  type Declared,
  declaredValue,
  formatRecordKey,
  isSpellingOfKey,
} from '../declared/declared.ts';
import { manifestFields } from '../declared/fields.ts';
import type { Ref } from '../declared/ref.ts';
import { type Mistakes, maxShownMistakes, type Pauses } from '../source/mistakes.ts';
import { formatLocation } from '../source/node.ts';
import {
  addDuplicateMistakes,
  checkNewKeys,
  chooseDeletedRow,
  chooseRow,
  type DeclaredLookup,
  useFoldedRows,
} from './choose-row.ts';
import {
  addToLookups,
  createFieldSelector,
  type DeclaredReferences,
  declaredReferences,
  indexLookups,
  type LookupRequest,
  lookupOf,
  lookupsOf,
  otherKeyLookups,
  type RecordLookup,
  readLookups,
  refsOf,
  type Target,
} from './lookups.ts';
import { RecordNames } from './names.ts';
import { chooseCycleSides, chooseRenameSides, temporaryKey } from './renames.ts';

export interface ResolutionOptions {
  session: Session;
  declaration: Declaration;
  mistakes: Mistakes;
  /** Whether the plan is only a comparison: an unknown name is then a missing record instead of a mistake. */
  isCompared: boolean;
  /** Resources that are read completely, with a function that is called for each record. */
  collectors: ReadonlyMap<Resource, (row: Row) => void>;
  pauses: Pauses;
}

/** The fields to include in rows, and the fields to store. */
type FieldSelection = Pick<LookupRequest, 'optional' | 'select'>;

const noReferences: DeclaredReferences = { refs: [], keyTargets: new Set(), fields: new Set() };

/** The rows and IDs of the records and references of a declaration. */
export class Resolution {
  readonly names = new RecordNames();
  /** Notes for the user on the matching of records. */
  readonly notes: string[] = [];
  readonly #spellings = new Spellings((note) => this.notes.push(note));
  readonly #options: ResolutionOptions;
  /** The rows of the existing declared records, including deleted records, with the fields that the plan needs. */
  readonly rows = new Map<Declared, Row>();
  readonly #targets = new Map<string, Target>();
  readonly #byResource: ReadonlyMap<Resource, readonly Declared[]>;
  readonly #references: ReadonlyMap<Resource, DeclaredReferences>;
  readonly #refs: ReadonlyMap<string, readonly Ref[]>;
  /** All references in the files, by `Ref.key`; created at the first mistake. */
  #locations: ReadonlyMap<string, readonly Ref[]> | undefined;

  private constructor(options: ResolutionOptions) {
    this.#options = options;
    const { records } = options.declaration;
    this.#byResource = Map.groupBy(records, ({ resource }) => resource);
    this.#references = new Map(
      [...this.#byResource].map(([resource, records]) => [resource, declaredReferences(records)]),
    );
    const refs = new Map(
      [...this.#references.values()].flatMap((references) => references.refs.map((ref) => [ref.key, ref])),
    );
    this.#refs = Map.groupBy(refs.values(), ({ target }) => target);
  }

  static async create(options: ResolutionOptions): Promise<Resolution> {
    const resolution = new Resolution(options);
    await options.pauses.pauseIfDue();
    await resolution.#readReferences();
    for (const resource of resolution.#order()) await resolution.#read(resource);
    resolution.#spellings.end();
    return resolution;
  }

  /** Returns the record of a reference; undefined if none or several match, which is reported as a mistake. */
  target(ref: Ref): Target | undefined {
    return ref.by.kind === 'id' ? { id: ref.by.id } : this.#targets.get(ref.key);
  }

  /** Returns the resources in order: resources that the keys of others refer to come first. */
  #order(): Resource[] {
    const { api } = this.#options.session;
    const referencedResources = [...this.#refs.keys()].flatMap((target) => api.resource(target) ?? []);
    const allResources = new Set([
      ...this.#byResource.keys(),
      ...referencedResources,
      ...this.#options.collectors.keys(),
    ]);
    const visited = new Set<Resource>();
    const visit = (resource: Resource): void => {
      if (visited.has(resource)) return;
      visited.add(resource);
      for (const target of this.#referencesOf(resource).keyTargets) {
        const targetResource = api.resource(target);
        if (targetResource && allResources.has(targetResource)) visit(targetResource);
      }
      orderedResources.push(resource);
    };
    const orderedResources: Resource[] = [];
    for (const resource of allResources) visit(resource);
    return orderedResources;
  }

  /** Finds the records that the API can't list, by ID or name. */
  async #readReferences(): Promise<void> {
    const { session, mistakes } = this.#options;
    for (const [target, refs] of this.#refs) {
      const namedRefs = refs.filter(({ by }) => by.kind !== 'id');
      if (session.api.resource(target) || namedRefs.length === 0) continue;
      const lookups = namedRefs.map((ref) => `@${ref.text}`);
      const idsByLookup = await session.names.find(target, lookups, { orId: true });
      for (const ref of namedRefs) {
        const id = idsByLookup.get(`@${ref.text}`);
        if (id instanceof Failure && this.#options.isCompared) this.#addMissing(ref);
        else if (id instanceof Failure)
          mistakes.add(ref.location, id.message.replaceAll(`@${ref.text}`, ref.text).replace(/\.$/, ''));
        else if (id !== undefined) {
          this.#targets.set(ref.key, { id });
          this.names.add(target, id, ref.text);
        }
      }
    }
  }

  async #read(resource: Resource): Promise<void> {
    const { session, collectors, pauses, mistakes } = this.#options;
    const lookups = (this.#byResource.get(resource) ?? []).map((record) => this.#lookupsOf(record));
    const refs = (this.#refs.get(resource.name) ?? []).filter(({ by }) => by.kind !== 'id');
    const references = refs.map((ref) => ({ ref, lookups: lookupsOf(ref, resource) }));
    const recordLookups = [
      ...lookups.flatMap(({ key, old, temporary }) => [key, old, temporary]),
      ...references.flatMap((reference) => reference.lookups),
    ].filter((lookup) => lookup !== undefined);
    await pauses.pauseIfDue();
    const optional = this.#relationsOf(resource);
    const otherKeys = indexLookups(lookups.flatMap(({ others }) => others));
    const selectFields = this.#createFieldSelector(resource, refs);
    const isCompleteList = await readLookups(session, {
      resource,
      lookups: recordLookups,
      optional,
      onEach: collectors.get(resource),
      onRead: (row) => addToLookups(otherKeys, row, selectFields),
      select: selectFields,
    });
    useFoldedRows(lookups, this.#spellings);
    const sideOf = chooseRenameSides(lookups);
    const cycleSideOf = chooseCycleSides(lookups, mistakes);
    for (const declaredLookup of lookups) {
      const row = chooseRow(declaredLookup, cycleSideOf(declaredLookup) ?? sideOf(declaredLookup), mistakes);
      if (row) this.rows.set(declaredLookup.record, row);
    }
    await pauses.pauseIfDue();
    // Records without the first natural key are matched by another one; with another first key they are other records.
    const unmatched = lookups.filter(({ record }) => !this.rows.has(record));
    if (!isCompleteList) {
      const otherLookups = unmatched.flatMap(({ others }) => others);
      await readLookups(session, { resource, lookups: otherLookups, optional, select: selectFields });
    }
    for (const { record, others } of unmatched) {
      const [row] = others.find(({ matches }) => matches.length === 1)?.matches ?? [];
      if (row) this.rows.set(record, row);
    }
    await pauses.pauseIfDue();
    await this.#readDeleted(resource, lookups, { optional, select: selectFields });
    await pauses.pauseIfDue();
    addDuplicateMistakes(lookups, this.rows, mistakes);
    const rowOf = (record: Declared) => this.rows.get(record);
    checkNewKeys(lookups, rowOf, this.#spellings, this.#options.isCompared ? undefined : mistakes);
    const declared = this.#byResource.get(resource) ?? [];
    const results = findReferences(resource, references, { declared, rowOf, spellings: this.#spellings });
    for (const { ref, ...result } of results) this.#addTarget(resource, ref, result);
  }

  /** Returns the function that selects the compared fields of a row. */
  #createFieldSelector(resource: Resource, refs: readonly Ref[]): FieldSelection['select'] {
    const selectParts = createFieldSelector(resource, this.#referencesOf(resource).fields, refs);
    // The history stores the complete record before it is restored.
    return (row) => (isDeleted(row) ? row : selectParts(row));
  }

  #addTarget(
    resource: Resource,
    ref: Ref,
    { target, problem, isMissing }: Omit<ReferenceResult, 'ref'>,
  ): void {
    if (target) {
      this.#targets.set(ref.key, target);
      if (target.id !== undefined) this.names.add(resource.name, target.id, ref.text);
    } else if (this.#options.isCompared || (isMissing && this.#mayBeUnread(resource))) this.#addMissing(ref);
    else
      for (const reference of this.#sameReferences(ref))
        this.#options.mistakes.add(reference.location, problem ?? "doesn't exist");
  }

  /** Returns whether the files may declare a record of the resource in a part with mistakes. */
  #mayBeUnread(resource: Resource): boolean {
    const { unreadableResources } = this.#options.declaration.errors ?? {};
    return unreadableResources === 'all' || unreadableResources?.has(resource) === true;
  }

  /** Assigns an ID that no record has to an unknown reference. */
  #addMissing(ref: Ref): void {
    const id = `(missing) ${ref.text}`;
    this.#targets.set(ref.key, { id });
    this.names.add(ref.target, id, ref.text);
  }

  /** Returns all references with the same key, because a mistake is reported at each location. */
  #sameReferences(ref: Ref): readonly Ref[] {
    this.#locations ??= Map.groupBy(this.#options.declaration.records.flatMap(refsOf), ({ key }) => key);
    return this.#locations.get(ref.key) ?? [];
  }

  #lookupsOf(record: Declared): DeclaredLookup {
    const { oldKey } = record;
    const target = (ref: Ref) => this.target(ref);
    const release = oldKey && temporaryKey(record);
    return {
      record,
      key: lookupOf(record, record.key, target),
      old: oldKey && lookupOf(record, oldKey, target),
      temporary: release && lookupOf(record, [{ name: release.field, value: release.value }], target),
      others: otherKeyLookups(record),
    };
  }

  /** Matches deleted records by their key or former key, so that they are restored instead of created again. */
  async #readDeleted(
    resource: Resource,
    declaredLookups: readonly DeclaredLookup[],
    selection: FieldSelection,
  ): Promise<void> {
    if (!resource.restore) return;
    const unmatchedLookups = declaredLookups.filter(
      ({ record }) => !this.rows.has(record) && !record.isAbsent,
    );
    const lookups = unmatchedLookups
      .flatMap(({ key, old }) => [key, old])
      .filter((lookup) => lookup !== undefined);
    for (const lookup of lookups) Object.assign(lookup, { matches: [], folded: [], similar: lookup.similar });
    await readLookups(this.#options.session, { resource, lookups, ...selection, deletedOnly: true });
    useFoldedRows(unmatchedLookups, this.#spellings);
    for (const declaredLookup of unmatchedLookups) {
      const row = chooseDeletedRow(declaredLookup, this.#options.mistakes, (note) => this.notes.push(note));
      if (row) this.rows.set(declaredLookup.record, row);
    }
  }

  #referencesOf(resource: Resource): DeclaredReferences {
    return this.#references.get(resource) ?? noReferences;
  }

  /** Returns the relations that the rows of declared records include. */
  #relationsOf(resource: Resource): string[] {
    const { fields } = this.#referencesOf(resource);
    return [...manifestFields(resource).values()].flatMap(({ name, field }) =>
      fields.has(name) ? includePaths(name, field) : [],
    );
  }
}

// Finds the record of each reference among the declared records and the records of the account. No match and several
// matches are mistakes.

/** A reference with its record, or with a problem. */
interface ReferenceResult {
  ref: Ref;
  target?: Target | undefined;
  problem?: string | undefined;
  /** Whether the record wasn't found. */
  isMissing?: boolean;
}

interface DeclaredMatches {
  declared: readonly Declared[];
  rowOf(record: Declared): Row | undefined;
  /** Gets the records that are found by another spelling. */
  spellings: Spellings;
}

function findReferences(
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
