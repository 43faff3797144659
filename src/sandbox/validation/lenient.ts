/** Converts bodies as Laravel services do: numbers can be text, booleans 0 and 1, and unknown fields are ignored. */

import { type Kind, text } from '../../contract/field.ts';
import { type BodyField, linkFields, nestedFields } from '../../contract/operation.ts';
import { kinds } from '../kinds.ts';
import { isObject } from '../store/stored-values.ts';

type Body = Readonly<Record<string, unknown>>;

interface ConvertedBody {
  values: Body;
  /** The paths of the ignored fields: `color`, `options.0.color`. */
  ignoredNames: string[];
}

/** Returns the body with values of the kinds that the fields have. Values that can't be converted are unchanged. */
export function convertBody(fields: readonly BodyField[], body: Body): ConvertedBody {
  const ignoredNames: string[] = [];
  return { values: convertObject(fields, body, '', ignoredNames), ignoredNames };
}

function convertObject(
  fields: readonly BodyField[],
  values: Body,
  path: string,
  ignoredNames: string[],
): Body {
  const entries = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    const bodyField = fields.find((candidate) => candidate.name === name);
    if (bodyField) return [[name, convertValue(bodyField, value, `${path}${name}.`, ignoredNames)]];
    ignoredNames.push(path + name);
    return [];
  });
  return Object.fromEntries(entries);
}

function convertValue({ field }: BodyField, value: unknown, path: string, ignoredNames: string[]): unknown {
  if (!Array.isArray(value)) return convertScalar(field.kind, value);
  if (field.kind === 'integers') return value.map((item) => convertScalar('integer', item));
  const itemFields =
    kinds[field.kind].storedAs === 'links' ? [idField, ...linkFields(field)] : nestedFields(field);
  return value.map((item, index) =>
    isObject(item) ? convertObject(itemFields, item, `${path}${index}.`, ignoredNames) : item,
  );
}

/** The ID of a linked record. */
const idField: BodyField = {
  name: 'id',
  responseName: 'id',
  field: text(),
  isRequired: false,
  mustBeSent: false,
};

function convertScalar(kind: Kind, value: unknown): unknown {
  if (kind === 'numeric_text' && typeof value === 'number') return String(value);
  const canConvert = kind === 'boolean' ? typeof value !== 'object' : typeof value === 'string';
  const isTyped = ['INTEGER', 'REAL'].includes(kinds[kind].sqlType);
  return canConvert && isTyped ? (kinds[kind].fromQuery(String(value)) ?? value) : value;
}
