/** `boh runs`: lists, shows and resumes bulk runs. */
import type { Failure } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { listRunIds, readRun, summarizeRun } from '../../runs/ledger/runs.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { groupCommand, prepare } from '../prepare.ts';
import { resumeCommand } from './resume.ts';
import { showCommand } from './show.ts';

const about =
  'List, inspect and resume bulk runs: imports, applies, copies, undos, and commands with --where.';

/** Returns the command `boh runs` with its subcommands. */
export function runsCommand(context: Context): Command {
  return groupCommand('runs', about, [
    listCommand(context).summary('List the runs of this machine, newest first'),
    showCommand(context).summary('Show each row of a run with its outcome'),
    resumeCommand(context).summary('Resume a run that stopped'),
  ]);
}

/** A narrow window keeps the columns without a rank: the ID, which contains the time, the state, and the number of remaining rows. */
const columns = [
  { name: 'id', isIndivisible: true },
  { name: 'started_at', isIndivisible: true, rank: 3 },
  { name: 'command', minWidth: 12, rank: 1 },
  { name: 'source', rank: 2 },
  { name: 'state', isIndivisible: true },
  { name: 'account', rank: 4 },
  { name: 'rows', rank: 2 },
  { name: 'done', rank: 1 },
  { name: 'failed', rank: 1 },
  { name: 'unknown', rank: 1 },
  { name: 'to_go', header: 'remaining' },
];

function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .description(
      'List the runs of this machine, newest first. Finished runs are kept for 30 days, others for 180.',
    )
    .examples('boh runs list', 'boh runs list -o json')
    .action(createAction(context, () => list(context)));
}

function list({ env, streams }: Context): Result {
  const onProblem = ({ message }: Failure) => warn(streams, message);
  const runs = listRunIds(env).flatMap((id) => readRun(env, id, summarizeRun, onProblem) ?? []);
  return { kind: 'data', data: runs, columns, emptyNote: 'No runs yet.' };
}
