/**
 * Builds the plan of a run: its changes, the limits that it exceeds, the parts that can't be undone, and its duration.
 */

import type { UnknownValue } from '../../account/session/known-values.ts';
import type { PlannedWrite } from '../../account/session/observed-writes.ts';
import type { Session } from '../../account/session/session.ts';
import { irreversibleEffectsOn, irreversibleFields, takesEffect } from '../../api/contract/irreversible.ts';
import { enumerationsIn } from '../../api/contract/known-values.ts';
import { Failure, usage } from '../../base/errors.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Action } from './ledger/row.ts';
import { changeLimit, type Limit, type LimitFlags, priceLimit } from './limits.ts';
import { operationOf, remainingOperations } from './send-row.ts';

/**
 * The plan of a run. A planner fills a ledger, and `buildPlan` builds the plan from the ledger without sending requests.
 */
export interface Plan {
  /**
   * The ledger with the changes: a row for each change, in the order of sending, with its requests, the record as it
   * was read, and the old and new value of each field. Rows are read when they are displayed or sent, because there
   * may be a million.
   */
  ledger: Ledger;

  /**
   * The session of the account that the run writes to. Undefined offline: the records are then unknown, and the rows
   * are those of the file. An offline plan can be displayed, but not executed.
   */
  session: Session | undefined;

  /**
   * How many records change, by action: `create`, `update`, `delete`, `restore`, `link` or `unlink`. Actions without
   * records are omitted. A record with several rows may count once.
   */
  counts: ReadonlyMap<Action, number>;

  /** How many records change: the sum of `counts`. */
  changed: number;

  /** How many records are up to date. Nothing is sent for them. */
  unchanged: number;

  /**
   * How many rows are excluded, each with its reason in the ledger: invalid rows of a file, records that can't be
   * written, or values that someone has changed since. They count as failed at the end of the run.
   */
  excluded: number;

  /** How many records the plan contains: changed, unchanged and excluded ones. */
  total: number;

  /**
   * The limits that apply, from flags and from the protection of the profile. Each names what exceeds it and the flag
   * that allows that. A plan that exceeds a limit can be displayed; `refuseExceeded` prevents its execution.
   */
  limits: readonly Limit[];

  /**
   * The reasons why parts of the run can't be undone, one sentence each: a record that can't be deleted again, a value
   * that isn't stored, users who are notified. Empty if everything can be undone.
   */
  irreversible: readonly string[];

  /** Whether a record takes effect, or an action can't be undone. Such a plan is confirmed even for one record. */
  takesEffect: boolean;

  /**
   * How many requests the run needs, with the reads before updates: of each record if the service replaces whole records,
   * otherwise of the first record of each resource.
   */
  requests: number;

  /**
   * How long the requests take at the rate limit, and the limit as text. Undefined without a rate limit or an account.
   */
  duration: { ms: number; limit: string } | undefined;
}

export interface PlanInput {
  ledger: Ledger;
  session: Session | undefined;
  flags?: LimitFlags;
  /** The limits that only the planner can check, such as one that needs the lists of the account. */
  limits?: readonly Limit[];
  /**
   * The numbers of records, if a record may have several rows, or no row because it is unchanged. By default, rows are
   * counted.
   */
  records?: { counts: ReadonlyMap<Action, number>; unchanged: number };
}

/** Builds the plan of the rows that are still to be sent. Reads only the ledger and the rate limit in use. */
export async function buildPlan({
  ledger,
  session,
  flags = {},
  limits = [],
  records,
}: PlanInput): Promise<Plan> {
  if (session) session.permissions.reportUnknown(await unknownValues(ledger, session));
  const counts = records?.counts ?? plannedCounts(ledger);
  const unchanged = records?.unchanged ?? ledger.counts()['skip done'] ?? 0;
  const changed = counts.values().reduce((sum, count) => sum + count, 0);
  const excluded = ledger.count('bad');
  const total = records ? changed + unchanged + excluded : ledger.count();
  const { maxChanges, maxPriceChange } = flags;
  const requests = countRemainingRequests(ledger, session);
  const writes = session ? remainingWrites(ledger, session) : [];
  return {
    ledger,
    session,
    counts,
    changed,
    unchanged,
    excluded,
    total,
    limits: [
      ...(maxChanges === undefined ? [] : [changeLimit(changed, total, maxChanges)]),
      ...(maxPriceChange === undefined || !session ? [] : [priceLimit(ledger, session.api, maxPriceChange)]),
      ...limits,
    ],
    irreversible: irreversibleIn(writes),
    takesEffect: writes.some(({ operation, body = {} }) => operation && takesEffect(operation, body)),
    requests,
    duration: requests === 0 ? undefined : await session?.pace(requests),
  };
}

/** The commands whose values come from an account, so that they aren't checked. */
const accountCommands = ['copy', 'backup', 'undo', 'redo'];

