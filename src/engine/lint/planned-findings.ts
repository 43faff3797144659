/** Runs the rules over the values that a plan would write, and returns the new findings. */

import { linksIn, pivotOf, toResponseLink } from '../../account/session/record-body.ts';
import type { Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import type { Api } from '../../api/contract/api.ts';
import type { Field } from '../../api/contract/field.ts';
import { takesEffect } from '../../api/contract/irreversible.ts';
import type { Operation } from '../../api/contract/operation.ts';
import { type LedgerRow, recordIdPlaceholder, type Step, withIds } from '../runs/ledger/row.ts';
import { operationOf } from '../runs/send-row.ts';
import { LintAccount } from './account.ts';
import { type Finding, findingKey } from './finding.ts';
import { readRecords } from './read-records.ts';
import { refuseUnknownRules } from './rule.ts';
import { rules } from './rules/index.ts';
import { type Check, checksOf, readsOf, runChecks, runnableChecks } from './run-rules.ts';

/** The number of rows of a plan that are checked together if no other records are read. */
const batchRows = 1000;

type RecordsById = Map<string, Map<unknown, Row>>;

/** A row of a plan, or the changes of a form: the steps, and the record that they change. */
export type PlannedRow = Pick<LedgerRow, 'seq' | 'name' | 'line' | 'key' | 'id' | 'steps'>;

/** The plan to check, with the API, the day and the session. */
export interface PlannedLint {
  rows: Iterable<PlannedRow>;
  api: Api;
  /** `YYYY-MM-DD` */
  today: string;
  /** Reads the lists that rules need. Without a session, only rules that read a single record are run. */
  session?: Session | undefined;
  /** The names of rules that are not run. */
  allow?: readonly string[] | undefined;
}

/** Returns the errors and warnings that a plan would add. Throws a usage failure if `allow` has an unknown name. */
export async function plannedFindings({
  rows,
  api,
  today,
  session,
  allow = [],
}: PlannedLint): Promise<Finding[]> {
  refuseUnknownRules(allow, rules);
  const context = { api, today };
  const findings: Finding[] = [];
  let batch: PlannedRow[] = [];
  const check = async () => {
    const names = new Set(batch.flatMap(({ steps }) => steps.map(({ resource }) => resource)));
    const resources = [...names].flatMap((name) => api.resource(name) ?? []);
    const checks = checksOf(rules, api, resources).filter(
      ({ rule }) => rule.severity !== 'info' && !allow.includes(rule.name),
    );
    const lists = session ? (await readRecords(session, readsOf(checks, api))).rows : [];
    const byId = (records: readonly Row[]) => new Map<unknown, Row>(records.map((row) => [row.id, row]));
    const before: RecordsById = new Map([...lists].map(([name, records]) => [name, byId(records)]));
    const runnable = session ? checks : checks.filter(({ rule }) => rule.checkRecord && !rule.needs);
    findings.push(...(await findingsAfter(runnable, before, batch, context)));
    batch = [];
  };
  for (const row of rows) {
    batch.push(row);
    if (!session && batch.length >= batchRows) await check();
  }
  if (batch.length > 0) await check();
  return findings;
}

async function findingsAfter(
  checks: readonly Check[],
  before: RecordsById,
  rows: readonly PlannedRow[],
  { api, today }: { api: Api; today: string },
): Promise<Finding[]> {
  const after: RecordsById = new Map([...before].map(([name, records]) => [name, new Map(records)]));
  // Rows refer by name to records that other rows create.
  const ids = new Map(rows.map((row) => [row.name, idOf(row)]));
  const resolveIds = <Value>(value: Value) => withIds(value, (name) => ids.get(name) ?? name) as Value;
  for (const row of rows)
    for (const step of row.steps)
      applyStep(
        { ...step, ids: resolveIds(step.ids), body: resolveIds(step.body) },
        row,
        { before, after },
        api,
      );
  const [accountBefore, accountAfter] = [before, after].map((recordsById) => {
    const lists = [...recordsById].map(([name, records]) => [name, [...records.values()]] as const);
    return new LintAccount(api, today, new Map(lists));
  });
  if (!accountBefore || !accountAfter) return [];
  const keysBefore = new Set(
    (await runChecks(runnableChecks(checks, accountBefore), accountBefore)).map(findingKey),
  );
  const findings = await runChecks(runnableChecks(checks, accountAfter), accountAfter);
  return findings.filter((finding) => !keysBefore.has(findingKey(finding)));
}

/** Returns the ID of a record; for a record that isn't created yet, the name of its row. */
function idOf({ id, name, line, key, seq }: PlannedRow): string {
  return id ?? name ?? `${line === null ? '' : `line ${line}: `}${key ?? seq}`;
}

/** Changes the records as a step would. For a record that wasn't read, the plan's baseline values are used. */
function applyStep(
  step: Step,
  row: PlannedRow,
  { before, after }: { before: RecordsById; after: RecordsById },
  api: Api,
): void {
  const operation = operationOf(step, { api });
  const [first = recordIdPlaceholder] = step.ids;
  const id = operation.effect === 'create' || first === recordIdPlaceholder ? idOf(row) : String(first);
  const [recordsBefore, recordsAfter] = [before, after].map((records) => {
    const recordsOfResource = records.get(step.resource) ?? new Map<unknown, Row>();
    records.set(step.resource, recordsOfResource);
    return recordsOfResource;
  });
  const { effect } = operation;
  // The findings of a record that takes effect are reported again.
  if (takesEffect(operation, step.body ?? {}, step.known ?? recordsBefore?.get(id)))
    recordsBefore?.delete(id);
  if (effect === 'delete') recordsAfter?.delete(id);
  // A new record without a name in the plan has no name.
  const { title } = operation.resource;
  const emptyTitle = effect === 'create' && title !== undefined ? { [title]: null } : {};
  const knownRecord = { ...emptyTitle, ...step.known, id };
  if (effect === 'restore') recordsAfter?.set(id, knownRecord);
  if (!['create', 'update', 'link', 'unlink'].includes(effect)) return;
  const isKnown = step.known && !takesEffect(operation, step.body ?? {}, step.known);
  if (effect !== 'create' && isKnown && !recordsBefore?.has(id)) recordsBefore?.set(id, knownRecord);
  recordsAfter?.set(id, applyBody({ ...knownRecord, ...recordsAfter.get(id) }, step, operation));
}

function applyBody(record: Row, { body = {}, ids }: Step, { link, effect, body: fields }: Operation): Row {
  if (link) {
    const [links, linkedId] = [linksIn(record, link.field) ?? [], ids.at(1)];
    const otherLinks = links.filter(({ id }) => id !== linkedId);
    const pivot = { ...pivotOf(links.find(({ id }) => id === linkedId)), ...body };
    return {
      ...record,
      [link.field]: effect === 'unlink' ? otherLinks : [...otherLinks, { id: linkedId, pivot }],
    };
  }
  const sentFields = fields.filter(({ name }) => Object.hasOwn(body, name));
  const toResponseValue = ({ kind }: Field, value: unknown) =>
    kind === 'many' && Array.isArray(value) ? value.map(toResponseLink) : value;
  const values = sentFields.map(({ name, responseName, field }) => [
    responseName,
    toResponseValue(field, body[name]),
  ]);
  return { ...record, ...Object.fromEntries(values) };
}
