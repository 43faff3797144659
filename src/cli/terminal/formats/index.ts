/** The list of output formats. To add one, write its file, and add it here and to the names. */
import { type FormatName, formatNames } from '../../../account/settings/format-names.ts';
import { compact } from './compact.ts';
import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { id } from './id.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';
import { ndjson } from './ndjson.ts';
import { table } from './table.ts';
import { yaml } from './yaml.ts';

type NamedFormat = Format & { readonly name: FormatName };

const formatByName: Readonly<Record<FormatName, NamedFormat>> = {
  table,
  json,
  ndjson,
  csv,
  yaml,
  markdown,
  compact,
  id,
};

/** All output formats, in the order of the help text. */
export const formats: readonly NamedFormat[] = formatNames.map((name) => formatByName[name]);

export function findFormat(name: string): NamedFormat | undefined {
  return formats.find((format) => format.name === name);
}
