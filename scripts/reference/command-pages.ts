/** Pages on what the contract doesn't know: global flags, flags of verbs, and the commands written by hand. */
import type { Option } from 'commander';
import { bulkVerbsOf } from '../../src/commands/bulk/index.ts';
import { Command } from '../../src/commands/command.ts';
import { globalOptions } from '../../src/commands/globals.ts';
import type { HandWritten, ResourceVerb } from '../../src/commands/hand-written.ts';
import { handWritten } from '../../src/commands/index.ts';
import { pictureVerbsOf } from '../../src/commands/pictures/index.ts';
import { prepare } from '../../src/commands/prepare.ts';
import { resourceCommand } from '../../src/commands/resource-command.ts';
import type { Context } from '../../src/context/context.ts';
import { compositeVerbs } from '../../src/contract/composite.ts';
import { operations } from '../../src/contract/operation.ts';
import type { Resource } from '../../src/contract/resource.ts';
import {
  type Block,
  heading,
  type Page,
  paragraph,
  screen,
  section,
  table,
} from '../../src/reference/blocks.ts';
import { api } from '../../src/resources/index.ts';
import { settingList, settingNames } from '../../src/settings/setting-list.ts';

/** Building a command asks for nothing; only running it would. */
const noContext = { api } as Context;

/** Which headings of a verb's help hold what the contract says, and so stand on the pages of the resources. */
const fromContract = ['Fields:', 'Filters:'];

export async function flagsPage(): Promise<Page> {
  return {
    name: 'global-flags',
    summary: 'Flags that go with every command, and with every verb of a kind',
    blocks: [
      paragraph('Global flags can be anywhere on the command line:'),
      optionTable(globalOptions),
      ...section('Environment', environment()),
      heading('Flags of the verbs'),
      paragraph(
        'All flags except fields and filters, which differ by resource. An update has `--add-TAGS` and ' +
          '`--remove-TAGS` for every list that it takes, which leave the others in it as they are.',
      ),
      ...(await verbFlags()),
    ],
  };
}

/** What sets boh up from outside; a flag counts more, a profile less. */
export function environment(): Block[] {
  const settings = settingNames.flatMap((name) => {
    const { environment: variable, summary } = settingList[name];
    return variable === undefined ? [] : [[`\`${variable}\``, summary]];
  });
  return [table(['variable', 'what it is'], [...settings, ...variables])];
}

/** Variables that are no settings: a profile can't hold them, or they are secrets. */
const variables = [
  ['`BOH_TOKEN`', 'the token; with `BOH_BASE_URL` enough to run anything'],
  ['`BOH_CLIENT_SECRET`', 'the secret of your app, for `boh auth login`'],
  ['`BOH_PROFILE`', 'the profile to use'],
  ['`BOH_SANDBOX`', 'which sandbox --sandbox means; `default` otherwise'],
  ['`BOH_CONFIG_DIR`', 'the folder for settings, sandboxes and caches'],
  [
    '`BOH_PAGER`, `PAGER`',
    'the program that shows long results on a terminal; empty for none, less unless set',
  ],
  ['`NO_COLOR`, `FORCE_COLOR`', 'colour never, or always'],
  ['`CI`', 'nothing is ever asked, and no pager started'],
  ['`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`', 'the way to the network'],
  ['`NODE_EXTRA_CA_CERTS`', 'a file with certificates of authorities of your own'],
];

/** Each kind of verb once, as the first resource that has it shows it. */
async function verbFlags(): Promise<Block[]> {
  const first = new Map<string, Option[]>();
  for (const resource of api.collections) {
    for (const { verb, kind } of kindsOfVerbs(resource)) {
      if (first.has(kind)) continue;
      const { commands } = await resourceCommand(resource, verb, noContext);
      const command = commands.find((it) => it.name() === verb);
      first.set(kind, command?.options.filter(isOwn) ?? []);
    }
  }
  const kinds = Map.groupBy(first, ([, options]) => options.map(({ flags }) => flags).join());
  return [...kinds.values()].flatMap((alike) => {
    const [[, options] = ['', []]] = alike;
    const title = alike.map(([kind]) => titles[kind] ?? kind).join(', ');
    return options.length === 0 ? [] : [heading(title, 3), optionTable(options)];
  });
}

/** Verbs of one effect have the same flags; those that aren't the document's have their own. */
function kindsOfVerbs(resource: Resource): { verb: string; kind: string }[] {
  return [
    ...operations(resource).map(({ verb, effect }) => ({ verb, kind: effect })),
    ...[
      ...compositeVerbs(resource).map(({ verb }) => verb),
      ...[...bulkVerbsOf(resource), ...pictureVerbsOf(resource)].map(({ name }) => name),
    ].map((verb) => ({ verb, kind: verb })),
  ];
}

/** Several verbs can have one effect. */
const titles: Readonly<Record<string, string>> = { link: 'link-…', unlink: 'unlink-…', act: 'redeem' };

/** What a resource has beside the operations of the document, for its page. */
export function ownVerbBlocks(resource: Resource): Block[] {
  return [
    ...verbBlocks('Many at once', bulkVerbsOf(resource), resource),
    ...verbBlocks('Pictures', pictureVerbsOf(resource), resource),
  ];
}

function verbBlocks(title: string, verbs: readonly ResourceVerb[], resource: Resource): Block[] {
  if (verbs.length === 0) return [];
  return [
    heading(title, 2),
    ...verbs.flatMap(({ name, summary }) => [
      heading(`${resource.command} ${name}`, 3),
      paragraph(`${summary(resource)}. Its flags: boh ${resource.command} ${name} --help.`),
    ]),
  ];
}

function isOwn({ hidden, helpGroupHeading = '', flags }: Option): boolean {
  const isFree = flags.startsWith('--filter ');
  return !hidden && (isFree || !fromContract.includes(helpGroupHeading));
}

function optionTable(options: readonly Option[]): Block {
  return table(
    ['flag', 'what it does'],
    options.map(({ flags, description }) => [`\`${flags}\``, description]),
  );
}

/** A page for each command that is written by hand: its help, and that of the commands below it. */
export async function commandPages(): Promise<Page[]> {
  return Promise.all(handWritten.filter(({ hidden }) => !hidden).map(commandPage));
}

async function commandPage(entry: HandWritten): Promise<Page> {
  const command = inBoh(await entry.load(noContext, []));
  const blocks: Block[] = [screen(helpOf(command))];
  const below: Block[] = [];
  for (const name of command.commands.map((member) => member.name())) {
    // Only the one that the line names is loaded whole.
    const whole = inBoh(await entry.load(noContext, [name])).commands.find((it) => it.name() === name);
    if (whole) below.push(...helpBlocks(whole, `boh ${entry.name} ${name}`));
  }
  return { name: entry.name, summary: entry.summary, blocks: [...blocks, ...section('Commands', below)] };
}

/** The help of a command, and of all commands below it. */
function helpBlocks(command: Command, name: string): Block[] {
  const below = command.commands.flatMap((member) => helpBlocks(member, `${name} ${member.name()}`));
  return [heading(name, 3), screen(helpOf(command)), ...below];
}

/** Usage begins with the name of the program, as people type it. */
function inBoh(command: Command): Command {
  prepare(new Command('boh')).addCommand(command);
  return command;
}

function helpOf(command: Command): string[] {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 80,
  });
  command.outputHelp();
  return text.trimEnd().split('\n');
}
