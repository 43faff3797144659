/** What a question is about: what is known already, what goes there, and what the contract says against an answer. */
import type { Row } from '../../client/shape.ts';
import { boundsInWords } from '../../contract/bounds.ts';
import type { Field, Kind, Traits } from '../../contract/field.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { validateBody } from '../../contract/validate.ts';
import { forPeople } from '../kinds.ts';
import type { Answers } from './answer.ts';
import type { EarlierLines } from './earlier-lines.ts';
import { labelOfField, type Step } from './question-order.ts';
import type { Found } from './record-entries.ts';

export interface AskedField {
  operation: Operation;
  step: Step;
  /** What is known of the body so far: some rules look at two fields. */
  body: Row;
  /** What is known of the record, or of the one whose link it is. */
  record: Row;
  /** The answers that are there already, by field. */
  present: Answers;
  /** What the service or the contract says against them. */
  problem?: string | undefined;
  canGoBack: boolean;
  /** Lines are filled in for all records there are, and those that stay empty are left out. */
  sheet?: SheetIn | undefined;
  /** What was said of single lines, by the id of their record. */
  lineProblems?: ReadonlyMap<string, string> | undefined;
  /** What the question holds when it is left without an answer, to begin with it the next time. */
  draft: Draft;
  /** What the lines of a field are compared with, where there is something. */
  earlier: (entry: BodyField) => Promise<EarlierLines | undefined>;
}

/** A question about the links of a field. */
export interface Lines extends AskedField {
  entry: BodyField;
  /** The records at the other end. */
  found: readonly Found[];
}

/** Where many lines are filled in at once. */
export type SheetIn = 'table' | 'editor';

export interface Draft {
  typed?: string | undefined;
  /** Words of a list. */
  chosen?: readonly unknown[] | undefined;
  found?: readonly Found[] | undefined;
  /** By the id of their record. */
  texts?: ReadonlyMap<string, string> | undefined;
}

/** What a number is in, as far as that is known by now: "kg" where the storage unit is that, else in words. */
export function unitOf(
  { unit, unitFrom, limits = [] }: Traits,
  { operation, body, present, record }: Pick<AskedField, 'operation' | 'body' | 'present' | 'record'>,
): { unit?: string; described?: string | undefined } {
  const known = (name: string) => body[name] ?? present.get(name)?.value ?? record[name];
  const own = unitFrom === undefined ? undefined : known(unitFrom);
  if (typeof own === 'string' && own !== '') return { unit: own, described: unit };
  const limit = limits.find(({ where, is }) => {
    const words = operation.resource.fields[where]?.traits.words ?? {};
    return is.some((word) => words[word] === known(where));
  });
  return { described: limit?.unit ?? unit };
}

/** What goes here, in which unit and form. */
export function hintFor(
  field: Field,
  { operation, entry, unit }: { operation?: Operation; entry?: BodyField; unit?: string | undefined } = {},
): string {
  const { about = '', form, example } = field.traits;
  const label = entry ? labelOfField(entry) : '';
  const isPlain = about.toLowerCase().replace(/^the /, '') === label.toLowerCase();
  const isLeftOut = entry && operation && !entry.mustBeGiven && operation.effect !== 'update';
  const free = isLeftOut && forPeople(field).asked === 'text';
  const parts = [
    isPlain ? '' : about,
    unit ? `in ${unit}` : '',
    boundsInWords(field.traits) ?? '',
    forms[form ?? field.kind]?.(example) ?? '',
    free ? 'Enter leaves it out' : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

const forms: Readonly<Partial<Record<Kind | NonNullable<Traits['form']>, (example: unknown) => string>>> = {
  date: (example) => `such as ${example ?? '2026-11-20'}, 20 nov 2026, today or friday`,
  hour: () => 'such as 17 or 5pm',
  email: () => 'such as name@example.com',
  phone: () => 'blanks and +966 or 0 in front are understood',
  ring: () => 'the name of a GeoJSON file, or JSON',
  objects: () => 'JSON',
  object: () => 'JSON',
};

/** What the contract says against a value, held together with what is known of the others. */
export function problemWith(
  { operation, body }: AskedField,
  name: string,
  label: string,
  value: unknown,
): string | undefined {
  const found = Object.entries(validateBody(operation, { ...body, [name]: value }));
  const [, messages = []] = found.find(([path]) => path.split('.')[0] === name) ?? [];
  return messages[0] && `${label} ${messages[0]}.`;
}
