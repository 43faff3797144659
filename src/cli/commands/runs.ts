/** `boh runs`: lists, shows and resumes bulk runs. */

import { existsSync } from 'node:fs';
import { requireOwner } from '../../account/session/file-owner.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { formatCount } from '../../base/shown-items.ts';
import { StorageFailure } from '../../base/storage/failures.ts';
import { isSqliteFile } from '../../base/storage/formats.ts';
import { Ledger } from '../../engine/runs/ledger/ledger.ts';
import { resumableRun } from '../../engine/runs/ledger/new-ledger.ts';
import { ownerOfRun, runLabel } from '../../engine/runs/ledger/owner.ts';
import { type LedgerRow, type RowState, resultOf } from '../../engine/runs/ledger/row.ts';
import { isUnsent, listAllRuns, openAnyRun, readRun, summarizeRun } from '../../engine/runs/ledger/runs.ts';
import type { Context } from '../context/context.ts';
import type { Result } from '../output/result.ts';
import { shownTime } from '../output/times.ts';
import { canAsk } from '../prompts/missing-input.ts';
import { promptsFor } from '../prompts/terminal/prompts.ts';
import { note, warn } from '../terminal/messages.ts';
import { reopenRun, startRun } from './bulk/run.ts';
import { failedFlag, type RunFlags, runFlagProblems, runFlags } from './bulk/run-flags.ts';
import { changesOf, formatResultRow, resourceIn } from './bulk/show-plan.ts';
import type { Command } from './command.ts';
import { createCommand, groupCommand } from './declare.ts';
import type { FlagsOf } from './flags/flag-table.ts';
import { anyAccountFlag } from './flags/shared-flags.ts';

/** Returns the command `boh runs` with its subcommands. */
export function runsCommand(context: Context): Command {
  return groupCommand(
    'runs',
    'List, inspect and resume bulk runs: imports, applies, copies, undos, and commands with --where.',
    [
      createCommand(context, {
        name: 'list',
        summary: 'List the runs of this machine, newest first',
        about:
          'List the runs of this machine, newest first. Finished runs are kept for 30 days, others for 180.',
        examples: ['boh runs list', 'boh runs list -o json'],
        run: () => {
          const { env, streams } = context;
          const onProblem = ({ message }: Failure) => warn(streams, message);
          const runs = listAllRuns(env).flatMap(
            ({ folder, id }) => readRun(folder, id, summarizeRun, onProblem) ?? [],
          );
          return { kind: 'data', data: runs, columns, emptyNote: 'No runs yet.' };
        },
      }),
      showCommand(context),
      createCommand(context, {
        name: 'resume',
        summary: 'Resume a run that stopped',
        about:
          'Resume a run where it stopped. Rows with an unknown outcome are checked before they are sent again. Records that changed since the run was planned are skipped.',
        args: [['[run]', 'the ID of the run, or its ledger file; omit to be prompted']],
        usage: '[run] [flags]',
        flags: resumeFlags,
        examples: [
          'boh runs resume 20261124-100000-042k3f9ab --dry-run',
          'boh runs resume 20261124-100000-042k3f9ab --failed failed.csv',
        ],
        dryRun: true,
        check: runFlagProblems,
        run: ([id], flags) => resume(id, flags, context),
      }),
    ],
  );
}

/** A narrow window keeps the columns without a rank: the ID, which contains the time, the state, and the number of remaining rows. */
const columns = [
  { name: 'id', isIndivisible: true },
  { name: 'started_at', isTime: true, isIndivisible: true, rank: 3 },
  { name: 'command', minWidth: 12, rank: 1 },
  { name: 'source', rank: 2 },
  { name: 'state', isIndivisible: true },
  { name: 'account', rank: 4 },
  { name: 'rows', rank: 2 },
  { name: 'done', rank: 1 },
  { name: 'failed', rank: 1 },
  { name: 'unknown', rank: 1 },
  { name: 'remaining' },
];

/** Yields the results of the rows in these states, with more properties of each. */
async function* eachResult(
  ledger: Ledger,
  states: readonly RowState[],
  more: (row: LedgerRow) => object = () => ({}),
) {
  for (const row of ledger.rows(...states)) yield { ...resultOf(row), ...more(row) };
}

/** Asks which run to show or to resume, newest first; only unfinished runs can be resumed. Returns its ID; undefined if it can't ask. */
async function pickRun(verb: 'show' | 'resume', context: Context): Promise<string | undefined> {
  if (!canAsk(context)) return undefined;
  const { env, streams } = context;
  // `runs list` reports ledgers that can't be read.
  const runs = listAllRuns(env).flatMap(({ folder, id }) => readRun(folder, id, summarizeRun) ?? []);
  const choices = runs
    .filter(({ state }) => verb === 'show' || state === 'unfinished')
    .map(({ id, command, source, account, done, failed, unknown, remaining: remainingRows }) => ({
      value: id,
      key: id,
      label: `${id}  ${[command, source].filter(Boolean).join(' ')}: ${formatCount(remainingRows + unknown)} remaining, ${formatCount(done)} done`,
      description: [account, failed > 0 && `${formatCount(failed)} failed`].filter(Boolean).join(', '),
    }));
  if (choices.length === 0) {
    throw new Failure('not_found', `No run to ${verb}.`, {
      hint: boh.hint`To list runs: ${boh.plain('runs list')}`,
    });
  }
  return (await promptsFor(streams)).pick({ message: `Which run to ${verb}?`, entries: choices });
}

const states = ['bad', 'planned', 'sent', 'done', 'failed', 'unknown'] as const;

