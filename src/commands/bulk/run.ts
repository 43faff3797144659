/** A planned run, carried out while its results are read, and its end told with the command that goes on. */

import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { undoLine } from '../../output/remarks.ts';
import type { RunResult } from '../../output/result.ts';
import { carryOut } from '../../runs/carry-out.ts';
import type { WhoChanged } from '../../runs/compare-again.ts';
import { readHours, untilOpen } from '../../runs/hours.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { noteOwner, ownerOfRun, runAsFile } from '../../runs/ledger/owner.ts';
import { isUnsent } from '../../runs/ledger/runs.ts';
import { refuseRepeated } from '../../runs/ledger/same-rows.ts';
import { refuseHidden, writesToCome } from '../../runs/plan.ts';
import type { RowResult } from '../../runs/result.ts';
import type { CarryOut, Stopped } from '../../runs/run-state.ts';
import type { SecretsOf } from '../../runs/secrets.ts';
import { callsToCome } from '../../runs/send-row.ts';
import { sleep } from '../../runs/sleep.ts';
import { accountInUse, demandOwner, knownAccount } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { note } from '../../terminal/messages.ts';
import { progress } from '../../terminal/progress.ts';
import { endOfRun, tellDoubled } from './end-run.ts';
import { lockRun, resourcesToCome } from './lock-run.ts';
import { defaultConcurrency, maxDefaultConcurrency, type RunFlags } from './run-flags.ts';

export interface Running {
  ledger: Ledger;
  session: Session | undefined;
  flags: RunFlags;
  context: Context;
  secretsOf?: SecretsOf | undefined;
  /** Of a run that is gone on with; see `CarryOut`. */
  whoChanged?: WhoChanged | undefined;
  isPlannedBefore?: boolean | undefined;
  /** The line says that it is sent to the account in use, whichever it was for. */
  isAnyAccount?: boolean | undefined;
  onEnd(): Promise<void>;
}

/** Permits, approves and takes note of the account first; throws before anything is sent. */
export async function carriedOut(running: Running): Promise<RunResult> {
  const { ledger, session, flags, context } = running;
  if (!session) throw usage('--offline goes with --dry-run: without a service nothing can be written.');
  await refuseHidden(ledger, session);
  // Where nobody was asked, as of a run that is gone on with.
  await session.notifyPlanned(writesToCome(ledger, session));
  for (const operation of callsToCome(ledger, session)) await session.approve({ operation });
  await noteAccount(running, session);
  const { who, close } = await comparing(running);
  let stopped: Stopped | undefined;
  let doneHere = 0;
  async function* rows(): AsyncGenerator<RowResult> {
    const bar = progress(context.streams, { label: 'Sending', total: ledger.count('planned') });
    const results = carryOut({ ...carrying(running, session as Session), whoChanged: who });
    try {
      for (let count = 0; ; ) {
        const next = await results.next();
        if (next.done) {
          stopped = next.value;
          return;
        }
        if (next.value.action !== 'skip') bar.update(++count);
        if (next.value.action !== 'skip' && next.value.outcome === 'done') doneHere++;
        yield next.value;
      }
    } finally {
      bar.done();
    }
  }
  return {
    kind: 'run',
    hasResources: ledger.hasResources(),
    rows: rows(),
    end: async () => {
      try {
        const { failure, remarks } = await endOfRun(ledger, stopped?.failure, flags, doneHere);
        if (!stopped) await tellDoubled(ledger, session, context);
        const undo = undoLine(context, ledger.id);
        context.kept.isUndoTold = true;
        return { failure, remarks: [...remarks, ...(undo === undefined ? [] : [undo])] };
      } finally {
        close();
        await running.onEnd();
      }
    },
  };
}

/** Who has changed what is told of wherever a run may compare again: it is gone on with, or waits for its hours. */
async function comparing({ ledger, flags, context, whoChanged }: Running) {
  if (whoChanged || flags.between === undefined) return { who: whoChanged, close: () => undefined };
  const { changedSincePlanned } = await import('../history/open-history.ts');
  return changedSincePlanned(ledger, context);
}

function carrying(
  { ledger, flags, context, secretsOf, isPlannedBefore }: Running,
  session: Session,
): Parameters<typeof carryOut>[0] {
  const { streams, signal } = context;
  return {
    ledger,
    session,
    secretsOf,
    isPlannedBefore,
    signal,
    key: (ledger.fact('key') as string[] | undefined) ?? [],
    concurrency: Number(flags.concurrency ?? defaultConcurrency),
    mostConcurrent: Number(flags.concurrency ?? maxDefaultConcurrency),
    maxErrors: flags.maxErrors === undefined ? undefined : Number(flags.maxErrors),
    now: () => context.now().getTime(),
    sleep,
    onWait: (reason, ms) => note(streams, `${reason} Going on in ${Math.ceil(ms / 1000)} s.`),
    gate:
      flags.between === undefined
        ? undefined
        : hoursGate(flags.between, context, relock(ledger, session, context)),
  };
}

/** It can't end for a run that is in its way by then: much of it may be done. */
function relock(ledger: Ledger, session: Session, context: Context): Relock {
  const command = String(ledger.fact('command'));
  return {
    unlock: () => ledger.unlock(),
    lock: async () => {
      const resources = resourcesToCome(ledger);
      ledger.lockedBy(
        await lockRun({ account: () => accountInUse(session), resources, flags: {}, command }, context),
      );
    },
  };
}

/** What was planned for one account is sent to no other: neither now nor when the run is resumed. */
async function noteAccount(
  { ledger, context, isAnyAccount: isAny }: Running,
  session: Session,
): Promise<void> {
  const { env } = context;
  const owner = ownerOfRun(ledger);
  const isSending = ledger.count('planned', 'sent', 'unknown') > 0;
  // Where nothing is to be sent, and nothing was, nobody has to be asked.
  const { account } =
    owner || isSending
      ? await demandOwner(session, owner, { ...runAsFile(ledger), env, isAny })
      : { account: knownAccount(session.settings) };
  const times = { since: Number(ledger.fact('since') ?? 0), now: context.now().getTime() };
  if (isUnsent(ledger) && isSending) refuseRepeated({ env, account, ledger, ...times });
  ledger.write(() => {
    ledger.setFact('state', 'unfinished');
    ledger.setFact('profile', session.settings.profile ?? null);
    noteOwner(ledger, account);
  });
}

/** In milliseconds: a timer stands still while the machine sleeps, and would let the hours go by. */
const longestNap = 60_000;

/** Meanwhile other runs may write the same records: for a whole day they would wait. */
interface Relock {
  unlock(): void;
  lock(): Promise<void>;
}

/** `between` as typed; throws a usage failure where that isn’t two times of the day. */
export function hoursGate(
  between: string,
  { streams, now }: Context,
  { unlock, lock }: Relock,
): NonNullable<CarryOut['gate']> {
  const hours = readHours(between);
  return async (signal, idle) => {
    const first = untilOpen(hours, now());
    if (first === 0) return false;
    const begin = new Date(now().getTime() + first).toLocaleString('sv-SE').slice(0, 16);
    note(
      streams,
      `Waiting until ${begin}: --between ${between}. What somebody changes meanwhile is left as it is.`,
    );
    await idle();
    unlock();
    for (let ms = first; ms > 0 && !signal.aborted; ms = untilOpen(hours, now()))
      await sleep(Math.min(ms, longestNap), signal);
    try {
      await lock();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return true;
  };
}