/** Returns the values that the rows send and that neither the API document nor the account has, with the first row of each. */
async function unknownValues(ledger: Ledger, session: Session): Promise<UnknownValue[]> {
  const [command = ''] = String(ledger.property('command')).split(' ');
  if (accountCommands.includes(command)) return [];
  const writes = ledger.remainingOperations().flatMap((step) => {
    const operation = operationOf(step, session);
    const fields = enumerationsIn(operation.body, () =>
      operation.body.map(({ name, field }) => [name, field] as const),
    );
    return fields.flatMap(([name]) =>
      ledger.valuesToSend(step, name, -1).map((value) => ({ operation, body: { [name]: value } })),
    );
  });
  const unknown = new Map((await session.unknownValues(writes)).map((value) => [keyOf(value), value]));
  const located = new Map<string, UnknownValue>();
  for (const { line, key, steps } of unknown.size === 0 ? [] : ledger.rows('planned')) {
    const rowWrites = steps.map((step) => ({ operation: operationOf(step, session), body: step.body }));
    const location = line === null ? (key ?? undefined) : `line ${line}`;
    for (const value of await session.unknownValues(rowWrites))
      if (!located.has(keyOf(value))) located.set(keyOf(value), { ...value, location });
    if (located.size === unknown.size) break;
  }
  return [...new Map([...unknown, ...located]).values()];
}

function keyOf({ resource, path, value }: UnknownValue): string {
  return `${resource.name} ${path} ${value}`;
}

function plannedCounts(ledger: Ledger): ReadonlyMap<Action, number> {
  const plannedEntries = Object.entries(ledger.counts()).flatMap(([name, count]): [Action, number][] => {
    const [action, state] = name.split(' ');
    return state === 'planned' ? [[action as Action, count]] : [];
  });
  return new Map(plannedEntries);
}

/** Returns the reasons why writes can't be undone, each once. */
function irreversibleIn(writes: readonly PlannedWrite[]): string[] {
  const reasons = writes.flatMap(({ operation, body = {}, recordBefore }) =>
    operation ? irreversibleEffectsOn(operation, body, recordBefore) : [],
  );
  return [...new Set(reasons)];
}

/**
 * The maximum number of values that are checked for each field. Fields that make a write irreversible have few values,
 * and all values of a secret have the same result.
 */
const maxValues = 20;

/**
 * Returns one write for each operation of the rows, one for each value that may be irreversible, and one for fields
 * that were empty.
 */
export function remainingWrites(ledger: Ledger, session: Pick<Session, 'api'>): PlannedWrite[] {
  return ledger.remainingOperations().flatMap((step) => {
    const operation = operationOf(step, session);
    const irreversibleWrites = irreversibleFields(operation).flatMap(({ name }) =>
      ledger.valuesToSend(step, name, maxValues).map((value) => ({ operation, body: { [name]: value } })),
    );
    const filledNames = operation.effect === 'update' ? ledger.filledFields(step) : [];
    const fillingWrite = {
      operation,
      body: Object.fromEntries(filledNames.map((name) => [name, true])),
      recordBefore: {},
    };
    return [{ operation }, ...irreversibleWrites, ...(filledNames.length > 0 ? [fillingWrite] : [])];
  });
}

function countRemainingRequests(ledger: Ledger, session: Session | undefined): number {
  const replaces = session?.settings.wire.put === 'replace';
  const updateOperations = session
    ? ledger.remainingOperations().filter(({ verb }) => verb === 'update')
    : [];
  const readCount = replaces ? ledger.countRemainingSteps('update') : updateOperations.length;
  return ledger.countRemainingSteps() + readCount;
}

/** Throws a usage failure with all secrets that updates would empty because the service never returns them. */
export async function refuseEmptiedSecrets(ledger: Ledger, session: Session): Promise<void> {
  const problems: string[] = [];
  for (const step of ledger.remainingOperations()) {
    const operation = operationOf(step, session);
    if (operation.effect !== 'update') continue;
    for (const name of session.updates.requiredSecrets(operation)) {
      const count = ledger.countStepsWithout(step, name);
      const { noun, nouns } = operation.resource;
      if (count > 0) problems.push(`${count} ${count === 1 ? noun : nouns} without ${name}`);
    }
  }
  if (problems.length === 0) return;
  throw usage(
    `Nothing was sent: updates would empty fields that the service never returns (wire.put is replace): ${problems.join(', ')}.`,
    { hint: 'Add it to these rows, or send them without it: --unchecked' },
  );
}

/**
 * Returns the failure that the execution of the plan would end with, as far as it is known without a request; undefined if
 * none is expected. `refuse` is called first and throws the failures that the planner itself detects.
 */
export async function expectedFailure(
  { ledger, session, excluded }: Plan,
  refuse: () => Promise<void>,
): Promise<Failure | undefined> {
  try {
    await refuse();
    if (session) {
      await refuseEmptiedSecrets(ledger, session);
      for (const operation of remainingOperations(ledger, session))
        await session.permissions.checkPermission({ operation });
    }
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  if (excluded === 0) return undefined;
  const rows = `${excluded} of ${ledger.count()} ${ledger.count() === 1 ? 'row' : 'rows'}`;
  return new Failure('partial', `${rows} would be skipped; nothing was sent.`, {
    hint: 'The reasons are listed above. The run would also exit with code 9.',
  });
}
