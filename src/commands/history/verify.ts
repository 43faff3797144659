/** `boh history verify`: checks that no entry was changed or removed, and prints what the check proves. */
import { Option } from 'commander';
import { exitCodes, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { lossHint } from '../../history/journal/loss.ts';
import { acceptLosses, noteLoss } from '../../history/maintenance/note-loss.ts';
import { verify } from '../../history/maintenance/verify.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { openJournal } from './open-history.ts';

const provenClaim =
  'that no entry up to the head was changed, added, removed or moved since the head was recorded elsewhere';
const unprovenClaim =
  'that the history was not rewritten before that, that all writes were sent with boh and recorded, or what forgotten entries contained';

/** Returns the command `boh history verify`. */
export function verifyCommand(context: Context): Command {
  return prepare(new Command('verify'))
    .description(
      'Check that no entry of the history was changed or removed. Keep the printed head in a safe place, and pass it to --against later.',
    )
    .examples('boh history verify', 'boh history verify --against 24:HASH')
    .addOption(new Option('--against <head>', 'check that the history continues from this head'))
    .addOption(new Option('--accept-loss', 'accept lost writes, and continue without them'))
    .action(createAction(context, (flags: Flags) => run(flags, context)));
}

interface Flags {
  against?: string;
  acceptLoss?: boolean;
}

async function run({ against, acceptLoss }: Flags, context: Context): Promise<Result> {
  const [, seq, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(against ?? '') ?? [];
  if (against !== undefined && hash === undefined)
    throw usage('--against must be a head as verify prints it, such as 24:HASH.');
  const journal = await openJournal(context, { isLossReported: true });
  if (!journal) return messageResult('No writes yet.');
  if (acceptLoss) {
    if (context.globals.dryRun)
      throw usage("--accept-loss can't be used with --dry-run. To list lost writes: boh history verify");
    noteLoss(journal, context.now().getTime());
    acceptLosses(journal, context.now().getTime());
  }
  const report = verify(journal, hash === undefined ? undefined : { seq: Number(seq), hash });
  journal.close();
  if (!report.intact) context.exitCode = exitCodes.unavailable;
  const summary = report.intact
    ? `The history is intact: ${report.entries} writes, ${report.links} links.`
    : 'The history was changed or is damaged.';
  return {
    kind: 'data',
    data: { ...report, proves: report.intact ? provenClaim : null, cannot_prove: unprovenClaim },
    notes: [
      summary,
      ...report.problems.slice(0, 10),
      ...(report.problems.some((problem) => report.lost.includes(problem))
        ? [lossHint(journal.database.file)]
        : []),
    ],
  };
}
