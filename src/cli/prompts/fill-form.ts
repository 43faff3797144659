/**
 * Asks for the missing fields of a write on the terminal, shows the complete form, sends it, and opens it again if the
 * service rejects it.
 */

import type { Row } from '../../account/session/row.ts';
import { takesEffect } from '../../api/contract/irreversible.ts';
import { type BodyField, isDocumentLines, type Operation } from '../../api/contract/operation.ts';
import { validateBody } from '../../api/contract/validate.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { Failure, violations } from '../../base/errors.ts';
import type { Context } from '../context/context.ts';
import { formatCommandLine } from '../input/command-line.ts';
import { renderCard } from '../terminal/card.ts';
import { cleanLine } from '../terminal/clean.ts';
import { note, warn } from '../terminal/messages.ts';
import { write } from '../terminal/streams.ts';
import { displayWidth, pad, truncate } from '../terminal/width.ts';
import { describeChange, readNames } from './answer.ts';
import { askStep } from './ask-field.ts';
import { DraftFile } from './drafts.ts';
import { type EarlierLines, readEarlierLines, writeDifferences } from './earlier-lines.ts';
import { askIds } from './find-record.ts';
import { type FieldRefusal, Form, type WriteInput } from './form.ts';
import { missingFields } from './missing-input.ts';
import type { RecordsDraft } from './record-entries.ts';
import { isAlwaysAsked, type Step } from './steps.ts';
import { promptsFor } from './terminal/prompts.ts';
import { BackRequested, canceled } from './terminal/questions.ts';

/** The input of the command line that a form starts with. */
export interface FormInput extends WriteInput {
  /** The number of records that get the same fields, if more than one. They are not read. */
  count?: number | undefined;
  /** Whether the lines of all records are filled in, with `--sheet`. */
  sheet?: boolean | undefined;
  /** Returns warnings, one sentence each, about answers that the API accepts but that are probably mistakes. */
  warningsFor?(input: FilledInput): Promise<readonly string[]>;
}

/** The complete input of a form. `recordBefore` is the record that was read for the questions, if any. */
export interface FilledInput extends WriteInput {
  recordBefore: Row | undefined;
}

/**
 * Returns the result of `send`. Throws `interrupted` if the user cancels, `usage` before the first question if the
 * initial input is invalid, and each failure of `send` that another answer can't fix.
 */
export async function fillForm<Result>(
  context: Context,
  operation: Operation,
  initial: FormInput,
  send: (input: FilledInput) => Promise<Result>,
): Promise<Result> {
  if (!context.globals.unchecked) refuseInvalidInput(operation, initial.body);
  const session = await context.session();
  // A missing permission is reported before the user fills in the form.
  if (!context.globals.dryRun)
    await session.permissions.checkPermission({ operation, ids: initial.ids, body: initial.body });
  const { body = {} } = await session.names.resolve({ operation, ids: [], body: initial.body });
  const form = new Form(operation, body);
  await form.addRecordNames(session);
  if (initial.count !== undefined) form.prepareForBulk(initial.count);
  const dialog = new FormDialog(context, form, initial);
  for (let isOpen = false; ; isOpen = true) {
    try {
      if (!isOpen) await dialog.open();
      await dialog.reviewUntilSent();
    } catch (error) {
      dialog.noteUnsent();
      throw error;
    }
    await writeSummary(context, form);
    try {
      const result = await send(dialog.filledInput());
      dialog.removeDraft();
      return result;
    } catch (error) {
      await dialog.reopen(error);
    }
  }
}

/** Reports invalid flags before the first question. */
function refuseInvalidInput(operation: Operation, body: WriteInput['body']): void {
  const missing = missingFields(operation, body).map(({ name }) => name);
  const problems = Object.entries(validateBody(operation, body)).filter(([name]) => !missing.includes(name));
  if (problems.length === 0) return;
  throw violations(`input for ${operation.resource.command} ${operation.verb}`, Object.fromEntries(problems));
}

