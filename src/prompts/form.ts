/** What a form knows: what is there, what was answered, and what of it is sent. */
import { Failure, type FieldMessages } from '../base/errors.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Context } from '../context/context.ts';
import { type BodyField, type Operation, operation as operationOf } from '../contract/operation.ts';
import { counted, named } from '../output/wording.ts';
import { heldBy } from '../session/diff/fields.ts';
import type { Session } from '../session/session.ts';
import { type Answer, type Answers, answerFor, isSameAnswer, presentAnswers, withNames } from './answer.ts';
import type { StepAnswers } from './ask-field.ts';
import type { Draft } from './asked.ts';
import { type Step, stepsOf } from './question-order.ts';

export interface Input {
  ids: readonly string[];
  body: Row;
}

export class Form {
  readonly operation: Operation;
  readonly steps: readonly Step[];
  /** The record that is changed, in words. */
  what: string;
  ids: readonly string[] = [];
  /** Where the record is there already. */
  recordId: string | undefined;
  /** What it shows; of a link, what the record shows that it belongs to. */
  record: Row = {};
  isSeveral = false;
  /** What the record holds. */
  before: Answers = new Map();
  /** Fields of which the record shows nothing. */
  unknown: readonly string[] = [];
  readonly answers = new Map<string, Answer>();
  /** What questions hold that were left without an answer, by their name. */
  readonly #drafts = new Map<string, Draft>();
  readonly #given: ReadonlySet<string>;

  constructor(operation: Operation, given: Row) {
    this.operation = operation;
    this.what = operation.resource.noun;
    this.steps = stepsOf(operation).filter(({ fields }) =>
      fields.every(({ field }) => !field.traits.leftAside),
    );
    this.#given = new Set(Object.keys(given));
    for (const [name, value] of Object.entries(given))
      this.answers.set(name, givenAnswer(operation, name, value));
  }

  /** What was given on the line is known by its ids: people know it by its names. */
  async nameGiven(session: Session): Promise<void> {
    const named = await withNames(session, this.operation, this.answers);
    for (const [name, answer] of named) this.answers.set(name, answer);
  }

  /** What is written to several records begins with nothing: each of them holds something else. */
  isForSeveral(count: number): void {
    this.isSeveral = true;
    this.what = counted(this.operation.resource, count);
    this.unknown = this.operation.body.map(({ name }) => name);
  }

  /** Reads what is there. What the token may not read is not known, and nothing is made up for it. */
  async readRecord(context: Context): Promise<void> {
    const { operation, ids } = this;
    if (operation.effect !== 'update' && operation.effect !== 'link') return;
    const session = await context.session();
    try {
      if (operation.effect === 'update') {
        const current = await session.current({ operation, ids });
        this.before = await withNames(session, operation, presentAnswers(operation, current));
        [this.unknown, this.recordId] = [current.unknown, current.id];
        this.record = current.record;
        this.what = named(operation.resource.noun, current.id, current.record);
      } else {
        const resolved = await session.resolve({ operation, ids });
        const { record, held } = await heldByLink(context, operation, resolved.ids ?? []);
        this.before = held;
        this.record = record;
        for (const [name, answer] of held) if (!this.answers.has(name)) this.answers.set(name, answer);
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
      this.unknown = operation.body.map(({ name }) => name);
    }
  }

  /** What a question begins with. */
  present(): Map<string, Answer> {
    return new Map([...this.before, ...this.answers]);
  }

  draftOf({ name }: Step): Draft {
    const draft = this.#drafts.get(name) ?? {};
    this.#drafts.set(name, draft);
    return draft;
  }

  take(answered: StepAnswers): void {
    for (const [name, answer] of answered) {
      if (answer === undefined) this.answers.delete(name);
      else this.answers.set(name, answer);
    }
  }

  /** Whether what was answered is something else than what is there. */
  isChanged({ name, field }: BodyField): boolean {
    const answer = this.answers.get(name);
    if (answer === undefined) return false;
    if (this.operation.effect !== 'update' || this.#given.has(name)) return true;
    const before = this.before.get(name)?.value;
    if (field.kind === 'boolean') return (before === true) !== (answer.value === true);
    return this.unknown.includes(name) || !isSameAnswer(field, before, answer.value);
  }

  changedSteps(): Step[] {
    return this.steps.filter(({ fields }) => fields.some((entry) => this.isChanged(entry)));
  }

  /** In the document's order, whatever the order of the questions; nothing that was not touched. */
  body(): Row {
    const known = this.operation.body.filter((entry) => this.isChanged(entry)).map(({ name }) => name);
    const others = [...this.answers.keys()].filter(
      (name) => !this.operation.body.some((entry) => entry.name === name),
    );
    return Object.fromEntries([...known, ...others].map((name) => [name, this.answers.get(name)?.value]));
  }

  /** All that is said of the first question that anything is said of, and what is left then. */
  sort(said: FieldMessages): { about?: Said | undefined; left: string[] } {
    const all = Object.entries(said).map(([path, messages]) => ({
      path,
      text: messages.join(' '),
      step: this.stepAbout(path),
    }));
    const step = all.find((one) => one.step !== undefined)?.step;
    const body = this.body();
    const lines = new Map<string, string>();
    const words: string[] = [];
    const left: string[] = [];
    for (const { path, text, step: its } of all) {
      const line = its === step ? lineOf(body, path) : undefined;
      if (its === undefined || its !== step) left.push(path === '_' ? text : `${path}: ${text}`);
      else if (line === undefined) words.push(text);
      else lines.set(line, [lines.get(line), text].filter(Boolean).join(' '));
    }
    return { about: step && { step, problem: words.join(' '), lineProblems: lines }, left };
  }

  /** The question that a message is about: `items.0.quantity` is about the items. */
  stepAbout(path: string): Step | undefined {
    const [name] = path.split('.');
    return this.steps.find(({ fields }) =>
      fields.some((entry) => entry.name === name || entry.shown === name),
    );
  }
}

/** What is said of a form, by what can be done about it. */
export interface Said {
  /** The question that it is about. */
  step: Step;
  problem: string;
  /** What is said of single lines of it, by the id of their record. */
  lineProblems: ReadonlyMap<string, string>;
}

/** `items.3.quantity` is about the fourth of the items that were sent. */
function lineOf(body: Row, path: string): string | undefined {
  const [name = '', index = ''] = path.split('.');
  const list = body[name];
  const item: unknown = Array.isArray(list) && index !== '' ? list[Number(index)] : undefined;
  return isRow(item) ? String(item.id) : undefined;
}

function givenAnswer(operation: Operation, name: string, value: unknown): Answer {
  const field = operation.body.find((entry) => entry.name === name)?.field;
  return field ? answerFor(field, value) : { value, shown: JSON.stringify(value) };
}

/** What a link holds that is there already: setting it again takes its place. */
async function heldByLink(
  context: Context,
  operation: Operation,
  [id = '', other = '']: readonly string[],
): Promise<{ record: Row; held: Map<string, Answer> }> {
  const get = operationOf(operation.resource, 'get');
  const field = operation.link?.field;
  if (!get || field === undefined) return { record: {}, held: new Map() };
  const session = await context.session();
  const { record } = await session.get({ operation: get, ids: [id], query: { optional: [field] } });
  const body = heldBy(record, field, other, operation);
  return { record, held: body ? presentAnswers(operation, { record: body, body }) : new Map() };
}
