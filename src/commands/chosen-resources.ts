/** Resources that a flag names, with commas between; every one that can be listed where it is left out. */
import { splitList } from '../contract/list-text.ts';
import type { Resource } from '../contract/resource.ts';
import { usage } from '../errors.ts';
import type { Context } from '../interaction/context.ts';

/** Throws a usage failure that names all that there aren’t. `flag` is named where it holds nothing. */
export async function chosenResources(
  flag: string,
  named: string | undefined,
  { api }: Context,
): Promise<readonly Resource[]> {
  const listed = api.collections.filter(({ list }) => list !== undefined);
  if (named === undefined) return listed;
  const words = splitList(named);
  const resources = words.flatMap((word) => listed.find((each) => each === api.resourceCalled(word)) ?? []);
  if (resources.length === words.length && words.length > 0) return [...new Set(resources)];
  const { didYouMean } = await import('../suggest.ts');
  const known = listed.map(({ command }) => command);
  const wrong = words.filter((word) => !listed.some((each) => each === api.resourceCalled(word)));
  throw usage(
    wrong.map((word) => `There is no resource "${word}".${didYouMean(word, known)}`).join(' ') ||
      `${flag} names no resource.`,
  );
}
