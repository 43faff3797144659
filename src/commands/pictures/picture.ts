/** What all pictures have alike: filters, every record of a list read, and being shown in words, drawn or as a page. */

import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { shownWithInclude } from '../../contract/include.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { readQuery } from '../../input/list-query.ts';
import { presented } from '../../output/present.ts';
import type { FactsResult, Page, Result } from '../../output/result.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { isolated } from '../../terminal/isolate.ts';
import { progress } from '../../terminal/progress.ts';
import { wrapped } from '../../terminal/width.ts';
import type { Command } from '../command.ts';
import { addFilterFlags, givenValues } from '../flags/field-flags.ts';
import { openPicture } from './open-picture.ts';

/** What a picture adds to its command: it is drawn with the operands and flags that the line gives. */
export interface PictureCommand<Flags extends PictureFlags> {
  command: Command;
  context: Context;
  /** Whose list is filtered. */
  listed: Resource;
  example: string;
  draw(flags: Flags, operands: readonly string[]): Promise<Picture>;
}

export function addPicture<Flags extends PictureFlags>(picture: PictureCommand<Flags>): void {
  const { command, context, listed, example, draw } = picture;
  addFilterFlags(command, listed.filters);
  for (const option of [
    new Option('--plain', 'in words alone, for screen readers and files'),
    new Option('--open', 'as a page in the browser'),
  ]) {
    command.addOption(option.helpGroup('Output:'));
  }
  command.examples(`${example}`);
  command.action(
    presented(context, () => {
      const flags = command.opts<Flags>();
      return showPicture(context, flags, () => draw(flags, command.args));
    }),
  );
}

/** As typed. */
export interface PictureFlags {
  plain?: boolean;
  open?: boolean;
  filter?: readonly string[];
}

/** What a list is asked for. */
export interface Wanted {
  /** Filters by name, as typed. */
  filters: readonly { name: string; texts: string[] }[];
  filter?: readonly string[] | undefined;
  /** Relations in full, where the token may see them. */
  optional: readonly string[];
}

export function givenFilters(command: Command, { filters }: Resource): Wanted['filters'] {
  return givenValues(
    command,
    filters.map(({ name }) => name),
  );
}

/** All records that the filters leave: a picture of a part would be a wrong one. */
export async function readRecords(context: Context, resource: Resource, wanted: Wanted): Promise<Row[]> {
  const list = operation(resource, 'list');
  if (!list) throw new Error(`${resource.name} has no list`);
  const { filters, filter = [], optional } = wanted;
  const query = await readQuery(
    resource,
    { filters, filter },
    context.now(),
    context.globals.unchecked ?? false,
  );
  const session = await context.session();
  await session.permit({ operation: list });
  const resolved = await session.resolveFilters(resource, {
    ...query,
    optional: shownWithInclude(resource, optional),
  });
  const shown = progress(context.streams, { label: `Reading ${resource.nouns}`, afterMs: 400 });
  const rows: Row[] = [];
  try {
    const reading = session.list({ operation: list, query: resolved }, {});
    for await (const batch of reading.batches()) {
      rows.push(...batch);
      shown.update(rows.length, reading.facts().total);
    }
  } finally {
    shown.done();
  }
  return rows;
}

export interface Picture {
  title: string;
  facts: unknown;
  rows?: readonly unknown[];
  /** The field of a row that stands for it. */
  key?: string;
  /** All of it in sentences. */
  words: readonly string[];
  /** Safe to print. */
  drawn(page: Page): string;
  /** Safe as HTML. */
  page(): string;
}

/** In words where that is asked for, or where the terminal shows nothing beyond ASCII. */
async function showPicture(
  context: Context,
  flags: PictureFlags,
  make: () => Promise<Picture>,
): Promise<Result> {
  const { globals } = context;
  if (globals.dryRun) throw usage('A picture only reads: there is nothing to rehearse.');
  if (flags.open && (flags.plain || globals.output !== undefined)) {
    throw usage(`--open is a page: leave out ${flags.plain ? '--plain' : '-o'}.`);
  }
  const { title, facts, rows, key, words, drawn, page } = await make();
  if (flags.open) {
    return openPicture(context, { title, drawing: page(), words });
  }
  const result: FactsResult = {
    kind: 'facts',
    facts,
    ...(rows && { rows }),
    ...(key !== undefined && { key }),
    isForPeople: flags.plain === true,
    text: (on) =>
      flags.plain || !on.unicode
        ? sentences(words, on)
            .map((line) => `${line}\n`)
            .join('')
        : drawn(on),
  };
  return result;
}

/** Sentences that are safe to print, in lines that break at spaces on a terminal. */
export function sentences(words: readonly string[], { width, unicode, isWindow }: Page): string[] {
  const clean = words.map((line) => cleanLine(line));
  if (!isWindow) return clean;
  return clean.flatMap((line) => wrapped(line, width)).map((line) => (unicode ? isolated(line) : line));
}

/** A text that is there and says something. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
