/** Reads all files under the given paths into one declaration, with all mistakes in them. Sends nothing. */

import type { Environment } from '../../base/environment.ts';
import { usage } from '../../base/errors.ts';
import type { Api } from '../../contract/api.ts';
import { withPhonesNormalized } from '../../contract/phone-numbers.ts';
import type { Resource } from '../../contract/resource.ts';
import { Pauses } from '../pauses.ts';
import { findFiles, type ManifestFile } from '../source/files.ts';
import { Mistakes } from '../source/mistakes.ts';
import { parseYaml } from '../source/parse-yaml.ts';
import { type CheckedRecord, checkRecord } from './check-record.ts';
import { type Declaration, type Declared, type DeclaredValue, keyFingerprint } from './declared.ts';
import { manifestFields } from './fields.ts';
import { duplicateMessage, parseTree } from './parse-records.ts';
import { readTable } from './read-table.ts';

/** The options for reading manifests. */
export interface ManifestReadOptions {
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

/** Reads the manifests. Throws `usage` if files can't be read or are empty. Mistakes are in `errors`. */
export async function readManifests({
  paths,
  api,
  env,
  stdin,
  unescapeFormula,
  normalizesPhones = false,
  signal,
}: ManifestReadOptions): Promise<Declaration> {
  const layers = await findFiles(paths, api, stdin);
  const pauses = new Pauses(signal);
  const mistakes = new Mistakes();
  const resources = new Set<Resource>();
  const notes: string[] = [];
  const unreadableResources = new Set<Resource>();
  let isIncomplete = false;
  let records = new Map<string, Declared>();
  for (const { files } of layers) {
    const layerRecords = new Map<string, Declared>();
    for (const file of files) {
      const contents = await readFile(file, { api, env, unescapeFormula, pauses });
      mistakes.addAll(contents.mistakes);
      notes.push(...contents.notes);
      isIncomplete ||= contents.isIncomplete;
      for (const resource of contents.unreadableResources) unreadableResources.add(resource);
      for (const resource of contents.resources) resources.add(resource);
      for (const declared of contents.records) {
        const record = normalizesPhones ? normalizePhones(declared, mistakes) : declared;
        const key = keyFingerprint(record);
        const earlier = layerRecords.get(key);
        if (earlier) mistakes.add(record.location, duplicateMessage(record, earlier));
        else layerRecords.set(key, record);
        if (pauses.isDue) await pauses.pause();
      }
    }
    if (records.size === 0) records = layerRecords;
    else for (const [key, record] of layerRecords) records.set(key, mergeRecords(records.get(key), record));
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
    ...(mistakes.count > 0 && {
      errors: { mistakes, unreadableResources: isIncomplete ? 'all' : unreadableResources },
    }),
  };
}

/** The declared contents of one file. */
interface DeclaredFile {
  mistakes: Mistakes;
  resources: Set<Resource>;
  records: Declared[];
  notes: string[];
  /** The resources of records that could not be read. */
  unreadableResources: Set<Resource>;
  /** Whether parts of the file could not be parsed, which may declare any record. */
  isIncomplete: boolean;
}

async function readFile(
  { file, format, resource, text }: ManifestFile,
  {
    api,
    env,
    unescapeFormula,
    pauses,
  }: Pick<ManifestReadOptions, 'api' | 'env' | 'unescapeFormula'> & { pauses: Pauses },
): Promise<DeclaredFile> {
  const mistakes = new Mistakes();
  const unreadableResources = new Set<Resource>();
  const contents: DeclaredFile = {
    mistakes,
    resources: new Set(),
    records: [],
    notes: [],
    unreadableResources,
    isIncomplete: false,
  };
  const checkedRecords: CheckedRecord[] = [];
  const context = {
    api,
    mistakes,
    onResource: (resource: Resource) => void contents.resources.add(resource),
    onRecord: (checkedRecord: CheckedRecord) => void checkedRecords.push(checkedRecord),
    onUnreadable: (resource: Resource) => void unreadableResources.add(resource),
  };
  if (format === 'table' && resource) {
    const onNote = (note: string) => void contents.notes.push(note);
    await readTable(file, resource, { ...context, unescapeFormula, onNote });
  } else {
    const { trees, isIncomplete } = await parseYaml({ file, text }, { env, pauses }, mistakes);
    contents.isIncomplete = isIncomplete;
    for (const node of trees) parseTree(node, resource, context);
  }
  for (const checkedRecord of checkedRecords) {
    checkRecord(checkedRecord, mistakes);
    contents.records.push(checkedRecord.record);
    await pauses.pauseIfDue();
  }
  return contents;
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
    values: new Map([...earlier.values, ...later.values]),
  };
}

/** Returns a record that is declared absent without values that don't identify it. */
function withKeyOnly(record: Declared): Declared {
  const values = [...record.values].filter(([name]) => record.key.some((part) => part.name === name));
  return { ...record, values: new Map(values) };
}

/** Normalizes phone numbers. A calling code that contradicts the record's own is added to the mistakes. */
function normalizePhones(record: Declared, mistakes: Mistakes): Declared {
  const fields = manifestFields(record.resource);
  const values = Object.fromEntries([...record.values].map(([name, { value }]) => [name, value]));
  const { body, problems } = withPhonesNormalized(
    [...fields.values()].map(({ name, field }) => [name, field] as const),
    values,
  );
  for (const [name, problem] of Object.entries(problems))
    mistakes.add(record.values.get(name)?.location ?? record.location, `${name} ${problem}`);
  const normalizedValues = new Map<string, DeclaredValue>(record.values);
  for (const [name, value] of Object.entries(body)) {
    const field = fields.get(name);
    if (field && value !== values[name])
      normalizedValues.set(name, { location: record.location, ...normalizedValues.get(name), field, value });
  }
  const key = record.key.map((part) => ({ ...part, value: body[part.name] ?? part.value }));
  return { ...record, values: normalizedValues, key };
}
