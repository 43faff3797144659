/** A resource that a flag names, of those whose records can be declared. */
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { manifestFields } from '../../manifest/declared/fields.ts';
import { didYouMean } from '../../suggest.ts';

/** Throws `usage` where there is none. */
export function declarable(word: string, flag: string, { api }: Pick<Context, 'api'>): Resource {
  const resource = api.resourceCalled(word);
  if (resource && manifestFields(resource).size > 0) return resource;
  if (resource)
    throw usage(`${flag} ${word}: the API has no way to write ${resource.nouns}, so they can’t be declared.`);
  const names = api.collections.map(({ command }) => command);
  throw usage(`${flag} ${word}: there is no such resource.${didYouMean(word, names)}`, {
    hint: 'See them all: boh resources',
  });
}
