/** `boh --help`: all commands, grouped as people think of them, with a few to begin with. */
import type { Api } from '../contract/api.ts';
import type { Group } from '../contract/resource.ts';
import { globalFlagLines } from './globals.ts';
import { handWritten } from './index.ts';

/** In the order in which people meet them. */
export const headings: readonly [Group | 'tools', string][] = [
  ['menu', 'Menu'],
  ['customers', 'Customers'],
  ['people', 'People'],
  ['inventory', 'Inventory'],
  ['loyalty', 'Loyalty'],
  ['account', 'Account'],
  ['tools', 'Tools'],
];

/** By the resource that each is about. */
const examples: readonly [resource: string, line: string][] = [
  ['customers', 'boh --sandbox customers list             try it: no account, no network'],
  ['inventory_items', 'boh --sandbox inventory-items get @SKU-001'],
  ['suppliers', 'boh suppliers create --name "Coastal Fish" --phone 555000222'],
  ['customers', 'boh customers list --updated-after 7d -o csv > customers.csv'],
];

function beginning(api: Api): string {
  const lines = examples.filter(([name]) => api.resource(name)).map(([, line]) => `  ${line}\n`);
  return `boh: the back office of a restaurant or shop, from the command line.

${lines.join('')}
Usage: boh [flags] <resource> <verb> [ID...] [flags]
`;
}

const ending = `Verbs: list, get, create, update, delete, restore; a resource has those that the
API has for it. Beside them upsert, import and export. @NAME stands for an id
wherever one goes.

Flags that may stand anywhere:
${globalFlagLines()}

More: boh <resource> --help, boh <resource> <verb> --help
`;

/** All commands that people type. */
export function rootCommands(api: Api): { name: string; summary: string; group: string }[] {
  return [
    ...api.resources.map(({ command, summary, group }) => ({ name: command, summary, group })),
    ...handWritten
      .filter(({ hidden }) => !hidden)
      .map(({ name, summary, group }) => ({ name, summary, group })),
  ];
}

export function rootHelp(api: Api): string {
  const commands = rootCommands(api);
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  const sections = headings.map(([group, title]) => {
    const lines = commands
      .filter((command) => command.group === group)
      .map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
    return lines.length === 0 ? '' : `${title}:\n${lines.join('\n')}\n`;
  });
  return [beginning(api), ...sections.filter(Boolean), ending].join('\n');
}
