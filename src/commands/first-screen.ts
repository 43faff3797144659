/** `boh` by itself: all commands by name on one screen, and how to begin where nothing is set up yet. */
import type { Api } from '../contract/api.ts';
import type { Context } from '../interaction/context.ts';
import { showText } from '../interaction/output/show-text.ts';
import { wrapped } from '../terminal/wrap.ts';
import { headings, rootCommands } from './root-help.ts';

/** A window of the usual size shows all of it. */
const width = 79;

export async function showFirstScreen(context: Context): Promise<void> {
  const { firstSteps, isNothingSetUp } = await import('./first-steps.ts');
  const isNew = await isNothingSetUp(context);
  await showText(context, { text: firstScreen(context.api, isNew) });
  if (isNew) for (const line of (await firstSteps(context)) ?? []) await context.again(line);
}

function firstScreen(api: Api, isNew: boolean): string {
  const commands = rootCommands(api);
  const label = Math.max(...headings.map(([, title]) => title.length)) + 2;
  const sections = headings.flatMap(([group, title]) => {
    const names = commands.filter((it) => it.group === group).map(({ name }) => name);
    const lines = wrapped(names.join(' '), width - label - 2);
    return names.length === 0
      ? []
      : lines.map((line, index) => `  ${(index === 0 ? title : '').padEnd(label)}${line}`);
  });
  const begin = isNew
    ? `Nothing is set up yet. Without an account: boh --sandbox customers list
With one: boh auth login`
    : `boh customers list      boh find TEXT      boh customers create      boh doctor`;
  return `boh: the back office of a restaurant or shop, from the command line.

${sections.join('\n')}

${begin}
More: boh --help, boh <command> --help
`;
}
