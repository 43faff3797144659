/** Reports what writes would make wrong, and stops them where the flags or the protection of the profile say so. */
import { type FieldMessages, usage } from '../../base/errors.ts';
import { firstItems } from '../../base/shown-items.ts';
import type { Call } from '../../client/request.ts';
import type { Context } from '../../context/context.ts';
import { type Finding, isAtLeast } from '../../lint/finding.ts';
import type { PlannedRow } from '../../lint/planned-findings.ts';
import type { Severity } from '../../lint/rule.ts';
import type { Limit } from '../../runs/limits.ts';
import type { PlanSource } from '../../runs/plan.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import type { GuardFlags } from './run-flags.ts';

/** Reports what the rules of `boh lint` find in the values of a plan and not before. Returns the limit that this sets. */
export async function guarded(
  { ledger, session }: Pick<PlanSource, 'ledger' | 'session'>,
  flags: GuardFlags,
  context: Context,
): Promise<Limit[]> {
  if (!session || flags.failOn === 'never') return [];
  const lists = leastStopping(flags, session) && session;
  const found = await newFindings(ledger.rows('planned'), lists, flags, context);
  if (found.length === 0) return [];
  show(found, context);
  const exceeded = stopping(found, flags, session);
  return [{ exceeded, flag: allowing(exceeded) }];
}

/** A call with its record as it was read, if it was. */
export interface GuardedWrite {
  call: Call;
  known?: Row | undefined;
}

/** Returns what the answers of a form make wrong, a sentence each. Reads nothing: lists are read when it is sent. */
export async function mistakesIn(
  write: GuardedWrite,
  flags: GuardFlags,
  context: Context,
): Promise<string[]> {
  if (flags.failOn === 'never') return [];
  const found = await newFindings([rowOf(write)], undefined, flags, context);
  return found.map(({ rule, message }) => `${message} (${rule})`);
}

/** The flags of writes, and how their records are read. */
interface GuardOptions {
  flags: GuardFlags;
  read?(call: Call): Promise<Row | undefined>;
  /** Whether a form has shown the findings already. */
  isShown?: boolean | undefined;
}

/**
 * Throws `usage` where writes of named records have new findings that the flags or the protection of the profile don't
 * allow, and shows others. Without the flag only these records are read. Returns each as it was read.
 */
export async function guardedRecords(
  writes: readonly GuardedWrite[],
  { flags, read, isShown }: GuardOptions,
  context: Context,
): Promise<(Row | undefined)[]> {
  const session = await context.session();
  const [first] = writes;
  if (!first || !leastStopping(flags, session)) return writes.map(({ known }) => known);
  // On a terminal the findings come before the confirmation; elsewhere nothing is read for a write that is refused.
  const { streams, globals } = context;
  if (!streams.interactive && !globals.dryRun) await session.approve({ operation: first.call.operation });
  const calls = await session.resolveAll(writes.map(({ call }) => call));
  const rows: PlannedRow[] = [];
  const records: (Row | undefined)[] = [];
  for (const [at, call] of calls.entries()) {
    const known = writes[at]?.known ?? (call.operation.effect === 'update' ? await read?.(call) : undefined);
    records.push(known);
    rows.push(rowOf({ call, known }, at));
  }
  const lists = flags.failOn === undefined || globals.offline ? undefined : session;
  const found = await newFindings(rows, lists, flags, context);
  const fields = stopping(found, flags, session);
  if (Object.keys(fields).length === 0) {
    if (!isShown && found.length > 0) show(found, context);
    return records;
  }
  const message = 'Nothing was sent: boh lint finds new mistakes in these values.';
  throw usage(`${message} Fix them, or allow them with ${allowing(fields)}.`, { fields });
}

/** Returns the severity from which findings stop a write; undefined where none does. */
function leastStopping({ failOn }: GuardFlags, { settings }: Session): Severity | undefined {
  if (failOn === 'never') return undefined;
  return failOn ?? (settings.protection ? 'error' : undefined);
}

/** Runs the rules over rows as they would be. Without a session, only rules that need nothing but the record. */
async function newFindings(
  rows: Iterable<PlannedRow>,
  session: Session | undefined,
  { allow = [] }: GuardFlags,
  { api, now }: Context,
): Promise<Finding[]> {
  // The rules are as large as the rest of a write, and most writes run none.
  const { plannedFindings } = await import('../../lint/planned-findings.ts');
  const found = await plannedFindings({ rows, api, today: now().toISOString().slice(0, 10), session });
  return found.filter(({ rule }) => !allow.includes(rule));
}

function show(found: readonly Finding[], { streams }: Context): void {
  note(streams, `boh lint would find ${found.length} more:`);
  const lines = found.map(({ severity, rule, name, message }) => `${severity} ${rule}: ${name}: ${message}`);
  for (const line of firstItems(lines)) note(streams, `  ${cleanLine(line)}`);
}

function rowOf({ call: { operation, ids = [], body }, known }: GuardedWrite, seq = 0): PlannedRow {
  const { resource, verb, effect } = operation;
  const id = effect === 'create' ? null : (ids[0] ?? null);
  return {
    seq,
    name: null,
    line: null,
    key: null,
    id,
    steps: [{ resource: resource.name, verb, ids, body, known }],
  };
}

/** Returns the findings that stop a write, by rule. */
function stopping(found: readonly Finding[], flags: GuardFlags, session: Session): FieldMessages {
  const least = leastStopping(flags, session);
  const serious = found.filter(({ severity }) => least !== undefined && isAtLeast(severity, least));
  const byRule = Object.entries(Object.groupBy(serious, ({ rule }) => rule));
  return Object.fromEntries(
    byRule.map(([rule, all = []]) => [
      rule,
      firstItems(all.map(({ name, message }) => `${name}: ${message}`)),
    ]),
  );
}

function allowing(messages: FieldMessages): string {
  return `--allow ${Object.keys(messages).join(',')}`;
}
