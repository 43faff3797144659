/**
 * Converts a node of a manifest to the value that a request contains, by the kind of the field. Adds unreadable
 * values to the mistakes.
 */

import type { Api } from '../../../api/contract/api.ts';
import type { Field, Kind } from '../../../api/contract/field.ts';
import { linkFields, nestedFields } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { parseTyped } from '../../../api/contract/typed-text.ts';

import { withArticle } from '../../../api/contract/wording.ts';
import { describeInexactness } from '../../../base/number-text.ts';
import { shortenValue } from '../../../base/short-value.ts';
import { didYouMean } from '../../../base/suggest.ts';
import type { Mistakes } from '../source/mistakes.ts';
import { formatLocation, type MapNode, type Node, type ScalarNode } from '../source/node.ts';
import { entryName } from './fields.ts';
import { Ref } from './ref.ts';

/** The API, the resource and the mistakes of a value. */
export interface ValueParseContext {
  api: Api;
  resource: Resource;
  mistakes: Mistakes;
}

/**
 * Returns the value, or undefined if it can't be read. `entry` is the name of the record in each link of a list.
 */
export function parseFieldValue(
  field: Field,
  node: Node,
  context: ValueParseContext,
  entry: string | undefined,
): unknown {
  if (node.kind === 'scalar' && node.value === null) return null;
  return parsers[field.kind](node, field, context, entry);
}

type ValueParser = (
  node: Node,
  field: Field,
  context: ValueParseContext,
  entry: string | undefined,
) => unknown;

const parsers: Readonly<Record<Kind, ValueParser>> = {
  text: parsePlainText,
  timestamp: parsePlainText,
  date: parsePlainText,
  integer: parseNumber,
  decimal: parseNumber,
  numeric_text: parsePlainText,
  unit: parseWordOrNumber,
  hour: parseWordOrNumber,
  boolean: parserOfType('boolean', 'must be true or false'),
  choice: parseWordOrNumber,
  words: (node, _, context) => parseItems(node, context, (item) => parsePlainText(item, undefined, context)),
  integers: (node, field, context) =>
    parseItems(node, context, (item) => parseWordOrNumber(item, field, context)),
  ids: (node, _, context) => parseItems(node, context, (item) => parseAnyId(item, context)),
  ring: parseStructure,
  object: (node, field, context) => parseNested(node, field, context),
  objects: (node, field, context) => parseItems(node, context, (item) => parseNested(item, field, context)),
  one: (node, field, context) => parseRef(node, field, context),
  many: parseLinks,
};

function refuse({ kind, location }: Node, { mistakes }: ValueParseContext, message: string): undefined {
  if (kind !== 'broken') mistakes.add(location, message);
  return undefined;
}

/** Reads text. A number is taken as written: `0550` stays `0550`. */
function parsePlainText(node: Node, _: Field | undefined, context: ValueParseContext): unknown {
  if (node.kind !== 'scalar') return refuse(node, context, 'must be text');
  if (typeof node.value === 'boolean')
    return refuse(node, context, `must be text: put it in quotes, "${node.text}"`);
  return node.text;
}

function parseNumber(node: Node, field: Field, context: ValueParseContext): unknown {
  if (node.kind !== 'scalar') return refuse(node, context, 'must be a number');
  if (typeof node.value === 'number') {
    const problem = describeInexactness(node.text);
    return problem === undefined ? node.value : refuse(node, context, `${node.text} ${problem}`);
  }
  if (node.template === undefined) return refuse(node, context, `must be a number: ${quote(node)}`);
  return parseText(field, node, context);
}

function parserOfType(type: 'boolean', message: string): ValueParser {
  return (node, field, context) => {
    if (node.kind === 'scalar' && typeof node.value === type) return node.value;
    if (node.kind === 'scalar' && node.template !== undefined) return parseText(field, node, context);
    return refuse(node, context, `${message}${node.kind === 'scalar' ? `: ${quote(node)}` : ''}`);
  };
}

/** Reads a word or a number as users type it on the command line. */
function parseWordOrNumber(node: Node, field: Field, context: ValueParseContext): unknown {
  if (node.kind !== 'scalar' || typeof node.value === 'boolean')
    return refuse(node, context, 'must be a word or a number');
  return field.kind === 'integers' ? parseWord(field, node, context) : parseText(field, node, context);
}

function parseWord(field: Field, node: ScalarNode, context: ValueParseContext): unknown {
  const parsed = parseText(field, node, context);
  return Array.isArray(parsed) ? parsed[0] : parsed;
}

function parseText(field: Field, node: ScalarNode, context: ValueParseContext): unknown {
  const { value, problem } = parseTyped(field, node.text, {});
  if (problem === undefined) return value;
  return refuse(node, context, `${problem}: ${quote(node)}`);
}

function quote({ text, template }: ScalarNode): string {
  return `"${shortenValue(template ?? text)}"`;
}

function parseItems(node: Node, context: ValueParseContext, parseItem: (item: Node) => unknown): unknown {
  if (node.kind !== 'list') return refuse(node, context, 'must be a list');
  const items = node.items.map(parseItem);
  return items.some((item) => item === undefined) ? undefined : items;
}

/** Reads numbers, lists of numbers and other values that are sent unchanged. */
function parseStructure(node: Node, field: Field, context: ValueParseContext): unknown {
  if (node.kind === 'list') return parseItems(node, context, (item) => parseStructure(item, field, context));
  return node.kind === 'scalar' ? node.value : refuse(node, context, 'must be a list of pairs of numbers');
}

/**
 * Reads IDs of several kinds: `product-1`, or a map such as `{ gift-card-product: GIFT-100 }` for a record that can
 * be listed.
 */
