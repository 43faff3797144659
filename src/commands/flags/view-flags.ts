/** The flags that say how results are shown. */
import { type Command, Option } from 'commander';

const viewFlags = [
  ['--columns <names>', 'these columns, in this order; ? lists them'],
  ['--query <expression>', 'choose and reshape with JMESPath'],
  ['--raw', 'the answer’s body as it came'],
  ['--wide', 'cut nothing to fit the window'],
  ['--local-time', 'times of this machine instead of UTC'],
  ['--bom', 'begin CSV with a mark that spreadsheets want'],
] as const;

export function addViewFlags(command: Command): void {
  for (const [flags, about] of viewFlags) command.addOption(new Option(flags, about).helpGroup('Output:'));
}
