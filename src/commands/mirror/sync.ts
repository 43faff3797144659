/** `boh mirror sync`: the copy is brought up to date, once or again and again. */
import { setTimeout } from 'node:timers/promises';
import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh, joinHints } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { splitList } from '../../contract/list-text.ts';
import { lockMirror } from '../../mirror/lock.ts';
import { type Mirrored, mirroredResources } from '../../mirror/schema/derive.ts';
import { readExcluded } from '../../mirror/schema/excluded.ts';
import { openStore } from '../../mirror/stores/open.ts';
import { listOf } from '../../mirror/sync/read-list.ts';
import {
  failureOf,
  type Round,
  type RoundOutcome,
  type RoundWatcher,
  syncRound,
} from '../../mirror/sync/round.ts';
import { formatOnLine } from '../../output/chosen-format.ts';
import { planned } from '../../output/planned.ts';
import { present } from '../../output/present.ts';
import type { Moment } from '../../output/result.ts';
import { steadyHeap } from '../../output/steady-heap.ts';
import type { Session } from '../../session/session.ts';
import { note, warn } from '../../terminal/messages.ts';
import { partsProgress } from '../../terminal/progress.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { type ResourceFlag, resourceOption } from '../flags/resource-flag.ts';
import { prepare, reportingRedactions, warnOfRedactions } from '../prepare.ts';
import { openHistorySource } from './history-source.ts';
import { addPlaceFlag, type PlaceFlags, readDuration, resourcesOf, targetOf } from './place.ts';

interface Flags extends PlaceFlags, ResourceFlag, AnyAccountFlag {
  full?: boolean;
  fullEvery?: string;
  exclude?: readonly string[];
  every?: string;
  history?: boolean;
  lock?: boolean;
}

export function syncCommand(context: Context): Command {
  const command = prepare(new Command('sync')).description(
    'Bring the copy up to date. The first sync reads every list whole, later ones what has changed since. A sync that was interrupted or failed is gone on with by the next.',
  );
  addPlaceFlag(command);
  command.addOption(resourceOption());
  const options: [flags: string, about: string][] = [
    ['--full', 'read every list whole, and let go what the service doesn’t show any more'],
    ['--full-every <time>', 'the same for lists that were last read whole so long ago, such as 24h'],
    ['--every <time>', 'keep going, and begin anew so often, such as 5m'],
    ['--history', 'also hold what was written with boh from here (boh history); kept for later syncs'],
    ['--no-history', 'let that go from the copy again'],
    ['--lock', 'where another sync of the copy is under way, wait for it'],
  ];
  for (const [flags, about] of options) command.addOption(new Option(flags, about));
  command.addOption(
    new Option(
      '--exclude <fields>',
      'never hold these, such as customers.phone; kept for later syncs',
    ).argParser((text: string, before: readonly string[] = []) => [...before, ...splitList(text)]),
  );
  command.addOption(anyAccountOption());
  command.examples('boh mirror sync --to sqlite:mirror.sqlite');
  return reportingRedactions(command, context).action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: Context): Promise<void> {
  await formatOnLine(context);
  const { api, signal } = context;
  const every = flags.every === undefined ? undefined : readDuration(flags.every, '--every');
  const fullEvery = flags.fullEvery === undefined ? undefined : readDuration(flags.fullEvery, '--full-every');
  if (flags.exclude?.length === 0) {
    throw usage('--exclude was given without a field: nothing would be left out.', {
      hint: 'Name a resource and a field: customers.phone.',
    });
  }
  readExcluded(api, flags.exclude ?? []);
  const target = await targetOf(flags, context);
  const all = mirroredResources(api);
  const wanted = (await resourcesOf(flags, all, context)).map(({ resource }) => resource.name);
  if (context.globals.dryRun)
    return presentPlan(
      all.filter(({ resource }) => wanted.includes(resource.name)),
      context,
    );
  const settings = await context.settings();
  const once = async (session: Session): Promise<Round> => {
    const held = await lockMirror(target, { isWaiting: flags.lock === true, signal, env: context.env });
    try {
      const store = await openStore(target, all);
      const watcher = showRound(context, wanted.length);
      let round: Round;
      try {
        round = await syncRound({
          api,
          store,
          session,
          env: context.env,
          isAnyAccount: flags.anyAccount,
          wanted,
          fullAfter: flags.full ? 0 : fullEvery,
          exclude: flags.exclude ?? [],
          history: flags.history,
          isEveryResource: flags.resource === undefined,
          now: context.now,
          openHistory: async () => openHistorySource(context),
          watcher,
        });
      } catch (error) {
        // What closing fails of as well follows from it.
        await store.close().catch(() => {});
        throw error;
      } finally {
        watcher.done();
      }
      await store.close();
      return round;
    } finally {
      await held.release();
    }
  };

  if (every === undefined) {
    const round = await once(await context.session()).catch((error) => {
      if (signal.aborted)
        note(context.streams, boh.hint`What was read is kept. To continue: ${boh.mirror('mirror sync')}`);
      throw error;
    });
    await present(context, {
      kind: 'facts',
      facts: round.outcomes.map(factsOf),
      key: 'resource',
      columns: [
        { name: 'resource', whole: true },
        { name: 'read', align: 'right' },
        { name: 'removed', align: 'right' },
        { name: 'whole' },
        { name: 'error' },
      ],
    });
    for (const text of remarksOf(round, target.called)) note(context.streams, text);
    const failure = failureOf(round);
    if (failure) throw failure;
    return;
  }
  const session = () => context.sessionFor(settings);
  await present(context, { kind: 'live', moments: rounds(once, session, every, context) });
}

