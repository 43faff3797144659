/** `boh mirror sync`: the copy is brought up to date. */
import { Command, Option } from 'commander';
import { formatTimestamp } from '../../contract/moment.ts';
import { Failure } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { formatOnLine } from '../../interaction/output/chosen-format.ts';
import { present } from '../../interaction/output/present.ts';
import { holdMirror } from '../../mirror/hold.ts';
import { mirrored } from '../../mirror/schema/derive.ts';
import { openStore } from '../../mirror/stores/open.ts';
import { type Outcome, syncAll } from '../../mirror/sync/sync.ts';
import { note, warn } from '../../terminal/messages.ts';
import { type Progress, progress } from '../../terminal/progress.ts';
import { prepare } from '../prepare.ts';
import {
  addPlaceFlag,
  addResourceFlag,
  type PlaceFlags,
  type ResourceFlags,
  resourcesOf,
  targetOf,
} from './place.ts';

interface Flags extends PlaceFlags, ResourceFlags {
  full?: boolean;
}

export function syncCommand(context: Context): Command {
  const command = prepare(new Command('sync')).description(
    'Bring the copy up to date. The first sync reads every list whole, later ones what has changed since. A sync that was interrupted or failed is gone on with by the next.',
  );
  addPlaceFlag(command);
  addResourceFlag(command);
  command.addOption(
    new Option('--full', 'read every list whole, and let go what the service doesn’t show any more'),
  );
  command.addHelpText('after', '\nExample:\n  boh mirror sync --to sqlite:mirror.sqlite');
  return command.action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: Context): Promise<void> {
  await formatOnLine(context);
  const target = await targetOf(flags, context);
  const resources = mirrored(context.api);
  const wanted = resourcesOf(flags, resources, context);
  const session = await context.session();
  const held = holdMirror(target);
  try {
    const store = await openStore(target, resources);
    try {
      await syncOnce({ flags, context, store, session, wanted });
    } finally {
      await store.close();
    }
  } finally {
    held.release();
  }
}

async function syncOnce({
  flags,
  context,
  store,
  session,
  wanted,
}: {
  flags: Flags;
  context: Context;
  store: Awaited<ReturnType<typeof openStore>>;
  session: Awaited<ReturnType<Context['session']>>;
  wanted: ReturnType<typeof mirrored>;
}): Promise<void> {
  const outcomes: Outcome[] = [];
  let shown: Progress | undefined;
  try {
    for await (const outcome of syncAll({
      session,
      store,
      resources: wanted,
      isFull: flags.full === true,
      now: () => formatTimestamp(context.now()),
      onBegin: ({ resource }) => {
        shown?.done();
        shown = progress(context.streams, { label: `Reading ${resource.nouns}` });
      },
      onRecords: (count) => shown?.update(count),
    })) {
      outcomes.push(outcome);
      tellOf(outcome, context);
    }
  } finally {
    shown?.done();
  }
  await present(context, {
    kind: 'facts',
    facts: outcomes.map(factsOf),
    columns: ['resource', 'read', 'removed', 'whole', 'error'].map((name) => ({ name })),
    remarks: [`The mirror is ${store.called}`],
  });
  const failed = outcomes.flatMap(({ mirrored: { resource }, failure }) =>
    failure ? [{ resource, failure }] : [],
  );
  const [first] = failed;
  if (!first) return;
  if (
    failed.length === outcomes.length &&
    failed.every(({ failure }) => failure.category === first.failure.category)
  ) {
    throw first.failure;
  }
  const names = failed.map(({ resource }) => resource.nouns).join(', ');
  throw new Failure(
    'partial',
    `${failed.length} of ${outcomes.length} resources could not be brought up to date: ${names}.`,
    {
      hint: 'The others are. See why: boh mirror status',
      failures: failed.map(({ resource, failure }) => ({
        id: resource.name,
        category: failure.category,
        message: failure.message,
      })),
    },
  );
}

function factsOf({ mirrored: { resource }, synced, failure }: Outcome) {
  return {
    resource: resource.name,
    read: synced?.read ?? null,
    removed: synced?.removed ?? null,
    whole: synced?.isWhole ?? null,
    error: failure?.message ?? null,
  };
}

function tellOf({ mirrored: { resource }, synced, failure }: Outcome, { streams }: Context): void {
  if (failure) warn(streams, `${resource.nouns}: ${failure.message}`);
  if (!synced || synced.unknown.length === 0) return;
  note(
    streams,
    `The service shows of ${resource.nouns} what boh doesn’t know: ${synced.unknown.join(', ')}. It is kept in other_fields.`,
  );
}
