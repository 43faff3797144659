/** The state of a form: the current values of the record, the answers, and the body to send. */

import { isRow, type Row } from '../../account/client/shape.ts';
import { linkValues } from '../../account/session/diff/fields.ts';
import { linkTo } from '../../account/session/record-body.ts';
import type { Session } from '../../account/session/session.ts';
import { type BodyField, type Operation, operation as operationOf } from '../../api/contract/operation.ts';
import { Failure, type FieldMessages } from '../../base/errors.ts';
import type { Context } from '../context/context.ts';
import { describeRecord, formatCount } from '../output/wording.ts';
import {
  type Answer,
  type Answers,
  addRecordNames,
  answerOf,
  currentAnswers,
  isSameAnswer,
} from './answer.ts';
import { type Step, type StepAnswers, stepsOf } from './steps.ts';

export interface WriteInput {
  ids: readonly string[];
  body: Row;
}

export class Form {
  readonly operation: Operation;
  readonly steps: readonly Step[];
  /** The noun and name of the record to change. */
  title: string;
  ids: readonly string[] = [];
  /** The ID of the record if it exists. */
  recordId: string | undefined;
  /** The record to change, or the record that the link belongs to. */
  record: Row = {};
  /** The record at the other end of a link, if its unit is needed and the token may read it. */
  linkedRecord: Row = {};
  isBulk = false;
  /** The current values by field. */
  recordAnswers: Answers = new Map();
  /** Fields that the service doesn't return. */
  hiddenFields: readonly string[] = [];
  readonly answers = new Map<string, Answer>();
  readonly #initialNames: ReadonlySet<string>;

  constructor(operation: Operation, initialBody: Row) {
    this.operation = operation;
    this.title = operation.resource.noun;
    this.steps = stepsOf(operation).filter(({ fields }) =>
      fields.every(({ field }) => !field.traits.ignored),
    );
    this.#initialNames = new Set(Object.keys(initialBody));
    for (const [name, value] of Object.entries(initialBody))
      this.answers.set(name, initialAnswer(operation, name, value));
  }

  /** Adds the names of records that the command line names by ID. */
  async addRecordNames(session: Session): Promise<void> {
    const answers = await addRecordNames(session, this.operation, this.answers);
    for (const [name, answer] of answers) this.answers.set(name, answer);
  }

  /** Prepares the form for several records. It starts empty because their values differ. */
  prepareForBulk(count: number): void {
    this.isBulk = true;
    this.title = formatCount(this.operation.resource, count);
    this.hiddenFields = this.operation.body.map(({ name }) => name);
  }

