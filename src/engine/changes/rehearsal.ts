/** Rehearses a change set: begins and ends it in a copy of the account, and checks that all fields have their earlier values. */

import { accountInUse } from '../../account/session/account.ts';
import { RecordBatch, recordKey } from '../../account/session/find-by-key.ts';
import { MissingFields } from '../../account/session/missing-fields.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import type { Kind } from '../../api/contract/field.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { readAll, withTargets } from '../manifest/pull/pull.ts';
import { Ledger } from '../runs/ledger/ledger.ts';
import { recordOwner } from '../runs/ledger/owner.ts';
import { type ChangeSet, touchedFields } from './change-set.ts';
import { executeAction } from './execute-actions.ts';
import type { Host } from './host.ts';
import { openChangeSets } from './open-change-sets.ts';
import type { ActionReport } from './report.ts';

/** A record that the API refers to but can't list, such as a branch. */
interface Reference {
  target: string;
  id: string;
  name: string;
}

/** A temporary, initially empty account with its own history. */
export interface AccountCopy {
  host: Host;
  session: Session;
  /** Adds records of the account with their IDs, without the checks of the API. */
  add(records: readonly { resource: string; row: Row }[], references: readonly Reference[]): void;
  /** Sets the clock of the copy and of its host, in milliseconds since 1970. */
  setClock(time: number): void;
  /** Runs the lint rules on the resources, and returns a message for each finding. */
  lint(resources: readonly Resource[]): Promise<string[]>;
  close(): void;
}

export interface SetRehearsal {
  reports: ActionReport[];
  /** The lint findings after the start that didn't exist before. */
  findings: string[];
  /** The fields that don't have their earlier values after the end. */
  differentFields: string[];
  /** The number of fields that were compared. */
  comparedFieldCount: number;
}

/** Begins and ends a set in the copy. The account is only read. */
export async function rehearseSet(
  set: ChangeSet,
  planFile: string,
  account: Session,
  copy: AccountCopy,
): Promise<SetRehearsal> {
  const { host, session } = copy;
  const touchedResources = await prepareCopy(planFile, account, copy);
  copy.setClock(set.startsAt);
  const sets = openChangeSets(host.folder, { createsIfMissing: true });
  if (!sets) throw new Error('no change sets');
  try {
    const addedSet = sets.add(set, { ...set, touched: [], planFile }, () => undefined);
    const valuesBefore = await fieldValuesOf(touchedResources, session);
    const earlierFindings = await copy.lint(touchedResources);
    const reports = [
      await executeAction({ set: addedSet, kind: 'begin', dueAt: set.startsAt }, { sets, host }),
    ];
    const findings = (await copy.lint(touchedResources)).filter(
      (finding) => !earlierFindings.includes(finding),
    );
    const [begunSet] = sets.all();
    if (begunSet?.state !== 'active' || begunSet.endsAt === null)
      return { reports, findings, differentFields: [], comparedFieldCount: 0 };
    copy.setClock(begunSet.endsAt);
    reports.push(
      await executeAction({ set: begunSet, kind: 'return', dueAt: begunSet.endsAt }, { sets, host }),
    );
    const valuesAfter = await fieldValuesOf(touchedResources, session);
    const keys = [...new Set([...valuesBefore.keys(), ...valuesAfter.keys()])];
    const differentFields = keys.filter((key) => valuesBefore.get(key) !== valuesAfter.get(key));
    return { reports, findings, differentFields, comparedFieldCount: valuesBefore.size };
  } finally {
    sets.close();
    copy.close();
  }
}

/** Copies the resources that a plan changes, and makes the copy the owner of the plan. Returns the changed resources. */
async function prepareCopy(planFile: string, account: Session, copy: AccountCopy): Promise<Resource[]> {
  const ledger = new Ledger(planFile);
  try {
    recordOwner(ledger, await accountInUse(copy.session));
    return await copyTouchedResources(ledger, account, copy);
  } finally {
    ledger.close();
  }
}

/** Copies the resources that a plan changes, and those that they refer to, with their IDs. Returns the changed resources. */
async function copyTouchedResources(
  ledger: Ledger,
  account: Session,
  { add }: AccountCopy,
): Promise<Resource[]> {
  const batch = new RecordBatch();
  const touchedResources = new Set<Resource>();
  for (const { resource: name, record } of touchedFields(ledger, account)) {
    const resource = account.api.resource(name);
    if (!resource) continue;
    touchedResources.add(resource);
    if (!record.startsWith('new ')) batch.idsOf(resource).ids.add(record);
  }
  const rows = new Map<string, { resource: string; row: Row }>();
  const missing = new MissingFields();
  for (const resource of withTargets([...touchedResources], account)) {
    for (const row of (await readAll(resource, account, touchedResources.has(resource), missing)) ?? [])
      rows.set(recordKey(resource, String(row.id)), { resource: resource.name, row });
  }
  missing.throwIfAny('A copy without them would not behave like the account.');
  // Lists don't contain deleted records, which a plan may restore.
  for (const [key, row] of await batch.read(account)) {
    const resource = [...touchedResources].find((resource) => recordKey(resource, String(row.id)) === key);
    if (resource && !rows.has(key)) rows.set(key, { resource: resource.name, row });
  }
  const records = [...rows.values()];
  add(
    records,
    records.flatMap(({ resource, row }) => referencesOf(account.api.resource(resource), row, account)),
  );
  return [...touchedResources];
}

/** Returns the records that a row refers to and that the API can't list, such as branches. */
function referencesOf(resource: Resource | undefined, row: Row, { api }: Session): Reference[] {
  return Object.entries(resource?.fields ?? {}).flatMap(([name, { traits }]) => {
    const { target } = traits;
    if (target === undefined || api.resource(target)) return [];
    const relatedRows = (Array.isArray(row[name]) ? row[name] : [row[name]]).filter(isRow);
    return relatedRows.map(({ id, name: label }) => ({ target, id: String(id), name: String(label ?? id) }));
  });
}

/** Returns the values of all fields of the records, by record and field, except for the time of the last update. */
async function fieldValuesOf(resources: readonly Resource[], session: Session): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const resource of resources) {
    for (const row of (await readAll(resource, session, true)) ?? [])
      for (const [name, value] of Object.entries(row))
        if (name !== 'updated_at')
          values.set(
            `${resource.command} ${row.id} ${name}`,
            comparableText(value, resource.fields[name]?.kind),
          );
  }
  return values;
}

/** Returns a value as text for comparison. Related records are compared by ID and link data, in any order. */
function comparableText(value: unknown, kind: Kind | undefined): string {
  if (kind === 'many' && Array.isArray(value))
    return value
      .map((link) => comparableText(link, 'one'))
      .sort()
      .join();
  if (kind === 'one' && isRow(value)) return JSON.stringify([value.id, value.pivot]);
  return JSON.stringify(value, (name, nestedValue) => (name === 'updated_at' ? undefined : nestedValue));
}
