/** Reads the records that the tree of a manifest declares. Adds whatever is wrong to the mistakes. */
import { isObject, isScalar } from '../../base/number-text.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Api } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import { withArticle } from '../../contract/wording.ts';
import { Mistakes } from '../source/mistakes.ts';
import { type MapNode, type Node, type Place, placeText, variablesIn } from '../source/node.ts';
import { variablesAlone } from '../source/variables.ts';
import { type CheckedRecord, checkGiven } from './check-given.ts';
import type { Declaration, Declared, Given, KeyPart } from './declared.ts';
import { fieldNamed, type ManifestField, manifestFields } from './fields.ts';
import { readValue, unknown, type ValueReading } from './read-value.ts';
import { Ref } from './ref.ts';

/** What reading records needs. */
export interface RecordReading {
  api: Api;
  mistakes: Mistakes;
  /** Called for every resource that the file names. */
  onResource(resource: Resource): void;
  /** Called for every record, with its node, if it has one. */
  onRecord(read: CheckedRecord): void;
}

/**
 * Reads the tree of a file: resources with their records, or only records if the file is named after a resource.
 */
export function readTree(node: Node, resource: Resource | undefined, reading: RecordReading): void {
  const { api, mistakes, onResource } = reading;
  if ((node.kind === 'scalar' && node.value === null) || node.kind === 'broken') return;
  if (node.kind === 'list' && resource) {
    if (isWritable(resource, node, reading)) readList(node, resource, reading);
    return;
  }
  if (node.kind !== 'map') {
    mistakes.add(node.at, 'must name resources with their records, as in suppliers: [{ name: Fresh Farms }]');
    return;
  }
  for (const { name, at, value } of node.entries) {
    // Editors find the schema by this entry.
    if (name === '$schema') continue;
    const named = api.findResource(name);
    if (!named) {
      const names = api.collections.map(({ command }) => command);
      mistakes.add(at, `${name} is no resource.${didYouMean(name, names)}`.replace(/\.$/, ''));
    } else if (isWritable(named, { ...value, at }, reading)) {
      onResource(named);
      readList(value, named, reading);
    }
  }
}

function isWritable(resource: Resource, { at }: Node, { mistakes }: RecordReading): boolean {
  if (manifestFields(resource).size > 0) return true;
  mistakes.add(at, `${resource.command} can't be declared: the API has no way to write them`);
  return false;
}

function readList(node: Node, resource: Resource, reading: RecordReading): void {
  reading.onResource(resource);
  if ((node.kind === 'scalar' && node.value === null) || node.kind === 'broken') return;
  if (node.kind !== 'list') {
    reading.mistakes.add(node.at, `must be a list of ${resource.nouns}`);
    return;
  }
  for (const item of node.items) readItem(item, resource, reading);
}

function readItem(item: Node, resource: Resource, reading: RecordReading): void {
  if (item.kind === 'map') readRecord(item, resource, reading);
  else if (item.kind !== 'broken')
    reading.mistakes.add(item.at, `must be ${withArticle(resource.noun)}: fields with their values`);
}

const ownKeys = ['$key', '$exact', '$renamed_from'];

function readRecord(node: MapNode, resource: Resource, reading: RecordReading): void {
  const { mistakes } = reading;
  const fields = manifestFields(resource);
  const given = new Map<string, Given>();
  const before = mistakes.count;
  let isWhole = true;
  for (const { name, at, value } of node.entries) {
    if (name.startsWith('$')) {
      if (!ownKeys.includes(name)) mistakes.add(at, unknown(name, ownKeys));
      continue;
    }
    const field = fieldNamed(fields, name);
    if (!field) {
      const isShown = Object.hasOwn(resource.fields, name);
      mistakes.add(at, isShown ? `${name} can't be set` : unknown(name, [...fields.keys()], resource.noun));
      continue;
    }
    if (given.has(field.name))
      mistakes.add(at, `${name} is the same field as ${field.name}, which stands here, too`);
    const read = readField(field, value, resource, reading);
    if (read === undefined) isWhole = false;
    else {
      const expanded = field.field.traits.secret ? [] : variablesIn(value);
      given.set(field.name, { field, value: read, at: value.at, ...(expanded.length > 0 && { expanded }) });
    }
  }
  const isClean = isWhole && mistakes.count === before;
  const key = keyIn(node, given, resource, mistakes, isClean);
  const oldKey = oldKeyFrom(node, resource, key, { api: reading.api, resource, mistakes });
  const isExact = exactIn(node, mistakes);
  // An unreadable key has already been reported.
  if (!isWhole || mistakes.count > before || !key) return;
  const record: Declared = { resource, at: node.at, key, oldKey, isExact, given };
  reading.onRecord({ record, node });
}

