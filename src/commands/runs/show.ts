/** `boh runs show ID`: lists each row of a run with its outcome. */

import { existsSync } from 'node:fs';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { canAsk } from '../../prompts/missing-input.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun, runLabel } from '../../runs/ledger/owner.ts';
import { openRun, summarizeRun } from '../../runs/ledger/runs.ts';
import { resultOf } from '../../runs/result.ts';
import { requireOwnerToRead } from '../../session/file-owner.ts';
import { isSqliteFile } from '../../storage/existing-file.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { note } from '../../terminal/messages.ts';
import { formatResultRow, resourceIn } from '../bulk/show-plan.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { pickRun } from './pick-run.ts';

/** Returns the command `boh runs show`. */
export function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .argument('[run]', 'the ID of the run, or its ledger file')
    .description('Show the rows of a run and their outcomes.')
    .examples('boh runs show 20261124-100000-042k3f9ab', 'boh runs show 20261124-100000-ab12 -o ndjson')
    .addOption(anyAccountOption('show a run of another account'))
    .action(
      createAction(context, (id: string | undefined, flags: AnyAccountFlag) => run(id, flags, context)),
    );
}

const states = ['bad', 'planned', 'sent', 'done', 'failed', 'unknown'] as const;

async function run(
  id: string | undefined,
  { anyAccount }: AnyAccountFlag,
  context: Context,
): Promise<Result> {
  const runName = id ?? (canAsk(context) ? await pickRun('show', context) : undefined);
  const ledger = openRunLedger(runName, context);
  const owner = ownerOfRun(ledger);
  try {
    if (owner) await requireOwnerToRead(owner, { ...runLabel(ledger), isOverridden: anyAccount }, context);
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
    to_go: remainingRows,
  } = summarizeRun(ledger);
  note(
    context.streams,
    `${command}, started ${startedAt} (UTC), ${state}: ${done} done, ${failed} failed, ${unknown} unknown, ${remainingRows} remaining.`,
  );
  async function* rows() {
    for (const row of ledger.rows(...states)) yield resultOf(row);
  }
  return {
    kind: 'run',
    isReading: true,
    hasResources: ledger.hasResources(),
    rows: rows(),
    lines: () => resultLines(ledger, context.api),
    end: async () => {
      ledger.close();
      return {};
    },
  };
}

function* resultLines(ledger: Ledger, api: Context['api']): Generator<string> {
  const resource = resourceIn(ledger);
  for (const row of ledger.rows(...states)) yield formatResultRow(row, { api, resource });
}

/** Opens the ledger of a run. Throws `not_found` if the run or the file doesn't exist. */
export function openRunLedger(id: string | undefined, { env }: Context): Ledger {
  if (!id) throw usage('Missing the ID of the run.', { hint: listHint });
  const isFile = /[/\\.]/.test(id);
  if (!isFile) return openRun(env, id);
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
