/** `boh --help`: all commands, grouped as people think of them, with a few to begin with. Loaded for that alone. */
import type { Api } from '../contract/api.ts';
import type { Group } from '../contract/resource.ts';
import { globalFlagLines } from './globals.ts';
import { handWritten } from './index.ts';

const headings: readonly [Group | 'tools', string][] = [
  ['menu', 'Menu'],
  ['customers', 'Customers'],
  ['people', 'People'],
  ['inventory', 'Inventory'],
  ['loyalty', 'Loyalty'],
  ['account', 'Account'],
  ['tools', 'Tools'],
];

const examples = `boh: the back office of a restaurant or shop, from the command line.

  boh --sandbox customers list             try it: no account, no network
  boh --sandbox inventory-items get @SKU-001
  boh suppliers create --name "Coastal Fish" --phone 555000222
  boh customers list --updated-after 7d -o csv > customers.csv

Usage: boh [flags] <resource> <verb> [ID...] [flags]
`;

const ending = `Verbs: list, get, create, update, delete, restore; a resource has those that the
API has for it. @NAME stands for an id wherever one goes.

Flags that may stand anywhere:
${globalFlagLines()}

More: boh <resource> --help, boh <resource> <verb> --help
`;

export function rootHelp({ resources }: Api): string {
  const commands = [
    ...resources.map(({ command, summary, group }) => ({ name: command, summary, group })),
    ...handWritten.filter(({ hidden }) => !hidden),
  ];
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  const sections = headings.map(([group, title]) => {
    const lines = commands
      .filter((command) => command.group === group)
      .map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
    return lines.length === 0 ? '' : `${title}:\n${lines.join('\n')}\n`;
  });
  return [examples, ...sections.filter(Boolean), ending].join('\n');
}
