/** Resources as a line names them: `--resource customers,tags`, or words of their own. */
import { splitList } from '../../contract/list-text.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';

/** Undefined where none is named. Throws a usage failure that names all that aren’t there. */
export async function resourcesNamed(
  texts: readonly string[] | undefined,
  { api }: Pick<Context, 'api'>,
): Promise<Resource[] | undefined> {
  if (texts === undefined) return undefined;
  const words = texts.flatMap(splitList);
  const wrong = words.filter((word) => {
    const found = api.resourceCalled(word);
    return !found || found.singleton;
  });
  if (wrong.length === 0 && words.length > 0)
    return [...new Set(words.flatMap((word) => api.resourceCalled(word) ?? []))];
  const { didYouMean } = await import('../../suggest.ts');
  const known = api.collections.map(({ command }) => command);
  throw usage(
    wrong.map((word) => `There is no resource "${word}".${didYouMean(word, known)}`).join(' ') ||
      'No resource is named.',
    { hint: `Resources: ${known.join(', ')}.` },
  );
}
