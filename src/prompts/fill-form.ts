/**
 * What a write still needs, asked for at the terminal in a person’s order, shown as a whole, sent, and opened again
 * where the service refuses it.
 */

import { Failure, violations } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { type BodyField, isLines, type Operation } from '../contract/operation.ts';
import { validateBody } from '../contract/validate.ts';
import { commandLine } from '../input/command-line.ts';
import type { Row } from '../session/row.ts';
import { note } from '../terminal/messages.ts';
import { askStep } from './ask-field.ts';
import { askIds } from './ask-ids.ts';
import type { SheetIn } from './asked.ts';
import { type EarlierLines, earlierLines, tellDifferences } from './earlier-lines.ts';
import { Form, type Input, type Said } from './form.ts';
import { missingFields } from './missing-input.ts';
import { isAsked, type Step } from './question-order.ts';
import { review, writeSummary } from './review.ts';
import { WentBack } from './terminal/questions.ts';

export interface GivenInput extends Input {
  /** Of several records, all of which get the same: how many they are. Nothing is read of them then. */
  count?: number | undefined;
  /** Lines are filled in for all records there are. */
  sheet?: SheetIn | undefined;
}

/** `known` is the record as it was read for the questions. */
export interface FilledInput extends Input {
  known: Row | undefined;
}

/**
 * Answers what `send` answered. Throws `interrupted` where the person ends it, `usage` at once where what was given is
 * wrong already, and whatever `send` throws that no other answer can mend.
 */
export async function fillForm<Sent>(
  context: Context,
  operation: Operation,
  given: GivenInput,
  send: (input: FilledInput) => Promise<Sent>,
): Promise<Sent> {
  if (!context.globals.unchecked) refuseMistakes(operation, given.body);
  const session = await context.session();
  // Nobody fills in a form in vain.
  if (!context.globals.dryRun) await session.permit({ operation, ids: given.ids, body: given.body });
  const { body = {} } = await session.resolve({ operation, ids: [], body: given.body });
  const form = new Form(operation, body);
  await form.nameGiven(session);
  if (given.count !== undefined) form.isForSeveral(given.count);
  const asking = new Asking(context, form, given);
  for (let isOpen = false; ; isOpen = true) {
    try {
      if (!isOpen) await asking.open();
      await asking.decide();
    } catch (error) {
      asking.leave();
      throw error;
    }
    await writeSummary(context, form);
    try {
      return await send({
        ids: form.ids,
        body: form.body(),
        known: form.recordId === undefined ? undefined : form.record,
      });
    } catch (error) {
      await asking.reopen(error);
    }
  }
}

/** Nobody should answer ten questions to be told then that a flag is wrong. */
function refuseMistakes(operation: Operation, body: Input['body']): void {
  const missing = missingFields(operation, body).map(({ name }) => name);
  const mistakes = Object.entries(validateBody(operation, body)).filter(([name]) => !missing.includes(name));
  if (mistakes.length === 0) return;
  throw violations(
    `The input of ${operation.resource.command} ${operation.verb}`,
    Object.fromEntries(mistakes),
  );
}

/** The questions of one form, one after the other and back again. */
class Asking {
  readonly #context: Context;
  readonly #form: Form;
  readonly #givenIds: readonly string[];
  readonly #sheet: SheetIn | undefined;
  /** Those that are asked without anybody’s asking for them. */
  readonly #steps: readonly Step[];
  #problem: string | undefined;
  readonly #earlierLines = new Map<string, Promise<EarlierLines | undefined>>();
  /** The lines whose differences were told last. */
  #told: string | undefined;

