/** Shows the complete form before it is sent. Each line can be changed. */
import type { Context } from '../context/context.ts';
import { capitalize } from '../contract/wording.ts';
import { renderCard } from '../terminal/card.ts';
import { cleanLine } from '../terminal/clean.ts';
import { write } from '../terminal/streams.ts';
import { displayWidth, pad, truncate } from '../terminal/width.ts';
import { describeChange } from './answer.ts';
import type { Form } from './form.ts';
import type { Step } from './steps.ts';
import { promptsFor } from './terminal/prompts.ts';

/** Options of a review. */
export interface ReviewOptions {
  canGoBack: boolean;
  problem?: string | undefined;
}

/** What the user chose: to send the form, to cancel, or to answer a question again. */
export type ReviewChoice = { next: 'send' } | { next: 'cancel' } | { next: 'ask'; step: Step };

/** Shows the form and returns the choice of the user. */
export async function review(
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
export async function writeSummary({ streams }: Context, form: Form): Promise<void> {
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
