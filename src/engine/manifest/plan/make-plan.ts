/** Makes a plan: compares the declaration with the account, which is read in bulk. Writes nothing. */

import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { operation } from '../../../api/contract/operation.ts';
import { type Resource, titleField } from '../../../api/contract/resource.ts';
import { Failure } from '../../../base/errors.ts';
import { isRowReference } from '../../runs/ledger/row.ts';
import { creationProblems } from '../declared/check-record.ts';
import { type Declaration, type Declared, formatRecordKey } from '../declared/declared.ts';
import { builtInRole, canBeCreated } from '../declared/fields.ts';
import type { Ref } from '../declared/ref.ts';
import { Mistakes, Pauses } from '../source/mistakes.ts';
import type { Change } from './change.ts';
import { type ComparisonContext, compareRecord } from './compare-record.ts';
import type { Target } from './lookups.ts';
import { orderRenames } from './renames.ts';
import { Resolution } from './resolve.ts';

export interface PlanOptions {
  session: Session;
  declaration: Declaration;
  /** The resources whose records are deleted if the files don't name them. */
  prune: readonly Resource[];
  /** Whether the plan is only a comparison: changes that can't be sent are reported as differences or notes. */
  isCompared?: boolean;
  signal?: AbortSignal | undefined;
}

/** The changes that make an account match a declaration. */
export interface ManifestPlan {
  /** The changes in the order in which they are sent: records that others refer to first, deletions last. */
  changes: Change[];
  /** The row of each declared record that the account has, with the compared fields. */
  matches: ReadonlyMap<Declared, Row>;
  /** Returns the record of a reference; undefined if it wasn't found. */
  target(ref: Ref): Target | undefined;
  /** The resources whose records are deleted if the files don't name them. */
  prune: readonly Resource[];
  /** The number of records of each resource from which the plan may delete. */
  counts: ReadonlyMap<Resource, number>;
  /** Notes for the user, including `notCompared`. */
  notes: string[];
  /** One message for each declared value that was not compared and may differ. */
  notCompared: string[];
  declaration: Declaration;
  rowName(record: Declared): string;
}

/**
 * Makes a plan. Throws `usage` with all mistakes: unknown names, ambiguous names, and fields that can't be changed.
 */
