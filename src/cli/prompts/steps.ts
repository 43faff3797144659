/** The questions of a form: their order, their context, and the hints and checks that they share. */
import type { Row } from '../../account/client/shape.ts';
import { describeBounds } from '../../api/contract/bounds.ts';
import type { Field, Kind, Traits } from '../../api/contract/field.ts';
import type { BodyField, Operation } from '../../api/contract/operation.ts';
import { validateBody } from '../../api/contract/validate.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { presentationOf } from '../context/kinds.ts';
import { headerOf } from '../output/records-for-people.ts';
import { type Answer, type Answers, emptyText } from './answer.ts';
import type { EarlierLines } from './earlier-lines.ts';
import type { RecordsDraft } from './record-entries.ts';
import type { Question } from './terminal/questions.ts';

/** One question: a field, or several that are answered together, such as the days of the week. */
export interface Step {
  /** The name of the first field. */
  name: string;
  label: string;
  fields: readonly BodyField[];
}

/** Returns the label of a field: "SKU", or "Branch" for `branch_id`. */
export function labelOfField({ responseName, field }: BodyField): string {
  return field.traits.label ?? capitalize(headerOf(responseName));
}

/** Returns all questions of an operation in the order in which they are asked. */
export function stepsOf(operation: Operation): Step[] {
  const groups = new Map<string, BodyField[]>();
  for (const entry of operation.body) {
    const key = entry.field.traits.formGroup ?? entry.name;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const steps = [...groups.values()].flatMap((fields) => {
    const [first] = fields;
    if (!first) return [];
    const label = first.field.traits.formGroup ?? labelOfField(first);
    return [{ name: first.name, label, fields }];
  });
  return steps.toSorted((a, b) => rankOf(operation, a) - rankOf(operation, b));
}

/** Returns whether a question is always asked, not only if the user chooses it in the review. */
export function isAlwaysAsked(operation: Operation, { fields }: Step): boolean {
  const { effect } = operation;
  return fields.some((entry) => {
    const { mustBeSent, field } = entry;
    if (mustBeSent || effect === 'link' || effect === 'act') return true;
    if (effect !== 'create') return false;
    return (
      field.traits.askedInForms || field.traits.formDefault !== undefined || isIdentifying(operation, entry)
    );
  });
}

function rankOf(operation: Operation, { fields: [entry] }: Step): number {
  if (!entry) return 0;
  if (isIdentifying(operation, entry)) return 0;
  const { formDefault, unitFrom, localizes, askedInForms, required, defaultsToSignedInUser } =
    entry.field.traits;
  if (localizes !== undefined) return 1;
  if (formDefault !== undefined) return 6;
  if (!askedInForms && !(required && !defaultsToSignedInUser)) return 5;
  if (entry.field.kind === 'many' || entry.field.kind === 'objects') return 4;
  // The unit is asked before the number, so that "5 kg" can be checked.
  return unitFrom === undefined ? 2 : 3;
}

/** Returns whether a field identifies the record. A link's fields don't: an item's code isn't the supplier's code. */
function isIdentifying({ resource: { title, key }, link }: Operation, { name }: BodyField): boolean {
  return link === undefined && (name === title || key.includes(name));
}

/** The context of a question about the fields of a step. */
export interface StepContext {
  operation: Operation;
  step: Step;
  /** The body with all answers so far: some rules depend on two fields. */
  body: Row;
  /** The record to change, or the record that the link belongs to. Empty if it wasn't read. */
  record: Row;
  /** The record at the other end of the link. Empty if it wasn't read. */
  linkedRecord: Row;
  currentAnswers: Answers;
  problem?: string | undefined;
  canGoBack: boolean;
  /** Whether the lines of all records are filled in; empty lines are skipped. Otherwise records are chosen first. */
  sheet?: boolean | undefined;
  /** The problems with single lines, by the ID of their record. */
  lineProblems?: ReadonlyMap<string, string> | undefined;
  /** The content of the question before the user went back, as `BackRequested` had it. The question starts with it. */
  draft: unknown;
  /** Reads the earlier lines that the lines of a field are compared with. */
  readEarlierLines: (entry: BodyField) => Promise<EarlierLines | undefined>;
  /** Called with the content of an unfinished sheet. */
  keepDraft?: ((draft: RecordsDraft) => void) | undefined;
  /** The object that the fields belong to, if they aren't fields of the body: a value of the body's field `list`. */
  nested?: { list: string; value: Row } | undefined;
}

export interface FieldContext extends StepContext {
  entry: BodyField;
  question: Question;
}

/** The answers of a step by field name; undefined for a skipped field. */
export type StepAnswers = ReadonlyMap<string, Answer | undefined>;

/** Returns the unit of a number: `unit` ("kg") if the record has its storage unit, otherwise only a description. */
export function unitOf(
  { name, field }: BodyField,
  { operation, body, currentAnswers, record, linkedRecord }: StepContext,
): { unit?: string; unitDescription?: string | undefined } {
  const { unit, unitFrom, limits = [] } = field.traits;
  // The amount of a link is in the unit of the record at its other end, such as the grams of an ingredient.
  const { amountField, unitFrom: linkedUnitFrom } =
    operation.resource.fields[operation.link?.field ?? '']?.traits ?? {};
  const linkedUnit =
    name === amountField && linkedUnitFrom !== undefined ? linkedRecord[linkedUnitFrom] : undefined;
  if (typeof linkedUnit === 'string' && linkedUnit !== '') return { unit: linkedUnit, unitDescription: unit };
  const relatedValue = (name: string) => body[name] ?? currentAnswers.get(name)?.value ?? record[name];
  const fieldUnit = unitFrom === undefined ? undefined : relatedValue(unitFrom);
  if (typeof fieldUnit === 'string' && fieldUnit !== '') return { unit: fieldUnit, unitDescription: unit };
  const limit = limits.find(({ where, words: limitWords }) => {
    const words = operation.resource.fields[where]?.traits.words ?? {};
    return limitWords.some((word) => words[word] === relatedValue(where));
  });
  return { unitDescription: limit?.unit ?? unit };
}

/** Returns the hint of a field: its description, unit, limits and format. */
export function hintFor(
  field: Field,
  { operation, entry, unit }: { operation?: Operation; entry?: BodyField; unit?: string | undefined } = {},
): string {
  const { description = '', form, example } = field.traits;
  const label = entry ? labelOfField(entry) : '';
  const repeatsLabel = description.toLowerCase().replace(/^the /, '') === label.toLowerCase();
  const isOptional = entry && operation && !entry.mustBeSent && operation.effect !== 'update';
  const canSkip = isOptional && presentationOf(field).question === 'text';
  const parts = [
    repeatsLabel ? '' : description,
    unit ? `in ${unit}` : '',
    describeBounds(field.traits) ?? '',
    formatHints[form ?? field.kind]?.(example) ?? '',
    canSkip ? 'Enter to skip' : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

const formatHints: Readonly<
  Partial<Record<Kind | NonNullable<Traits['form']>, (example: unknown) => string>>
> = {
  date: (example) => `for example ${example ?? '2026-11-20'}, 20 Nov 2026, today or Friday`,
  hour: () => 'for example 17 or 5pm',
  email: () => 'for example name@example.com',
  phone: () => 'spaces and a leading +966 or 0 are allowed',
  ring: () => 'the name of a GeoJSON file, or JSON',
  object: () => 'JSON',
};

/** Validates a value together with the other values of the body. Returns its first problem, or undefined. */
export function validateAnswer(
  { operation, body, nested }: StepContext,
  name: string,
  label: string,
  value: unknown,
): string | undefined {
  const change = nested ? { [nested.list]: [{ ...nested.value, [name]: value }] } : { [name]: value };
  const problems = Object.entries(validateBody(operation, { ...body, ...change }));
  const start = nested ? `${nested.list}.0.${name}` : name;
  const [path = start, messages = []] =
    problems.find(([path]) => path === start || path.startsWith(`${start}.`)) ?? [];
  return messages[0] && `${label}${path.slice(start.length)} ${messages[0]}.`;
}

export function canBeSkipped({ mustBeSent, field }: BodyField, { effect }: Operation): boolean {
  return effect === 'update' ? field.traits.nullable === true : !mustBeSent;
}

/** Returns the label of the choice that skips a question: an update clears the field. */
export function skipLabelOf({ effect }: Operation): string {
  return effect === 'update' ? '(none)' : '(skip)';
}

/** Returns the answer of a skipped field. An update clears the field; a new record doesn't get it. */
export function skippedAnswer({ field }: BodyField, { effect }: Operation): Answer | undefined {
  return effect === 'update' ? { value: field.kind === 'many' ? [] : null, display: emptyText } : undefined;
}
