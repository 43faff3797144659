/** Lets the user choose an unfinished run on the terminal. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { pick } from '../../prompts/terminal/prompts.ts';
import { fixedEntries } from '../../prompts/terminal/questions.ts';
import { factsOf, openRun, type RunFacts, runIds } from '../../runs/ledger/runs.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { numeral } from '../../terminal/numeral.ts';

/** Asks for a run that can be resumed. Returns its ID. */
export async function pickRun({ env, streams }: Context): Promise<string> {
  const runs = runIds(env).flatMap((id) => factsIn(id, env) ?? []);
  const choices = runs
    .filter(({ state }) => state === 'unfinished')
    .map(({ id, command, source, account, done, failed, unknown, to_go: left }) => ({
      value: id,
      key: id,
      label: `${id}  ${[command, source].filter(Boolean).join(' ')}: ${numeral(left + unknown)} to go, ${numeral(done)} done`,
      description: [account, failed > 0 && `${numeral(failed)} failed`].filter(Boolean).join(', '),
    }));
  if (choices.length === 0) {
    throw new Failure('not_found', 'No run to resume.', {
      hint: boh.hint`To list runs: ${boh.plain('runs list')}`,
    });
  }
  return pick(streams, { message: 'Which run to resume?', entries: fixedEntries(choices) });
}

/** Returns the facts of a run; undefined if its ledger can't be read, which `runs list` reports. */
function factsIn(id: string, env: Context['env']): RunFacts | undefined {
  try {
    const ledger = openRun(env, id);
    try {
      return ledger.loss()?.isWhole ? undefined : factsOf(ledger);
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    return undefined;
  }
}
