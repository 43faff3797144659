/**
 * Converts a node of a manifest to the value that a request contains, by the kind of the field. Adds unreadable
 * values to the mistakes.
 */

import { describeInexactness } from '../../base/number-text.ts';
import { shortenValue } from '../../base/short-value.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Api } from '../../contract/api.ts';
import type { Field, Kind } from '../../contract/field.ts';
import { linkFields, nestedFields } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { parseValue } from '../../contract/value-text.ts';
import { withArticle } from '../../contract/wording.ts';
import type { Mistakes } from '../source/mistakes.ts';
import { locationText, type MapNode, type Node, type ScalarNode } from '../source/node.ts';
import { entryName } from './fields.ts';
import { Ref } from './ref.ts';

/** The API, the resource and the mistakes of a value. */
export interface ValueReading {
  api: Api;
  resource: Resource;
  mistakes: Mistakes;
}

/**
 * Returns the value, or undefined if it can't be read. `entry` is the name of the record in each link of a list.
 */
export function readValue(
  field: Field,
  node: Node,
  reading: ValueReading,
  entry: string | undefined,
): unknown {
  if (node.kind === 'scalar' && node.value === null) return null;
  return readers[field.kind](node, field, reading, entry);
}

type ValueReader = (node: Node, field: Field, reading: ValueReading, entry: string | undefined) => unknown;

const readers: Readonly<Record<Kind, ValueReader>> = {
  text: readPlainText,
  timestamp: readPlainText,
  date: readPlainText,
  integer: readNumber,
  decimal: readNumber,
  numeric_text: readPlainText,
  unit: readByText,
  hour: readByText,
  boolean: readTyped('boolean', 'must be true or false'),
  choice: readByText,
  words: (node, _, reading) => readItems(node, reading, (item) => readPlainText(item, undefined, reading)),
  integers: (node, field, reading) => readItems(node, reading, (item) => readByText(item, field, reading)),
  ids: (node, _, reading) => readItems(node, reading, (item) => readAnyId(item, reading)),
  ring: readStructure,
  object: (node, field, reading) => readNested(node, field, reading),
  objects: (node, field, reading) => readItems(node, reading, (item) => readNested(item, field, reading)),
  one: (node, field, reading) => readRef(node, field, reading),
  many: readLinks,
};

function refuse({ kind, location }: Node, { mistakes }: ValueReading, message: string): undefined {
  if (kind !== 'broken') mistakes.add(location, message);
  return undefined;
}

/** Reads text. A number is taken as written: `0550` stays `0550`. */
function readPlainText(node: Node, _: Field | undefined, reading: ValueReading): unknown {
  if (node.kind !== 'scalar') return refuse(node, reading, 'must be text');
  if (typeof node.value === 'boolean')
    return refuse(node, reading, `must be text: put it in quotes, "${node.text}"`);
  return node.text;
}

function readNumber(node: Node, field: Field, reading: ValueReading): unknown {
  if (node.kind !== 'scalar') return refuse(node, reading, 'must be a number');
  if (typeof node.value === 'number') {
    const problem = describeInexactness(node.text);
    return problem === undefined ? node.value : refuse(node, reading, `${node.text} ${problem}`);
  }
  if (node.template === undefined) return refuse(node, reading, `must be a number: ${quoted(node)}`);
  return fromText(field, node, reading);
}

function readTyped(type: 'boolean', message: string): ValueReader {
  return (node, field, reading) => {
    if (node.kind === 'scalar' && typeof node.value === type) return node.value;
    if (node.kind === 'scalar' && node.template !== undefined) return fromText(field, node, reading);
    return refuse(node, reading, `${message}${node.kind === 'scalar' ? `: ${quoted(node)}` : ''}`);
  };
}

/** Reads a word or a number as users type it on the command line. */
function readByText(node: Node, field: Field, reading: ValueReading): unknown {
  if (node.kind !== 'scalar' || typeof node.value === 'boolean')
    return refuse(node, reading, 'must be a word or a number');
  return field.kind === 'integers' ? readWord(field, node, reading) : fromText(field, node, reading);
}

function readWord(field: Field, node: ScalarNode, reading: ValueReading): unknown {
  const read = fromText(field, node, reading);
  return Array.isArray(read) ? read[0] : read;
}

function fromText(field: Field, node: ScalarNode, reading: ValueReading): unknown {
  const { value, problem } = parseValue(field, node.text);
  if (problem === undefined) return value;
  return refuse(node, reading, `${problem}: ${quoted(node)}`);
}

function quoted({ text, template }: ScalarNode): string {
  return `"${shortenValue(template ?? text)}"`;
}

function readItems(node: Node, reading: ValueReading, read: (item: Node) => unknown): unknown {
  if (node.kind !== 'list') return refuse(node, reading, 'must be a list');
  const items = node.items.map(read);
  return items.some((item) => item === undefined) ? undefined : items;
}

/** Reads numbers, lists of numbers and other values that are sent unchanged. */
function readStructure(node: Node, _: Field, reading: ValueReading): unknown {
  if (node.kind === 'list') return readItems(node, reading, (item) => readStructure(item, _, reading));
  return node.kind === 'scalar' ? node.value : refuse(node, reading, 'must be a list of pairs of numbers');
}

/**
 * Reads IDs of several kinds: `product-1`, or a map such as `{ gift-card-product: GIFT-100 }` for a record that can
 * be listed.
 */
