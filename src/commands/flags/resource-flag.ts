/** Which resources a command is about: `--resource customers,tags`, by any name that people have for them. */

import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Api } from '../../contract/api.ts';
import { splitList } from '../../contract/list-text.ts';
import type { Resource } from '../../contract/resource.ts';

export interface ResourceFlag {
  resource?: readonly string[];
}

export function resourceOption(about = 'only these'): Option {
  return new Option('--resource <resources>', `${about}, with commas between; may be repeated`).argParser(
    (text: string, before: readonly string[] = []) => [...before, text],
  );
}

/** What a command can be told to take, and why not the others. */
export interface Offer {
  among: readonly Resource[];
  why(resource: Resource): string;
}

/** Those that can be read as a whole. */
export function listed({ collections }: Api): Offer {
  return {
    among: collections.filter(({ list }) => list !== undefined),
    why: ({ nouns }) => `The API has no list of ${nouns}.`,
  };
}

/** Undefined where the flag is not given. Throws a usage failure that tells all names that mean none of the offer. */
export async function resourcesNamed(
  texts: readonly string[] | undefined,
  flag: string,
  { among, why }: Offer,
  api: Api,
): Promise<Resource[] | undefined> {
  if (texts === undefined) return undefined;
  const words = texts.flatMap(splitList);
  if (words.length === 0) throw usage(`${flag} names no resource.`);
  const found = words.map((word) => ({ word, resource: api.resourceCalled(word) }));
  const right = found.flatMap(({ resource }) => (resource && among.includes(resource) ? [resource] : []));
  if (right.length === words.length) return [...new Set(right)];
  const names = among.map(({ command }) => command);
  const wrong = found.flatMap(({ word, resource }) => {
    if (!resource) return [`There is no resource "${word}".${didYouMean(word, names)}`];
    return among.includes(resource) ? [] : [why(resource)];
  });
  throw usage(wrong.join(' '), { hint: `Those that ${flag} takes: ${names.join(', ')}.` });
}
