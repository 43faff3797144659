/** `boh mirror sync`: the copy is brought up to date, once or again and again. */
import { setTimeout } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { splitList } from '../../contract/list-text.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { formatOnLine } from '../../interaction/output/chosen-format.ts';
import { planned } from '../../interaction/output/planned.ts';
import { present } from '../../interaction/output/present.ts';
import type { Moment } from '../../interaction/output/result.ts';
import { inPlace } from '../../interaction/where.ts';
import { holdMirror } from '../../mirror/hold.ts';
import { type Mirrored, mirrored } from '../../mirror/schema/derive.ts';
import { readExcluded } from '../../mirror/schema/excluded.ts';
import { openStore } from '../../mirror/stores/open.ts';
import { listOf } from '../../mirror/sync/read-list.ts';
import { failureOf, type Round, syncRound } from '../../mirror/sync/round.ts';
import type { Session } from '../../session/session.ts';
import { note, warn } from '../../terminal/messages.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { type ResourceFlag, resourceOption } from '../flags/resource-flag.ts';
import { prepare } from '../prepare.ts';
import { readDuration } from './duration.ts';
import { addPlaceFlag, type PlaceFlags, resourcesOf, targetOf } from './place.ts';
import { factsOf, lineOf, remarksOf, showRound } from './show-round.ts';

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
  command.addHelpText('after', '\nExample:\n  boh mirror sync --to sqlite:mirror.sqlite');
  return command.action((flags: Flags) => run(flags, context));
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
  const all = mirrored(api);
  const wanted = (await resourcesOf(flags, all, context)).map(({ resource }) => resource.name);
  if (context.globals.dryRun)
    return presentPlan(
      all.filter(({ resource }) => wanted.includes(resource.name)),
      context,
    );
  const settings = await context.settings();
  const once = async (session: Session): Promise<Round> => {
    const held = await holdMirror(target, { isWaiting: flags.lock === true, signal, env: context.env });
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
          isOfAll: flags.resource === undefined,
          now: context.now,
          openHistory: async () => (await import('./history-source.ts')).openHistorySource(context),
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
        note(
          context.streams,
          inPlace('What was read is kept. To go on from there: boh mirror sync', context),
        );
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
  { streams, signal, now }: Context,
): AsyncGenerator<Moment> {
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
    }
    const left = began.getTime() + every * 1000 - now().getTime();
    await setTimeout(Math.max(left, 0), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** The next round would meet the same. */
function isForGood({ category }: Failure): boolean {
  return category === 'usage' || category === 'not_signed_in' || category === 'internal';
}