/** Asks the questions of one form. The user can go back to earlier questions. */
class FormDialog {
  readonly #context: Context;
  readonly #form: Form;
  readonly #input: FormInput;
  /** The questions that are always asked. The others are asked if the user chooses them in the review. */
  readonly #steps: readonly Step[];
  #problem: string | undefined;
  readonly #earlierLines = new Map<string, Promise<EarlierLines | undefined>>();
  /** The content of questions before the user went back. */
  readonly #drafts = new Map<Step, unknown>();
  #draftFile: DraftFile | undefined;
  #isDraftSaved = false;
  readonly #shownWarnings = new Set<string>();
  /** The lines that were compared last, as JSON. */
  #comparedLines: string | undefined;
  /** The body that was checked last, as JSON. */
  #checkedBody: string | undefined;

  constructor(context: Context, form: Form, input: FormInput) {
    this.#context = context;
    this.#form = form;
    this.#input = input;
    this.#steps = form.steps.filter(
      (step) =>
        (input.sheet && step.fields.some(({ field }) => isDocumentLines(field))) ||
        (isAlwaysAsked(form.operation, step) && step.fields.some(({ name }) => !form.answers.has(name))),
    );
  }

  async open(): Promise<void> {
    await this.#askIds();
    const isOpen = ({ fields }: Step) => fields.some(({ name }) => !this.#form.answers.has(name));
    const firstOpen = (await this.#continueDraft()) ? this.#steps.findIndex(isOpen) : 0;
    await this.#askFrom(firstOpen === -1 ? this.#steps.length : firstOpen);
  }

  /** Shows the review until the user sends the form. Throws `interrupted` if they cancel. */
  async reviewUntilSent(): Promise<void> {
    const form = this.#form;
    await this.#warn();
    if (this.#context.globals.yes && this.#problem === undefined && form.changedSteps().length > 0) return;
    for (;;) {
      this.#context.signal.throwIfAborted();
      await this.#writeDifferences();
      await this.#warn();
      const canGoBack = this.#steps.length > 0 || this.#hasAskedIds();
      try {
        const session = await this.#context.session();
        await session.permissions.notifyPlanned([{ operation: form.operation, ...this.filledInput() }]);
        const decision = await review(this.#context, form, { canGoBack, problem: this.#problem });
        this.#problem = undefined;
        if (decision.next === 'send') return;
        if (decision.next === 'cancel') throw canceled();
        await this.#askOutOfOrder(decision.step);
      } catch (error) {
        if (!(error instanceof BackRequested)) throw error;
        if (this.#steps.length === 0) await this.#askIds();
        else await this.#askFrom(this.#steps.length - 1);
      }
    }
  }

  /** Offers the answers of an earlier form of this command and record that wasn't sent. Returns whether the user continues with them. */
  async #continueDraft(): Promise<boolean> {
    const form = this.#form;
    const { globals, streams } = this.#context;
    if (form.isBulk || globals.dryRun) return false;
    const session = await this.#context.session();
    // Outside a profile, the account would have to be requested.
    if ((session.settings.profile ?? session.settings.sandbox) === undefined) return false;
    this.#draftFile = new DraftFile(await session.folder(), form.operation, form.ids);
    const draft = globals.yes ? undefined : this.#draftFile.read();
    if (!draft) return false;
    const time = draft.savedAt.toLocaleString('sv-SE').slice(0, 16);
    const message = `This was not sent on ${time}. Continue with its answers?`;
    if (!(await (await promptsFor(streams)).confirm({ message, initial: true }))) {
      this.#draftFile.remove();
      return false;
    }
    this.#isDraftSaved = true;
    const answers = [...draft.answers].filter(([name]) => !form.answers.has(name));
    form.addAnswers(new Map(answers));
    await form.addRecordNames(session);
    for (const [name, { records = [], texts }] of draft.sheets) {
      const step = this.#steps.find((candidate) => candidate.name === name);
      const { target = '' } = step?.fields[0]?.field.traits ?? {};
      const ids = records.map(({ id }) => id);
      const named = new Map((await readNames(session, target, ids)).map((record) => [record.id, record]));
      if (step)
        this.#drafts.set(step, { records: records.map((record) => named.get(record.id) ?? record), texts });
    }
    return true;
  }

  /** Keeps the answers so far, and the content of an unfinished sheet. */
  #saveDraft(step?: Step, sheet?: RecordsDraft): void {
    const { operation, answers } = this.#form;
    const sheets = new Map(step && sheet ? [[step.name, sheet]] : []);
    const draft = { savedAt: this.#context.now(), answers, sheets };
    this.#isDraftSaved = this.#draftFile?.save(operation, draft) || this.#isDraftSaved;
  }

  removeDraft(): void {
    if (this.#isDraftSaved) this.#draftFile?.remove();
  }

  /** Shows how to continue a form that isn't sent. */
  noteUnsent(): void {
    if (this.#isDraftSaved)
      note(this.#context.streams, 'Your answers are kept: run the command again to continue.');
    else this.#noteFilledLines();
  }

  /** Shows a command with the lines filled in so far, so that a canceled form doesn't have to be filled in again. */
  #noteFilledLines(): void {
    const form = this.#form;
    const changedLines = form.operation.body.find(
      (entry) => isDocumentLines(entry.field) && form.isChanged(entry),
    );
    if (changedLines && this.#input.sheet) this.#noteCommand('To send what you filled in:');
  }

  #noteCommand(title: string): void {
    const form = this.#form;
    note(this.#context.streams, title);
    note(
      this.#context.streams,
      `  ${formatCommandLine(this.#context.globals, form.operation, form.ids, form.body())}`,
    );
  }

  /** Asks again for the field that the service rejected. Throws failures that another answer can't fix. */
  async reopen(error: unknown): Promise<void> {
    const form = this.#form;
    this.#noteCommand('To repeat this without prompts:');
    if (!(error instanceof Failure) || !(error.category === 'refused' || error.category === 'usage'))
      throw error;
    const { fieldRefusal, otherMessages } = form.splitRefusal(error.details.fields ?? {});
    if (fieldRefusal)
      await this.#askOutOfOrder(fieldRefusal.step, {
        ...fieldRefusal,
        problem: `${error.message} ${fieldRefusal.problem}`.trim(),
      });
    this.#problem = fieldRefusal
      ? otherMessages.join(' ') || undefined
      : [error.message, ...otherMessages].join(' ');
  }

  /** Returns the earlier lines to compare with. They are read once for each branch or other common record. */
  #readEarlierLines(entry: BodyField): Promise<EarlierLines | undefined> {
    const form = this.#form;
    const sharedEntry = form.operation.body.find(
      ({ responseName }) => responseName === entry.field.traits.previous?.matchingRelation,
    );
    const sharedId = sharedEntry && form.currentAnswers().get(sharedEntry.name)?.value;
    if (typeof sharedId !== 'string') return Promise.resolve(undefined);
    const key = `${entry.name} ${sharedId}`;
    const pendingLines =
      this.#earlierLines.get(key) ??
      readEarlierLines(this.#context, form.operation, entry, { sharedId, recordId: form.recordId });
    this.#earlierLines.set(key, pendingLines);
    return pendingLines;
  }

  /** Shows the differences from the earlier lines before they take effect. The same lines are compared only once. */
  async #writeDifferences(): Promise<void> {
    const form = this.#form;
    for (const entry of form.operation.body) {
      const { previous, replaces } = entry.field.traits;
      const answer = form.currentAnswers().get(entry.name);
      const isRelevant = form.isChanged(entry) || takesEffect(form.operation, form.body(), form.record);
      if (
        !(previous?.difference || replaces) ||
        !answer ||
        !isRelevant ||
        this.#comparedLines === JSON.stringify(answer.value)
      )
        continue;
      this.#comparedLines = JSON.stringify(answer.value);
      await writeDifferences(this.#context, entry, answer, await this.#readEarlierLines(entry));
    }
  }

  filledInput(): FilledInput {
    const { ids, recordId, record } = this.#form;
    return { ids, body: this.#form.body(), recordBefore: recordId === undefined ? undefined : record };
  }

  async #warn(): Promise<void> {
    const body = JSON.stringify(this.#form.body());
    if (this.#checkedBody === body) return;
    this.#checkedBody = body;
    for (const message of (await this.#input.warningsFor?.(this.filledInput())) ?? []) {
      if (this.#shownWarnings.has(message)) continue;
      this.#shownWarnings.add(message);
      warn(this.#context.streams, message);
    }
  }

  #hasAskedIds(): boolean {
    return this.#input.ids.length < this.#form.operation.params.length;
  }

  async #askIds(): Promise<void> {
    const form = this.#form;
    if (form.isBulk) return;
    form.ids = await askIds(this.#context, form.operation, this.#input.ids);
    await form.readRecord(this.#context);
  }

  async #askFrom(first: number): Promise<void> {
    for (let index = first; index < this.#steps.length; index++) {
      const step = this.#steps[index];
      if (!step) break;
      try {
        await this.#ask(step, index > 0 || this.#hasAskedIds());
      } catch (error) {
        if (!(error instanceof BackRequested)) throw error;
        if (index === 0) await this.#askIds();
        index = Math.max(-1, index - 2);
      }
    }
  }

  /** Asks one question out of order. Going back leads to the review. */
  async #askOutOfOrder(step: Step, refusal?: FieldRefusal): Promise<void> {
    try {
      await this.#ask(step, true, refusal);
    } catch (error) {
      if (!(error instanceof BackRequested)) throw error;
    }
  }

  async #ask(step: Step, canGoBack: boolean, refusal?: FieldRefusal): Promise<void> {
    this.#context.signal.throwIfAborted();
    const form = this.#form;
    const { operation } = form;
    const currentAnswers = form.currentAnswers();
    const body = Object.fromEntries([...form.answers].map(([name, { value }]) => [name, value]));
    try {
      const answers = await askStep(this.#context, {
        operation,
        step,
        body,
        currentAnswers,
        record: form.record,
        linkedRecord: form.linkedRecord,
        problem: refusal?.problem,
        lineProblems: refusal?.lineProblems,
        canGoBack,
        sheet: this.#input.sheet,
        draft: this.#drafts.get(step),
        readEarlierLines: (entry) => this.#readEarlierLines(entry),
        keepDraft: (draft) => this.#saveDraft(step, draft),
      });
      this.#drafts.delete(step);
      form.addAnswers(answers);
      this.#saveDraft();
    } catch (error) {
      if (error instanceof BackRequested) this.#drafts.set(step, error.draft);
      throw error;
    }
  }
}

interface ReviewOptions {
  canGoBack: boolean;
  problem?: string | undefined;
}

/** What the user chose: to send the form, to cancel, or to answer a question again. */
type ReviewChoice = { next: 'send' } | { next: 'cancel' } | { next: 'ask'; step: Step };

/** Shows the form and returns the choice of the user. */
async function review(
  { streams }: Context,
  form: Form,
  { canGoBack, problem }: ReviewOptions,
): Promise<ReviewChoice> {
  const { operation, steps } = form;
  const changedSteps = form.changedSteps();
  const labelWidth = Math.min(
    30,
    Math.floor(streams.columns('err') * 0.4),
    Math.max(...steps.map(({ label }) => displayWidth(label))),
  );
  const lines = steps.map((step) => ({
    value: { next: 'ask', step } as ReviewChoice,
    key: step.name,
    label: `${pad(truncate(step.label, labelWidth, streams.unicode ? '…' : '...'), labelWidth)}  ${formatStep(form, step, streams.unicode)}`,
  }));
  const send = {
    value: { next: 'send' } as ReviewChoice,
    key: '=send',
    label: sendLabel(form, changedSteps.length),
  };
  const cancel = { value: { next: 'cancel' } as ReviewChoice, key: '=cancel', label: 'Cancel' };
  const isUpdate = operation.effect === 'update';
  return (await promptsFor(streams)).pick({
    message: reviewMessage(form),
    hint:
      changedSteps.length > 0
        ? 'Press Enter to send it, or select a field to change it.'
        : 'Select a field to change it.',
    problem,
    canGoBack,
    clearsWhenDone: true,
    entries: [...(isUpdate && changedSteps.length === 0 ? [] : [send]), ...lines, cancel],
  });
}

function reviewMessage({ operation, title }: Form): string {
  const { effect, resource, verb } = operation;
  if (effect === 'create') return `Create this ${resource.noun}?`;
  if (effect === 'update') return `What do you want to change in ${title}?`;
  return `${capitalize(verb.replaceAll('-', ' '))}: send this?`;
}

function sendLabel({ operation: { effect, resource } }: Form, count: number): string {
  if (effect === 'create') return `Yes, create this ${resource.noun}`;
  if (effect !== 'update') return 'Yes, send this';
  return count === 1 ? 'Send this change' : `Send these ${count} changes`;
}

/** Returns the value of a step as text. For an update, the text also has the previous value. */
function formatStep(form: Form, step: Step, unicode: boolean): string {
  const emptyMark = unicode ? '–' : '-';
  const isChanged = step.fields.some((entry) => form.isChanged(entry));
  if (isChanged && form.operation.effect === 'update') return formatStepChanges(form, step);
  const currentAnswers = form.currentAnswers();
  if (step.fields.length > 1) {
    const selectedFields = step.fields.filter(({ name }) => currentAnswers.get(name)?.value === true);
    return selectedFields.map(({ field }) => field.traits.label ?? '').join(', ') || emptyMark;
  }
  const [entry] = step.fields;
  const answer = entry && currentAnswers.get(entry.name);
  if (answer) return answer.display;
  if (entry?.field.traits.defaultsToSignedInUser && form.operation.effect === 'create')
    return 'the signed-in user';
  return entry && form.operation.effect === 'update' && form.hiddenFields.includes(entry.name)
    ? '(not shown)'
    : emptyMark;
}

/** Returns the changes of a step: `old → new`. */
function formatStepChanges(form: Form, { fields }: Step): string {
  return fields
    .filter((entry) => form.isChanged(entry))
    .map((entry) => {
      const answer = form.answers.get(entry.name);
      if (!answer) return '';
      const change = form.hiddenFields.includes(entry.name)
        ? answer.display
        : describeChange(entry, form.recordAnswers.get(entry.name), answer);
      return fields.length > 1 ? `${entry.field.traits.label ?? entry.name} ${change}` : change;
    })
    .join('; ');
}

/** Writes the changes that will be sent. They stay on the screen. */
async function writeSummary({ streams }: Context, form: Form): Promise<void> {
  const { operation } = form;
  const entries = form.changedSteps().map((step) => ({ name: step.name, label: step.label }));
  const valuesByName = Object.fromEntries(
    form.changedSteps().map((step) => [step.name, formatStep(form, step, streams.unicode)]),
  );
  if (entries.length === 0) return;
  const card = renderCard(
    entries.map((entry) => ({ ...entry, value: () => valuesByName[entry.name] })),
    valuesByName,
    { color: streams.color.err, unicode: streams.unicode },
  );
  const heading = operation.effect === 'update' ? `${cleanLine(capitalize(form.title))}:\n` : '';
  await write(streams.stderr, `\n${heading}${card}\n`);
}
