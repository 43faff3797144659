/** Finds the mirror that a command uses, checks that it belongs to the account in use, and parses durations. */
import { join } from 'node:path';
import { requireOwner } from '../../../account/session/file-owner.ts';
import { secondsPerUnit } from '../../../base/duration.ts';
import { usage } from '../../../base/errors.ts';
import type { MirroredResource } from '../../../engine/mirror/schema/derive.ts';
import type { Reader } from '../../../engine/mirror/stores/store.ts';
import { type MetadataReader, readOwner } from '../../../engine/mirror/sync/account.ts';
import { type MirrorTarget, parseMirrorTarget } from '../../../engine/mirror/target.ts';
import type { Context } from '../../context/context.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import { type AnyAccountFlag, listableResources, resolveResources } from '../flags/shared-flags.ts';

export const mirrorFlag = [
  '--to <mirror>',
  'sqlite:FILE or postgres://USER@HOST/DATABASE (default: BOH_MIRROR, else a file for each account)',
] as const;

/** The flag that names the mirror, not yet validated. */
export type MirrorFlags = FlagsOf<readonly [typeof mirrorFlag]>;

/** Returns the location of the mirror and its origin (`--to` or BOH_MIRROR); undefined for the account's default file. */
function locationFromUser(
  { to }: MirrorFlags,
  { env }: Context,
): readonly [location: string, origin: string] | undefined {
  if (to !== undefined) return [to, '--to'];
  return env.BOH_MIRROR ? [env.BOH_MIRROR, 'BOH_MIRROR'] : undefined;
}

export async function targetOf(flags: MirrorFlags, context: Context): Promise<MirrorTarget> {
  const namedLocation = locationFromUser(flags, context);
  if (namedLocation) {
    const target = parseMirrorTarget(...namedLocation);
    if (flags.to !== undefined) context.mirrorLocation = flags.to;
    return addPassword(target, context);
  }
  const file = join(await (await context.session()).folder(), 'mirror.sqlite');
  return { kind: 'sqlite', file, label: file };
}

/** Adds the password (from PGPASSWORD or a prompt) and the cancellation signal to a PostgreSQL target. */
function addPassword(mirror: MirrorTarget, { env, streams, signal }: Context): MirrorTarget {
  if (mirror.kind !== 'postgres') return mirror;
  const target = { ...mirror, signal };
  const password = target.password ?? (env.PGPASSWORD || undefined);
  if (!streams.interactive) return { ...target, password };
  let passwordAnswer: Promise<string> | undefined;
  const askPassword = async (isWrong: boolean) => {
    const message = `Password for ${target.label}`;
    return (await promptsFor(streams)).askHidden({
      message: isWrong ? `Wrong password. ${message}` : message,
    });
  };
  return {
    ...target,
    password,
    askPassword: (isWrong) => {
      if (isWrong || !passwordAnswer) passwordAnswer = askPassword(isWrong);
      return passwordAnswer;
    },
  };
}

/** Returns the resources that `--resource` names, else all. Throws a usage failure with all wrong names. */
export async function resourcesOf(
  { resource: resourceFlag }: { resource?: readonly string[] },
  mirroredResources: readonly MirroredResource[],
  { api }: Context,
): Promise<MirroredResource[]> {
  const allowedResources = {
    ...listableResources(api),
    allowed: mirroredResources.map(({ resource }) => resource),
  };
  const selectedResources = resolveResources(resourceFlag, '--resource', api, allowedResources);
  return mirroredResources.filter(({ resource }) => selectedResources?.includes(resource) ?? true);
}

/**
 * Throws unless a mirror that the user names belongs to the account in use, or `--any-account` is given. The default
 * mirror is in the folder of the account.
 */
export async function requireMirrorOwner(
  reader: MetadataReader,
  { anyAccount, ...flags }: MirrorFlags & AnyAccountFlag,
  context: Context,
  { isOnlyRead = false } = {},
): Promise<void> {
  const owner = locationFromUser(flags, context) && (await readOwner(reader));
  if (!owner) return;
  const file = { label: reader.label, kind: 'mirror', isOverridden: anyAccount, isOnlyRead };
  await requireOwner(await context.session(), owner, { ...file, env: context.env });
}

/** Opens a mirror for a command that deletes from it, and checks its owner. Also throws the failures of `open`. */
export async function requireOwnMirror(
  open: () => Promise<Reader>,
  flags: MirrorFlags & AnyAccountFlag,
  context: Context,
): Promise<void> {
  if (flags.anyAccount) return;
  const reader = await open();
  try {
    await requireMirrorOwner(reader, flags, context);
  } finally {
    await reader.close();
  }
}

/** Node's timers can't wait longer than about 24.8 days: they fire at once instead. */
const maxDurationSeconds = 24 * 86_400;

/** Parses a duration such as `900`, `15m` or `1h`. Returns seconds. Throws a usage failure that names the flag. */
export function parseDurationFlag(text: string, flag: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text.trim()) ?? [];
  const seconds = Number(count) * secondsPerUnit[unit as keyof typeof secondsPerUnit];
  if (seconds > maxDurationSeconds) throw usage(`${flag} takes 24d at most.`);
  if (seconds > 0) return seconds;
  throw usage(`${flag} takes a duration such as 900, 15m or 1h, not "${text}".`);
}
