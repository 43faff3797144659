/** From paths to all that their files declare, or to one failure with all that is wrong with them. Nothing is sent. */
import type { Api } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Environment } from '../../environment.ts';
import { usage } from '../../errors.ts';
import { Pauses } from '../pauses.ts';
import { findFiles, type ManifestFile } from '../source/files.ts';
import type { PlainItem } from '../source/likely-records.ts';
import { Mistakes } from '../source/mistakes.ts';
import type { Node } from '../source/node.ts';
import { readText } from '../source/read-text.ts';
import { checkAll } from './check-all.ts';
import type { Unsure } from './check-given.ts';
import { type Declaration, type Declared, keyMark, markBy } from './declared.ts';
import { manifestFields } from './fields.ts';
import { changedRecord, PlainRecord } from './plain-record.ts';
import { PlainRecords } from './read-plain-record.ts';
import { readItem, readTree, twice } from './read-records.ts';
import type { TableReading } from './read-rows.ts';
import { Ref } from './ref.ts';

export interface ManifestReading {
  paths: readonly string[];
  api: Api;
  env: Environment;
  stdin: NodeJS.ReadableStream;
  /** The text of a table’s cell before a spreadsheet was kept from running it. */
  plainCell(text: string): string;
  /** Ends the reading. */
  signal?: AbortSignal | undefined;
}

/** Throws `usage` where the files can’t be read, hold mistakes, or name nothing. */
export async function readManifests({
  paths,
  api,
  env,
  stdin,
  plainCell,
  signal,
}: ManifestReading): Promise<Declaration> {
  const layers = await findFiles(paths, api, stdin);
  const pauses = new Pauses(signal);
  const mistakes = new Mistakes();
  const resources = new Set<Resource>();
  const remarks: string[] = [];
  let records = new Map<string, Declared>();
  for (const { files } of layers) {
    const own = new Map<string, Declared>();
    for (const file of files) {
      const read = await readFile(file, { api, env, plainCell, pauses });
      mistakes.addAll(read.mistakes);
      remarks.push(...read.remarks);
      for (const resource of read.resources) resources.add(resource);
      await checkAll(read.unsure, mistakes);
      for (const record of read.records) {
        const mark = markOf(record);
        const other = own.get(mark);
        if (other) mistakes.add(record.at, twice(record, other));
        else own.set(mark, record);
        if (pauses.isDue) await pauses.take();
      }
    }
    if (records.size === 0) records = own;
    else for (const [mark, record] of own) records.set(mark, over(records.get(mark), record));
  }
  mistakes.throwIfAny();
  if (resources.size === 0) {
    throw usage(`The files name nothing: ${paths.join(', ')}.`, {
      hint: 'A manifest names resources with their records, as in suppliers: [{ name: Fresh Farms }].',
    });
  }
  return { records: [...records.values()], resources: [...resources], remarks };
}

/** What a file says, by itself. */
interface FileRead {
  mistakes: Mistakes;
  resources: Set<Resource>;
  records: Declared[];
  unsure: Unsure[];
  remarks: string[];
}

async function readFile(
  { file, form, resource, text }: ManifestFile,
  { api, env, plainCell, pauses }: Pick<ManifestReading, 'api' | 'env' | 'plainCell'> & { pauses: Pauses },
): Promise<FileRead> {
  let read = nothingRead();
  if (form === 'table' && resource) {
    const { readTable } = await import('./read-rows.ts');
    const onRemark = (remark: string) => read.remarks.push(remark);
    await readTable(file, resource, { ...readingInto(read, api), plainCell, onRemark });
    return read;
  }
  await readText({ file, text }, { env, pauses }, () => {
    read = nothingRead();
    const reading = readingInto(read, api);
    const plainRecords = new PlainRecords();
    const named = (name: string | undefined) => (name === undefined ? resource : api.resourceCalled(name));
    const tree = (item: Node, name: string | undefined) => {
      const own = named(name);
      if (own && manifestFields(own).size > 0) readItem(item, own, reading);
    };
    const plain = (item: PlainItem, name: string | undefined) => {
      const own = named(name);
      const record = own && plainRecords.read(own, item);
      if (record) reading.onRecord(record);
      return record !== undefined;
    };
    return {
      mistakes: read.mistakes,
      onItem: { tree, plain },
      onTree: (node) => readTree(node, resource, reading),
    };
  });
  return read;
}

function nothingRead(): FileRead {
  return { mistakes: new Mistakes(), resources: new Set(), records: [], unsure: [], remarks: [] };
}

function readingInto(
  { mistakes, resources, records, unsure }: FileRead,
  api: Api,
): Omit<TableReading, 'plainCell' | 'onRemark'> {
  return {
    api,
    mistakes,
    onResource: (resource) => resources.add(resource),
    onRecord: (record) => records.push(record),
    onUnsure: (each) => unsure.push(each),
  };
}

function markOf(record: Declared): string {
  if (!(record instanceof PlainRecord) || record.keyValue instanceof Ref) return keyMark(record);
  return markBy(record.resource, record.keyName, record.keyValue);
}

/** What a later path says of a record goes before what an earlier one does, field by field. */
function over(earlier: Declared | undefined, later: Declared): Declared {
  if (!earlier) return later;
  return changedRecord(later, {
    oldKey: later.oldKey ?? earlier.oldKey,
    isExact: later.isExact ?? earlier.isExact,
    given: new Map([...earlier.given, ...later.given]),
  });
}
