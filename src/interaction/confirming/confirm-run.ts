/** What is asked on a terminal before records are deleted, restored or unlinked, or several are changed. */
import { capital } from '../../contract/capital.ts';
import type { Operation } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import { outlook } from '../../reference/operation-words.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { confirm } from '../../terminal/prompts.ts';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import type { Target } from '../input/targets.ts';
import { countedTargets } from '../output/wording.ts';
import { inPlace } from '../where.ts';
import { type Affected, affectedBy } from './affected.ts';

/** Shows by name what would go and whether it can be brought back. Throws where the answer is no. */
export async function confirmRun(
  targets: readonly Target[],
  operation: Operation,
  context: Context,
  warnings: readonly string[] = [],
): Promise<readonly Affected[]> {
  const { streams, globals, kept } = context;
  const affected = await affectedBy(await context.session(), operation, targets, globals);
  const [only] = affected;
  const action = capital(operation.verb.split('-')[0] ?? '');
  const isOne = affected.length === 1;
  const names = affected.map(({ name }) => `  ${cleanLine(name)}`);
  const prospect = outlook(operation) ?? '';
  const lines = [
    ...(isOne ? [] : [`${action}:`, ...names]),
    ...(prospect === '' || kept.lasting.has(prospect) ? [] : [inPlace(prospect, context)]),
    ...warnings.map(cleanLine),
  ];
  await write(streams.stderr, lines.map((line) => `${line}\n`).join(''));
  const what = isOne && only ? only.name : countedTargets(operation, affected.length);
  if (await confirm(streams, { message: `${action} ${what}?` })) return affected;
  throw new Failure('interrupted', 'Nothing was done.');
}
