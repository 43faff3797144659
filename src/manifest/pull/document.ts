/** A pulled resource as a YAML document, for whoever writes it as text. Loads the library. */

import { Document, isMap, isSeq, type YAMLMap } from 'yaml';
import { capital } from '../../contract/capital.ts';
import { withoutVariables } from '../source/variables.ts';
import type { PulledResource } from './pull.ts';

export function manifestDocument({ resource, records, remarks }: PulledResource): Document {
  const document = new Document({ [resource.command]: withoutVariables(records) }, keepLongNumbers, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
  });
  const lines = [`${capital(resource.nouns)}, as boh pull has found them.`, ...remarks];
  document.commentBefore = lines.map((line) => ` ${line}`).join('\n');
  const list = document.get(resource.command);
  if (isSeq(list)) for (const record of list.items) if (isMap(record)) compact(record);
  return document;
}

/** The nearest double stands for a fraction, as the service means it; of a whole number all digits do. */
function keepLongNumbers(_: unknown, value: unknown): unknown {
  return value instanceof Number && /^-?\d+$/.test(String(value)) ? BigInt(String(value)) : value;
}

/** What stands in the lists of a record takes a line each: links, names by several fields. */
function compact(record: YAMLMap): void {
  for (const { key, value } of record.items) {
    if (isMap(value) || String(key) === '$key') (value as YAMLMap).flow = true;
    if (!isSeq(value)) continue;
    for (const item of value.items) {
      if (isSeq(item)) item.flow = true;
      if (isMap(item) && item.items.every((pair) => !isSeq(pair.value))) item.flow = true;
      else if (isMap(item)) compact(item);
    }
  }
}