function parseAnyId(node: Node, context: ValueParseContext): unknown {
  if (node.kind === 'scalar') return parsePlainText(node, undefined, context);
  const [first, ...otherEntries] = node.kind === 'map' ? node.entries : [];
  if (!first || otherEntries.length > 0)
    return refuse(node, context, 'must be an ID, or a map with the kind, for example { category: Grills }');
  const target = context.api.findResource(first.name);
  if (!target) return refuse(node, context, `${first.name} is not a resource`);
  return createRef(target.name, first.value, undefined, context);
}

function parseNested(node: Node, field: Field, context: ValueParseContext): unknown {
  if (node.kind !== 'map') return refuse(node, context, 'must be a map of fields');
  const fields = new Map(nestedFields(field).map((entry) => [entry.responseName, entry]));
  const values: Record<string, unknown> = {};
  let isComplete = true;
  for (const { name, location, value } of node.entries) {
    const entry = fields.get(name);
    if (!entry) {
      context.mistakes.add(location, unknownFieldMessage(name, [...fields.keys()]));
      continue;
    }
    const hasPivot = linkFields(entry.field).length > 0;
    const entryField = hasPivot ? entryName(context.resource, name, entry.field) : undefined;
    const parsed = parseFieldValue(entry.field, value, context, entryField);
    if (parsed === undefined) isComplete = false;
    else values[entry.name] = parsed;
  }
  return isComplete ? values : undefined;
}

function parseRef(node: Node, { traits }: Field, context: ValueParseContext): Ref | undefined {
  return createRef(traits.target ?? '', node, traits.targetFilter, context);
}

function createRef(
  target: string,
  node: Node,
  targetFilter: Field['traits']['targetFilter'],
  context: ValueParseContext,
): Ref | undefined {
  const noun = context.api.nounOf(target);
  if (node.kind === 'scalar') {
    if (node.text === '' || typeof node.value === 'boolean')
      return refuse(node, context, `must name the ${noun}`);
    return new Ref(target, { kind: 'text', text: node.text }, node.location, targetFilter);
  }
  if (node.kind !== 'map' || node.entries.length === 0) return refuse(node, context, `must name one ${noun}`);
  return createRefByFields(target, node, targetFilter, context);
}

function createRefByFields(
  target: string,
  node: MapNode,
  targetFilter: Field['traits']['targetFilter'],
  context: ValueParseContext,
): Ref | undefined {
  const resource = context.api.resource(target);
  const names = resource ? Object.keys(resource.fields) : ['id', 'name'];
  const fields: Record<string, unknown> = {};
  for (const { name, location, value } of node.entries) {
    if (!names.includes(name))
      context.mistakes.add(location, unknownFieldMessage(name, names, context.api.nounOf(target)));
    else if (value.kind !== 'scalar' || value.value === null) {
      context.mistakes.add(value.location, 'must be a value that identifies the record');
    } else {
      const field = resource?.fields[name];
      const parsed = field ? parseFieldValue(field, value, context, undefined) : value.text;
      if (parsed === undefined) return undefined;
      fields[name] =
        parsed instanceof Ref ? refuse(value, context, "can't refer to another record here") : parsed;
    }
  }
  if (Object.keys(fields).length < node.entries.length) return undefined;
  const { id, ...otherFields } = fields;
  if (id !== undefined && Object.keys(otherFields).length === 0)
    return new Ref(target, { kind: 'id', id: String(id) }, node.location, targetFilter);
  if (!resource)
    return new Ref(
      target,
      { kind: 'text', text: String(otherFields.name ?? id) },
      node.location,
      targetFilter,
    );
  return new Ref(target, { kind: 'fields', fields }, node.location, targetFilter);
}

/** Reads links as `{ id }` with the fields of the link. The same record twice is a mistake. */
function parseLinks(
  node: Node,
  field: Field,
  context: ValueParseContext,
  entry: string | undefined,
): unknown {
  const links = parseItems(node, context, (item) => {
    if (entry === undefined || item.kind === 'scalar') {
      const ref = parseRef(item, field, context);
      return ref && { id: ref };
    }
    return parseLink(item, field, entry, context);
  });
  if (!Array.isArray(links)) return undefined;
  const seenRefs = new Map<string, Ref>();
  for (const { id } of links as { id: Ref }[]) {
    const firstRef = seenRefs.get(id.key);
    if (firstRef)
      context.mistakes.add(
        id.location,
        `${id.text} is in the list twice: also at ${formatLocation(firstRef.location)}`,
      );
    seenRefs.set(id.key, id);
  }
  return links;
}

function parseLink(node: Node, field: Field, entry: string, context: ValueParseContext): unknown {
  if (node.kind !== 'map')
    return refuse(node, context, `must be { ${entry}: … } with the fields of the link`);
  const linkFieldsByName = new Map(linkFields(field).map((linkField) => [linkField.name, linkField]));
  const link: Record<string, unknown> = {};
  let isComplete = true;
  for (const { name, location, value } of node.entries) {
    const pivot = linkFieldsByName.get(name);
    if (name === entry) link.id = parseRef(value, field, context);
    else if (pivot) {
      const parsed = parseFieldValue(pivot.field, value, context, undefined);
      if (parsed === undefined) isComplete = false;
      link[name] = parsed;
    } else context.mistakes.add(location, unknownFieldMessage(name, [entry, ...linkFieldsByName.keys()]));
  }
  if (!node.entries.some(({ name }) => name === entry))
    return refuse(node, context, `has no ${entry}, which names the linked record`);
  return isComplete && link.id !== undefined ? link : undefined;
}

export function unknownFieldMessage(name: string, names: readonly string[], noun?: string): string {
  return `${name} is not a field${noun === undefined ? ' here' : ` of ${withArticle(noun)}`}.${didYouMean(name, names)}`.replace(
    /\.$/,
    '',
  );
}
