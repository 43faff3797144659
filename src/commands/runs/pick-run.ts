/** Prompts for a run on the terminal. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { listRunIds, readRun, summarizeRun } from '../../runs/ledger/runs.ts';
import { formatCount } from '../../terminal/format-count.ts';

/** Asks which run to show or to resume, newest first; only unfinished runs can be resumed. Returns its ID. */
export async function pickRun(verb: 'show' | 'resume', { env, streams }: Context): Promise<string> {
  // `runs list` reports ledgers that can't be read.
  const runs = listRunIds(env).flatMap((id) => readRun(env, id, summarizeRun) ?? []);
  const choices = runs
    .filter(({ state }) => verb === 'show' || state === 'unfinished')
    .map(({ id, command, source, account, done, failed, unknown, to_go: remainingRows }) => ({
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