  constructor(context: Context, form: Form, { ids, sheet }: GivenInput) {
    this.#context = context;
    this.#form = form;
    this.#givenIds = ids;
    this.#sheet = sheet;
    this.#steps = form.steps.filter(
      (step) =>
        (sheet && step.fields.some(({ field }) => isLines(field))) ||
        (isAsked(form.operation, step) && step.fields.some(({ name }) => !form.answers.has(name))),
    );
  }

  async open(): Promise<void> {
    await this.#askIds();
    await this.#askFrom(0);
  }

  /** Until the person wants it to be sent. */
  async decide(): Promise<void> {
    const form = this.#form;
    if (this.#context.globals.yes && this.#problem === undefined && form.changedSteps().length > 0) return;
    for (;;) {
      this.#context.signal.throwIfAborted();
      await this.#tellDifferences();
      const canGoBack = this.#steps.length > 0 || this.#hasAskedIds();
      try {
        const known = form.recordId === undefined ? undefined : form.record;
        const session = await this.#context.session();
        await session.notifyPlanned([{ operation: form.operation, body: form.body(), known }]);
        const decision = await review(this.#context, form, { canGoBack, problem: this.#problem });
        this.#problem = undefined;
        if (decision.next === 'send') return;
        if (decision.next === 'leave') throw new Failure('interrupted', 'Nothing was sent.');
        await this.#askAside(decision.step);
      } catch (error) {
        if (!(error instanceof WentBack)) throw error;
        if (this.#steps.length === 0) await this.#askIds();
        else await this.#askFrom(this.#steps.length - 1);
      }
    }
  }

  /** Many lines are not filled in twice: where the person ends the form, the command that has them is told. */
  leave(): void {
    const form = this.#form;
    const filled = form.operation.body.find((entry) => isLines(entry.field) && form.isChanged(entry));
    if (filled && this.#sheet) this.#tellCommand('What was filled in, as a command:');
  }

  #tellCommand(what: string): void {
    const form = this.#form;
    note(this.#context.streams, what);
    note(
      this.#context.streams,
      `  ${commandLine(this.#context.globals, form.operation, form.ids, form.body())}`,
    );
  }

  /** After a refusal: at the field in question, with the service’s words. Throws what no other answer can mend. */
  async reopen(error: unknown): Promise<void> {
    const form = this.#form;
    this.#tellCommand('The same without questions:');
    if (!(error instanceof Failure) || !(error.category === 'refused' || error.category === 'usage'))
      throw error;
    const { about, left } = form.sort(error.details.fields ?? {});
    if (about)
      await this.#askAside(about.step, { ...about, problem: `${error.message} ${about.problem}`.trim() });
    this.#problem = about ? left.join(' ') || undefined : [error.message, ...left].join(' ');
  }

  /** What the lines are compared with; read once for each record that both have in common. */
  #earlier(entry: BodyField): Promise<EarlierLines | undefined> {
    const form = this.#form;
    const same = form.operation.body.find(({ shown }) => shown === entry.field.traits.earlier?.same);
    const sameId = same && form.present().get(same.name)?.value;
    if (typeof sameId !== 'string') return Promise.resolve(undefined);
    const key = `${entry.name} ${sameId}`;
    const reading =
      this.#earlierLines.get(key) ??
      earlierLines(this.#context, form.operation, entry, { sameId, ownId: form.recordId });
    this.#earlierLines.set(key, reading);
    return reading;
  }

  /** Once for the same lines, before they begin to count. */
  async #tellDifferences(): Promise<void> {
    const form = this.#form;
    for (const entry of form.operation.body) {
      const { difference } = entry.field.traits.earlier ?? {};
      const answer = form.present().get(entry.name);
      const when = form.operation.body.find(({ name }) => name === difference?.when);
      const isTold = form.isChanged(entry) || (when !== undefined && form.isChanged(when));
      if (!difference || !answer || !isTold || this.#told === JSON.stringify(answer.value)) continue;
      this.#told = JSON.stringify(answer.value);
      await tellDifferences(this.#context, entry, answer, await this.#earlier(entry));
    }
  }

  #hasAskedIds(): boolean {
    return this.#givenIds.length < this.#form.operation.params.length;
  }

  async #askIds(): Promise<void> {
    const form = this.#form;
    if (form.isSeveral) return;
    form.ids = await askIds(this.#context, form.operation, this.#givenIds);
    await form.readRecord(this.#context);
  }

  async #askFrom(first: number): Promise<void> {
    for (let at = first; at < this.#steps.length; at++) {
      const step = this.#steps[at];
      if (!step) break;
      try {
        await this.#ask(step, at > 0 || this.#hasAskedIds());
      } catch (error) {
        if (!(error instanceof WentBack)) throw error;
        if (at === 0) await this.#askIds();
        at = Math.max(-1, at - 2);
      }
    }
  }

  /** One question out of their order; going back leads to where the person came from. */
  async #askAside(step: Step, said?: Said): Promise<void> {
    try {
      await this.#ask(step, true, said);
    } catch (error) {
      if (!(error instanceof WentBack)) throw error;
    }
  }

  async #ask(step: Step, canGoBack: boolean, said?: Said): Promise<void> {
    this.#context.signal.throwIfAborted();
    const form = this.#form;
    const { operation } = form;
    const present = form.present();
    const body = Object.fromEntries([...form.answers].map(([name, { value }]) => [name, value]));
    form.take(
      await askStep(this.#context, {
        operation,
        step,
        body,
        present,
        record: form.record,
        problem: said?.problem,
        lineProblems: said?.lineProblems,
        canGoBack,
        sheet: this.#sheet,
        draft: form.draftOf(step),
        earlier: (entry) => this.#earlier(entry),
      }),
    );
  }
}