export async function makePlan(options: PlanOptions): Promise<ManifestPlan> {
  const { session, declaration, prune, isCompared = false, signal } = options;
  const { errors, records } = declaration;
  const pauses = new Pauses(signal);
  const mistakes = new Mistakes();
  if (errors) mistakes.addAll(errors.mistakes);
  const absentRecords = records.filter(({ isAbsent }) => isAbsent);
  const deletable = new Deletable(new Set([...prune, ...absentRecords.map(({ resource }) => resource)]));
  const collectors = deletable.collectors();
  const resolution = await Resolution.create({
    session,
    declaration,
    mistakes,
    collectors,
    isCompared,
    pauses,
  }).catch((error) => {
    // If the account can't be read, report the mistakes in the files instead.
    if (!signal?.aborted) errors?.mistakes.throwIfAny();
    throw error;
  });
  storeNames(resolution, session);
  const comparison = new DeclarationComparison(options, resolution, mistakes);
  const changedRecords = await comparison.changes(pauses);
  const deletions = sortByDependency(session, absentRecords).flatMap((record) =>
    deletable.deleteAbsent(record, resolution.rows.get(record), mistakes),
  );
  if (!isCompared || errors) mistakes.throwIfAny();
  const prunedRecords = prune.flatMap((resource) => deletable.prune(resource, resolution.rows));
  return {
    changes: [...orderRenames(changedRecords), ...prunedRecords, ...deletions],
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
class DeclarationComparison {
  readonly #options: PlanOptions;
  readonly #mistakes: Mistakes;
  readonly #context: ComparisonContext;
  /** Fields that the service doesn't return, as in "notes of suppliers". */
  readonly #notReturned = new Set<string>();
  readonly #secretFields = new Set<string>();
  /** Returns the name by which rows of a ledger refer to the row of a record. */
  readonly rowName: (record: Declared) => string;

  constructor(options: PlanOptions, resolution: Resolution, mistakes: Mistakes) {
    const { records } = options.declaration;
    const { isCompared = false } = options;
    this.#options = options;
    this.#mistakes = mistakes;
    this.rowName = createRowNamer(records);
    const allExist = records.every((record) => resolution.rows.has(record));
    this.#context = {
      resolution,
      mistakes,
      isCompared,
      onNotReturned: ({ resource }, { name, field }) =>
        (field.isHidden ? this.#secretFields : this.#notReturned).add(`${name} of ${resource.nouns}`),
      rowName: this.rowName,
      labelOf: (target, id) =>
        isRowReference(id)
          ? id.$row.slice(id.$row.indexOf(' ') + 1)
          : resolution.names.nameOf(target, String(id)),
      creationProblems: allExist || isCompared ? undefined : creationProblems,
    };
  }

  /** Compares each record. Returns the changes with their records: records that others refer to come first. */
  async changes(pauses: Pauses): Promise<Map<Change, Declared>> {
    const { session, declaration } = this.#options;
    const changes = new Map<Change, Declared>();
    for (const record of sortByDependency(session, declaration.records)) {
      if (pauses.isDue) await pauses.pause();
      if (record.isBroken || record.isAbsent) continue;
      const change = compareRecord(record, this.#context);
      if (!change) continue;
      changes.set(change, record);
      refuseOwnerChanges(record, change, this.#mistakes);
    }
    return changes;
  }

  /** Returns one message for each declared secret, which can't be compared. */
  notesOnSecrets(): string[] {
    return [...this.#secretFields].map(
      (fieldName) => `Not compared, because secrets are never returned: ${fieldName}.`,
    );
  }

  /** Returns one message for each declared value that the service doesn't return. */
  notCompared(): string[] {
    return [...this.#notReturned].map(
      (fieldName) => `Not compared, because the service doesn't return it: ${fieldName}.`,
    );
  }
}

/** Refuses changes of the owner: the file of another account must not replace the owner of this one. */
function refuseOwnerChanges(
  { resource, location }: Declared,
  { fields, links, requests: { current } }: Change,
  mistakes: Mistakes,
): void {
  const role = current && builtInRole(resource, current);
  if (role === undefined) return;
  const names = [...Object.keys(fields), ...links.map(({ link }) => link)];
  mistakes.add(
    location,
    `is the ${role} of the account, which files can't change: ${[...new Set(names)].join(', ')} (use boh ${resource.command} update)`,
  );
}

function sortByDependency({ api }: Session, records: readonly Declared[]): Declared[] {
  const byResource = Map.groupBy(records, ({ resource }) => resource);
  if (byResource.size <= 1) return [...records];
  return api.dependencyOrder().flatMap(({ resource }) => byResource.get(resource) ?? []);
}

/**
 * Returns a function for the names of rows: `suppliers Fresh Farms`, with a number if two records have the same
 * key.
 */
function createRowNamer(records: readonly Declared[]): (record: Declared) => string {
  let names: Map<Declared, string> | undefined;
  const createNames = () => {
    const names = new Map<Declared, string>();
    const nameCounts = new Map<string, number>();
    for (const record of records) {
      const name = `${record.resource.command} ${formatRecordKey(record)}`;
      const count = (nameCounts.get(name) ?? 0) + 1;
      nameCounts.set(name, count);
      names.set(record, count === 1 ? name : `${name} (${count})`);
    }
    return names;
  };
  return (record) => {
    names ??= createNames();
    return names.get(record) ?? '';
  };
}

/** Stores the names of the declared records, and of the related records in responses. */
function storeNames({ rows, names }: Resolution, { api }: Session): void {
  for (const [record, { id }] of rows) {
    if (typeof id === 'string') names.set(record.resource.name, id, formatRecordKey(record));
  }
  for (const [record, row] of rows) {
    for (const { field } of record.values.values()) {
      const { target } = field.field.traits;
      if (target === undefined) continue;
      const targetResource = api.resource(target);
      const title = targetResource ? titleField(targetResource.fields) : 'name';
      if (title !== undefined) names.addRelated(target, title, row[field.name]);
    }
  }
}

/** The records of some resources that may be deleted: only records that a manifest could create again. */
class Deletable {
  readonly #rows: ReadonlyMap<Resource, Row[]>;

  constructor(resources: Iterable<Resource>) {
    this.#rows = new Map([...resources].map((resource) => [resource, []]));
  }

  /** Returns a function for each resource, to be called for each of its records. */
  collectors(): Map<Resource, (row: Row) => void> {
    const collect =
      ([resource, rows]: [Resource, Row[]]) =>
      (row: Row) => {
        if (canBeCreated(resource, row)) rows.push(identifyingFields(resource, row));
      };
    return new Map([...this.#rows].map((entry) => [entry[0], collect(entry)]));
  }

  /** Returns the number of records of each resource, for the limit of deletions. */
  counts(): Map<Resource, number> {
    return new Map([...this.#rows].map(([resource, rows]) => [resource, rows.length]));
  }

  /** Returns the deletions of records that aren't declared, in reverse order of creation. */
  prune(resource: Resource, matches: ReadonlyMap<Declared, Row>): Change[] {
    if (!operation(resource, 'delete'))
      throw new Failure('usage', `${resource.command} can't be deleted, so --prune can't be used for them.`);
    const declaredIds = new Set(
      [...matches].flatMap(([record, { id }]) => (record.resource === resource ? [id] : [])),
    );
    const rows = this.#rows.get(resource) ?? [];
    return rows.filter(({ id }) => !declaredIds.has(id)).map((row) => deletion(resource, row));
  }

  /** Returns the deletion of a record that is declared absent; an empty list if the account doesn't have it. */
  deleteAbsent(record: Declared, row: Row | undefined, mistakes: Mistakes): Change[] {
    if (!row) return [];
    const { resource, location } = record;
    if (!this.#rows.get(resource)?.some(({ id }) => id === row.id)) {
      const role = builtInRole(resource, row);
      const reason =
        role === undefined ? 'no manifest could create it again' : `it is the ${role} of the account`;
      mistakes.add(location, `can't be deleted by $absent: ${reason} (use boh ${resource.command} delete)`);
    }
    return [deletion(resource, row)];
  }
}

function identifyingFields({ key, title }: Resource, row: Row): Row {
  const names = ['id', ...(title === undefined ? [] : [title]), ...key];
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function deletion(resource: Resource, row: Row): Change {
  const id = String(row.id);
  const name = [...resource.key, resource.title ?? 'id']
    .map((name) => row[name])
    .find((value) => typeof value === 'string' && value !== '');
  const key = name === undefined ? id : String(name);
  const titleValue = row[resource.title ?? 'id'];
  const title =
    typeof titleValue === 'string' && titleValue !== '' && titleValue !== key ? titleValue : undefined;
  const requests = {
    name: `${resource.command} ${id} deleted`,
    // Only the identifying fields were stored.
    current: undefined,
    values: {},
    links: [],
  };
  return { action: 'delete', resource, key, title, id, fields: {}, links: [], requests };
}
