/** What is asked on a terminal before records are deleted, restored or unlinked. Loaded when something is asked. */
import type { Operation } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { cleanLine } from '../terminal/clean.ts';
import { confirm } from '../terminal/prompts.ts';
import { write } from '../terminal/streams.ts';
import { type Affected, affectedBy, type Target } from './affected.ts';
import type { Context } from './context.ts';
import { counted, sentence } from './wording.ts';

/** Shows by name what would go and whether it can be brought back. Throws where the answer is no. */
export async function confirmRun(
  targets: readonly Target[],
  operation: Operation,
  context: Context,
): Promise<readonly Affected[]> {
  const { streams, globals } = context;
  const affected = await affectedBy(await context.client(), operation, targets, globals);
  const [only] = affected;
  const deed = sentence(operation.verb.split('-')[0] ?? '');
  let what = only?.name ?? '';
  if (affected.length > 1) {
    what = counted(operation.resource, affected.length);
    const lines = affected.map(({ name }) => `  ${cleanLine(name)}\n`);
    await write(streams.stderr, `${deed}:\n${lines.join('')}`);
  }
  const question = `${deed} ${what}?${warningFor(operation, affected.length)}`;
  if (await confirm(streams, { message: question })) return affected;
  throw new Failure('interrupted', 'Nothing was done.');
}

/** Whether a delete can be undone is part of the question. */
function warningFor({ effect, resource }: Operation, count: number): string {
  if (effect !== 'delete') return '';
  const it = count === 1 ? 'It' : 'They';
  return resource.restore ? ` ${it} can be brought back with “restore”.` : ` ${it} can’t be brought back.`;
}
