/** The ids of an operation as arguments of its command. */
import type { Command } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import { idNames, takesSeveral } from '../../interaction/input/given-ids.ts';

/** Declares the arguments. They may be missing as far as commander is concerned: what then happens is for us to say. */
export function addIdArguments(command: Command, operation: Operation): void {
  const several = takesSeveral(operation);
  const names = idNames(operation).map((name, at, all) =>
    several && at === all.length - 1 ? `${name}...` : name,
  );
  const about = several ? 'the id, or @NAME; - reads ids from standard input' : 'the id, or @NAME';
  for (const name of names) command.argument(`[${name}]`, about);
  command.usage([...names.map((name) => `<${name}>`), '[flags]'].join(' '));
}
