/** What the questions of a form share: their input, hints, problems and skipped fields. */
import type { Row } from '../client/shape.ts';
import { presentationOf } from '../context/kinds.ts';
import { boundsInWords } from '../contract/bounds.ts';
import type { Field, Kind, Traits } from '../contract/field.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import { validateBody } from '../contract/validate.ts';
import { type Answer, type Answers, emptyText } from './answer.ts';
import type { EarlierLines } from './earlier-lines.ts';
import { labelOfField, type Step } from './question-order.ts';
import type { Found } from './record-entries.ts';

/** A question about the fields of a step, with all that it needs to be asked. */
export interface StepContext {
  operation: Operation;
  step: Step;
  /** The body so far: some rules depend on two fields. */
  body: Row;
  /** The record to change, or the one that the link belongs to; empty if it wasn't read. */
  record: Row;
  /** The record at the other end of the link; empty if it wasn't read. */
  linked: Row;
  /** The present answers by field. */
  present: Answers;
  /** What is wrong with the present answers. */
  problem?: string | undefined;
  canGoBack: boolean;
  /** Where the lines of all records are filled in; empty lines are skipped. Undefined to choose records first. */
  sheet?: SheetIn | undefined;
  /** What is wrong with single lines, by the id of their record. */
  lineProblems?: ReadonlyMap<string, string> | undefined;
  /** What the question contained when the person went back, to start with it the next time. */
  draft: Draft;
  /** Reads the earlier lines that the lines of a field are compared with. */
  earlier: (entry: BodyField) => Promise<EarlierLines | undefined>;
}

/** A question about the links of a field. */
export interface Lines extends StepContext {
  entry: BodyField;
  /** The records at the other end. */
  found: readonly Found[];
}

/** Where many lines are filled in: a table on the terminal, or the editor. */
export type SheetIn = 'table' | 'editor';

/** What a question contained when the person left it without an answer. */
export interface Draft {
  typed?: string | undefined;
  /** Words of a list. */
  chosen?: readonly unknown[] | undefined;
  found?: readonly Found[] | undefined;
  /** Typed texts by the id of their record. */
  texts?: ReadonlyMap<string, string> | undefined;
}

/** Returns the unit of a number: `unit` ("kg") if the storage unit is known, else only a description. */
export function unitOf(
  { name, field }: BodyField,
  { operation, body, present, record, linked }: StepContext,
): { unit?: string; described?: string | undefined } {
  const { unit, unitFrom, limits = [] } = field.traits;
  // The amount of a link is in the unit of the record at its other end, such as the grams of an ingredient.
  const { amount, unitFrom: otherUnit } =
    operation.resource.fields[operation.link?.field ?? '']?.traits ?? {};
  const ofOther = name === amount && otherUnit !== undefined ? linked[otherUnit] : undefined;
  if (typeof ofOther === 'string' && ofOther !== '') return { unit: ofOther, described: unit };
  const known = (other: string) => body[other] ?? present.get(other)?.value ?? record[other];
  const own = unitFrom === undefined ? undefined : known(unitFrom);
  if (typeof own === 'string' && own !== '') return { unit: own, described: unit };
  const limit = limits.find(({ where, is }) => {
    const words = operation.resource.fields[where]?.traits.words ?? {};
    return is.some((word) => words[word] === known(where));
  });
  return { described: limit?.unit ?? unit };
}

/** Returns the hint of a field: what to enter, in which unit and form. */
export function hintFor(
  field: Field,
  { operation, entry, unit }: { operation?: Operation; entry?: BodyField; unit?: string | undefined } = {},
): string {
  const { about = '', form, example } = field.traits;
  const label = entry ? labelOfField(entry) : '';
  const isPlain = about.toLowerCase().replace(/^the /, '') === label.toLowerCase();
  const isOptional = entry && operation && !entry.mustBeGiven && operation.effect !== 'update';
  const canSkip = isOptional && presentationOf(field).question === 'text';
  const parts = [
    isPlain ? '' : about,
    unit ? `in ${unit}` : '',
    boundsInWords(field.traits) ?? '',
    forms[form ?? field.kind]?.(example) ?? '',
    canSkip ? 'Enter to skip' : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

const forms: Readonly<Partial<Record<Kind | NonNullable<Traits['form']>, (example: unknown) => string>>> = {
  date: (example) => `for example ${example ?? '2026-11-20'}, 20 nov 2026, today or friday`,
  hour: () => 'for example 17 or 5pm',
  email: () => 'for example name@example.com',
  phone: () => 'spaces and a leading +966 or 0 are allowed',
  ring: () => 'the name of a GeoJSON file, or JSON',
  objects: () => 'JSON',
  object: () => 'JSON',
};

/** Returns what the contract finds wrong with a value, given the other values of the body. */
export function problemWith(
  { operation, body }: StepContext,
  name: string,
  label: string,
  value: unknown,
): string | undefined {
  const found = Object.entries(validateBody(operation, { ...body, [name]: value }));
  const [, messages = []] = found.find(([path]) => path.split('.')[0] === name) ?? [];
  return messages[0] && `${label} ${messages[0]}.`;
}

/** Returns whether a question can be skipped. */
export function canBeSkipped({ mustBeGiven, field }: BodyField, { effect }: Operation): boolean {
  return effect === 'update' ? field.traits.nullable === true : !mustBeGiven;
}

/** Returns the label of the choice that skips a question: an update clears the field. */
export function skipLabel({ effect }: Operation): string {
  return effect === 'update' ? '(none)' : '(skip)';
}

/** Returns the answer of a skipped field: an update clears it, a new record doesn't have it. */
export function skippedAnswer({ field }: BodyField, { effect }: Operation): Answer | undefined {
  return effect === 'update' ? { value: field.kind === 'many' ? [] : null, shown: emptyText } : undefined;
}
