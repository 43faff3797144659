/** Reads the declared records from the tree of a manifest. Adds problems to the mistakes. */
import { isObject } from '../../base/number-text.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Api } from '../../contract/api.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { withArticle } from '../../contract/wording.ts';
import { Mistakes } from '../source/mistakes.ts';
import {
  type FileLocation,
  locationText,
  type MapNode,
  type Node,
  unexpandedIn,
  variablesIn,
} from '../source/node.ts';
import { onlyVariables } from '../source/variables.ts';
import { type CheckedRecord, checkRecord } from './check-record.ts';
import type { Declaration, Declared, DeclaredValue, KeyPart } from './declared.ts';
import { fieldNamed, type ManifestField, manifestFields } from './fields.ts';
import { isKeyCertain, readKey } from './read-key.ts';
import { readValue, unknownFieldMessage, type ValueReading } from './read-value.ts';

/** The options for reading records, and the functions that receive them. */
export interface RecordReading {
  api: Api;
  mistakes: Mistakes;
  /** Called for every resource that the file names. */
  onResource(resource: Resource): void;
  /** Called for every record, with its node, if it has one. */
  onRecord(read: CheckedRecord): void;
  /** Called for every record whose key can't be read. */
  onUnread(resource: Resource): void;
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
    mistakes.add(
      node.location,
      'must list the records of resources, for example suppliers: [{ name: Fresh Farms }]',
    );
    return;
  }
  for (const { name, location, value } of node.entries) {
    // Editors find the schema in $schema; x- entries contain anchors, such as x-usual: &usual { type: customer }.
    if (name === '$schema' || name.startsWith('x-')) continue;
    const named = api.findResource(name);
    if (!named) {
      const names = api.collections.map(({ command }) => command);
      mistakes.add(location, `${name} is not a resource.${didYouMean(name, names)}`.replace(/\.$/, ''));
    } else if (isWritable(named, { ...value, location }, reading)) {
      onResource(named);
      readList(value, named, reading);
    }
  }
}

function isWritable(resource: Resource, { location }: Node, { mistakes }: RecordReading): boolean {
  if (manifestFields(resource).size > 0) return true;
  mistakes.add(location, `${resource.command} can't be declared: the API can't write them`);
  return false;
}

function readList(node: Node, resource: Resource, reading: RecordReading): void {
  reading.onResource(resource);
  if (node.kind === 'scalar' && node.value === null) return;
  if (node.kind !== 'list') {
    reading.onUnread(resource);
    const [problem] = unexpandedIn(node);
    if (node.kind !== 'broken')
      reading.mistakes.add(node.location, problem?.problem ?? `must be a list of ${resource.nouns}`);
    return;
  }
  for (const item of node.items) readItem(item, resource, reading);
}

function readItem(item: Node, resource: Resource, reading: RecordReading): void {
  if (item.kind === 'map') {
    readRecord(item, resource, reading);
    return;
  }
  reading.onUnread(resource);
  if (item.kind !== 'broken')
    reading.mistakes.add(item.location, `must be ${withArticle(resource.noun)}: a map of fields`);
}

const specialKeys = ['$key', '$exact', '$renamed_from', '$absent'];

function readRecord(item: MapNode, resource: Resource, reading: RecordReading): void {
  const { mistakes } = reading;
  const node = breakUnexpanded(item, resource, mistakes);
  const fields = manifestFields(resource);
  const given = new Map<string, DeclaredValue>();
  const before = mistakes.count;
  let isComplete = true;
  for (const { name, location, value, isRepeated } of node.entries) {
    if (name.startsWith('$')) {
      if (!specialKeys.includes(name)) mistakes.add(location, unknownFieldMessage(name, specialKeys));
      continue;
    }
    const field = fieldNamed(fields, name);
    if (!field) {
      const isShown = Object.hasOwn(resource.fields, name);
      mistakes.add(
        location,
        isShown ? `${name} can't be set` : unknownFieldMessage(name, [...fields.keys()], resource.noun),
      );
      continue;
    }
    if (given.has(field.name) && !isRepeated)
      mistakes.add(location, `${name} and ${field.name} are the same field`);
    const read = readField(field, value, resource, reading);
    if (read === undefined || isRepeated) isComplete = false;
    else {
      const expanded = field.field.traits.secret ? [] : variablesIn(value);
      given.set(field.name, {
        field,
        value: read,
        location: value.location,
        ...(expanded.length > 0 && { expanded }),
      });
    }
  }
  const isClean = isComplete && mistakes.count === before;
  const key = readKey(node, given, resource, mistakes, isClean);
  const oldKey = readOldKey(node, resource, key, { api: reading.api, resource, mistakes });
  const isExact = readSwitch(node, '$exact', mistakes);
  const isAbsent = readSwitch(node, '$absent', mistakes);
  if (isAbsent) refuseAbsent(node, resource, oldKey !== undefined, mistakes);
  const isBroken = !isComplete || mistakes.count > before;
  // An unreadable key has already been reported.
  if (!key || (isBroken && !isKeyCertain(node, given, resource))) {
    reading.onUnread(resource);
    return;
  }
  const record: Declared = {
    ...{ resource, location: node.location, key, oldKey, isExact, given },
    ...(isAbsent !== undefined && { isAbsent }),
    ...(isBroken && { isBroken }),
  };
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
  if (node.kind === 'scalar' && node.template !== undefined && onlyVariables.test(node.template))
    return node.template;
  mistakes.add(
    node.location,
    `${field.name} is a secret and can't be in a file: use a variable, for example ${field.name}: \${${field.name.toUpperCase()}}`,
  );
  return undefined;
}

