/** A form as a whole: each line can be changed, and what is sent stands there before it is. */
import type { Context } from '../context/context.ts';
import { capital } from '../contract/capital.ts';
import { renderCard } from '../terminal/card.ts';
import { cleanLine } from '../terminal/clean.ts';
import { write } from '../terminal/streams.ts';
import { displayWidth, pad, truncate } from '../terminal/width.ts';
import { changeShown } from './answer.ts';
import type { Form } from './form.ts';
import type { Step } from './question-order.ts';
import { pick } from './terminal/prompts.ts';
import { fixedEntries } from './terminal/questions.ts';

export interface Review {
  canGoBack: boolean;
  problem?: string | undefined;
}

export type Decision = { next: 'send' } | { next: 'leave' } | { next: 'ask'; step: Step };

export async function review(
  { streams }: Context,
  form: Form,
  { canGoBack, problem }: Review,
): Promise<Decision> {
  const { operation, steps } = form;
  const changed = form.changedSteps();
  const widest = Math.min(
    30,
    Math.floor(streams.columns * 0.4),
    Math.max(...steps.map(({ label }) => displayWidth(label))),
  );
  const lines = steps.map((step) => ({
    value: { next: 'ask', step } as Decision,
    key: step.name,
    label: `${pad(truncate(step.label, widest, streams.unicode ? '…' : '...'), widest)}  ${lineOf(form, step, streams.unicode)}`,
  }));
  const send = { value: { next: 'send' } as Decision, key: '=send', label: sendWords(form, changed.length) };
  const leave = { value: { next: 'leave' } as Decision, key: '=leave', label: 'Send nothing' };
  const isUpdate = operation.effect === 'update';
  return pick(streams, {
    message: question(form),
    hint:
      changed.length > 0
        ? 'Enter sends it as it stands; choose a line to change it.'
        : 'Choose a line to change it.',
    problem,
    canGoBack,
    isGone: true,
    entries: fixedEntries([...(isUpdate && changed.length === 0 ? [] : [send]), ...lines, leave]),
  });
}

function question({ operation, what }: Form): string {
  const { effect, resource, verb } = operation;
  if (effect === 'create') return `Create this ${resource.noun}?`;
  if (effect === 'update') return `What to change in ${what}?`;
  return `${capital(verb.replaceAll('-', ' '))}: send this?`;
}

function sendWords({ operation: { effect, resource } }: Form, count: number): string {
  if (effect === 'create') return `Yes, create this ${resource.noun}`;
  if (effect !== 'update') return 'Yes, send this';
  return count === 1 ? 'Send this change' : `Send these ${count} changes`;
}

/** What stands in a line: of an update also what stood there. */
function lineOf(form: Form, step: Step, unicode: boolean): string {
  const none = unicode ? '–' : '-';
  const isChanged = step.fields.some((entry) => form.isChanged(entry));
  if (isChanged && form.operation.effect === 'update') return changeOf(form, step);
  const present = form.present();
  if (step.fields.length > 1) {
    const on = step.fields.filter(({ name }) => present.get(name)?.value === true);
    return on.map(({ field }) => field.traits.label ?? '').join(', ') || none;
  }
  const [entry] = step.fields;
  const answer = entry && present.get(entry.name);
  if (answer) return answer.shown;
  if (entry?.field.traits.defaultsToSignedInUser && form.operation.effect === 'create')
    return 'whoever is signed in';
  return entry && form.operation.effect === 'update' && form.unknown.includes(entry.name)
    ? '(not shown)'
    : none;
}

/** `old → new` */
function changeOf(form: Form, { fields }: Step): string {
  return fields
    .filter((entry) => form.isChanged(entry))
    .map((entry) => {
      const answer = form.answers.get(entry.name);
      if (!answer) return '';
      const change = form.unknown.includes(entry.name)
        ? answer.shown
        : changeShown(entry, form.before.get(entry.name), answer);
      return fields.length > 1 ? `${entry.field.traits.label ?? entry.name} ${change}` : change;
    })
    .join('; ');
}

/** What is about to be sent, as it stays on the screen. */
export async function writeSummary({ streams }: Context, form: Form): Promise<void> {
  const { operation } = form;
  const entries = form.changedSteps().map((step) => ({ name: step.name, label: step.label }));
  const shown = Object.fromEntries(
    form.changedSteps().map((step) => [step.name, lineOf(form, step, streams.unicode)]),
  );
  if (entries.length === 0) return;
  const card = renderCard(
    entries.map((entry) => ({ ...entry, value: () => shown[entry.name] })),
    shown,
    { colour: streams.colour.err, unicode: streams.unicode },
  );
  const head = operation.effect === 'update' ? `${cleanLine(capital(form.what))}:\n` : '';
  await write(streams.stderr, `\n${head}${card}\n`);
}