  /** Reads the record to change, if the token may read it. */
  async readRecord(context: Context): Promise<void> {
    const { operation, ids } = this;
    if (operation.effect !== 'update' && operation.effect !== 'link') return;
    const session = await context.session();
    try {
      if (operation.effect === 'update') {
        const current = await session.updates.current({ operation, ids });
        this.recordAnswers = await addRecordNames(session, operation, currentAnswers(operation, current));
        [this.hiddenFields, this.recordId] = [current.unknown, current.id];
        this.record = current.record;
        this.title = describeRecord(operation.resource.noun, current.id, current.record);
      } else {
        const resolved = await session.names.resolve({ operation, ids });
        const { record, fields } = await readCurrentLink(context, operation, resolved.ids ?? []);
        this.linkedRecord = await readLinkedRecord(context, operation, record, resolved.ids ?? []);
        this.recordAnswers = fields;
        this.record = record;
        for (const [name, answer] of fields) if (!this.answers.has(name)) this.answers.set(name, answer);
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
      this.hiddenFields = operation.body.map(({ name }) => name);
    }
  }

  currentAnswers(): Map<string, Answer> {
    return new Map([...this.recordAnswers, ...this.answers]);
  }

  addAnswers(answers: StepAnswers): void {
    for (const [name, answer] of answers) {
      if (answer === undefined) this.answers.delete(name);
      else this.answers.set(name, answer);
    }
  }

  /** Returns whether the answer differs from the current value. */
  isChanged({ name, field }: BodyField): boolean {
    const answer = this.answers.get(name);
    if (answer === undefined) return false;
    if (this.operation.effect !== 'update' || this.#initialNames.has(name)) return true;
    const before = this.recordAnswers.get(name)?.value;
    if (field.kind === 'boolean') return (before === true) !== (answer.value === true);
    return this.hiddenFields.includes(name) || !isSameAnswer(field, before, answer.value);
  }

  changedSteps(): Step[] {
    return this.steps.filter(({ fields }) => fields.some((entry) => this.isChanged(entry)));
  }

  /** Returns the changed fields, in the order of the API document. */
  body(): Row {
    const changedNames = this.operation.body.filter((entry) => this.isChanged(entry)).map(({ name }) => name);
    const otherNames = [...this.answers.keys()].filter(
      (name) => !this.operation.body.some((entry) => entry.name === name),
    );
    return Object.fromEntries(
      [...changedNames, ...otherNames].map((name) => [name, this.answers.get(name)?.value]),
    );
  }

  /** Splits the messages of a rejection: the messages about the first rejected question, and all others. */
  splitRefusal(messages: FieldMessages): {
    fieldRefusal?: FieldRefusal | undefined;
    otherMessages: string[];
  } {
    const refusals = Object.entries(messages).map(([path, pathMessages]) => ({
      path,
      text: pathMessages.join(' '),
      step: this.stepOfPath(path),
    }));
    const step = refusals.find((refusal) => refusal.step !== undefined)?.step;
    const body = this.body();
    const lines = new Map<string, string>();
    const problems: string[] = [];
    const otherMessages: string[] = [];
    for (const { path, text, step: refusedStep } of refusals) {
      const line = refusedStep === step ? lineIdOf(body, path) : undefined;
      if (refusedStep === undefined || refusedStep !== step)
        otherMessages.push(path === '_' ? text : `${path}: ${text}`);
      else if (line === undefined) problems.push(text);
      else lines.set(line, [lines.get(line), text].filter(Boolean).join(' '));
    }
    return {
      fieldRefusal: step && { step, problem: problems.join(' '), lineProblems: lines },
      otherMessages,
    };
  }

  /** Returns the step that a message is about: `items.0.quantity` is about the items. */
  stepOfPath(path: string): Step | undefined {
    const [name] = path.split('.');
    return this.steps.find(({ fields }) =>
      fields.some((entry) => entry.name === name || entry.responseName === name),
    );
  }
}

/** The messages of a rejection about one question. */
export interface FieldRefusal {
  step: Step;
  problem: string;
  /** Messages about single lines, by the ID of their record. */
  lineProblems: ReadonlyMap<string, string>;
}

/** Reads the record at the other end of a link, if it has the unit of the link's amount. */
async function readLinkedRecord(
  context: Context,
  { resource, link }: Operation,
  record: Row,
  [, id = '']: readonly string[],
): Promise<Row> {
  const { target = '', unitFrom } = resource.fields[link?.field ?? '']?.traits ?? {};
  const linkedResource = context.api.resource(target);
  const get = linkedResource && operationOf(linkedResource, 'get');
  if (!get || unitFrom === undefined) return {};
  const linkedRow = linkTo(record, link?.field ?? '', id);
  if (linkedRow?.[unitFrom] !== undefined) return linkedRow;
  return (await (await context.session()).get({ operation: get, ids: [id], query: {} })).record;
}

/** Returns the ID of the line that a message is about: `items.3.quantity` is about the fourth item that was sent. */
function lineIdOf(body: Row, path: string): string | undefined {
  const [name = '', index = ''] = path.split('.');
  const list = body[name];
  const item: unknown = Array.isArray(list) && index !== '' ? list[Number(index)] : undefined;
  return isRow(item) ? String(item.id) : undefined;
}

function initialAnswer(operation: Operation, name: string, value: unknown): Answer {
  const field = operation.body.find((entry) => entry.name === name)?.field;
  return field ? answerOf(field, value) : { value, display: JSON.stringify(value) };
}

/** Reads the fields of an existing link, which a new link replaces. */
async function readCurrentLink(
  context: Context,
  operation: Operation,
  [id = '', linkedId = '']: readonly string[],
): Promise<{ record: Row; fields: Map<string, Answer> }> {
  const get = operationOf(operation.resource, 'get');
  const field = operation.link?.field;
  if (!get || field === undefined) return { record: {}, fields: new Map() };
  const session = await context.session();
  const { record } = await session.get({ operation: get, ids: [id], query: { optional: [field] } });
  const body = linkValues(record, field, linkedId, operation);
  return { record, fields: body ? currentAnswers(operation, { record: body, body }) : new Map() };
}
