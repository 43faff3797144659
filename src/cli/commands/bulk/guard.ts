/** Checks writes with the rules of `boh lint`: reports new findings, and stops the writes if a flag or a protected profile requires that. */

import type { Call } from '../../../account/client/request.ts';
import type { PlannedWrite } from '../../../account/session/observed-writes.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { takesEffect } from '../../../api/contract/irreversible.ts';
import { type FieldMessages, usage } from '../../../base/errors.ts';
import { truncateItems } from '../../../base/shown-items.ts';
import { type Finding, isAtLeast } from '../../../engine/lint/finding.ts';
import type { PlannedRow } from '../../../engine/lint/planned-findings.ts';
import type { Severity } from '../../../engine/lint/rule.ts';
import type { Limit } from '../../../engine/runs/limits.ts';
import { type PlanInput, remainingWrites } from '../../../engine/runs/plan.ts';
import type { Context } from '../../context/context.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import type { GuardFlags } from './run-flags.ts';

/** Reports the findings of `boh lint` that a plan would add. Returns them as a limit of the plan. */
export async function guardPlan(
  { ledger, session }: Pick<PlanInput, 'ledger' | 'session'>,
  flags: GuardFlags,
  context: Context,
): Promise<Limit[]> {
  if (!session || flags.failOn === 'never') return [];
  const isEffective = asksForEffect(remainingWrites(ledger, session), context);
  const listSession = minBlockingSeverity(flags, session) || isEffective ? session : undefined;
  const findings = await findNewFindings(ledger.rows('planned'), listSession, flags, context);
  if (findings.length === 0) return [];
  showFindings(findings, context);
  const exceeded = blockingMessagesByRule(findings, flags, session);
  return [{ exceeded, flag: allowFlag(exceeded) }];
}

/** A request, and the record before the write, if it was read. */
export interface GuardedWrite {
  call: Call;
  recordBefore?: Row | undefined;
}

/** Returns whether boh asks before a record takes effect. The findings that need lists are then shown, too. */
function asksForEffect(writes: readonly PlannedWrite[], { streams, globals }: Context): boolean {
  if (!streams.interactive || globals.yes || globals.offline) return false;
  return writes.some(
    ({ operation, body = {}, recordBefore }) => operation && takesEffect(operation, body, recordBefore),
  );
}

/** Returns a message for each finding that the input of a form would add. It reads lists only if the record takes effect. */
export async function newFindingMessages(
  write: GuardedWrite,
  flags: GuardFlags,
  context: Context,
): Promise<string[]> {
  if (flags.failOn === 'never') return [];
  const isEffective = asksForEffect([{ ...write.call, recordBefore: write.recordBefore }], context);
  const listSession = isEffective ? await context.session() : undefined;
  const findings = await findNewFindings([plannedRowOf(write)], listSession, flags, context);
  return findings.map(({ rule, message }) => `${message} (${rule})`);
}

/** The flags of writes, and the function that reads their records. */
interface GuardOptions {
  flags: GuardFlags;
  readRecord?(call: Call): Promise<Row | undefined>;
  /** Whether a form has already shown the findings. */
  hasShownFindings?: boolean | undefined;
}

/**
 * Throws `usage` if writes of named records add findings that the flags or a protected profile don't allow. Reports other
 * findings. Reads lists only with `--fail-on`. Returns the records that were read.
 */
