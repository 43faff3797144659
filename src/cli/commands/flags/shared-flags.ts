/** Flags that several groups of commands share, and the resources that they name. */

import type { Api } from '../../../api/contract/api.ts';
import { splitList } from '../../../api/contract/comma-list.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { type FlagsOf, repeated } from './flag-table.ts';

/** Returns `--any-account`, for commands that use a file of another account. `about` says what the flag allows. */
export const anyAccountFlag = (about: string) => ['--any-account', about, { heading: 'Advanced:' }] as const;

export type AnyAccountFlag = FlagsOf<readonly [ReturnType<typeof anyAccountFlag>]>;

export const damageFlag = [
  '--accept-damage',
  'write values that a spreadsheet or a wrong encoding has probably damaged',
] as const;

export const phoneFlag = [
  '--normalize-phones',
  'write phone numbers as digits; a calling code (+966, 00966) goes to dial_code',
] as const;

export const noWaitFlag = [
  '--no-wait',
  'fail if another run is writing the same records, instead of waiting',
] as const;

export interface WaitFlags {
  /** False with `--no-wait`. */
  wait?: boolean | undefined;
}

/** Returns `--resource customers,tags`. A resource can have several names. */
export const resourceFlag = (about = 'only these resources') =>
  ['--resource <resources>', `${about}, separated by commas (repeatable)`, repeated] as const;

/** Returns the resource with this name. Throws a usage failure for an unknown name. */
export function resolveResource(name: string, api: Api): Resource {
  const resource = api.findResource(name);
  if (resource) return resource;
  const resourceNames = api.resources.map(({ command }) => command);
  throw usage(`Unknown resource "${name}".${didYouMean(name, resourceNames)}`, {
    hint: boh.hint`To list all: ${boh.plain('resources')}`,
  });
}

/** The resources that a command accepts, and the reason for refusing others. */
export interface AllowedResources {
  allowed: readonly Resource[];
  refusalReason(resource: Resource): string;
}

export function listableResources({ collections }: Api): AllowedResources {
  return {
    allowed: collections.filter(({ list }) => list !== undefined),
    refusalReason: ({ nouns }) => `The API has no list of ${nouns}.`,
  };
}

/** Returns the resources that the flag names; undefined without the flag. Throws a usage failure with all invalid names. */
export function resolveResources(
  flagValues: readonly string[] | undefined,
  flag: string,
  api: Api,
  { allowed, refusalReason } = listableResources(api),
): Resource[] | undefined {
  if (flagValues === undefined) return undefined;
  const names = flagValues.flatMap(splitList);
  if (names.length === 0) throw usage(`${flag} is empty.`);
  const matches = names.map((name) => ({ name, resource: api.findResource(name) }));
  const acceptedResources = matches.flatMap(({ resource }) =>
    resource && allowed.includes(resource) ? [resource] : [],
  );
  if (acceptedResources.length === names.length) return [...new Set(acceptedResources)];
  const allowedNames = allowed.map(({ command }) => command);
  const messages = matches.flatMap(({ name, resource }) => {
    if (!resource) return [`Unknown resource "${name}".${didYouMean(name, allowedNames)}`];
    return allowed.includes(resource) ? [] : [refusalReason(resource)];
  });
  throw usage(messages.join(' '), { hint: `${flag} accepts: ${allowedNames.join(', ')}.` });
}
