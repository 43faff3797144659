/** `boh history verify`: checks that the file of the history is intact and that no entry is missing. */
import { exitCodes } from '../../base/errors.ts';
import { truncateItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { verify } from '../../history/maintenance/verify.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { openHistory } from './open-history.ts';

/** Returns the command `boh history verify`. */
export function verifyCommand(context: Context): Command {
  return prepare(new Command('verify'))
    .description(
      'Check that the file of the history is intact, that every entry can be read, and that none is missing. Deleted and forgotten entries are not missing.',
    )
    .examples('boh history verify')
    .action(createAction(context, () => run(context)));
}

async function run(context: Context): Promise<Result> {
  const journal = await openHistory(context);
  if (!journal) return messageResult('No writes yet.');
  const report = verify(journal);
  journal.close();
  const { intact, entries, problems } = report;
  if (intact) return { kind: 'data', data: report, notes: [`The history is intact: ${entries} entries.`] };
  context.exitCode = exitCodes.unavailable;
  const { message, details } = journal.database.damagedFailure();
  return { kind: 'data', data: report, notes: [message, ...truncateItems(problems), details.hint ?? ''] };
}
