/** The sources of a line’s values, over all that is known only by asking. Few lines need them: they are loaded then. */
import type { Candidate } from '../../interaction/completion/candidate.ts';
import { knownConfig, knownSettings } from '../../interaction/completion/known-settings.ts';
import type { Context } from '../../interaction/context.ts';
import { viewsIn } from '../../settings/change-views.ts';
import { lineOf } from '../views/saved-flags.ts';
import type { Line } from './line.ts';
import { type Asking, recordSource, referenceSource } from './records.ts';
import { type Sources, sourcesFor } from './sources.ts';

export function sourcesOf(line: Line, asking: Asking, context: Context): Sources {
  return sourcesFor(line, {
    api: context.api,
    profiles: () => profiles(context),
    views: () => views(line, context),
    runs: async () =>
      (await import('../../bulk/ledger/runs.ts')).runIds(context.env).map((value) => ({ value })),
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
