/** Reads the declared records from the tree of a manifest. Adds problems to the mistakes. */

import type { Api } from '../../../api/contract/api.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { withArticle } from '../../../api/contract/wording.ts';
import { isObject } from '../../../base/number-text.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { Mistakes } from '../source/mistakes.ts';
import {
  type FileLocation,
  formatLocation,
  type MapNode,
  type Node,
  unexpandedIn,
  variablesIn,
} from '../source/node.ts';
import { onlyVariables } from '../source/variables.ts';
import { type CheckedRecord, checkRecord } from './check-record.ts';
import type { Declaration, Declared, DeclaredValue, KeyPart } from './declared.ts';
import { fieldNamed, type ManifestField, manifestFields } from './fields.ts';
import { isKeyCertain, parseKey } from './parse-key.ts';
import { parseFieldValue, unknownFieldMessage, type ValueParseContext } from './parse-value.ts';

/** The options for reading records, and the functions that receive them. */
export interface RecordParseContext {
  api: Api;
  mistakes: Mistakes;
  /** Called for every resource that the file names. */
  onResource(resource: Resource): void;
  /** Called for every record, with its node, if it has one. */
  onRecord(parsed: CheckedRecord): void;
  /** Called for every record whose key can't be read. */
  onUnreadable(resource: Resource): void;
}

/**
 * Reads the tree of a file: resources with their records, or only records if the file is named after a resource.
 */
export function parseTree(node: Node, resource: Resource | undefined, context: RecordParseContext): void {
  const { api, mistakes, onResource } = context;
  if ((node.kind === 'scalar' && node.value === null) || node.kind === 'broken') return;
  if (node.kind === 'list' && resource) {
    if (isWritable(resource, node, context)) parseList(node, resource, context);
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
    const namedResource = api.findResource(name);
    if (!namedResource) {
      const names = api.collections.map(({ command }) => command);
      mistakes.add(location, `${name} is not a resource.${didYouMean(name, names)}`.replace(/\.$/, ''));
    } else if (isWritable(namedResource, { ...value, location }, context)) {
      onResource(namedResource);
      parseList(value, namedResource, context);
    }
  }
}

function isWritable(resource: Resource, { location }: Node, { mistakes }: RecordParseContext): boolean {
  if (manifestFields(resource).size > 0) return true;
  mistakes.add(location, `${resource.command} can't be declared: the API can't write them`);
  return false;
}

function parseList(node: Node, resource: Resource, context: RecordParseContext): void {
  context.onResource(resource);
  if (node.kind === 'scalar' && node.value === null) return;
  if (node.kind !== 'list') {
    context.onUnreadable(resource);
    const [unexpanded] = unexpandedIn(node);
    if (node.kind !== 'broken')
      context.mistakes.add(node.location, unexpanded?.problem ?? `must be a list of ${resource.nouns}`);
    return;
  }
  for (const item of node.items) parseItem(item, resource, context);
}

function parseItem(item: Node, resource: Resource, context: RecordParseContext): void {
  if (item.kind === 'map') {
    parseRecord(item, resource, context);
    return;
  }
  context.onUnreadable(resource);
  if (item.kind !== 'broken')
    context.mistakes.add(item.location, `must be ${withArticle(resource.noun)}: a map of fields`);
}

const specialKeys = ['$key', '$exact', '$renamed_from', '$absent'];

function parseRecord(item: MapNode, resource: Resource, context: RecordParseContext): void {
  const { mistakes } = context;
  const node = refuseUnexpanded(item, resource, mistakes);
  const fields = manifestFields(resource);
  const values = new Map<string, DeclaredValue>();
  const mistakeCount = mistakes.count;
  let isComplete = true;
  for (const { name, location, value, isRepeated } of node.entries) {
    if (name.startsWith('$')) {
      if (!specialKeys.includes(name)) mistakes.add(location, unknownFieldMessage(name, specialKeys));
      continue;
    }
    const field = fieldNamed(fields, name);
    if (!field) {
      const isKnownField = Object.hasOwn(resource.fields, name);
      mistakes.add(
        location,
        isKnownField ? `${name} can't be set` : unknownFieldMessage(name, [...fields.keys()], resource.noun),
      );
      continue;
    }
    if (values.has(field.name) && !isRepeated)
      mistakes.add(location, `${name} and ${field.name} are the same field`);
    const parsed = parseField(field, value, resource, context);
    if (parsed === undefined || isRepeated) isComplete = false;
    else {
      const expanded = field.field.traits.secret ? [] : variablesIn(value);
      values.set(field.name, {
        field,
        value: parsed,
        location: value.location,
        ...(expanded.length > 0 && { expanded }),
      });
    }
  }
  const hasNoMistakes = isComplete && mistakes.count === mistakeCount;
  const key = parseKey(node, values, resource, mistakes, hasNoMistakes);
  const oldKey = parseOldKey(node, resource, key, { api: context.api, resource, mistakes });
  const isExact = parseSwitch(node, '$exact', mistakes);
  const isAbsent = parseSwitch(node, '$absent', mistakes);
  if (isAbsent) refuseAbsent(node, resource, oldKey !== undefined, mistakes);
  const isBroken = !isComplete || mistakes.count > mistakeCount;
  // An unreadable key has already been reported.
  if (!key || (isBroken && !isKeyCertain(node, values, resource))) {
    context.onUnreadable(resource);
    return;
  }
  const record: Declared = {
    ...{ resource, location: node.location, key, oldKey, isExact, values },
    ...(isAbsent !== undefined && { isAbsent }),
    ...(isBroken && { isBroken }),
  };
  context.onRecord({ record, node });
}

