/** A manifest that is there as values, without a file: generated, or read from another account. */

import { isObject } from '../../base/number-text.ts';
import type { Api } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import { Mistakes } from '../source/mistakes.ts';
import type { Node, Place } from '../source/node.ts';
import { checkGiven } from './check-given.ts';
import type { Declaration, Declared } from './declared.ts';
import { readTree } from './read-records.ts';

/** Resources by their names on the command line, each with its records. `called` stands where the name of a file would. */
export async function declarationFrom(
  values: Readonly<Record<string, unknown>>,
  called: string,
  api: Api,
): Promise<Declaration> {
  const mistakes = new Mistakes();
  const resources = new Set<Resource>();
  const records: Declared[] = [];
  readTree(nodeOf(values, { file: called, line: 1, column: 1 }), undefined, {
    api,
    mistakes,
    onResource: (resource) => resources.add(resource),
    onRecord: (read) => {
      checkGiven(read, mistakes);
      records.push(read.record);
    },
  });
  mistakes.throwIfAny();
  return { records, resources: [...resources] };
}

function nodeOf(value: unknown, at: Place): Node {
  if (Array.isArray(value)) return { kind: 'list', at, items: value.map((item) => nodeOf(item, at)) };
  if (isObject(value)) {
    const entries = Object.entries(value).map(([name, inner]) => ({ name, at, value: nodeOf(inner, at) }));
    return { kind: 'map', at, entries };
  }
  const plain = value as string | number | boolean | null | undefined;
  return { kind: 'scalar', value: plain ?? null, text: String(plain ?? ''), at };
}
