/** The sources that need settings, the service or a sandbox. They are loaded only when needed. */

import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { hintText } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { runIds } from '../../runs/ledger/runs.ts';
import { type Config, emptyConfig, viewsIn } from '../../settings/config.ts';
import { decodeKnown } from '../../settings/config-json.ts';
import type { Flags } from '../../settings/layers.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import type { Settings } from '../../settings/settings.ts';
import { openStore } from '../../settings/store.ts';
import { lineOf } from '../views/saved-view.ts';
import type { Candidate } from './candidate.ts';
import type { Line } from './line.ts';
import { type Asking, recordSource, referenceSource } from './records.ts';
import { type Sources, sourcesFor } from './sources.ts';

/** Returns the sources of the values of a command line. */
export function sourcesOf(line: Line, asking: Asking, context: Context): Sources {
  return sourcesFor(line, {
    api: context.api,
    profiles: () => profiles(context),
    views: () => views(line, context),
    runs: async () => runIds(context.env).map((value) => ({ value })),
    records: (resource, options) =>
      recordSource(resource, knownSettings(line, context), { ...options, ...asking }, context),
    references: (target) => referenceSource(target, knownSettings(line, context), asking, context),
  });
}

function profiles(context: Context): Candidate[] {
  const config = knownConfig(context);
  return Object.entries(config?.profiles ?? {}).map(([name, { business_name: about }]) => ({
    value: name,
    ...(about && { about }),
  }));
}

/** Returns the views for the resource of the command line, each described by its own command line. */
function views(line: Line, context: Context): Candidate[] {
  const config = knownConfig(context);
  const profile = knownSettings(line, context)?.profile;
  return Object.entries(config ? viewsIn(config, profile) : {})
    .filter(([, { resource }]) => line.resource === undefined || line.resource.name === resource)
    .map(([value, view]) => ({ value, about: hintText(lineOf(view, context.api.resources)) }));
}

/** Returns the configuration; undefined if other users can read its file. */
function knownConfig({ env }: Pick<Context, 'env'>): Config | undefined {
  const { path } = openStore(env);
  if (!isThere(path)) return emptyConfig();
  if (!isPrivate(path) || !isPrivate(dirname(path))) return undefined;
  return decodeKnown(JSON.parse(readFileSync(path, 'utf8')));
}

/** Returns the settings that would be in effect for the command line. */
function knownSettings(
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
