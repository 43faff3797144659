/** A single value of a manifest, with the variables in it filled in. */
import type { Environment } from '../../environment.ts';
import type { Mistakes } from './mistakes.ts';
import type { BrokenNode, Place, ScalarNode } from './node.ts';
import { fillVariables, hasVariables } from './variables.ts';

/** `text` as it stands there, without quotes. What can’t be filled in is among the mistakes. */
export function scalarNode(
  value: ScalarNode['value'],
  text: string,
  at: Place,
  { env, mistakes }: { env: Environment; mistakes: Mistakes },
): ScalarNode | BrokenNode {
  if (typeof value === 'string' && !canBeKept(value))
    return broken(at, 'holds a character that no text can have', mistakes);
  if (typeof value !== 'string' || !hasVariables(value)) return { kind: 'scalar', value, text, at };
  const filled = fillVariables(value, env);
  if (filled.problem !== undefined) return broken(at, filled.problem, mistakes);
  return { kind: 'scalar', value: filled.text, text: filled.text, template: value, at };
}

/** Neither NUL nor half of a surrogate pair is in it: no service keeps either. */
function canBeKept(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function broken(at: Place, what: string, mistakes: Mistakes): BrokenNode {
  mistakes.add(at, what);
  return { kind: 'broken', at };
}
