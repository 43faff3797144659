/** Finds the mirror that a command uses, checks that it belongs to the account in use, and parses durations. */
import { join } from 'node:path';
import { Option } from 'commander';
import { appFolder } from '../../base/app-folders.ts';
import { secondsPerUnit } from '../../base/duration.ts';
import type { Environment } from '../../base/environment.ts';
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import type { MirroredResource } from '../../mirror/schema/derive.ts';
import type { Reader } from '../../mirror/stores/store.ts';
import { type MetadataReader, readOwner } from '../../mirror/sync/account.ts';
import { type MirrorTarget, parseMirrorTarget } from '../../mirror/target.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { ownerName, requireOwner, requireOwnerToRead } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { Settings } from '../../settings/settings.ts';
import { warn } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';
import { listableResources, type ResourceFlag, resolveResources } from '../flags/shared-flags.ts';

/** The flag that names the mirror, not yet validated. */
export interface MirrorFlags {
  to?: string;
}

/** Adds `--to`, which names the mirror. */
export function addMirrorFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--to <mirror>',
      'sqlite:FILE or postgres://USER@HOST/DATABASE (default: BOH_MIRROR, else a file for each account)',
    ),
  );
}

/** Returns the location of the mirror and its origin (`--to` or BOH_MIRROR); undefined for the account's default file. */
function locationFromUser(
  { to }: MirrorFlags,
  { env }: Context,
): readonly [location: string, origin: string] | undefined {
  if (to !== undefined) return [to, '--to'];
  return env.BOH_MIRROR ? [env.BOH_MIRROR, 'BOH_MIRROR'] : undefined;
}

/** Returns the mirror that a command uses. */
export async function targetOf(flags: MirrorFlags, context: Context): Promise<MirrorTarget> {
  const namedLocation = locationFromUser(flags, context);
  if (namedLocation) {
    const target = parseMirrorTarget(...namedLocation);
    if (flags.to !== undefined) context.mirrorLocation = flags.to;
    return addPassword(target, context);
  }
  const file = defaultFile(context.env, await context.settings());
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

/** Returns `BOH_CONFIG_DIR/mirrors`, else the platform's folder for user data (`~/.local/share/boh/mirrors` on Linux). */
function mirrorFolder(environment: Environment): string {
  return join(appFolder(environment, 'data'), 'mirrors');
}

/** Returns the default file of an account, named after the profile or sandbox, else after the base URL. */
function defaultFile(environment: Environment, { profile, sandbox, baseUrl, apiPrefix }: Settings): string {
  const account =
    sandbox === undefined ? (profile ?? `${baseUrl ?? 'service'}${apiPrefix}`) : `sandbox-${sandbox}`;
  const name = account.replace(/^https?:\/\//, '').replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  return join(mirrorFolder(environment), `${name}.sqlite`);
}

/** Returns the resources that `--resource` names, else all. Throws a usage failure with all wrong names. */
export async function resourcesOf(
  { resource: resourceFlag }: ResourceFlag,
  mirroredResources: readonly MirroredResource[],
  { api }: Context,
): Promise<MirroredResource[]> {
  const allowedResources = {
    ...listableResources(api),
    allowed: mirroredResources.map(({ resource }) => resource),
  };
  const selectedResources = await resolveResources(resourceFlag, '--resource', allowedResources, api);
  return mirroredResources.filter(({ resource }) => selectedResources?.includes(resource) ?? true);
}

const kind = 'mirror';

/** Throws like `requireMirrorOwnerToRead`, but accepts any account if `--to` or BOH_MIRROR names the mirror. */
export async function requireMirrorOwnerUnlessNamed(
  reader: MetadataReader,
  flags: MirrorFlags & AnyAccountFlag,
  context: Context,
): Promise<void> {
  if (locationFromUser(flags, context) === undefined) await requireMirrorOwnerToRead(reader, flags, context);
}

/**
 * Opens a mirror for a command that deletes from it, and throws unless it certainly belongs to the account in use or
 * `--any-account` is given. Also throws the failures of `open`.
 */
export async function requireOwnMirror(
  open: () => Promise<Reader>,
  flags: AnyAccountFlag,
  context: Context,
): Promise<void> {
  if (flags.anyAccount) return;
  const reader = await open();
  try {
    await requireMirrorOwner(await context.session(), reader, flags, context);
  } finally {
    await reader.close();
  }
}

/** Throws unless a mirror certainly belongs to the account in use. Also throws if that can't be checked. */
export async function requireMirrorOwner(
  session: Session,
  reader: MetadataReader,
  { anyAccount }: AnyAccountFlag,
  { env }: Context,
): Promise<void> {
  const owner = await readOwner(reader);
  if (owner) await requireOwner(session, owner, { label: reader.label, kind, env, isOverridden: anyAccount });
}

/** Throws if a mirror that is only read belongs to another account; warns if that can't be checked. */
export async function requireMirrorOwnerToRead(
  reader: MetadataReader,
  { anyAccount }: AnyAccountFlag,
  context: Context,
): Promise<void> {
  const owner = await readOwner(reader);
  const match =
    owner &&
    (await requireOwnerToRead(owner, { label: reader.label, kind, isOverridden: anyAccount }, context));
  if (!match || match === 'own' || anyAccount) return;
  warn(
    context.streams,
    `The mirror belongs to ${ownerName(owner)}. boh can't check that this is the account in use.`,
  );
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
