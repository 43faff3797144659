/** Repeats the account flags of a command line in the commands that messages suggest. */

import { Failure } from '../base/errors.ts';
import type { Api } from '../contract/api.ts';
import { quote } from '../reference/examples.ts';
import type { Globals } from './context.ts';

/** Returns the flags that choose the account. */
export function whereFlags({ sandbox, profile, baseUrl, apiPrefix }: Globals): string[] {
  return [
    ...(sandbox ? ['--sandbox'] : []),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(apiPrefix === undefined ? [] : ['--api-prefix', apiPrefix]),
  ];
}

/** What a command line says about the account, and the API whose commands messages name. */
export interface Place {
  api: Api;
  globals: Globals;
  /** The mirror that the command line names. */
  mirrorPlace?: string | undefined;
}

/** Commands, beside those of resources, that use the account. */
const accountCommands = [
  ...['backup', 'restore-from', 'runs resume', 'history', 'blame', 'undo', 'redo', 'find'],
  ...['plan', 'apply', 'pull', 'seed', 'mirror', 'config', 'export'],
];
/** Commands that use the profile: a sandbox needs no token. */
const profileCommands = ['auth'];

/** Returns a message whose commands use the same account: `boh --sandbox customers list`. */
export function inPlace(text: string, { api, globals, mirrorPlace }: Place): string {
  const sentence = mirrorPlace === undefined ? text : atMirror(text, mirrorPlace);
  const resources = api.resources.map(({ command }) => command);
  const said = behindBoh(sentence, [...resources, ...accountCommands], whereFlags(globals));
  return behindBoh(said, profileCommands, whereFlags({ ...globals, sandbox: false }));
}

/** Adds flags to commands, unless they name an account themselves. */
function behindBoh(sentence: string, names: readonly string[], flags: readonly string[]): string {
  if (flags.length === 0) return sentence;
  return sentence.replaceAll(
    new RegExp(`\\bboh (?=(?:${names.join('|')})\\b(?![^\`]*--(?:profile|sandbox|base-url)\\b))`, 'g'),
    `boh ${flags.map(quote).join(' ')} `,
  );
}

/** Adds the mirror to mirror commands. */
function atMirror(sentence: string, place: string): string {
  return sentence.replaceAll(
    /\bboh mirror [a-z]+\b(?![^`]*--to\b)/g,
    (line) => `${line} --to ${quote(place)}`,
  );
}

/** Returns a failure whose suggested commands use the same account. */
export function failureInPlace(failure: Failure, place: Place): Failure {
  const { hint } = failure.details;
  if (hint === undefined) return failure;
  const details = { ...failure.details, hint: inPlace(hint, place) };
  return new Failure(failure.category, failure.message, details);
}
