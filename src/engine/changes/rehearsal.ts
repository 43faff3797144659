/** Rehearses a change set: begins and ends it in a copy of the account, and checks that all fields have their earlier values. */

import { accountInUse } from '../../account/session/account.ts';
import { RecordBatch } from '../../account/session/find-by-key.ts';
import { isRow } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import type { Kind } from '../../api/contract/field.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { readAll } from '../manifest/pull/pull.ts';
import {
  type CopiedRecord,
  type CopiedReference,
  copiedReferences,
  readRecordsToCopy,
} from '../manifest/rehearse.ts';
import { Ledger } from '../runs/ledger/ledger.ts';
import { recordOwner } from '../runs/ledger/owner.ts';
import { type ChangeSet, touchedFields } from './change-set.ts';
import { executeAction } from './execute-actions.ts';
import type { Host } from './host.ts';
import { openChangeSets } from './open-change-sets.ts';
import type { ActionReport } from './report.ts';

/** A temporary, initially empty account with its own history. */
export interface AccountCopy {
  host: Host;
  session: Session;
  /** Adds records of the account with their IDs, without the checks of the API. */
  add(records: readonly CopiedRecord[], references: readonly CopiedReference[]): void;
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
  const { records } = await readRecordsToCopy(account, touchedResources, batch);
  add(records, copiedReferences(records, account));
  return [...touchedResources];
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