function readAnyId(node: Node, reading: ValueReading): unknown {
  if (node.kind === 'scalar') return readPlainText(node, undefined, reading);
  const [first, ...others] = node.kind === 'map' ? node.entries : [];
  if (!first || others.length > 0)
    return refuse(node, reading, 'must be an ID, or a map with the kind, for example { category: Grills }');
  const target = reading.api.findResource(first.name);
  if (!target) return refuse(node, reading, `${first.name} is not a resource`);
  return refFrom(target.name, first.value, undefined, reading);
}

function readNested(node: Node, field: Field, reading: ValueReading): unknown {
  if (node.kind !== 'map') return refuse(node, reading, 'must be a map of fields');
  const fields = new Map(nestedFields(field).map((entry) => [entry.responseName, entry]));
  const values: Record<string, unknown> = {};
  let isComplete = true;
  for (const { name, location, value } of node.entries) {
    const entry = fields.get(name);
    if (!entry) {
      reading.mistakes.add(location, unknownFieldMessage(name, [...fields.keys()]));
      continue;
    }
    const hasPivot = linkFields(entry.field).length > 0;
    const entryField = hasPivot ? entryName(reading.resource, name, entry.field) : undefined;
    const read = readValue(entry.field, value, reading, entryField);
    if (read === undefined) isComplete = false;
    else values[entry.name] = read;
  }
  return isComplete ? values : undefined;
}

function readRef(node: Node, { traits }: Field, reading: ValueReading): Ref | undefined {
  return refFrom(traits.target ?? '', node, traits.targetFilter, reading);
}

function refFrom(
  target: string,
  node: Node,
  only: Field['traits']['targetFilter'],
  reading: ValueReading,
): Ref | undefined {
  const noun = reading.api.nounOf(target);
  if (node.kind === 'scalar') {
    if (node.text === '' || typeof node.value === 'boolean')
      return refuse(node, reading, `must name the ${noun}`);
    return new Ref(target, { kind: 'text', text: node.text }, node.location, only);
  }
  if (node.kind !== 'map' || node.entries.length === 0) return refuse(node, reading, `must name one ${noun}`);
  return refByFields(target, node, only, reading);
}

function refByFields(
  target: string,
  node: MapNode,
  only: Field['traits']['targetFilter'],
  reading: ValueReading,
): Ref | undefined {
  const resource = reading.api.resource(target);
  const names = resource ? Object.keys(resource.fields) : ['id', 'name'];
  const fields: Record<string, unknown> = {};
  for (const { name, location, value } of node.entries) {
    if (!names.includes(name))
      reading.mistakes.add(location, unknownFieldMessage(name, names, reading.api.nounOf(target)));
    else if (value.kind !== 'scalar' || value.value === null) {
      reading.mistakes.add(value.location, 'must be a value that identifies the record');
    } else {
      const field = resource?.fields[name];
      const read = field ? readValue(field, value, reading, undefined) : value.text;
      if (read === undefined) return undefined;
      fields[name] =
        read instanceof Ref ? refuse(value, reading, "can't refer to another record here") : read;
    }
  }
  if (Object.keys(fields).length < node.entries.length) return undefined;
  const { id, ...others } = fields;
  if (id !== undefined && Object.keys(others).length === 0)
    return new Ref(target, { kind: 'id', id: String(id) }, node.location, only);
  if (!resource)
    return new Ref(target, { kind: 'text', text: String(others.name ?? id) }, node.location, only);
  return new Ref(target, { kind: 'fields', fields }, node.location, only);
}

/** Reads links as `{ id }` with the fields of the link. The same record twice is a mistake. */
function readLinks(node: Node, field: Field, reading: ValueReading, entry: string | undefined): unknown {
  const links = readItems(node, reading, (item) => {
    if (entry === undefined || item.kind === 'scalar') {
      const ref = readRef(item, field, reading);
      return ref && { id: ref };
    }
    return readLink(item, field, entry, reading);
  });
  if (!Array.isArray(links)) return undefined;
  const seen = new Map<string, Ref>();
  for (const { id } of links as { id: Ref }[]) {
    const other = seen.get(id.key);
    if (other)
      reading.mistakes.add(
        id.location,
        `${id.text} is in the list twice: also at ${locationText(other.location)}`,
      );
    seen.set(id.key, id);
  }
  return links;
}

function readLink(node: Node, field: Field, entry: string, reading: ValueReading): unknown {
  if (node.kind !== 'map')
    return refuse(node, reading, `must be { ${entry}: … } with the fields of the link`);
  const linkFieldsByName = new Map(linkFields(field).map((each) => [each.name, each]));
  const link: Record<string, unknown> = {};
  let isComplete = true;
  for (const { name, location, value } of node.entries) {
    const pivot = linkFieldsByName.get(name);
    if (name === entry) link.id = readRef(value, field, reading);
    else if (pivot) {
      const read = readValue(pivot.field, value, reading, undefined);
      if (read === undefined) isComplete = false;
      link[name] = read;
    } else reading.mistakes.add(location, unknownFieldMessage(name, [entry, ...linkFieldsByName.keys()]));
  }
  if (!node.entries.some(({ name }) => name === entry))
    return refuse(node, reading, `has no ${entry}, which names the linked record`);
  return isComplete && link.id !== undefined ? link : undefined;
}

/** Returns the message about an unknown name, with a suggestion. */
export function unknownFieldMessage(name: string, names: readonly string[], of?: string): string {
  return `${name} is not a field${of === undefined ? ' here' : ` of ${withArticle(of)}`}.${didYouMean(name, names)}`.replace(
    /\.$/,
    '',
  );
}