function readSwitch(node: MapNode, named: '$exact' | '$absent', mistakes: Mistakes): boolean | undefined {
  const entry = node.entries.find(({ name }) => name === named);
  if (!entry) return undefined;
  const { value } = entry;
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value;
  if (value.kind !== 'broken') mistakes.add(value.location, `${named} must be true or false`);
  return undefined;
}

/** Reports a record that can't be deleted by `$absent`. */
function refuseAbsent(
  { location }: MapNode,
  resource: Resource,
  isRenamed: boolean,
  mistakes: Mistakes,
): void {
  if (!operation(resource, 'delete')) mistakes.add(location, `${resource.command} can't be deleted`);
  if (isRenamed)
    mistakes.add(location, "$absent and $renamed_from can't be combined: use the current name of the record");
}

/** Returns the message about a record that is declared twice. */
export function duplicateMessage(record: Declared, other: Declared): string {
  return `declares the same ${record.resource.noun} as ${locationText(other.location)}`;
}

/** Reads `$renamed_from`: a scalar is the former value of the first key field; a map names the fields. */
function readOldKey(
  record: MapNode,
  resource: Resource,
  key: readonly KeyPart[] | undefined,
  reading: ValueReading,
): KeyPart[] | undefined {
  const entry = record.entries.find(({ name }) => name === '$renamed_from');
  if (!entry || !key) return undefined;
  const { value: node } = entry;
  const named =
    node.kind === 'map' ? node.entries.map(({ name, location, value }) => ({ name, location, value })) : [];
  const given =
    node.kind === 'scalar' ? [{ name: key[0]?.name ?? '', location: node.location, value: node }] : named;
  const parts = given.flatMap(({ name, location, value }): KeyPart[] => {
    if (name === 'id' && value.kind === 'scalar') return [{ name, value: value.text }];
    const field = manifestFields(resource).get(name)?.field;
    if (!field) {
      reading.mistakes.add(
        location,
        unknownFieldMessage(name, [...manifestFields(resource).keys()], resource.noun),
      );
      return [];
    }
    const read = readValue(field, value, reading, undefined);
    return read === undefined ? [] : [{ name, value: read }];
  });
  if (node.kind === 'list' || given.length === 0)
    reading.mistakes.add(node.location, '$renamed_from must be the old key');
  const [first] = key;
  // Unchanged parts of the key may be omitted.
  const rest = node.kind === 'scalar' ? key.slice(1) : [];
  if (parts.length === 0 || first === undefined) return undefined;
  return [...parts, ...rest];
}

/**
 * Reads a declaration from a JSON value: records by the command-line names of their resources. `label` is used in
 * messages instead of a file name.
 */
export async function declarationFrom(
  values: Readonly<Record<string, unknown>>,
  label: string,
  api: Api,
): Promise<Declaration> {
  const mistakes = new Mistakes();
  const resources = new Set<Resource>();
  const records: Declared[] = [];
  readTree(nodeOf(values, { file: label, line: 1, column: 1 }), undefined, {
    api,
    mistakes,
    onResource: (resource) => resources.add(resource),
    onRecord: (read) => {
      checkRecord(read, mistakes);
      records.push(read.record);
    },
    // The mistake is thrown below.
    onUnread: () => undefined,
  });
  mistakes.throwIfAny();
  return { records, resources: [...resources] };
}

function nodeOf(value: unknown, location: FileLocation): Node {
  if (Array.isArray(value))
    return { kind: 'list', location, items: value.map((item) => nodeOf(item, location)) };
  if (isObject(value)) {
    const entries = Object.entries(value).map(([name, inner]) => ({
      name,
      location,
      value: nodeOf(inner, location),
    }));
    return { kind: 'map', location, entries };
  }
  const scalar = value as string | number | boolean | null | undefined;
  return { kind: 'scalar', value: scalar ?? null, text: String(scalar ?? ''), location };
}

/** Reports variables that can't be expanded, except in secrets, which are only needed when they are sent. */
function breakUnexpanded(node: MapNode, resource: Resource, mistakes: Mistakes): MapNode {
  const fields = manifestFields(resource);
  const isSecret = (name: string) => fieldNamed(fields, name)?.field.traits.secret === true;
  const wrong = new Set<Node>();
  for (const { name, value } of node.entries)
    for (const each of isSecret(name) ? [] : unexpandedIn(value)) {
      mistakes.add(each.location, each.problem ?? '');
      wrong.add(each);
    }
  return wrong.size === 0 ? node : (withBrokenNodes(node, wrong) as MapNode);
}

/** Returns the node with some nodes replaced by broken nodes. */
function withBrokenNodes(node: Node, wrong: ReadonlySet<Node>): Node {
  if (wrong.has(node)) return { kind: 'broken', location: node.location };
  if (node.kind === 'list') return { ...node, items: node.items.map((item) => withBrokenNodes(item, wrong)) };
  if (node.kind !== 'map') return node;
  return {
    ...node,
    entries: node.entries.map((entry) => ({ ...entry, value: withBrokenNodes(entry.value, wrong) })),
  };
}
