/** Which mirror a line is about: the one it names, that of the environment, or the account’s own. */
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { Environment } from '../../environment.ts';
import type { Context } from '../../interaction/context.ts';
import type { Mirrored } from '../../mirror/schema/derive.ts';
import { readTarget, type Target } from '../../mirror/target.ts';
import { ownFolder } from '../../own-folders.ts';
import type { Settings } from '../../settings/settings.ts';
import { listed, type ResourceFlag, resourcesNamed } from '../flags/resource-flag.ts';

export interface PlaceFlags {
  to?: string;
}

export function addPlaceFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--to <place>',
      'where the copy is, such as sqlite:FILE; else BOH_MIRROR, else a file of its own',
    ),
  );
}

/** The place that the line or the environment names, and by what; undefined where it is the account’s own. */
function namedPlace({ to }: PlaceFlags, { env }: Context): readonly [place: string, by: string] | undefined {
  if (to !== undefined) return [to, '--to'];
  return env.BOH_MIRROR ? [env.BOH_MIRROR, 'BOH_MIRROR'] : undefined;
}

/** Whether somebody has said which copy is meant, whoever it is of. */
export function isNamed(flags: PlaceFlags, context: Context): boolean {
  return namedPlace(flags, context) !== undefined;
}

export async function targetOf(flags: PlaceFlags, context: Context): Promise<Target> {
  const named = namedPlace(flags, context);
  if (named) {
    const target = readTarget(...named);
    if (flags.to !== undefined) context.mirrorPlace = flags.to;
    return forCommand(target, context);
  }
  const file = ownFile(context.env, await context.settings());
  return { kind: 'sqlite', file, called: file };
}

/** With the password of PGPASSWORD where the address has none, whom to ask where there is none at all, and what ends it. */
function forCommand(given: Target, { env, streams, signal }: Context): Target {
  if (given.kind !== 'postgres') return given;
  const target = { ...given, signal };
  const password = target.password ?? (env.PGPASSWORD || undefined);
  if (!streams.interactive) return { ...target, password };
  let answer: Promise<string> | undefined;
  const ask = async (isRefused: boolean) => {
    const { askHidden } = await import('../../terminal/prompts.ts');
    const message = `Password for ${target.called}`;
    return askHidden(streams, { message: isRefused ? `The database refuses that one. ${message}` : message });
  };
  return {
    ...target,
    password,
    askPassword: (isRefused) => {
      if (isRefused || !answer) answer = ask(isRefused);
      return answer;
    },
  };
}

/** `BOH_CONFIG_DIR/mirrors`, else the platform’s place for a user’s data (`~/.local/share/boh/mirrors` on Linux). */
function mirrorFolder(environment: Environment): string {
  return join(ownFolder(environment, 'data'), 'mirrors');
}

/** Named after the profile, the sandbox, or the address where there is neither. */
function ownFile(environment: Environment, { profile, sandbox, baseUrl, apiPrefix }: Settings): string {
  const place =
    sandbox === undefined ? (profile ?? `${baseUrl ?? 'service'}${apiPrefix}`) : `sandbox-${sandbox}`;
  const name = place.replace(/^https?:\/\//, '').replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  return join(mirrorFolder(environment), `${name}.sqlite`);
}

/** All that can be mirrored, or those that are named. Throws a usage failure that names all that can’t. */
export async function resourcesOf(
  { resource: named }: ResourceFlag,
  all: readonly Mirrored[],
  { api }: Context,
): Promise<Mirrored[]> {
  const offer = { ...listed(api), among: all.map(({ resource }) => resource) };
  const wanted = await resourcesNamed(named, '--resource', offer, api);
  return all.filter(({ resource }) => wanted?.includes(resource) ?? true);
}
