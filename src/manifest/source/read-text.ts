/** The text of a manifest into a tree with places: at once where it is plain, else by the library that knows all of YAML. */
import type { Environment } from '../../environment.ts';
import type { Pauses } from '../pauses.ts';
import type { Mistakes } from './mistakes.ts';
import type { Node } from './node.ts';
import { type OnItem, readPlain } from './read-plain.ts';
import type { TextFile } from './text-place.ts';

export interface Walk {
  mistakes: Mistakes;
  /** See `readPlain`: told of the records of which the tree has none then. */
  onItem: OnItem;
  /** Told of a tree. */
  onTree(node: Node): void;
}

/**
 * `walk` is asked for anew where what was told before counts for nothing. What is wrong with the file is among the
 * mistakes, and left out. One tree for each document in it.
 */
export async function readText(
  file: TextFile,
  { env, pauses }: { env: Environment; pauses: Pauses },
  walk: () => Walk,
): Promise<void> {
  const first = walk();
  const steps = readPlain(file, { env, mistakes: first.mistakes }, first.onItem);
  let step = steps.next();
  for (; !step.done; step = steps.next()) if (pauses.isDue) await pauses.take();
  if (step.value) return first.onTree(step.value);
  const { readYaml } = await import('./read-yaml.ts');
  const { mistakes, onTree } = walk();
  for (const node of await readYaml(file, { env, pauses }, mistakes)) onTree(node);
}
