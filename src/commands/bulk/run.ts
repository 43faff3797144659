/** A planned run, carried out: its ledger begun, its rows sent, and its end told with the command that goes on. */
import { Ledger } from '../../bulk/ledger/ledger.ts';
import { newLedger, newRunId, prune } from '../../bulk/ledger/runs.ts';
import type { ImportPlan } from '../../bulk/plan/plan-import.ts';
import { carryOut, type Stopped } from '../../bulk/run/carry-out.ts';
import type { RowResult } from '../../bulk/run/result.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import type { RunResult } from '../../interaction/output/result.ts';
import type { Session } from '../../session/session.ts';
import { placeOf } from '../../settings/settings.ts';
import { note } from '../../terminal/messages.ts';
import { progress } from '../../terminal/progress.ts';
import type { RunFlags } from './import-flags.ts';

export interface LedgerBeginning {
  command: string;
  resource: Resource;
  source: string | null;
  flags: RunFlags;
  /** Whether it outlasts the command. */
  isKept: boolean;
  context: Context;
}

/** In the folder of runs, in a file that the line names, or in memory. */
export function beginLedger({ command, resource, source, flags, isKept, context }: LedgerBeginning): Ledger {
  const { env } = context;
  const id = newRunId(context.now());
  const ledger = ledgerFor(id, flags, isKept, context);
  ledger.setFact('id', id);
  ledger.setFact('command', command);
  ledger.setFact('resource', resource.name);
  ledger.setFact('source', source);
  ledger.setFact('started_at', context.now().toISOString().slice(0, 19).replace('T', ' '));
  ledger.setFact('state', 'planned');
  if (isKept && flags.ledger === undefined) prune(env, context.now());
  return ledger;
}

function ledgerFor(id: string, { ledger: file }: RunFlags, isKept: boolean, { env }: Context): Ledger {
  if (!isKept || file === false) return new Ledger(':memory:');
  if (file === undefined) return newLedger(env, id);
  const ledger = new Ledger(file).keep();
  if (ledger.fact('id') === undefined) return ledger;
  const other = ledger.fact('id');
  ledger.close();
  throw usage(`${file} is the ledger of another run, ${other}.`, {
    hint: `To go on with that: boh runs resume ${file}. For a new run, name a file that isn’t there yet.`,
  });
}

export interface Running {
  ledger: Ledger;
  resource: Resource;
  session: Session | undefined;
  flags: RunFlags;
  context: Context;
  onEnd(): Promise<void>;
}

type Plan = Pick<ImportPlan, 'options'>;

/** Sends what is planned while its results are read. */
export async function carriedOut(running: Running & Partial<Plan>): Promise<RunResult> {
  const { ledger, session, flags, context } = running;
  if (!session) throw usage('--offline goes with --dry-run.');
  const settings = await context.settings();
  ledger.setFact('state', 'unfinished');
  ledger.setFact('place', placeOf(settings) + settings.apiPrefix);
  ledger.setFact('profile', settings.profile ?? null);
  for (const verb of verbsIn(ledger)) {
    const used = operation(running.resource, verb);
    if (used) await session.approve({ operation: used });
  }
  const total = ledger.count('planned');
  const bar = progress(context.streams, { label: 'Sending', total });
  let stopped: Stopped | undefined;
  async function* rows(): AsyncGenerator<RowResult> {
    const results = carryOut({
      ledger,
      session: session as Session,
      key: (ledger.fact('key') as string[] | undefined) ?? [],
      concurrency: Number(flags.concurrency ?? 4),
      signal: context.signal,
      maxErrors: flags.maxErrors === undefined ? undefined : Number(flags.maxErrors),
      now: () => context.now().getTime(),
      sleep,
      onWait: (reason, ms) => note(context.streams, `${reason} Going on in ${Math.ceil(ms / 1000)} s.`),
    });
    try {
      for (let count = 0; ; ) {
        const next = await results.next();
        if (next.done) {
          stopped = next.value;
          return;
        }
        if (next.value.action !== 'skip') bar.update(++count);
        yield next.value;
      }
    } finally {
      bar.done();
    }
  }
  return {
    kind: 'run',
    rows: rows(),
    end: async () => {
      const failure = failureOfRun(ledger, stopped?.failure);
      if (ledger.count('planned', 'sent', 'unknown') === 0) ledger.setFact('state', 'finished');
      const remarks = [summary(ledger)];
      await running.onEnd();
      return { failure, remarks };
    },
  };
}

function verbsIn(ledger: Ledger): string[] {
  const verbs = new Set<string>();
  for (const { steps } of ledger.rows('planned')) for (const { verb } of steps) verbs.add(verb);
  return [...verbs];
}

function summary(ledger: Ledger): string {
  const counts = ledger.counts();
  const done = (action: string) => counts[`${action} done`] ?? 0;
  const parts = [
    [done('create'), 'created'],
    [done('update'), 'updated'],
    [done('delete'), 'deleted'],
    [done('skip'), 'unchanged'],
    [ledger.count('bad', 'failed'), 'failed'],
    [ledger.count('unknown', 'sent'), 'of unknown outcome'],
    [ledger.count('planned'), 'not sent'],
  ].filter(([count]) => count !== 0);
  return `${parts.map(([count, word]) => `${count} ${word}`).join(', ') || 'Nothing was to be done'}.`;
}

function failureOfRun(ledger: Ledger, stopped: Failure | undefined): Failure | undefined {
  const [done, failed] = [ledger.count('done'), ledger.count('failed', 'bad')];
  const [unknown, left] = [ledger.count('unknown', 'sent'), ledger.count('planned')];
  const id = ledger.fact('id');
  const again = ledger.file === ':memory:' ? undefined : `To go on: boh runs resume ${id}`;
  if (stopped) {
    const message = `${stopped.message} Before that, ${done} rows were done; ${left + unknown} are left.`;
    return new Failure(stopped.category, message, { ...stopped.details, ...(again && { hint: again }) });
  }
  if (failed + unknown + left === 0) return undefined;
  const what = [
    left > 0 && `${left} were not sent`,
    failed > 0 && `${failed} failed`,
    unknown > 0 && `${unknown} ended on an unknown outcome`,
  ].filter(Boolean);
  return new Failure('partial', `${what.join(', and ')}; ${done} are done.`, {
    ...(again && {
      hint: unknown > 0 ? `${again}, which looks again.` : `What failed, and why: boh runs show ${id}`,
    }),
  });
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { setTimeout: wait } = await import('node:timers/promises');
  await wait(ms, undefined, { signal });
}
