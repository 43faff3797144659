/**
 * The settings as completion may have them: read without a word to anyone. What another command would mend and tell
 * of (a file that others can read, a damaged one) is left for that command.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../settings/config.ts';
import { emptyConfig } from '../../settings/config.ts';
import { decodeKnown } from '../../settings/config-json.ts';
import type { Flags } from '../../settings/layers.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import type { Settings } from '../../settings/settings.ts';
import { openStore } from '../../settings/store.ts';
import type { Context } from '../context.ts';

/** Undefined where the file is not in order. */
export function knownConfig({ env }: Pick<Context, 'env'>): Config | undefined {
  const { path } = openStore(env);
  if (!isThere(path)) return emptyConfig();
  if (!isPrivate(path) || !isPrivate(dirname(path))) return undefined;
  return decodeKnown(JSON.parse(readFileSync(path, 'utf8')));
}

/** What would be in effect for the line. */
export function knownSettings(
  line: { given: ReadonlyMap<string, readonly string[]> },
  context: Pick<Context, 'env'>,
): Settings | undefined {
  const config = knownConfig(context);
  const last = (flag: string) => line.given.get(flag)?.at(-1);
  const flags: Flags = {
    profile: last('--profile'),
    baseUrl: last('--base-url'),
    apiPrefix: last('--api-prefix'),
    ...(line.given.has('--sandbox') && { sandbox: true }),
  };
  return config && resolveSettings({ flags, environment: context.env, config });
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isPrivate(path: string): boolean {
  const { uid, mode } = statSync(path);
  const isMine = process.geteuid === undefined || uid === process.geteuid();
  return process.platform === 'win32' || (isMine && (mode & 0o077) === 0);
}
