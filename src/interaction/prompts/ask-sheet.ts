/** One number for each of many records: in a table at the terminal, or in the person’s editor. */

import type { Row } from '../../client/shape.ts';
import { capital } from '../../contract/capital.ts';
import type { Field } from '../../contract/field.ts';
import { typedText } from '../../contract/text.ts';
import { fillSheet } from '../../terminal/prompts.ts';
import type { SheetQuestion } from '../../terminal/questions.ts';
import type { Context } from '../context.ts';
import { headerOf } from '../output/record-words.ts';
import { hintFor, type Lines, problemWith } from './asked.ts';
import type { EarlierLines } from './earlier-lines.ts';
import { labelOfField } from './question-order.ts';
import type { Found } from './record-entries.ts';
import { understand } from './understand.ts';

/** `before` are the links that are there, by id; answered are those that have a number now. */
export async function askSheet(
  context: Context,
  lines: Lines,
  amount: string,
  before: ReadonlyMap<string, Row>,
): Promise<Row[]> {
  const { entry, found, draft, lineProblems } = lines;
  const field = entry.field.traits.pivot?.[amount];
  if (!field || found.length === 0) return found.map(({ id }) => ({ id }));
  const reader = readerOf(context, lines, field, amount);
  const columns = columnsBeside(lines, await lines.earlier(entry));
  const question = {
    message: `${labelOfField(entry)}: ${headerOf(amount)} of each`,
    hint: hintFor(field, { unit: field.traits.unit }),
    problem: lines.problem,
    canGoBack: lines.canGoBack,
    header: headerOf(amount),
    columns: columns.map(({ header }) => header),
    rows: found.map((one) => ({
      id: one.id,
      label: one.label,
      cells: columns.map(({ cell }) => cell(one)),
      initial: draft.texts?.get(one.id) ?? textOf(field, before.get(one.id)?.[amount]),
      problem: lineProblems?.get(one.id),
    })),
    validate: reader.problemIn,
    mayBeEmpty: !entry.mustBeGiven,
    onLeave: (texts: readonly string[]) => {
      draft.texts = new Map(found.map(({ id }, row) => [id, texts[row] ?? '']));
    },
  };
  const texts = await (lines.sheet === 'editor'
    ? inEditor(context, lines, question)
    : fillSheet(context.streams, question));
  draft.texts = undefined;
  return found.flatMap(({ id }, row) => {
    const text = texts[row] ?? '';
    if (lines.sheet && text.trim() === '') return [];
    const { [amount]: _, ...held } = before.get(id) ?? {};
    return { ...held, id, ...(text.trim() !== '' && { [amount]: reader.read(text, row).value }) };
  });
}

async function inEditor(context: Context, { operation }: Lines, question: SheetQuestion): Promise<string[]> {
  const { fillInEditor } = await import('../editing/fill-in-editor.ts');
  return fillInEditor(context, operation.resource.one, question);
}

function textOf(field: Field, held: unknown): string {
  return held === undefined || held === null ? '' : (typedText(field, held) ?? String(held));
}

/** What is typed in a row, and what is wrong with it. */
function readerOf(context: Context, lines: Lines, field: Field, amount: string) {
  const { entry, found } = lines;
  const label = capital(headerOf(amount));
  const read = (text: string, row: number) =>
    understand(field, text, { now: context.now(), unit: unitOfLine(lines, found[row]) });
  const problemIn = (text: string, row: number): string | undefined => {
    if (text.trim() === '') {
      return field.traits.required && !lines.sheet
        ? `${label} of ${found[row]?.label} is needed.`
        : undefined;
    }
    const { value, problem } = read(text, row);
    if (problem !== undefined) return `${label} ${problem}.`;
    return problemWith(lines, entry.name, label, [{ id: found[row]?.id, [amount]: value }]);
  };
  return { read, problemIn };
}

function unitOfLine({ entry }: Lines, one: Found | undefined): string | undefined {
  const { unitFrom } = entry.field.traits;
  const unit = unitFrom === undefined ? undefined : one?.record?.[unitFrom];
  return typeof unit === 'string' ? unit : undefined;
}

interface Beside {
  header: string;
  cell(one: Found): string;
}

/** The unit, then what else a person wants to know of each record. */
function columnsBeside({ entry }: Lines, before: EarlierLines | undefined): Beside[] {
  const { unitFrom, beside = [], earlier } = entry.field.traits;
  const names = [...(unitFrom === undefined ? [] : [unitFrom]), ...beside];
  const last: Beside[] =
    before === undefined
      ? []
      : [{ header: earlier?.label ?? '', cell: ({ id }) => String(before.numbers.get(id) ?? '') }];
  const others = names.map((name) => ({
    header: name === unitFrom ? 'unit' : headerOf(name),
    cell: ({ record }: Found) => {
      const value = record?.[name];
      return value === undefined || value === null ? '' : String(value);
    },
  }));
  return [...others, ...last];
}
