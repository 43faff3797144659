/** Runs the rules over the values that a plan would write, and returns what they newly find. */
import type { Api } from '../contract/api.ts';
import type { Field } from '../contract/field.ts';
import type { Operation } from '../contract/operation.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import type { LedgerRow, Step } from '../runs/ledger/row.ts';
import { operationOf } from '../runs/send-row.ts';
import { linkShown, linksIn, pivotOf } from '../session/record-body.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import { LintAccount } from './account.ts';
import { type Finding, identityOf } from './finding.ts';
import { readRecords } from './read-records.ts';
import { rules } from './rules/index.ts';
import { type Check, checksOf, possible, readsOf, runChecks } from './run-rules.ts';

/** How many rows of a plan are checked together where nothing else is read. */
const batchRows = 1000;

/** Records by id, by resource. */
type Records = Map<string, Map<unknown, Row>>;

/** What the rules are run for. */
export interface PlannedLint {
  ledger: Ledger;
  api: Api;
  /** `YYYY-MM-DD` */
  today: string;
  /** Reads the lists that rules need. Without it, only rules that need nothing but the record are run. */
  session?: Session | undefined;
}

/** Returns the errors and warnings that a plan would add. */
export async function plannedFindings({ ledger, api, today, session }: PlannedLint): Promise<Finding[]> {
  const place = { api, today };
  const found: Finding[] = [];
  let batch: LedgerRow[] = [];
  const check = async () => {
    const names = new Set(batch.flatMap(({ steps }) => steps.map(({ resource }) => resource)));
    const resources = [...names].flatMap((name) => api.resource(name) ?? []);
    const checks = checksOf(rules, api, resources).filter(({ rule }) => rule.severity !== 'info');
    const read = session
      ? await readRecords(session, readsOf(checks, api))
      : { rows: new Map<string, Row[]>() };
    const before: Records = new Map(
      [...read.rows].map(([name, all]) => [name, new Map(all.map((row) => [row.id, row]))]),
    );
    const able = session ? checks : checks.filter(({ rule }) => rule.each && !rule.needs);
    found.push(...(await newIn(able, before, batch, place)));
    batch = [];
  };
  for (const row of ledger.rows('planned')) {
    batch.push(row);
    if (!session && batch.length >= batchRows) await check();
  }
  if (batch.length > 0) await check();
  return found;
}

async function newIn(
  checks: readonly Check[],
  before: Records,
  rows: readonly LedgerRow[],
  { api, today }: { api: Api; today: string },
): Promise<Finding[]> {
  const after: Records = new Map([...before].map(([name, all]) => [name, new Map(all)]));
  for (const row of rows) for (const step of row.steps) carryOut(step, row, { before, after }, api);
  const [old, now] = [before, after].map((records) => {
    const lists = [...records].map(([name, all]) => [name, [...all.values()]] as const);
    return new LintAccount(api, today, new Map(lists));
  });
  if (!old || !now) return [];
  const known = new Set((await runChecks(possible(checks, old), old)).map(identityOf));
  return (await runChecks(possible(checks, now), now)).filter((finding) => !known.has(identityOf(finding)));
}

/** Changes the records as a step would. What the plan knows of a record stands for one that wasn't read. */
function carryOut(
  step: Step,
  row: LedgerRow,
  { before, after }: { before: Records; after: Records },
  api: Api,
): void {
  const operation = operationOf(step, { api });
  const id = row.id ?? `${row.line === null ? '' : `line ${row.line}: `}${row.key ?? row.seq}`;
  const [was, is] = [before, after].map((records) => {
    const own = records.get(step.resource) ?? new Map<unknown, Row>();
    records.set(step.resource, own);
    return own;
  });
  const { effect } = operation;
  if (effect === 'delete') is?.delete(id);
  const known = { ...step.known, id };
  if (effect === 'restore') is?.set(id, known);
  if (!['create', 'update', 'link', 'unlink'].includes(effect)) return;
  if (effect !== 'create' && row.id !== null && !was?.has(id)) was?.set(id, known);
  is?.set(id, changed({ ...known, ...is.get(id) }, step, operation));
}

function changed(record: Row, { body = {}, ids }: Step, { link, effect, body: fields }: Operation): Row {
  if (link) {
    const [links, other] = [linksIn(record, link.field) ?? [], ids.at(1)];
    const rest = links.filter((each) => each.id !== other);
    const pivot = { ...pivotOf(links.find((each) => each.id === other)), ...body };
    return { ...record, [link.field]: effect === 'unlink' ? rest : [...rest, { id: other, pivot }] };
  }
  const sent = fields.filter(({ name }) => Object.hasOwn(body, name));
  const asShown = ({ kind }: Field, value: unknown) =>
    kind === 'many' && Array.isArray(value) ? value.map(linkShown) : value;
  const values = sent.map(({ name, shown, field }) => [shown, asShown(field, body[name])]);
  return { ...record, ...Object.fromEntries(values) };
}
