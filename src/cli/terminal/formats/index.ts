/** The list of output formats. To add one, write its file and add it here. */
import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { id } from './id.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';
import { ndjson } from './ndjson.ts';
import { table } from './table.ts';
import { yaml } from './yaml.ts';

/** All output formats, in the order of the help text. */
export const formats = [table, json, ndjson, csv, yaml, markdown, id] as const satisfies readonly Format[];

export type FormatName = (typeof formats)[number]['name'];

export const formatNames: readonly FormatName[] = formats.map(({ name }) => name);

/** Returns the format with a name, if there is one. */
export function findFormat(name: string): Format | undefined {
  return formats.find((format) => format.name === name);
}
