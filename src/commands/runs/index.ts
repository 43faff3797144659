/** `boh runs`: what runs did, and going on with those that stopped. */
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { describeLedgerLoss } from '../../runs/ledger/loss.ts';
import { factsOf, openRun, runIds } from '../../runs/ledger/runs.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { groupCommand, prepare } from '../prepare.ts';
import { resumeCommand } from './resume.ts';
import { showCommand } from './show.ts';

const about = 'What imports and other runs over many records did, and going on with those that stopped.';

/** Builds the command with those below it. */
export function runsCommand(context: Context): Command {
  return groupCommand('runs', about, [
    listCommand(context).summary('List the runs of this machine, newest first'),
    showCommand(context).summary('Show what became of each row of a run'),
    resumeCommand(context).summary('Go on with a run where it stopped'),
  ]);
}

/** Where there is no room for all, what `runs resume` takes and how far it came stay; the id tells the time as well. */
const columns = [
  { name: 'id', whole: true },
  { name: 'started_at', whole: true, rank: 3 },
  { name: 'command', least: 12, rank: 1 },
  { name: 'source', rank: 2 },
  { name: 'state', whole: true },
  { name: 'account', rank: 4 },
  { name: 'rows', rank: 2 },
  { name: 'done', rank: 1 },
  { name: 'failed', rank: 1 },
  { name: 'unknown', rank: 1 },
  { name: 'to_go' },
];

function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .description(
      'List the runs of this machine, newest first. Finished ones are kept for 30 days, others for 180.',
    )
    .action(presented(context, () => list(context)));
}

function list({ env, streams }: Context): Result {
  const facts = runIds(env).flatMap((id) => {
    try {
      const ledger = openRun(env, id);
      try {
        const loss = ledger.loss();
        if (loss) warn(streams, describeLedgerLoss(ledger.file, loss));
        return loss?.isWhole ? [] : factsOf(ledger);
      } finally {
        ledger.close();
      }
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error;
      warn(streams, error.message);
      return [];
    }
  });
  return { kind: 'facts', facts, columns, ifNone: 'There are no runs yet.' };
}
