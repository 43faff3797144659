/** From paths to all that their files declare, or to one failure with all that is wrong with them. Nothing is sent. */
import type { Api } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Environment } from '../../environment.ts';
import { usage } from '../../errors.ts';
import { findFiles } from '../source/files.ts';
import { Mistakes } from '../source/mistakes.ts';
import { readYaml } from '../source/read-yaml.ts';
import { type Declaration, type Declared, keyMark } from './declared.ts';
import { readTree, twice } from './read-records.ts';
import { readTable, type TableReading } from './read-rows.ts';

export interface ManifestReading {
  paths: readonly string[];
  api: Api;
  env: Environment;
  stdin: NodeJS.ReadableStream;
  /** The text of a table’s cell before a spreadsheet was kept from running it. */
  plainCell(text: string): string;
}

/** Throws `usage` where the files can’t be read, hold mistakes, or name nothing. */
export async function readManifests({
  paths,
  api,
  env,
  stdin,
  plainCell,
}: ManifestReading): Promise<Declaration> {
  const layers = await findFiles(paths, api, stdin);
  const mistakes = new Mistakes();
  const resources = new Set<Resource>();
  const records = new Map<string, Declared>();
  for (const { files } of layers) {
    const own = new Map<string, Declared>();
    const reading: TableReading = {
      api,
      mistakes,
      plainCell,
      onResource: (resource) => resources.add(resource),
      onRecord: (record) => {
        const mark = keyMark(record);
        const other = own.get(mark);
        if (other) mistakes.add(record.at, twice(record, other));
        else own.set(mark, record);
      },
    };
    for (const { file, form, resource, text } of files) {
      if (form === 'table' && resource) {
        await readTable(file, resource, reading);
        continue;
      }
      for (const node of await readYaml({ file, text }, env, mistakes)) readTree(node, resource, reading);
    }
    for (const [mark, record] of own) records.set(mark, over(records.get(mark), record));
  }
  mistakes.throwIfAny();
  if (resources.size === 0) {
    throw usage(`The files name nothing: ${paths.join(', ')}.`, {
      hint: 'A manifest names resources with their records, as in suppliers: [{ name: Fresh Farms }].',
    });
  }
  return { records: [...records.values()], resources: [...resources] };
}

/** What a later path says of a record goes before what an earlier one does, field by field. */
function over(earlier: Declared | undefined, later: Declared): Declared {
  if (!earlier) return later;
  return {
    ...later,
    oldKey: later.oldKey ?? earlier.oldKey,
    isExact: later.isExact || earlier.isExact,
    given: new Map([...earlier.given, ...later.given]),
  };
}
