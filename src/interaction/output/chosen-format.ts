/** Which format a result is shown in: that of the line, the environment or the profile, else what suits its reader. */
import { usage } from '../../errors.ts';
import type { Format } from '../../terminal/formats/format.ts';
import { type FormatName, formatNamed, formatNames, formats } from '../../terminal/formats/index.ts';
import { json } from '../../terminal/formats/json.ts';
import { table } from '../../terminal/formats/table.ts';
import type { Context } from '../context.ts';

/**
 * Who reads a result where nobody asked for a format. `anyone`: a person at a terminal, else a program. `person`: a
 * person through a pipe too. `program`: JSON is what people want, too.
 */
export type Reader = 'anyone' | 'person' | 'program';

/** Throws a usage failure where there is no format of that name. */
export async function chosenFormat(context: Context, reader: Reader): Promise<Format> {
  const asked = (await formatOnLine(context)) ?? (await settledFormat(context, reader));
  if (asked) return asked;
  if (reader === 'anyone') return context.streams.isTerminal.out ? table : json;
  return reader === 'person' ? table : json;
}

/** For what is of use only whole: JSON, also where tables are usual. Another format that the line names is refused. */
export async function documentFormat(context: Context): Promise<Format> {
  const named = await formatOnLine(context);
  if (named && !named.isExact && !named.isForPeople) {
    const able = formats.filter(({ isExact }) => isExact).map(({ name }) => name);
    throw usage(`This can’t be shown as ${named.name}.`, { hint: `It goes with -o ${able.join(', ')}.` });
  }
  const chosen = await chosenFormat(context, 'program');
  return chosen.isExact ? chosen : json;
}

/** The format that the line itself names. */
export async function formatOnLine({ globals }: Pick<Context, 'globals'>): Promise<Format | undefined> {
  const { output: name } = globals;
  if (name === undefined) return undefined;
  const format = formatNamed(name);
  if (format) return format;
  const { didYouMean } = await import('../../suggest.ts');
  throw usage(`There is no output format "${name}".${didYouMean(name, formatNames)}`, {
    hint: `Formats: ${formatNames.join(', ')}.`,
  });
}

/** What a person reads needs no settings: where those are damaged, explanations are still to be had. */
async function settledFormat({ settings }: Context, reader: Reader): Promise<Format | undefined> {
  const settled = reader === 'person' ? await settings().catch(() => undefined) : await settings();
  const name: FormatName | undefined = settled?.output;
  return name && formatNamed(name);
}
