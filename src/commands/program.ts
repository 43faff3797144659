/** The command tree, of which only the part that the line names is built. */
import { Command, CommanderError } from 'commander';
import { resourceCalled } from '../contract/resource.ts';
import { type Failure, usage } from '../errors.ts';
import { resources } from '../resources/index.ts';
import { inAscii } from '../terminal/clean.ts';
import { version } from '../version.ts';
import type { Context } from './context.ts';
import { commandWords, globalOptions } from './globals.ts';
import { handWritten } from './index.ts';
import { spellBooleans } from './input/boolean-flags.ts';
import { namedCommand } from './named-command.ts';
import { prepare, versionAsked } from './prepare.ts';
import { rootHelp } from './root-help.ts';

/** Builds and runs what the line names. Answers once the command has done its work; throws its failure. */
export async function run(line: readonly string[], context: Context): Promise<void> {
  const argv = withoutHelpWord(line);
  const [first] = commandWords(argv, 1);
  const command = first && (await namedCommand(handWritten, argv, context));
  if (!command) return showRootHelp(argv, context);
  const root = prepare(new Command('boh')).addCommand(command);
  root.hook('preAction', (_, action) => takeGlobals(action, context));
  const words = spellBooleans(withName(argv, first.at, command.name()), allOptions(command));
  await parse(root, words, context);
}

/** `boh help customers` is `boh customers --help`. */
function withoutHelpWord(argv: readonly string[]): readonly string[] {
  const [first] = commandWords(argv, 1);
  return first?.word === 'help' ? [...argv.toSpliced(first.at, 1), '--help'] : argv;
}

/** Global flags from every level of the line; those nearer to the verb count more. */
function takeGlobals(action: Command, { globals }: Context): void {
  for (let command: Command | null = action; command; command = command.parent) {
    for (const option of globalOptions()) {
      const key = option.attributeName();
      if (key in globals || command.getOptionValueSource(key) !== 'cli') continue;
      Object.assign(globals, { [key]: command.getOptionValue(key) });
    }
  }
  if (globals.json) globals.output = 'json';
}

const versionLine = `boh ${version}\n`;

async function parse(root: Command, argv: readonly string[], context: Context): Promise<void> {
  let help = '';
  let aside = '';
  for (const command of withDescendants(root))
    command.configureOutput({
      writeOut: (text) => {
        help += text;
      },
      writeErr: (text) => {
        aside += text;
      },
    });
  try {
    await root.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === versionAsked) return showText(versionLine, context);
    // A resource without a verb: commander shows its help, as for an error.
    if (error.code === 'commander.help') help = aside;
    else if (error.code !== 'commander.helpDisplayed') throw asUsage(error, argv);
  }
  if (help) await showText(help, context);
}

async function showRootHelp(argv: readonly string[], context: Context): Promise<void> {
  if (argv.includes('--version')) return showText(versionLine, context);
  const unknown = argv.find(
    (word) => word.startsWith('-') && !['-h', '--help'].includes(word) && !isGlobal(word),
  );
  if (unknown) throw usage(`There is no flag ${unknown}.`, { hint: 'See them all: boh --help' });
  await showText(rootHelp(), context);
}

async function showText(text: string, { streams }: Context): Promise<void> {
  const { write } = await import('../terminal/streams.ts');
  const isAscii = streams.isTerminal.out && !streams.unicode;
  await write(streams.stdout, isAscii ? inAscii(text) : text);
}

function isGlobal(word: string): boolean {
  const [name = ''] = word.split('=');
  return globalOptions().some(({ long, short }) => name === long || name === short);
}

/** Aliases of resources are typed, their commands have one name. */
function withName(argv: readonly string[], at: number, name: string): string[] {
  return argv.map((word, index) => (index === at ? name : word));
}

function allOptions(command: Command): Command['options'] {
  return withDescendants(command).flatMap(({ options }) => options);
}

function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}

/** commander's sentences begin with "error:" in lower case; its suggestions stand in brackets. */
function asUsage(error: CommanderError, argv: readonly string[]): Failure {
  const text = error.message.replace(/^error: /, '').replace(/\n\((.*)\)$/s, '. $1');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  const words = commandWords(argv, error.code === 'commander.unknownCommand' ? 1 : 2).map(({ word }) => word);
  return usage(/[.?!]$/.test(sentence) ? sentence : `${sentence}.`, { hint: hintFor(error, words) });
}

function hintFor({ code, message }: CommanderError, words: readonly string[]): string {
  const help = `See: boh ${words.join(' ')} --help`;
  if (code === 'commander.excessArguments' && resourceCalled(words[0] ?? '', resources)) {
    return `A name with spaces needs quotes: "@Fresh Farms". ${help}`;
  }
  const flag = /'--([\w-]+)/.exec(message)?.[1]?.replaceAll('-', '_');
  const isSecret = flag !== undefined && resources.some(({ fields }) => fields[flag]?.traits.secret);
  return isSecret ? `A secret has no flag, as others could see it: --ask ${flag} asks for it. ${help}` : help;
}
