/** The line that takes back what a command has just written, told once. */
import { quote } from '../../reference/examples.ts';
import { note } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';
import { whereFlags } from '../where.ts';

export function tellUndo(context: Context): void {
  const line = undoLine(context);
  if (line === undefined) return;
  note(context.streams, line);
  context.kept.isUndoTold = true;
}

/** `run` stands for all of it, of whatever process; undefined where there is nothing, or it was told. */
export function undoLine(
  { kept, globals }: Pick<Context, 'kept' | 'globals'>,
  run?: string,
): string | undefined {
  if (kept.count === 0 || kept.isUndoTold) return undefined;
  const what = run ?? (kept.count === 1 ? String(kept.number) : kept.run) ?? '';
  return `To undo this: ${['boh', ...whereFlags(globals), 'undo', what].map(quote).join(' ')}`;
}
