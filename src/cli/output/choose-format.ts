/** Chooses the format of results and errors: from the command line, the environment or the profile, else by the reader. */

import { type FormatName, formatNames } from '../../account/settings/format-names.ts';
import { isRunByAgent } from '../../base/agents.ts';
import { usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Context } from '../context/context.ts';
import { fieldTextFormat } from '../terminal/field-text.ts';
import { compact } from '../terminal/formats/compact.ts';
import type { Format } from '../terminal/formats/format.ts';
import { findFormat, formats } from '../terminal/formats/index.ts';
import { json } from '../terminal/formats/json.ts';
import { table } from '../terminal/formats/table.ts';

/**
 * The reader of a result if no format was chosen. `anyone`: a person at a terminal, else a program. `person`: a person,
 * even through a pipe. `program`: a program, even at a terminal.
 */
export type ResultReader = 'anyone' | 'person' | 'program';

/** Returns the format for a result. Throws a usage failure if no format has the chosen name. */
export async function chooseFormat(context: Context, reader: ResultReader): Promise<Format> {
  const format = await chosenFormat(context, reader);
  if (format) return format;
  if (reader === 'anyone') {
    if (context.streams.isTerminal.out) return table;
    return isRunByAgent(context.env) ? compact : json;
  }
  return reader === 'person' ? table : json;
}

/** Returns the format of the flags or the settings, if any. */
export async function chosenFormat(context: Context, reader: ResultReader): Promise<Format | undefined> {
  return (await formatFromFlags(context)) ?? formatFromSettings(context, reader);
}

/** Returns whether a write prints only failures: with `--quiet`, unless the command line names a format. */
export function isSilent({ streams, globals }: Pick<Context, 'streams' | 'globals'>): boolean {
  return streams.quiet && globals.output === undefined && globals.outputText === undefined;
}

/** Returns the format for a document, which must be complete: JSON, unless the command line names another exact format. */
export async function chooseDocumentFormat(context: Context): Promise<Format> {
  const requestedFormat = await formatFromFlags(context);
  if (requestedFormat && !requestedFormat.isExact && !requestedFormat.isForPeople) {
    const exactFormats = formats.filter(({ isExact }) => isExact).map(({ name }) => name);
    throw usage(`This can't be printed as ${requestedFormat.name}.`, {
      hint: `Use -o ${exactFormats.join(' or ')}.`,
    });
  }
  const chosen = await chooseFormat(context, 'program');
  return chosen.isExact ? chosen : json;
}

/** Returns the format that the command line names, if any. */
export async function formatFromFlags({ globals }: Pick<Context, 'globals'>): Promise<Format | undefined> {
  const { output: name, outputText } = globals;
  if (outputText !== undefined && name !== undefined)
    throw usage("--output-text can't be combined with --output.");
  if (outputText !== undefined) return fieldTextFormat(outputText);
  if (name === undefined) return undefined;
  const format = findFormat(name);
  if (format) return format;
  throw usage(`Unknown output format "${name}".${didYouMean(name, formatNames)}`, {
    hint: `Formats: ${formatNames.join(', ')}.`,
  });
}

/** Returns the format of the settings. For text that people read, such as explanations, invalid settings are ignored. */
async function formatFromSettings({ settings }: Context, reader: ResultReader): Promise<Format | undefined> {
  const settingsIfReadable = reader === 'person' ? await settings().catch(() => undefined) : await settings();
  const name: FormatName | undefined = settingsIfReadable?.output;
  return name && findFormat(name);
}

/**
 * Returns whether stderr ends with a line of JSON for programs. BOH_ERRORS decides, else the format of results. If the
 * settings can't be read, the command line and the environment decide.
 */
export async function wantsJsonErrors({ settings, globals, streams, env }: Context): Promise<boolean> {
  const settingsIfReadable = await settings().catch(() => undefined);
  const errors = settingsIfReadable ? settingsIfReadable.errors : env.BOH_ERRORS;
  if (errors !== undefined && errors !== '') return errors === 'json';
  const output = globals.output ?? settingsIfReadable?.output;
  return output === undefined ? !streams.isTerminal.out : output === 'json' || output === 'ndjson';
}
