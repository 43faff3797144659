/** The ledger that a line names: by the id of the run, or by its file. */
import { existsSync } from 'node:fs';
import type { Ledger } from '../../bulk/ledger/ledger.ts';
import { openLedger, openRun } from '../../bulk/ledger/runs.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { isDatabase } from '../bulk/ledger.ts';

/** Throws `not_found` where there is none. */
export function ledgerNamed(id: string | undefined, { env }: Context): Ledger {
  if (!id) throw usage('Which run? Give its id.', { hint: 'See them: boh runs list' });
  const isFile = /[/\\.]/.test(id);
  if (!isFile) return openRun(env, id);
  if (!existsSync(id)) throw new Failure('not_found', `There is no ledger ${id}.`, { hint: seeRuns });
  // Nothing is wrong with it, and it is not to be set aside.
  if (!isDatabase(id)) throw noLedger(id);
  try {
    return openLedger(env, id);
  } catch (error) {
    throw error instanceof StorageFailure && error.problem === 'foreign' ? noLedger(id) : error;
  }
}

const seeRuns = 'See the runs of this machine: boh runs list';

function noLedger(file: string): Failure {
  return usage(`${file} is no ledger of a run.`, { hint: seeRuns });
}
