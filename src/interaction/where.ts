/** Which service a line is about, repeated in the commands that messages tell people to type next. */

import type { Api } from '../contract/api.ts';
import { Failure } from '../errors.ts';
import { quote } from '../reference/examples.ts';
import type { Globals } from './globals.ts';

/** The flags that say which service is meant. */
export function whereFlags({ sandbox, profile, baseUrl, apiPrefix }: Globals): string[] {
  return [
    ...(sandbox ? ['--sandbox'] : []),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(apiPrefix === undefined ? [] : ['--api-prefix', apiPrefix]),
  ];
}

/** What a line says of the service, and the API whose commands sentences name. */
export interface Place {
  api: Api;
  globals: Globals;
  /** Where the line has said that the mirror is. */
  mirrorPlace?: string | undefined;
}

/** Commands besides those of resources that are about the account of the line. */
const atAccount = [
  ...['backup', 'restore-from', 'runs resume', 'history', 'blame', 'undo', 'redo', 'find'],
  ...['plan', 'apply', 'pull', 'seed', 'mirror', 'config', 'export'],
];
/** About what is kept of the account: a sandbox needs no token. */
const atProfile = ['auth'];

/** A sentence whose `boh customers list` works as it stands: `boh --sandbox customers list`. */
export function inPlace(text: string, { api, globals, mirrorPlace }: Place): string {
  const sentence = mirrorPlace === undefined ? text : atMirror(text, mirrorPlace);
  const resources = api.resources.map(({ command }) => command);
  const said = behindBoh(sentence, [...resources, ...atAccount], whereFlags(globals));
  return behindBoh(said, atProfile, whereFlags({ ...globals, sandbox: false }));
}

/** Where a sentence says of a command which account it means, that stays. */
function behindBoh(sentence: string, names: readonly string[], flags: readonly string[]): string {
  if (flags.length === 0) return sentence;
  return sentence.replaceAll(
    new RegExp(`\\bboh (?=(?:${names.join('|')})\\b(?![^\`]*--(?:profile|sandbox|base-url)\\b))`, 'g'),
    `boh ${flags.map(quote).join(' ')} `,
  );
}

/** The same for `boh mirror sync`, of a copy that isn’t the account’s own. */
function atMirror(sentence: string, place: string): string {
  return sentence.replaceAll(
    /\bboh mirror [a-z]+\b(?![^`]*--to\b)/g,
    (line) => `${line} --to ${quote(place)}`,
  );
}

/** A failure whose next steps work as they stand. */
export function failureInPlace(failure: Failure, place: Place): Failure {
  const { hint } = failure.details;
  if (hint === undefined) return failure;
  const details = { ...failure.details, hint: inPlace(hint, place) };
  return new Failure(failure.category, failure.message, details);
}