export async function guardRecords(
  writes: readonly GuardedWrite[],
  { flags, readRecord, hasShownFindings }: GuardOptions,
  context: Context,
): Promise<(Row | undefined)[]> {
  const session = await context.session();
  const [firstWrite] = writes;
  const planned = writes.map(({ call, recordBefore }) => ({ ...call, recordBefore }));
  const isEffective = asksForEffect(planned, context);
  if (!firstWrite || !(minBlockingSeverity(flags, session) || (isEffective && flags.failOn !== 'never')))
    return writes.map(({ recordBefore }) => recordBefore);
  // On a terminal the findings are reported before the confirmation; elsewhere nothing is read for a write that is refused.
  const { streams, globals } = context;
  if (!streams.interactive && !globals.dryRun)
    await session.permissions.approve({ operation: firstWrite.call.operation });
  const calls = await session.names.resolveAll(writes.map(({ call }) => call));
  const rows: PlannedRow[] = [];
  const records: (Row | undefined)[] = [];
  for (const [index, call] of calls.entries()) {
    const recordBefore =
      writes[index]?.recordBefore ??
      (call.operation.effect === 'update' ? await readRecord?.(call) : undefined);
    records.push(recordBefore);
    rows.push(plannedRowOf({ call, recordBefore }, index));
  }
  const listSession = (flags.failOn === undefined && !isEffective) || globals.offline ? undefined : session;
  const findings = await findNewFindings(rows, listSession, flags, context);
  const blockingMessages = blockingMessagesByRule(findings, flags, session);
  if (Object.keys(blockingMessages).length === 0) {
    if (!hasShownFindings && findings.length > 0) showFindings(findings, context);
    return records;
  }
  const message = 'Nothing was sent: boh lint finds new mistakes in these values.';
  throw usage(`${message} Fix them, or allow them with ${allowFlag(blockingMessages)}.`, {
    fields: blockingMessages,
  });
}

/** Returns the lowest severity that stops a write; undefined if findings don't stop it. */
function minBlockingSeverity({ failOn }: GuardFlags, { settings }: Session): Severity | undefined {
  if (failOn === 'never') return undefined;
  return failOn ?? (settings.protection ? 'error' : undefined);
}

/** Runs the rules on rows with their new values. Without a session, only rules that need a single record. */
async function findNewFindings(
  rows: Iterable<PlannedRow>,
  session: Session | undefined,
  { allow }: GuardFlags,
  { api, now }: Context,
): Promise<Finding[]> {
  // The rules are loaded here, because they are large and most writes don't run them.
  const { plannedFindings } = await import('../../../engine/lint/planned-findings.ts');
  return plannedFindings({ rows, api, today: now().toISOString().slice(0, 10), session, allow });
}

function showFindings(findings: readonly Finding[], { streams }: Context): void {
  note(
    streams,
    `These changes add ${findings.length} boh lint ${findings.length === 1 ? 'finding' : 'findings'}:`,
  );
  const lines = findings.map(
    ({ severity, rule, name, message }) => `${severity} ${rule}: ${name}: ${message}`,
  );
  for (const line of truncateItems(lines)) note(streams, `  ${cleanLine(line)}`);
}

function plannedRowOf(
  { call: { operation, ids = [], body }, recordBefore }: GuardedWrite,
  seq = 0,
): PlannedRow {
  const { resource, verb, effect } = operation;
  const id = effect === 'create' ? null : (ids[0] ?? null);
  return {
    seq,
    name: null,
    line: null,
    key: id === null ? `new ${resource.noun}` : null,
    id,
    steps: [{ resource: resource.name, verb, ids, body, known: recordBefore }],
  };
}

function blockingMessagesByRule(
  findings: readonly Finding[],
  flags: GuardFlags,
  session: Session,
): FieldMessages {
  const minSeverity = minBlockingSeverity(flags, session);
  const blockingFindings = findings.filter(
    ({ severity }) => minSeverity !== undefined && isAtLeast(severity, minSeverity),
  );
  const byRule = Object.entries(Object.groupBy(blockingFindings, ({ rule }) => rule));
  return Object.fromEntries(
    byRule.map(([rule, ruleFindings = []]) => [
      rule,
      truncateItems(ruleFindings.map(({ name, message }) => `${name}: ${message}`)),
    ]),
  );
}

function allowFlag(messages: FieldMessages): string {
  return `--allow ${Object.keys(messages).join(',')}`;
}
