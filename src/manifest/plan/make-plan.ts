/** Makes a plan: compares the declaration with the account, which is read in bulk. Writes nothing. */

import { type Resource, titleField } from '../../contract/resource.ts';
import { isRowReference } from '../../runs/ledger/row-reference.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { problemsAsNew } from '../declared/check-given.ts';
import { type Declaration, type Declared, keyText } from '../declared/declared.ts';
import { accountsOwn } from '../declared/fields.ts';
import type { Ref } from '../declared/ref.ts';
import { Pauses } from '../pauses.ts';
import { Mistakes } from '../source/mistakes.ts';
import type { Change } from './change.ts';
import { type Comparing, compareRecord } from './compare-record.ts';
import { Deletable } from './deletions.ts';
import { inOrderOfNames } from './renames.ts';
import { Resolution } from './resolve.ts';
import type { Target } from './wants.ts';

/** What a plan needs. */
export interface Planning {
  session: Session;
  declaration: Declaration;
  /** The resources whose records are deleted if the files don't name them. */
  prune: readonly Resource[];
  /** Whether the plan is only a comparison: changes that can't be sent are reported as differences or notes. */
  isCompared?: boolean;
  /** Whether built-in records, such as the owner, may change: only in a copy that is discarded. */
  allowsOwn?: boolean;
  /** Aborts the planning. */
  signal?: AbortSignal | undefined;
}

/** The changes that make an account match a declaration. */
export interface ManifestPlan {
  /** The changes in the order in which they are sent: records that others refer to first, deletions last. */
  changes: Change[];
  /** The row of each declared record that the account has, with the compared fields. */
  matches: ReadonlyMap<Declared, Row>;
  /** Returns the record of a reference; undefined if there is none. */
  target(ref: Ref): Target | undefined;
  /** The resources whose records are deleted if the files don't name them. */
  prune: readonly Resource[];
  /** The number of records of each resource from which the plan may delete. */
  counts: ReadonlyMap<Resource, number>;
  /** Notes for the user, including `notCompared`. */
  notes: string[];
  /** One message for each declared value that was not compared, and which therefore may differ. */
  notCompared: string[];
  declaration: Declaration;
  /** Returns the name by which rows of a ledger refer to the row of a record. */
  rowName(record: Declared): string;
}

/**
 * Makes a plan. Throws `usage` with all mistakes: unknown names, ambiguous names, and fields that can't be changed.
 */
export async function makePlan(planning: Planning): Promise<ManifestPlan> {
  const { session, declaration, prune, isCompared = false, signal } = planning;
  const { faults, records } = declaration;
  const pauses = new Pauses(signal);
  const mistakes = new Mistakes();
  if (faults) mistakes.addAll(faults.mistakes);
  const absent = records.filter(({ isAbsent }) => isAbsent);
  const deletable = new Deletable(new Set([...prune, ...absent.map(({ resource }) => resource)]));
  const whole = deletable.collectors();
  const resolution = await Resolution.of({
    session,
    declaration,
    mistakes,
    whole,
    isCompared,
    pauses,
  }).catch((error) => {
    // If the account can't be read, the mistakes in the files are still worth reporting.
    if (!signal?.aborted) faults?.mistakes.throwIfAny();
    throw error;
  });
  noteNames(resolution, session);
  const comparison = new Comparison(planning, resolution, mistakes);
  const changed = await comparison.changes(pauses);
  const deleted = inOrder(session, absent).flatMap((record) =>
    deletable.absent(record, resolution.rows.get(record), mistakes),
  );
  if (!isCompared || faults) mistakes.throwIfAny();
  const pruned = prune.flatMap((resource) => deletable.pruned(resource, resolution.rows));
  return {
    changes: [...inOrderOfNames(changed), ...pruned, ...deleted],
    matches: resolution.rows,
    target: (ref) => resolution.target(ref),
    prune,
    counts: deletable.counts(),
    notes: [
      ...(declaration.notes ?? []),
      ...resolution.notes,
      ...comparison.notesOnSecrets(),
      ...comparison.notCompared(),
    ],
    notCompared: comparison.notCompared(),
    declaration,
    rowName: comparison.rowName,
  };
}

