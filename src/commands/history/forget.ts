/** `boh history forget RESOURCE ID`: what this machine keeps of a record, taken out for good: the right to be forgotten. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { LedgerRow } from '../../bulk/ledger/row.ts';
import { openRun, runIds } from '../../bulk/ledger/runs.ts';
import type { Api } from '../../contract/api.ts';
import { exitCodes, Failure, usage } from '../../errors.ts';
import { forget, personIn } from '../../history/keeping/forget.ts';
import { isCalledSo, leadsTo, type Person } from '../../history/keeping/mentions.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import { isRow } from '../../session/row.ts';
import { cacheFolder } from '../../settings/folders.ts';
import { warn } from '../../terminal/messages.ts';
import { prepare } from '../prepare.ts';
import { confirmLasting } from './confirm-lasting.ts';
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
    .action(presented(context, (resource: string, id: string) => run(resource, id, context)));
}

async function run(word: string, given: string, context: Context): Promise<Result> {
  const { api, env, globals, now } = context;
  if (globals.dryRun) throw usage('forget has nothing to rehearse: see what is there with boh history.');
  const { resource: name = '', id = '' } = await readFilter([word, given], {}, context);
  const resource = api.resource(name);
  if (!resource) throw usage(`There is no resource "${word}".`, { hint: 'See them: boh resources' });
  await confirmLasting(`Forget the ${resource.noun} ${id}`, context);
  const journal = await openJournal(context);
  const person = journal ? personIn(journal, resource, id) : { resource, id, called: new Map() };
  // First the ledgers: what the journal knows it by is gone afterwards.
  const { rows, problems } = await forgetInLedgers(person, context);
  const { entries: count, hasWritten } = journal
    ? forget(journal, person, api, now().getTime())
    : { entries: 0, hasWritten: false };
  rmSync(join(cacheFolder(env), 'completion'), { recursive: true, force: true });
  if (journal) await leaving(problems, () => scrubTold(journal.database, context));
  journal?.close();
  for (const { message } of problems) warn(context.streams, message);
  if (problems.length > 0) context.exitCode = exitCodes.partial;
  return told(
    `Forgotten: ${count} ${count === 1 ? 'entry' : 'entries'} of the history, ${rows} ${rows === 1 ? 'row' : 'rows'} of runs, and the names kept for completion.`,
    ...(hasWritten ? ['What they wrote themselves stays, without their name.'] : []),
    'Files that were exported, backups, mirrors and the shell’s own history are not touched.',
  );
}

async function forgetInLedgers(person: Person, { env, api }: Context) {
  let rows = 0;
  const problems: Failure[] = [];
  for (const id of runIds(env)) {
    await leaving(problems, async () => {
      const ledger = openRun(env, id);
      try {
        const own = String(ledger.fact('resource') ?? '');
        rows += ledger.forget((row) => isOf(row, row.resource ?? own, person, api));
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

function isOf(row: LedgerRow, name: string, person: Person, api: Api): boolean {
  const resource = api.resource(name);
  const values = row.steps.flatMap(({ body, known }) => [body, known]).filter(isRow);
  if (resource === person.resource) {
    const texts = [...person.called.values()].flatMap((all) => [...all]);
    return row.id === person.id || values.some((value) => isCalledSo(value, person)) || holdsText(row, texts);
  }
  return resource !== undefined && values.some((value) => leadsTo(resource, value, person));
}

/** A row that was never planned has no values but those of its file. */
function holdsText({ id, key, raw }: LedgerRow, texts: readonly string[]): boolean {
  return id === null && texts.some((text) => key === text || raw?.includes(text));
}
