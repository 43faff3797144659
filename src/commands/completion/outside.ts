/** The sources of a line’s values, over all that is known only by asking. Few lines need them: they are loaded then. */

import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
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

/** Those that fit the line, with the line that each stands for. */
function views(line: Line, context: Context): Candidate[] {
  const config = knownConfig(context);
  const profile = knownSettings(line, context)?.profile;
  return Object.entries(config ? viewsIn(config, profile) : {})
    .filter(([, { resource }]) => line.resource === undefined || line.resource.name === resource)
    .map(([value, view]) => ({ value, about: lineOf(view, context.api.resources) }));
}

/** Undefined where the file is not in order. */
function knownConfig({ env }: Pick<Context, 'env'>): Config | undefined {
  const { path } = openStore(env);
  if (!isThere(path)) return emptyConfig();
  if (!isPrivate(path) || !isPrivate(dirname(path))) return undefined;
  return decodeKnown(JSON.parse(readFileSync(path, 'utf8')));
}

/** What would be in effect for the line. */
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
