/** `boh history verify`: whether the history is as it was written, and what that proves. */
import { Option } from 'commander';
import { exitCodes, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { lossHint } from '../../history/journal/loss.ts';
import { acceptLosses, noteLoss } from '../../history/keeping/note-loss.ts';
import { verify } from '../../history/keeping/verify.ts';
import { presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { openJournal } from './open-history.ts';

const proves =
  'that no entry up to the head was changed, put in, taken out or moved since the head was noted elsewhere';
const cannot =
  'that nobody wrote all of it anew before that, that every write was sent with boh and kept, or what was forgotten';

export function verifyCommand(context: Context): Command {
  return prepare(new Command('verify'))
    .description(
      'Say whether the history is as it was written, and what that proves. Note the head that it prints, where nobody else can change it: --against holds the history to it later.',
    )
    .addOption(new Option('--against <head>', 'a head that was noted before'))
    .addOption(new Option('--accept-loss', 'take note of writes that were lost: it is whole without them'))
    .action(presented(context, (flags: Flags) => run(flags, context)));
}

interface Flags {
  against?: string;
  acceptLoss?: boolean;
}

async function run({ against, acceptLoss }: Flags, context: Context): Promise<Result> {
  const [, seq, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(against ?? '') ?? [];
  if (against !== undefined && hash === undefined)
    throw usage('--against takes a head as verify prints it: 24:HASH.');
  const journal = await openJournal(context, { isLossTold: true });
  if (!journal) return told('Nothing is in the history yet.');
  if (acceptLoss) {
    if (context.globals.dryRun)
      throw usage('--accept-loss has nothing to rehearse: see what is lost without it.');
    noteLoss(journal, context.now().getTime());
    acceptLosses(journal, context.now().getTime());
  }
  const found = verify(journal, hash === undefined ? undefined : { seq: Number(seq), hash });
  journal.close();
  if (!found.intact) context.exitCode = exitCodes.unavailable;
  const what = found.intact
    ? `The history is whole: ${found.entries} writes in ${found.links} links.`
    : 'The history is not as it was written.';
  return {
    kind: 'facts',
    facts: { ...found, proves: found.intact ? proves : null, cannot_prove: cannot },
    remarks: [
      what,
      ...found.problems.slice(0, 10),
      ...(found.problems.some((problem) => found.lost.includes(problem))
        ? [lossHint(journal.database.file)]
        : []),
    ],
  };
}
