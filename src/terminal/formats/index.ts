/** All output formats, in the order in which help lists them. To add one, write its file and name it here. */
import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { id } from './id.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import { table } from './table.ts';
import { yaml } from './yaml.ts';

export const formats = [table, json, ndjson, csv, yaml, id] as const satisfies readonly Format[];

export type FormatName = (typeof formats)[number]['name'];

export const formatNames: readonly FormatName[] = formats.map(({ name }) => name);

/** Undefined where there is no format of that name. */
export function formatNamed(name: string): Format | undefined {
  return formats.find((format) => format.name === name);
}
