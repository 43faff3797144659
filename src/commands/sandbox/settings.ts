/** `boh sandbox settings`: shows and changes settings of the business and variants of the service. */
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { settings as definitions, type Setting } from '../../sandbox/business/settings.ts';
import { wrapWords } from '../../terminal/width.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { changeSandbox, type NamedOptions, nameOption } from './with-sandbox.ts';

/** Returns the command `boh sandbox settings`. */
export function settingsCommand(context: Context): Command {
  return prepare(new Command('settings'))
    .description('Show or change settings of the business and its service.')
    .argument('[changes...]', 'NAME=VALUE, for example loyaltyDelayInHours=0')
    .addOption(nameOption())
    .examples(
      'boh sandbox settings loyaltyDelayInHours=0 loyaltyRewardMinimum=100',
      'boh sandbox settings set wire.relations=absent wire.page_size=10',
    )
    .addHelpText('after', formatSettingsHelp())
    .action(
      createAction(context, (changes: string[], options: NamedOptions) => run(changes, options, context)),
    );
}

async function run(changes: readonly string[], options: NamedOptions, context: Context): Promise<Result> {
  const newValues = parseChanges(changes);
  const settings = await changeSandbox(context, options, (sandbox) =>
    changes.length === 0 ? sandbox.settings() : sandbox.changeSettings(newValues),
  );
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return {
    kind: 'data',
    data: settings,
    text: lines.join('\n'),
    ...(changes.length > 0 && { completedWrite: { message: 'Settings changed.' } }),
  };
}

/** Parses `NAME=VALUE` pairs, or `set NAME VALUE`. The sandbox checks names and values. */
export function parseChanges(words: readonly string[]): Record<string, unknown> {
  const pairs = words[0] === 'set' ? words.slice(1) : words;
  const [name = '', value = ''] = pairs;
  if (pairs.length === 2 && !name.includes('=') && !value.includes('='))
    return { [name]: parseNumber(value) };
  return Object.fromEntries(pairs.map(parsePair));
}

function parsePair(pair: string): [string, unknown] {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) {
    throw usage(`${pair} isn't NAME=VALUE.`, { hint: `Settings: ${Object.keys(definitions).join(', ')}.` });
  }
  return [name, parseNumber(value)];
}

function parseNumber(text: string): unknown {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function formatSettingsHelp(): string {
  const lines = Object.entries<Setting>(definitions).flatMap(([name, { about, unit, initial }]) => [
    `  ${name}`,
    ...wrapWords(`${about} (${unit}; default: ${initial})`, 74).map((line) => `      ${line}`),
  ]);
  return `\nSettings:\n${lines.join('\n')}`;
}