function parseField(
  field: ManifestField,
  node: Node,
  resource: Resource,
  { api, mistakes }: RecordParseContext,
): unknown {
  const { secret } = field.field.traits;
  if (!secret) return parseFieldValue(field.field, node, { api, resource, mistakes }, field.entry);
  if (node.kind === 'broken') return undefined;
  if (node.kind === 'scalar' && node.template !== undefined && onlyVariables.test(node.template))
    return node.template;
  mistakes.add(
    node.location,
    `${field.name} is a secret and can't be in a file: use a variable, for example ${field.name}: \${${field.name.toUpperCase()}}`,
  );
  return undefined;
}

function parseSwitch(node: MapNode, keyName: '$exact' | '$absent', mistakes: Mistakes): boolean | undefined {
  const entry = node.entries.find(({ name }) => name === keyName);
  if (!entry) return undefined;
  const { value } = entry;
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value;
  if (value.kind !== 'broken') mistakes.add(value.location, `${keyName} must be true or false`);
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

export function duplicateMessage(record: Declared, other: Declared): string {
  return `declares the same ${record.resource.noun} as ${formatLocation(other.location)}`;
}

/** Reads `$renamed_from`: a scalar is the former value of the first key field; a map names the fields. */
function parseOldKey(
  record: MapNode,
  resource: Resource,
  key: readonly KeyPart[] | undefined,
  context: ValueParseContext,
): KeyPart[] | undefined {
  const entry = record.entries.find(({ name }) => name === '$renamed_from');
  if (!entry || !key) return undefined;
  const { value: node } = entry;
  const entries =
    node.kind === 'map' ? node.entries.map(({ name, location, value }) => ({ name, location, value })) : [];
  const oldValues =
    node.kind === 'scalar' ? [{ name: key[0]?.name ?? '', location: node.location, value: node }] : entries;
  const parts = oldValues.flatMap(({ name, location, value }): KeyPart[] => {
    if (name === 'id' && value.kind === 'scalar') return [{ name, value: value.text }];
    const field = manifestFields(resource).get(name)?.field;
    if (!field) {
      context.mistakes.add(
        location,
        unknownFieldMessage(name, [...manifestFields(resource).keys()], resource.noun),
      );
      return [];
    }
    const parsed = parseFieldValue(field, value, context, undefined);
    return parsed === undefined ? [] : [{ name, value: parsed }];
  });
  if (node.kind === 'list' || oldValues.length === 0)
    context.mistakes.add(node.location, '$renamed_from must be the old key');
  const [first] = key;
  // Unchanged parts of the key may be omitted.
  const unchangedParts = node.kind === 'scalar' ? key.slice(1) : [];
  if (parts.length === 0 || first === undefined) return undefined;
  return [...parts, ...unchangedParts];
}

/**
 * Reads a declaration from a JSON value: records by the command-line names of their resources. `label` is used in
 * messages instead of a file name.
 */
export async function parseDeclaration(
  values: Readonly<Record<string, unknown>>,
  label: string,
  api: Api,
): Promise<Declaration> {
  const mistakes = new Mistakes();
  const resources = new Set<Resource>();
  const records: Declared[] = [];
  parseTree(toNode(values, { file: label, line: 1, column: 1 }), undefined, {
    api,
    mistakes,
    onResource: (resource) => resources.add(resource),
    onRecord: (parsed) => {
      checkRecord(parsed, mistakes);
      records.push(parsed.record);
    },
    // The mistake is thrown below.
    onUnreadable: () => undefined,
  });
  mistakes.throwIfAny();
  return { records, resources: [...resources] };
}

function toNode(value: unknown, location: FileLocation): Node {
  if (Array.isArray(value))
    return { kind: 'list', location, items: value.map((item) => toNode(item, location)) };
  if (isObject(value)) {
    const entries = Object.entries(value).map(([name, nestedValue]) => ({
      name,
      location,
      value: toNode(nestedValue, location),
    }));
    return { kind: 'map', location, entries };
  }
  const scalar = value as string | number | boolean | null | undefined;
  return { kind: 'scalar', value: scalar ?? null, text: String(scalar ?? ''), location };
}

/** Reports variables that can't be expanded, except in secrets, which are only needed when they are sent. */
function refuseUnexpanded(node: MapNode, resource: Resource, mistakes: Mistakes): MapNode {
  const fields = manifestFields(resource);
  const isSecret = (name: string) => fieldNamed(fields, name)?.field.traits.secret === true;
  const brokenNodes = new Set<Node>();
  for (const { name, value } of node.entries)
    for (const scalar of isSecret(name) ? [] : unexpandedIn(value)) {
      mistakes.add(scalar.location, scalar.problem ?? '');
      brokenNodes.add(scalar);
    }
  return brokenNodes.size === 0 ? node : (withBrokenNodes(node, brokenNodes) as MapNode);
}

function withBrokenNodes(node: Node, brokenNodes: ReadonlySet<Node>): Node {
  if (brokenNodes.has(node)) return { kind: 'broken', location: node.location };
  if (node.kind === 'list')
    return { ...node, items: node.items.map((item) => withBrokenNodes(item, brokenNodes)) };
  if (node.kind !== 'map') return node;
  return {
    ...node,
    entries: node.entries.map((entry) => ({ ...entry, value: withBrokenNodes(entry.value, brokenNodes) })),
  };
}
