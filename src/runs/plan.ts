/** Makes the plan of a run: what it would change, which limits it exceeds, what can't be undone, and how long it takes. */
import { Failure, usage } from '../base/errors.ts';
import { irreversibleEffectsOn, irreversibleFields } from '../contract/irreversible.ts';
import type { PlannedWrite } from '../session/observed-writes.ts';
import type { Session } from '../session/session.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Action } from './ledger/row.ts';
import { changeLimit, type Limit, type LimitFlags, priceLimit } from './limits.ts';
import { operationOf, remainingCalls } from './send-row.ts';

/** What a run is about to do. A planner fills a ledger; `planOf` makes the plan from it, and sends nothing for it. */
export interface Plan {
  /**
   * The ledger that holds the changes: a row for each, in the order in which they are sent, with its requests, the record as
   * it was read, and each field before and after. Rows are read when they are shown or sent, as there may be a million.
   */
  ledger: Ledger;

  /**
   * The account that the run writes to. Undefined offline: nothing is known of its records then, and the rows are what a
   * file asks for. Such a plan can be shown, and not carried out.
   */
  session: Session | undefined;

  /**
   * How many records change, by what is done to them: `create`, `update`, `delete`, `restore`, `link` or `unlink`. What
   * happens to no record is left out. A record that takes several rows may count once.
   */
  counts: ReadonlyMap<Action, number>;

  /** How many records change: the sum of `counts`. */
  changed: number;

  /** How many records are already as they should be. Nothing is sent for them. */
  unchanged: number;

  /**
   * How many rows are excluded, each with its reason in the ledger: invalid rows of a file, records that can't be written,
   * or values that someone has changed since. They count as failed once the run is over.
   */
  excluded: number;

  /** How many records the plan is about: those that change, those that don't, and those that are excluded. */
  total: number;

  /**
   * The limits that apply, from flags and from the protection of the profile. Each says what exceeds it and which flag
   * allows that. A plan that exceeds one can be shown; `refuseExceeded` keeps it from being carried out.
   */
  limits: readonly Limit[];

  /**
   * Why parts of the run can't be undone, a sentence for each reason: a record that can't be deleted again, a value that is
   * kept nowhere, users who are notified. Empty where all of it can be undone.
   */
  irreversible: readonly string[];

  /** How many requests the run takes. Where the service replaces whole records, each is read right before its update. */
  requests: number;

  /** How long the requests take at the rate limit, and that limit in words. Undefined where there is none, or no account. */
  duration: { ms: number; limit: string } | undefined;
}

/** What a plan is made from. */
export interface PlanSource {
  ledger: Ledger;
  session: Session | undefined;
  flags?: LimitFlags;
  /** The limits that only the planner can check, such as one that needs the lists of the account. */
  limits?: readonly Limit[];
  /** Counts records where one takes several rows, or none as it is unchanged. Otherwise rows are counted. */
  records?: { counts: ReadonlyMap<Action, number>; unchanged: number };
}

/** Makes the plan of the rows that are still to be sent. Reads nothing but the ledger, and the rate limit in use. */
export async function planOf({
  ledger,
  session,
  flags = {},
  limits = [],
  records,
}: PlanSource): Promise<Plan> {
  const counts = records?.counts ?? plannedCounts(ledger);
  const unchanged = records?.unchanged ?? ledger.counts()['skip done'] ?? 0;
  const changed = counts.values().reduce((sum, count) => sum + count, 0);
  const excluded = ledger.count('bad');
  const total = records ? changed + unchanged + excluded : ledger.count();
  const { maxChanges, maxPriceChange } = flags;
  const requests = countRemainingRequests(ledger, session);
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
    irreversible: session ? irreversibleIn(remainingWrites(ledger, session)) : [],
    requests,
    duration: requests === 0 ? undefined : await session?.pace(requests),
  };
}

function plannedCounts(ledger: Ledger): ReadonlyMap<Action, number> {
  const planned = Object.entries(ledger.counts()).flatMap(([name, count]): [Action, number][] => {
    const [action, state] = name.split(' ');
    return state === 'planned' ? [[action as Action, count]] : [];
  });
  return new Map(planned);
}

/** Returns the reasons why writes can't be undone, each once. */
function irreversibleIn(writes: readonly PlannedWrite[]): string[] {
  const reasons = writes.flatMap(({ operation, body = {}, known }) =>
    operation ? irreversibleEffectsOn(operation, body, known) : [],
  );
  return [...new Set(reasons)];
}

/**
 * How many values of a field are checked. A field that decides has few values, and for a secret any value gives the
 * same result.
 */
const maxValues = 20;

/** Returns one write for each operation of the rows, one for each value that may be irreversible, and one for fields that are filled. */
export function remainingWrites(ledger: Ledger, session: Pick<Session, 'api'>): PlannedWrite[] {
  return ledger.remainingOperations().flatMap((step) => {
    const operation = operationOf(step, session);
    const deciding = irreversibleFields(operation).flatMap(({ name }) =>
      ledger.valuesToSend(step, name, maxValues).map((value) => ({ operation, body: { [name]: value } })),
    );
    const filled = operation.effect === 'update' ? ledger.namesFilled(step) : [];
    const filling = { operation, body: Object.fromEntries(filled.map((name) => [name, true])), known: {} };
    return [{ operation }, ...deciding, ...(filled.length > 0 ? [filling] : [])];
  });
}

function countRemainingRequests(ledger: Ledger, session: Session | undefined): number {
  const reads = session?.settings.wire.put === 'replace' ? ledger.countRemainingSteps('update') : 0;
  return ledger.countRemainingSteps() + reads;
}

/** Throws `usage` where updates would empty secrets that the service never shows, for all of them at once. */
export async function refuseHidden(ledger: Ledger, session: Session): Promise<void> {
  const lacking: string[] = [];
  for (const step of ledger.remainingOperations()) {
    const operation = operationOf(step, session);
    if (operation.effect !== 'update') continue;
    for (const name of session.requiredSecrets(operation)) {
      const count = ledger.countLacking(step, name);
      const { noun, nouns } = operation.resource;
      if (count > 0) lacking.push(`${count} ${count === 1 ? noun : nouns} without ${name}`);
    }
  }
  if (lacking.length === 0) return;
  throw usage(
    `Nothing was sent: updates would empty fields that the service never shows (wire.put is replace): ${lacking.join(', ')}.`,
    { hint: 'Add it to these rows, or send them without it: --unchecked' },
  );
}

/**
 * Returns the failure that carrying out the plan would end with, as far as that is known without a request; undefined
 * if none is foreseen. `refuse` throws what the planner itself checks, and is called first.
 */
export async function foreseenFailure(
  { ledger, session, excluded }: Plan,
  refuse: () => Promise<void>,
): Promise<Failure | undefined> {
  try {
    await refuse();
    if (session) {
      await refuseHidden(ledger, session);
      for (const operation of remainingCalls(ledger, session)) await session.permit({ operation });
    }
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  if (excluded === 0) return undefined;
  const rows = `${excluded} of ${ledger.count()} ${ledger.count() === 1 ? 'row' : 'rows'}`;
  return new Failure('partial', `${rows} would be skipped; nothing was sent.`, {
    hint: 'The reasons are listed above. The run would exit with the same code.',
  });
}