/** The comparison of all declared records with the account. */
class Comparison {
  readonly #planning: Planning;
  readonly #mistakes: Mistakes;
  readonly #comparing: Comparing;
  /** Fields that the service doesn't show, as in "notes of suppliers". */
  readonly #unknown = new Set<string>();
  readonly #secret = new Set<string>();
  /** Returns the name by which rows of a ledger refer to the row of a record. */
  readonly rowName: (record: Declared) => string;

  constructor(planning: Planning, resolution: Resolution, mistakes: Mistakes) {
    const { records } = planning.declaration;
    const { isCompared = false } = planning;
    this.#planning = planning;
    this.#mistakes = mistakes;
    this.rowName = namesOfRows(records);
    const isAllThere = records.every((record) => resolution.rows.has(record));
    this.#comparing = {
      resolution,
      mistakes,
      isCompared,
      onUnknown: ({ resource }, { name, field }) =>
        (field.isHidden ? this.#secret : this.#unknown).add(`${name} of ${resource.nouns}`),
      rowName: this.rowName,
      called: (target, id) =>
        isRowReference(id)
          ? id.$row.slice(id.$row.indexOf(' ') + 1)
          : resolution.names.of(target, String(id)),
      problemsAsNew: isAllThere || isCompared ? undefined : problemsAsNew,
    };
  }

  /** Compares each record. Returns the changes with their records, those that others refer to first. */
  async changes(pauses: Pauses): Promise<Map<Change, Declared>> {
    const { session, declaration, allowsOwn } = this.#planning;
    const changes = new Map<Change, Declared>();
    for (const record of inOrder(session, declaration.records)) {
      if (pauses.isDue) await pauses.take();
      if (record.isBroken || record.isAbsent) continue;
      const change = compareRecord(record, this.#comparing);
      if (!change) continue;
      changes.set(change, record);
      if (!allowsOwn) refuseOwnerChanges(record, change, this.#mistakes);
    }
    return changes;
  }

  /** Returns one message for each declared secret, which can't be compared. */
  notesOnSecrets(): string[] {
    return [...this.#secret].map((what) => `Not compared, because secrets are never returned: ${what}.`);
  }

  /** Returns one message for each other declared value that was not compared. */
  notCompared(): string[] {
    return [...this.#unknown].map((what) => `Not compared, because the service doesn't return it: ${what}.`);
  }
}

/** Refuses changes of the owner: the file of another account must not replace the owner of this one. */
function refuseOwnerChanges(
  { resource, at }: Declared,
  { fields, links, work: { known } }: Change,
  mistakes: Mistakes,
): void {
  const own = known && accountsOwn(resource, known);
  if (own === undefined) return;
  const names = [...Object.keys(fields), ...links.map(({ link }) => link)];
  mistakes.add(
    at,
    `is the ${own} of the account, which files can't change: ${[...new Set(names)].join(', ')} (use boh ${resource.command} update)`,
  );
}

function inOrder({ api }: Session, records: readonly Declared[]): Declared[] {
  const byResource = Map.groupBy(records, ({ resource }) => resource);
  if (byResource.size <= 1) return [...records];
  return api.dependencyOrder().flatMap(({ resource }) => byResource.get(resource) ?? []);
}

/**
 * Returns a function for the names of rows: `suppliers Fresh Farms`, with a number if two records have the same
 * key.
 */
function namesOfRows(records: readonly Declared[]): (record: Declared) => string {
  let names: Map<Declared, string> | undefined;
  const make = () => {
    const made = new Map<Declared, string>();
    const taken = new Map<string, number>();
    for (const record of records) {
      const name = `${record.resource.command} ${keyText(record)}`;
      const count = (taken.get(name) ?? 0) + 1;
      taken.set(name, count);
      made.set(record, count === 1 ? name : `${name} (${count})`);
    }
    return made;
  };
  return (record) => {
    names ??= make();
    return names.get(record) ?? '';
  };
}

/** Stores the names of the declared records, and of the related records that answers show. */
function noteNames({ rows, names }: Resolution, { api }: Session): void {
  for (const [record, { id }] of rows) {
    if (typeof id === 'string') names.prefer(record.resource.name, id, keyText(record));
  }
  for (const [record, row] of rows) {
    for (const { field } of record.given.values()) {
      const { target } = field.field.traits;
      if (target === undefined) continue;
      const other = api.resource(target);
      const title = other ? titleField(other.fields) : 'name';
      if (title !== undefined) names.noteShown(target, title, row[field.name]);
    }
  }
}