function showCommand(context: Context): Command {
  const { api, env, streams } = context;
  return createCommand(context, {
    name: 'show',
    summary: 'Show each row of a run with its outcome',
    about: 'Show the rows of a run and their outcomes.',
    args: [['[run]', 'the ID of the run, or its ledger file']],
    flags: [anyAccountFlag('show a run of another account')],
    examples: ['boh runs show 20261124-100000-042k3f9ab', 'boh runs show 20261124-100000-ab12 -o ndjson'],
    run: async ([id], { anyAccount }) => {
      const ledger = openRunLedger(id ?? (await pickRun('show', context)), context);
      const owner = ownerOfRun(ledger);
      try {
        const check = { ...runLabel(ledger), env, isOverridden: anyAccount, isOnlyRead: true };
        await requireOwner(await context.session(), owner, check);
      } catch (error) {
        ledger.close();
        throw error;
      }
      const {
        state,
        command,
        started_at: startedAt,
        done,
        failed,
        unknown,
        remaining,
      } = summarizeRun(ledger);
      note(
        streams,
        `${command}, started ${await shownTime(context, startedAt)}, ${state}: ${done} done, ${failed} failed, ${unknown} unknown, ${remaining} remaining.`,
      );
      const options = { api, resource: resourceIn(ledger) };
      return {
        kind: 'run',
        isReading: true,
        hasResources: ledger.hasResources(),
        rows: eachResult(ledger, states),
        lines: () => ledger.rows(...states).map((row) => formatResultRow(row, options)),
        end: async () => {
          ledger.close();
          return {};
        },
      };
    },
  });
}

/** Opens the ledger of a run. Throws `not_found` if the run or the file doesn't exist. */
function openRunLedger(id: string | undefined, { env }: Context): Ledger {
  if (!id) throw usage('Missing the ID of the run.', { hint: listHint });
  const isFile = /[/\\.]/.test(id);
  if (!isFile) return openAnyRun(env, id);
  if (!existsSync(id)) throw new Failure('not_found', `File ${id} not found.`, { hint: listHint });
  // A file that isn't a database isn't a damaged ledger, and must not be renamed.
  if (!isSqliteFile(id)) throw notALedgerFailure(id);
  try {
    return new Ledger(id);
  } catch (error) {
    throw error instanceof StorageFailure && error.problem === 'foreign' ? notALedgerFailure(id) : error;
  }
}

const listHint = boh.hint`To list runs: ${boh.plain('runs list')}`;

function notALedgerFailure(file: string): Failure {
  return usage(`${file} isn't the ledger of a run.`, { hint: listHint });
}

const resumeFlags = [
  ...runFlags,
  failedFlag,
  anyAccountFlag('resume a run of another account in this one'),
] as const;

/**
 * Resumes the unfinished run in the file of `--ledger` if it has the same command and rows; returns undefined without one.
 * Throws `usage` if the rows are others. `mark` returns the fingerprint of the rows.
 */
export async function resumeInLedgerFile(
  { command, source, mark }: { command: string; source: string | null; mark(): Promise<string> },
  flags: RunFlags,
  context: Context,
): Promise<Result | undefined> {
  const { ledger: file, out } = flags;
  if (!file || out !== undefined || context.globals.dryRun) return undefined;
  const id = resumableRun(file, { command, source, mark: await mark() });
  if (id === undefined) return undefined;
  note(context.streams, `Resuming run ${id} of ${file}.`);
  return resume(file, flags, context);
}

async function resume(
  id: string | undefined,
  requestedFlags: FlagsOf<typeof resumeFlags>,
  context: Context,
): Promise<Result> {
  const ledger = openRunLedger(id ?? (await pickRun('resume', context)), context).acquireLock();
  let close: (() => Promise<void>) | undefined;
  const closeRun = async () => {
    ledger.close();
    await close?.();
  };
  try {
    const owner = ownerOfRun(ledger);
    if (!owner) {
      throw usage("This run can't be resumed: it stopped during planning, and nothing was sent.", {
        hint: 'Run the command again.',
      });
    }
    if (isUnsent(ledger)) {
      const hint = boh.hint`To review and apply it: ${boh.account('apply', '--plan', ledger.file)}`;
      throw usage(`${ledger.file} is a saved plan that was not applied.`, { hint });
    }
    const { env } = context;
    const file = { ...runLabel(ledger), env, isOverridden: requestedFlags.anyAccount };
    if (context.globals.dryRun) {
      await requireOwner(await context.session(), owner, { ...file, isOnlyRead: true });
      return remainingRows(ledger, context, closeRun);
    }
    const command = `runs resume ${ledger.id ?? ''}`;
    const reopenedRun = await reopenRun({ ledger, owner, file, flags: requestedFlags, command }, context);
    const { session, flags, secretsOf, describeChange } = reopenedRun;
    close = reopenedRun.close;
    const isAnyAccount = requestedFlags.anyAccount;
    const options = { secretsOf, describeChange, isPlannedBefore: true, isAnyAccount, onEnd: closeRun };
    return await startRun({ ledger, session, flags, context, ...options });
  } catch (error) {
    await closeRun();
    throw error;
  }
}

/** Returns the remaining rows with their planned changes. The ledger isn't changed. */
function remainingRows(ledger: Ledger, { streams }: Context, closeRun: () => Promise<void>): Result {
  const states = ['planned', 'sent', 'unknown'] as const;
  note(
    streams,
    `${ledger.count(...states)} rows remain. Records that changed since the run was planned will be skipped.`,
  );
  return {
    kind: 'run',
    isReading: true,
    hasResources: ledger.hasResources(),
    rows: eachResult(ledger, states, (row) => ({ changes: changesOf(row) })),
    end: async () => {
      await closeRun();
      return {};
    },
  };
}
