/** A declared record held against the contract, whether it is new or not: what no write of it would take is a mistake. */
import type { BodyField, Operation } from '../../contract/operation.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { validateBody } from '../../contract/validate.ts';
import type { Mistakes } from '../source/mistakes.ts';
import { nodeAt } from '../source/node.ts';
import type { Declared, Given } from './declared.ts';
import { manifestFields } from './fields.ts';
import { replaceRefs } from './ref.ts';

/** Stands for an id that is not known yet, and for a secret that is read when it is sent. */
const placeholder = '0000';

export function checkGiven({ resource, given, at }: Declared, mistakes: Mistakes): void {
  const own = [...given.values()].filter(({ field }) => !field.link);
  const body = Object.fromEntries(own.map(({ field, value }) => [field.sent, stoodFor(value)]));
  const write = anyWrite(resource);
  for (const [path, messages] of Object.entries(validateBody(write, body))) {
    const [first = '', ...rest] = path.split('.');
    const value = own.find(({ field }) => field.sent === first);
    const place = value?.node ? nodeAt(value.node, rest).at : (value?.at ?? at);
    for (const message of messages) mistakes.add(place, `${path} ${message}`);
  }
  for (const value of given.values()) if (value.field.link) checkLinks(value, mistakes);
}

function checkLinks({ field, value, node, at }: Given, mistakes: Mistakes): void {
  if (!field.link || !Array.isArray(value)) return;
  const relaxed = { ...field.link.set, effect: 'update' as const, body: optional(field.link.set.body) };
  for (const [index, link] of (stoodFor(value) as Record<string, unknown>[]).entries()) {
    const { id: _, ...held } = link;
    for (const [path, messages] of Object.entries(validateBody(relaxed, held))) {
      const place = node ? nodeAt(node, [String(index), ...path.split('.')]).at : at;
      for (const message of messages) mistakes.add(place, `${path} ${message}`);
    }
  }
}

/** The body of a new record, all that is wrong with it: what it lacks, too. */
export function problemsAsNew(create: Operation, body: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(validateBody(create, body)).flatMap(([path, messages]) =>
    messages.map((message) => (path === '_' ? message : `${path} ${message}`)),
  );
}

export function stoodFor(value: unknown): unknown {
  return replaceRefs(value, () => placeholder);
}

const known = new WeakMap<Resource, Operation>();

/** Every field that some write takes, none of them needed. */
function anyWrite(resource: Resource): Operation {
  const made = known.get(resource);
  if (made) return made;
  const base = operation(resource, 'update') ?? operation(resource, 'create');
  if (!base) throw new Error(`${resource.name} has no writes`);
  const body = [...manifestFields(resource).values()].flatMap(({ update, create }) => update ?? create ?? []);
  const any = { ...base, effect: 'update' as const, body: optional(body) };
  known.set(resource, any);
  return any;
}

function optional(body: readonly BodyField[]): BodyField[] {
  return body.map((entry) => ({ ...entry, isRequired: false, mustBeGiven: false }));
}