/** What would be asked first. */
async function presentPlan(resources: readonly Mirrored[], context: Context): Promise<void> {
  const session = await context.session();
  const requests = resources.map(({ resource, includes }) =>
    session.plan({ operation: listOf(resource), query: { optional: [...includes] } }),
  );
  await present(context, await planned(context, await Promise.all(requests)));
}

/** Until the run is stopped. A round that fails is told, and the next one goes on with it. */
async function* rounds(
  once: (session: Session) => Promise<Round>,
  open: () => Promise<Session>,
  every: number,
  context: Context,
): AsyncGenerator<Moment> {
  const { streams, signal, now } = context;
  for (;;) {
    const began = now();
    // What a token was refused may be allowed by the next round.
    const session = await open();
    try {
      const round = await once(session);
      const at = began.toISOString();
      yield {
        facts: { at, resources: round.outcomes.map(factsOf) },
        line: `${at.slice(0, 19)}Z ${lineOf(round)}`,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure) || isForGood(error)) throw error;
      warn(streams, error.message);
    } finally {
      await session.close();
      warnOfRedactions(context);
    }
    const left = began.getTime() + every * 1000 - now().getTime();
    await setTimeout(Math.max(left, 0), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** The next round would meet the same. */
function isForGood({ category }: Failure): boolean {
  return category === 'usage' || category === 'not_signed_in' || category === 'internal';
}

interface ShownRound extends RoundWatcher {
  done(): void;
}

function showRound(context: Context, parts: number): ShownRound {
  const { streams } = context;
  const shown = partsProgress(streams, parts);
  const keepSteady = steadyHeap(context);
  let before = 0;
  return {
    done: shown.done,
    onBegin({ nouns, isHistory }) {
      shown.begin(`Reading ${isHistory ? 'the history' : nouns}`);
      before = 0;
    },
    onRecords(count, expected) {
      keepSteady(Math.max(count - before, 0));
      before = count;
      shown.update(count, expected);
    },
    onOutcome({ nouns, isHistory, failure }) {
      if (!failure) return;
      shown.done();
      const { message, details } = failure;
      warn(streams, isHistory ? (joinHints(' ', message, details.hint) ?? '') : `${nouns}: ${message}`);
    },
  };
}

/** What people are told beside the outcomes. */
function remarksOf({ outcomes, excluded }: Round, called: string): string[] {
  return [
    ...outcomes.flatMap(keptBeside),
    ...(excluded.length > 0 ? [`Excluded: ${excluded.join(', ')}.`] : []),
    `The mirror is ${called}`,
  ];
}

function keptBeside({ nouns, synced }: RoundOutcome): string[] {
  const { unknown = [], unfit = [] } = synced?.otherFields ?? {};
  const told = (what: string, names: readonly string[]) =>
    names.length === 0
      ? []
      : [`The service shows of ${nouns} ${what}: ${some(names)}. It is kept in other_fields.`];
  return [...told('what boh doesn’t know', unknown), ...told('what fits no column', unfit)];
}

/** As many as a person reads. */
const mostNames = 20;

function some(names: readonly string[]): string {
  const left = names.length - mostNames;
  return names.slice(0, mostNames).join(', ') + (left > 0 ? ` and ${left} more` : '');
}

function factsOf({ name, synced, failure }: RoundOutcome) {
  return {
    resource: name,
    read: synced?.read ?? null,
    removed: synced?.removed ?? null,
    whole: synced?.isWhole ?? null,
    error: failure?.message ?? null,
  };
}

/** For people who watch. */
function lineOf({ outcomes }: Round): string {
  const sum = (of: 'read' | 'removed') => outcomes.reduce((all, { synced }) => all + (synced?.[of] ?? 0), 0);
  const failed = outcomes.filter(({ failure }) => failure).length;
  const parts = [`${sum('read')} records read`, `${sum('removed')} removed`];
  return [...parts, ...(failed > 0 ? [`${failed} of ${outcomes.length} resources failed`] : [])].join(', ');
}