function readField(
  field: ManifestField,
  node: Node,
  resource: Resource,
  { api, mistakes }: RecordReading,
): unknown {
  const { secret } = field.field.traits;
  if (!secret) return readValue(field.field, node, { api, resource, mistakes }, field.entry);
  if (node.kind === 'broken') return undefined;
  if (node.kind === 'scalar' && node.template !== undefined && variablesAlone.test(node.template))
    return node.template;
  mistakes.add(
    node.at,
    `${field.name} is a secret and must not stand in a file: name a variable, as in ${field.name}: \${${field.name.toUpperCase()}}`,
  );
  return undefined;
}

function keyIn(
  node: MapNode,
  given: ReadonlyMap<string, Given>,
  resource: Resource,
  mistakes: Mistakes,
  isClean: boolean,
): KeyPart[] | undefined {
  const entry = node.entries.find(({ name }) => name === '$key');
  if (entry) return keyOver(entry.value, given, resource, mistakes);
  const key = defaultKey(resource, given);
  if (key) return [key];
  // The unreadable value may be the key.
  if (!isClean) return undefined;
  const names = resource.key.filter((name) => manifestFields(resource).has(name));
  mistakes.add(
    node.at,
    names.length === 0
      ? `no name tells one ${resource.noun} from another: say by what this one is known, as in $key: [name]`
      : `says nothing of ${names.join(' or ')}, by which ${withArticle(resource.noun)} is known`,
  );
  return undefined;
}

function exactIn(node: MapNode, mistakes: Mistakes): boolean | undefined {
  const entry = node.entries.find(({ name }) => name === '$exact');
  if (!entry) return undefined;
  const { value } = entry;
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value;
  mistakes.add(value.at, '$exact must be true or false');
  return undefined;
}

/** Returns the message about a record that is declared twice. */
export function twice(record: Declared, other: Declared): string {
  return `is the same ${record.resource.noun} as at ${placeText(other.at)}`;
}

/** Returns the first natural key that has a value. */
export function defaultKey(resource: Resource, given: ReadonlyMap<string, Given>): KeyPart | undefined {
  for (const name of resource.key) {
    const value = given.get(name)?.value;
    if (value !== undefined && value !== null && value !== '') return { name, value };
  }
  return undefined;
}

function keyOver(
  node: Node,
  given: ReadonlyMap<string, Given>,
  resource: Resource,
  mistakes: Mistakes,
): KeyPart[] | undefined {
  const items = node.kind === 'list' ? node.items : [node];
  const parts: KeyPart[] = [];
  for (const item of items) {
    const name = item.kind === 'scalar' ? item.text : '';
    const field = manifestFields(resource).get(name);
    const value = given.get(name)?.value;
    if (!field)
      mistakes.add(item.at, unknown(name || 'this', [...manifestFields(resource).keys()], resource.noun));
    else if (field.field.traits.secret || !isTelling(value))
      mistakes.add(item.at, `${name} can't be a part of the key: the record gives it no single value`);
    else parts.push({ name, value });
  }
  if (items.length === 0) mistakes.add(node.at, '$key names no field');
  return parts.length === items.length && parts.length > 0 ? parts : undefined;
}

function isTelling(value: unknown): boolean {
  return value instanceof Ref || (value !== undefined && value !== null && isScalar(value));
}

/** Reads `$renamed_from`: a scalar is the former value of the first key field; a map names the fields. */
function oldKeyFrom(
  record: MapNode,
  resource: Resource,
  key: readonly KeyPart[] | undefined,
  reading: ValueReading,
): KeyPart[] | undefined {
  const entry = record.entries.find(({ name }) => name === '$renamed_from');
  if (!entry || !key) return undefined;
  const { value: node } = entry;
  const named = node.kind === 'map' ? node.entries.map(({ name, at, value }) => ({ name, at, value })) : [];
  const given = node.kind === 'scalar' ? [{ name: key[0]?.name ?? '', at: node.at, value: node }] : named;
  const parts = given.flatMap(({ name, at, value }): KeyPart[] => {
    const field = manifestFields(resource).get(name)?.field;
    if (!field) {
      reading.mistakes.add(at, unknown(name, [...manifestFields(resource).keys()], resource.noun));
      return [];
    }
    const read = readValue(field, value, reading, undefined);
    return read === undefined ? [] : [{ name, value: read }];
  });
  if (node.kind === 'list' || given.length === 0)
    reading.mistakes.add(node.at, '$renamed_from must be the old key');
  const [first] = key;
  // Unchanged parts of the key may be omitted.
  const rest = node.kind === 'scalar' ? key.slice(1) : [];
  if (parts.length === 0 || first === undefined) return undefined;
  return [...parts, ...rest];
}

/**
 * Reads a declaration from a JSON value: records by the command-line names of their resources. `called` is used in
 * messages instead of a file name.
 */
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
