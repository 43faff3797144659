/** Defines and resolves `--resource customers,tags`. Each resource can be given by any of its names. */

import type { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Api } from '../../contract/api.ts';
import { splitList } from '../../contract/comma-list.ts';
import type { Resource } from '../../contract/resource.ts';
import { repeatable } from './shared-flags.ts';

/** The value of `--resource`. */
export interface ResourceFlag {
  resource?: readonly string[];
}

/** Returns the flag `--resource`. */
export function resourceOption(about = 'only these resources'): Option {
  return repeatable('--resource <resources>', `${about}, separated by commas (repeatable)`);
}

/** Returns the resource with this name. Throws a usage failure for an unknown name. */
export function resolveResource(word: string, api: Api): Resource {
  const resource = api.findResource(word);
  if (resource) return resource;
  const names = api.resources.map(({ command }) => command);
  throw usage(`Unknown resource "${word}".${didYouMean(word, names)}`, {
    hint: boh.hint`To list all: ${boh.plain('resources')}`,
  });
}

/** The resources that a command accepts, and the reason for refusing others. */
export interface AllowedResources {
  allowed: readonly Resource[];
  /** Returns the reason as a sentence. */
  refusalReason(resource: Resource): string;
}

/** Returns the resources that have a list. */
export function listableResources({ collections }: Api): AllowedResources {
  return {
    allowed: collections.filter(({ list }) => list !== undefined),
    refusalReason: ({ nouns }) => `The API has no list of ${nouns}.`,
  };
}

/** Returns the resources that the flag names; undefined without the flag. Throws a usage failure with all invalid names. */
export async function resolveResources(
  texts: readonly string[] | undefined,
  flag: string,
  { allowed, refusalReason }: AllowedResources,
  api: Api,
): Promise<Resource[] | undefined> {
  if (texts === undefined) return undefined;
  const words = texts.flatMap(splitList);
  if (words.length === 0) throw usage(`${flag} is empty.`);
  const matches = words.map((word) => ({ word, resource: api.findResource(word) }));
  const accepted = matches.flatMap(({ resource }) =>
    resource && allowed.includes(resource) ? [resource] : [],
  );
  if (accepted.length === words.length) return [...new Set(accepted)];
  const names = allowed.map(({ command }) => command);
  const messages = matches.flatMap(({ word, resource }) => {
    if (!resource) return [`Unknown resource "${word}".${didYouMean(word, names)}`];
    return allowed.includes(resource) ? [] : [refusalReason(resource)];
  });
  throw usage(messages.join(' '), { hint: `${flag} accepts: ${names.join(', ')}.` });
}
