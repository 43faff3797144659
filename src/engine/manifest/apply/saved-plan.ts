/** Stores what a saved plan of files has in addition to its rows: its changes as people read them, and the declared records. */
import type { Api } from '../../../api/contract/api.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type Action, isRowReference, type RowReference, rowReference } from '../../runs/ledger/row.ts';
import { fingerprintOfRows } from '../../runs/ledger/same-rows.ts';
import { formatRecordKey } from '../declared/declared.ts';
import { replaceRefs } from '../declared/ref.ts';
import type { Difference } from '../plan/change.ts';
import type { ManifestPlan } from '../plan/make-plan.ts';

/** The IDs of declared records by resource and key. A new record has the ID of the row that creates it. */
export type DeclaredIds = Record<string, Record<string, string | RowReference>>;

/** What a plan of files stores in its ledger. */
export interface StoredPlan {
  changes: Difference[];
  notCompared: readonly string[];
  ids: DeclaredIds;
  /** The records that would lose their only supplier, category or tax. */
  losses: readonly string[];
  /** The numbers of records by action. A record and its links count as one. */
  records: { counts: [Action, number][]; unchanged: number };
}

const storedPlanProperty = 'declared';

export function storePlan(ledger: Ledger, plan: StoredPlan): void {
  const changes = plan.changes.map(({ resource, action, key, title, id, fields, links, expanded }) => ({
    ...{ resource: resource.name, action, key, title, id, fields, links, expanded },
  }));
  ledger.setProperty(storedPlanProperty, { ...plan, changes });
}

/** Returns the parts of a plan; undefined if the ledger isn't that of a plan of files. */
export function readStoredPlan(ledger: Ledger, api: Api): StoredPlan | undefined {
  const stored = ledger.property(storedPlanProperty) as
    | (Omit<StoredPlan, 'changes'> & { changes: (Omit<Difference, 'resource'> & { resource: string })[] })
    | undefined;
  if (!stored) return undefined;
  const changes = stored.changes.flatMap((change) => {
    const resource = api.resource(change.resource);
    return resource ? [{ ...change, resource }] : [];
  });
  return { ...stored, changes };
}

export function declaredIds({ declaration, matches, rowName }: ManifestPlan): DeclaredIds {
  const ids: DeclaredIds = {};
  for (const record of declaration.records.filter(({ isAbsent }) => !isAbsent)) {
    const id = matches.get(record)?.id;
    // Without a prototype, any key is safe.
    const idsByKey: DeclaredIds[string] = ids[record.resource.command] ?? Object.create(null);
    ids[record.resource.command] = idsByKey;
    idsByKey[formatRecordKey(record)] = typeof id === 'string' ? id : rowReference(rowName(record));
  }
  return ids;
}

/** Returns the IDs after a run. Records that were refused or not sent are omitted. */
export function idsAfterRun(declared: DeclaredIds, ledger: Ledger): Record<string, Record<string, string>> {
  const idOf = (id: string | RowReference) => (isRowReference(id) ? ledger.rowNamed(id.$row)?.id : id);
  const entries = Object.entries(declared).map(([command, idsByKey]) => {
    const known = Object.entries(idsByKey).flatMap(([key, id]) => {
      const recordId = idOf(id);
      return typeof recordId === 'string' ? [[key, recordId] as const] : [];
    });
    const withoutPrototype: Record<string, string> = Object.assign(
      Object.create(null),
      Object.fromEntries(known),
    );
    return known.length > 0 ? [[command, withoutPrototype] as const] : [];
  });
  return Object.fromEntries(entries.flat());
}

/** Returns the fingerprint of what the files declare, wherever they are, to find runs that write the same. */
export function fingerprintOfDeclaration({
  declaration,
  prune,
}: Pick<ManifestPlan, 'declaration' | 'prune'>): string {
  const records = declaration.records.map(({ resource, key, oldKey, isAbsent, isExact, values }) => {
    const entries = [...values].map(([name, { value }]) => [name, value]);
    return [
      resource.name,
      replaceRefs({ key, oldKey, isAbsent, isExact, entries }, (ref) => ({ $ref: ref.key })),
    ];
  });
  return fingerprintOfRows(
    records,
    prune.map(({ name }) => name),
  );
}
