/** Reads all files under the given paths into one declaration, with all mistakes in them. Sends nothing. */

import type { Environment } from '../../base/environment.ts';
import { usage } from '../../base/errors.ts';
import type { Api } from '../../contract/api.ts';
import { withPhonesNormalized } from '../../contract/phone-numbers.ts';
import type { Resource } from '../../contract/resource.ts';
import { Pauses } from '../pauses.ts';
import { findFiles, type ManifestFile } from '../source/files.ts';
import { Mistakes } from '../source/mistakes.ts';
import { readYaml } from '../source/read-yaml.ts';
import { type CheckedRecord, checkRecord } from './check-record.ts';
import { type Declaration, type Declared, type DeclaredValue, keyFingerprint } from './declared.ts';
import { manifestFields } from './fields.ts';
import { duplicateMessage, readTree } from './read-records.ts';
import { readTable } from './read-rows.ts';

/** The options for reading manifests. */
export interface ManifestReading {
  paths: readonly string[];
  api: Api;
  env: Environment;
  stdin: NodeJS.ReadableStream;
  /** Removes the prefix that an export adds to cells that spreadsheets would run as formulas. */
  unescapeFormula(text: string): string;
  /** Whether phone numbers are normalized to digits. */
  normalizesPhones?: boolean | undefined;
  /** Aborts the reading. */
  signal?: AbortSignal | undefined;
}

/** Reads the manifests. Throws `usage` if files can't be read or name nothing. Mistakes are in `errors`. */
export async function readManifests({
  paths,
  api,
  env,
  stdin,
  unescapeFormula,
  normalizesPhones = false,
  signal,
}: ManifestReading): Promise<Declaration> {
  const layers = await findFiles(paths, api, stdin);
  const pauses = new Pauses(signal);
  const mistakes = new Mistakes();
  const resources = new Set<Resource>();
  const notes: string[] = [];
  const unread = new Set<Resource>();
  let isIncomplete = false;
  let records = new Map<string, Declared>();
  for (const { files } of layers) {
    const own = new Map<string, Declared>();
    for (const file of files) {
      const read = await readFile(file, { api, env, unescapeFormula, pauses });
      mistakes.addAll(read.mistakes);
      notes.push(...read.notes);
      isIncomplete ||= read.isCut;
      for (const resource of read.unread) unread.add(resource);
      for (const resource of read.resources) resources.add(resource);
      for (const each of read.records) {
        const record = normalizesPhones ? normalizedRecord(each, mistakes) : each;
        const key = keyFingerprint(record);
        const other = own.get(key);
        if (other) mistakes.add(record.location, duplicateMessage(record, other));
        else own.set(key, record);
        if (pauses.isDue) await pauses.take();
      }
    }
    if (records.size === 0) records = own;
    else for (const [key, record] of own) records.set(key, mergeRecords(records.get(key), record));
  }
  if (resources.size === 0) {
    mistakes.throwIfAny();
    throw usage(`The files are empty: ${paths.join(', ')}.`, {
      hint: 'A manifest lists the records of resources, for example suppliers: [{ name: Fresh Farms }].',
    });
  }
  return {
    records: [...records.values()].map((record) => (record.isAbsent ? withKeyOnly(record) : record)),
    resources: [...resources],
    notes,
    ...(mistakes.count > 0 && { errors: { mistakes, unread: isIncomplete ? 'all' : unread } }),
  };
}

/** The declared contents of one file. */
interface DeclaredFile {
  mistakes: Mistakes;
  resources: Set<Resource>;
  records: Declared[];
  notes: string[];
  /** The resources of records that could not be read. */
  unread: Set<Resource>;
  /** Whether parts of the file could not be parsed, which may declare any record. */
  isCut: boolean;
}

async function readFile(
  { file, format, resource, text }: ManifestFile,
  {
    api,
    env,
    unescapeFormula,
    pauses,
  }: Pick<ManifestReading, 'api' | 'env' | 'unescapeFormula'> & { pauses: Pauses },
): Promise<DeclaredFile> {
  const mistakes = new Mistakes();
  const unread = new Set<Resource>();
  const read: DeclaredFile = { mistakes, resources: new Set(), records: [], notes: [], unread, isCut: false };
  const checked: CheckedRecord[] = [];
  const reading = {
    api,
    mistakes,
    onResource: (named: Resource) => void read.resources.add(named),
    onRecord: (each: CheckedRecord) => void checked.push(each),
    onUnread: (named: Resource) => void unread.add(named),
  };
  if (format === 'table' && resource) {
    const onNote = (note: string) => void read.notes.push(note);
    await readTable(file, resource, { ...reading, unescapeFormula, onNote });
  } else {
    const { trees, isIncomplete } = await readYaml({ file, text }, { env, pauses }, mistakes);
    read.isCut = isIncomplete;
    for (const node of trees) readTree(node, resource, reading);
  }
  for (const each of checked) {
    checkRecord(each, mistakes);
    read.records.push(each.record);
    await pauses.takeIfDue();
  }
  return read;
}

/** Merges two declarations of a record: fields of the later path override those of the earlier one. */
function mergeRecords(earlier: Declared | undefined, later: Declared): Declared {
  if (!earlier) return later;
  const isAbsent = later.isAbsent ?? earlier.isAbsent;
  return {
    ...later,
    ...(isAbsent !== undefined && { isAbsent }),
    ...((earlier.isBroken || later.isBroken) && { isBroken: true }),
    oldKey: later.oldKey ?? earlier.oldKey,
    isExact: later.isExact ?? earlier.isExact,
    given: new Map([...earlier.given, ...later.given]),
  };
}

/** Returns a record that is declared absent without values that don't identify it. */
function withKeyOnly(record: Declared): Declared {
  const given = [...record.given].filter(([name]) => record.key.some((part) => part.name === name));
  return { ...record, given: new Map(given) };
}

/** Normalizes phone numbers. A calling code that contradicts the record's own is added to the mistakes. */
function normalizedRecord(record: Declared, mistakes: Mistakes): Declared {
  const fields = manifestFields(record.resource);
  const values = Object.fromEntries([...record.given].map(([name, { value }]) => [name, value]));
  const { body, problems } = withPhonesNormalized(
    [...fields.values()].map(({ name, field }) => [name, field] as const),
    values,
  );
  for (const [name, what] of Object.entries(problems))
    mistakes.add(record.given.get(name)?.location ?? record.location, `${name} ${what}`);
  const given = new Map<string, DeclaredValue>(record.given);
  for (const [name, value] of Object.entries(body)) {
    const field = fields.get(name);
    if (field && value !== values[name])
      given.set(name, { location: record.location, ...given.get(name), field, value });
  }
  const key = record.key.map((part) => ({ ...part, value: body[part.name] ?? part.value }));
  return { ...record, given, key };
}
