/** `boh history forget RESOURCE ID`: what this machine keeps of a record, taken out for good: the right to be forgotten. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { exitCodes, Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { forget } from '../../history/keeping/forget.ts';
import { presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import { openRun } from '../../runs/ledger/runs.ts';
import { cacheFolder } from '../../settings/folders.ts';
import { warn } from '../../terminal/messages.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { confirmLasting } from './confirm-lasting.ts';
import { type ForgetScope, rowsAbout, scopeOfAccount, scopeOfAny } from './forget-scope.ts';
import { openJournal } from './open-history.ts';
import { readFilter } from './read-filter.ts';
import { scrubTold } from './scrub-told.ts';

export function forgetCommand(context: Context): Command {
  return prepare(new Command('forget'))
    .argument('<resource>', 'what it is a record of')
    .argument('<id>', 'its id; @NAME looks it up')
    .description(
      'Take out of the history, the ledgers of runs and the caches what they hold of a record, for good. That something was written stays, and can be proven.',
    )
    .addHelpText('after', '\nExample:\n  boh history forget customers 42 --yes')
    .addOption(anyAccountOption())
    .action(
      presented(context, (resource: string, id: string, flags: AnyAccountFlag) =>
        run([resource, id], flags, context),
      ),
    );
}

async function run(
  [word, given]: readonly [resource: string, id: string],
  { anyAccount }: AnyAccountFlag,
  context: Context,
): Promise<Result> {
  const { api, env, globals, now } = context;
  if (globals.dryRun) throw usage('forget has nothing to rehearse: see what is there with boh history.');
  const { resource: name = '', id = '' } = await readFilter([word, given], {}, context);
  const resource = api.resource(name);
  if (!resource) throw usage(`There is no resource "${word}".`, { hint: 'See them: boh resources' });
  const journal = await openJournal(context);
  const scope = await (anyAccount ? scopeOfAny : scopeOfAccount)({ resource, id }, journal, context);
  const { accounts, others, person } = scope;
  await confirmLasting(`Forget the ${resource.noun} ${id}`, context);
  // First the ledgers: what the journal knows it by is gone afterwards.
  const { rows, problems } = await forgetInLedgers(scope, context);
  const { entries: count, hasWritten } = journal
    ? forget(journal, person, { api, now: now().getTime(), accounts })
    : { entries: 0, hasWritten: false };
  rmSync(join(cacheFolder(env), 'completion'), { recursive: true, force: true });
  if (journal) await leaving(problems, () => scrubTold(journal.database, context));
  journal?.close();
  for (const { message } of problems) warn(context.streams, message);
  if (problems.length > 0) context.exitCode = exitCodes.partial;
  return told(
    `Forgotten: ${count} ${count === 1 ? 'entry' : 'entries'} of the history, ${rows} ${rows === 1 ? 'row' : 'rows'} of runs, and the names kept for completion.`,
    ...(hasWritten ? ['What they wrote themselves stays, without their name.'] : []),
    ...(others > 0 ? [`What is kept of the ${resource.noun} ${id} of another account stays as it is.`] : []),
    'Files that were exported, backups, mirrors and the shell’s own history are not touched.',
  );
}

async function forgetInLedgers({ person, runs }: ForgetScope, { env, api }: Context) {
  const isMeant = rowsAbout(person, api);
  let rows = 0;
  const problems: Failure[] = [];
  for (const id of runs) {
    await leaving(problems, async () => {
      const ledger = openRun(env, id);
      try {
        rows += ledger.forget(isMeant(ledger));
        await ledger.scrub();
      } finally {
        ledger.close();
      }
    });
  }
  return { rows, problems };
}

/** What can’t be done in one file is done in the others all the same. */
async function leaving(problems: Failure[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    problems.push(error);
  }
}
