/** Which mirror a line is about, whose account it copies, and lengths of time as people write them. */
import { join } from 'node:path';
import { Option } from 'commander';
import type { Environment } from '../../base/environment.ts';
import { usage } from '../../base/errors.ts';
import { ownFolder } from '../../base/own-folders.ts';
import type { Context } from '../../context/context.ts';
import type { Mirrored } from '../../mirror/schema/derive.ts';
import type { Reader } from '../../mirror/stores/store.ts';
import { type FactReader, readOwner } from '../../mirror/sync/account.ts';
import { type MirrorTarget, readTarget } from '../../mirror/target.ts';
import { askHidden } from '../../prompts/terminal/prompts.ts';
import { demandOwner, demandOwnerToRead, ownerName } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { Settings } from '../../settings/settings.ts';
import { warn } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import type { AnyAccountFlag } from '../flags/any-account.ts';
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
function isNamed(flags: PlaceFlags, context: Context): boolean {
  return namedPlace(flags, context) !== undefined;
}

export async function targetOf(flags: PlaceFlags, context: Context): Promise<MirrorTarget> {
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
function forCommand(given: MirrorTarget, { env, streams, signal }: Context): MirrorTarget {
  if (given.kind !== 'postgres') return given;
  const target = { ...given, signal };
  const password = target.password ?? (env.PGPASSWORD || undefined);
  if (!streams.interactive) return { ...target, password };
  let answer: Promise<string> | undefined;
  const ask = async (isRefused: boolean) => {
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

const kind = 'mirror';

/** For a line that need not be about the account in use: a copy that is named is read, whichever account it is of. */
export async function demandOwnUnlessNamed(
  reader: FactReader,
  flags: PlaceFlags & AnyAccountFlag,
  context: Context,
): Promise<void> {
  if (!isNamed(flags, context)) await demandOwnToRead(reader, flags, context);
}

/**
 * For a command that deletes what the copy holds, before it asks or says anything: throws unless the copy is certainly of
 * the account in use, or the line says `--any-account`. Throws what opening it throws.
 */
export async function demandOwnAt(
  open: () => Promise<Reader>,
  flags: AnyAccountFlag,
  context: Context,
): Promise<void> {
  if (flags.anyAccount) return;
  const reader = await open();
  try {
    await demandOwnAsked(await context.session(), reader, flags, context);
  } finally {
    await reader.close();
  }
}

/** The same where the service is asked in any case: a failure to ask is one of the line. */
export async function demandOwnAsked(
  session: Session,
  reader: FactReader,
  { anyAccount: isAny }: AnyAccountFlag,
  { env }: Context,
): Promise<void> {
  const owner = await readOwner(session.settings, reader);
  if (owner) await demandOwner(session, owner, { called: reader.called, kind, env, isAny });
}

/** The same for a command that only reads the copy; where there is no token, it says whose copy it is. */
export async function demandOwnToRead(
  reader: FactReader,
  { anyAccount: isAny }: AnyAccountFlag,
  context: Context,
): Promise<void> {
  const owner = await readOwner(await context.settings(), reader);
  const match = owner && (await demandOwnerToRead(owner, { called: reader.called, kind, isAny }, context));
  if (!match || match === 'own' || isAny) return;
  warn(
    context.streams,
    `The copy is of ${ownerName(owner)}. Whether the account in use is that one isn’t known.`,
  );
}

const seconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Timers of Node’s take no longer one, and go off at once instead. */
const longest = 24 * 86_400;

/** In seconds. `flag` is where it stands. */
export function readDuration(text: string, flag: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text.trim()) ?? [];
  const time = Number(count) * seconds[unit as keyof typeof seconds];
  if (time > longest) throw usage(`${flag} takes 24d at most.`);
  if (time > 0) return time;
  throw usage(`${flag} takes a time, such as 900, 15m or 1h: “${text}” is none.`);
}

/** Of seconds: `45 s`, `20 min`, `3 h`, `2 days`. */
export function timeInWords(time: number): string {
  if (time < 120) return `${time} s`;
  if (time < 7200) return `${Math.round(time / 60)} min`;
  return time < 172_800 ? `${Math.round(time / 3600)} h` : `${Math.round(time / 86_400)} days`;
}
