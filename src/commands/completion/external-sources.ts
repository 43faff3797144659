/** Creates the sources that need settings, the service or a sandbox. It is loaded only when needed. */

import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { formatHint } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { listAllRuns } from '../../runs/ledger/runs.ts';
import { type Config, emptyConfig, viewsOf } from '../../settings/config.ts';
import { decodeConfig } from '../../settings/config-json.ts';
import type { Flags } from '../../settings/layers.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import type { Settings } from '../../settings/settings.ts';
import { openStore } from '../../settings/store.ts';
import { commandLineOf } from '../verbs/list.ts';
import type { Candidate } from './candidate.ts';
import type { PartialCommandLine } from './partial-command-line.ts';
import { type RequestOptions, recordSource, referenceSource } from './records.ts';
import { type Sources, sourcesFor } from './sources.ts';

/** Returns the sources of the values of a command line, with access to settings and service. */
export function openSources(
  commandLine: PartialCommandLine,
  requestOptions: RequestOptions,
  context: Context,
): Sources {
  return sourcesFor(commandLine, {
    api: context.api,
    profiles: () => profileCandidates(context),
    views: () => viewCandidates(commandLine, context),
    runs: async () => listAllRuns(context.env).map(({ id }) => ({ value: id })),
    records: (resource, options) =>
      recordSource(resource, settingsFor(commandLine, context), { ...options, ...requestOptions }, context),
    references: (target) =>
      referenceSource(target, settingsFor(commandLine, context), requestOptions, context),
  });
}

function profileCandidates(context: Context): Candidate[] {
  const config = privateConfig(context);
  return Object.entries(config?.profiles ?? {}).map(([name, { business_name: about }]) => ({
    value: name,
    ...(about && { about }),
  }));
}

/** Returns the views for the resource of the command line. The command line of a view is its description. */
function viewCandidates(commandLine: PartialCommandLine, context: Context): Candidate[] {
  const config = privateConfig(context);
  const profile = settingsFor(commandLine, context)?.profile;
  return Object.entries(config ? viewsOf(config, profile) : {})
    .filter(
      ([, { resource }]) => commandLine.resource === undefined || commandLine.resource.name === resource,
    )
    .map(([value, view]) => ({ value, about: formatHint(commandLineOf(view, context.api.resources)) }));
}

/** Returns the configuration; undefined if other users can read its file. */
function privateConfig({ env }: Pick<Context, 'env'>): Config | undefined {
  const { path } = openStore(env);
  if (!fileExists(path)) return emptyConfig();
  if (!isPrivate(path) || !isPrivate(dirname(path))) return undefined;
  try {
    return decodeConfig(readFileSync(path, 'utf8'), path);
  } catch {
    return undefined;
  }
}

/** Returns the settings that would be in effect for the command line. */
function settingsFor(
  commandLine: Pick<PartialCommandLine, 'flagValues'>,
  context: Pick<Context, 'env'>,
): Settings | undefined {
  const config = privateConfig(context);
  const lastValue = (flag: string) => commandLine.flagValues.get(flag)?.at(-1);
  const flags: Flags = {
    profile: lastValue('--profile'),
    baseUrl: lastValue('--base-url'),
    apiPrefix: lastValue('--api-prefix'),
    ...(commandLine.flagValues.has('--sandbox') && { sandbox: true }),
  };
  return config && resolveSettings({ flags, environment: context.env, config });
}

function fileExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isPrivate(path: string): boolean {
  return process.platform === 'win32' || (statSync(path).mode & 0o077) === 0;
}
