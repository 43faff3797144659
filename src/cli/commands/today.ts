/** `boh today`: one page with what needs attention before opening. */

import { isRefusedList } from '../../account/session/list.ts';
import { formatTimestamp } from '../../api/contract/date-time.ts';
import { hasTakenEffect } from '../../api/contract/irreversible.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { boh, formatHint } from '../../base/hint.ts';
import { timeInZone } from '../../base/local-time-zone.ts';
import { formatCount, joinItems, maxShownItems } from '../../base/shown-items.ts';
import { finalStates, nextAction } from '../../engine/changes/change-set.ts';
import { entries } from '../../engine/history/journal/reading.ts';
import { rules } from '../../engine/lint/rules/index.ts';
import { formatHour } from '../../engine/weeks/build-week.ts';
import type { Context } from '../context/context.ts';
import type { DisplayOptions, Result } from '../output/result.ts';
import { shownTimeZone } from '../output/times.ts';
import { inferTitle } from '../output/wording.ts';
import { runRows } from '../pictures/week/describe-week.ts';
import { cleanLine } from '../terminal/clean.ts';
import { createPaint } from '../terminal/color.ts';
import { truncate } from '../terminal/width.ts';
import { openSets } from './change/open-sets.ts';
import type { Command } from './command.ts';
import { createCommand } from './declare.ts';
import { entryToJson } from './history/entries.ts';
import { openHistory } from './history/open-history.ts';
import { groupFindings, readLintScope, runLint } from './lint.ts';
import { readAllRecords } from './pictures/picture.ts';
import { readLevels, readWeek } from './pictures/verbs.ts';

const dayMs = 86_400_000;

/** A part of the page. */
interface Section {
  /** The key of its rows in the data. */
  name: string;
  title: string;
  rows: readonly object[];
  lines: readonly string[];
  /** The command that shows more. */
  command: ReturnType<typeof boh.account> | undefined;
}

export function todayCommand(context: Context): Command {
  return createCommand(context, {
    name: 'today',
    about:
      'Show what needs attention before opening: findings, open documents, what is short, events of today, changes since ' +
      'yesterday, and change sets that are due within a day. Reads all lists that the token allows.',
    examples: ['boh today', 'boh today -o json'],
    run: () => showToday(context),
  });
}

async function showToday(context: Context): Promise<Result> {
  const zone = await shownTimeZone(context);
  const notes: string[] = [];
  const sections: Section[] = [];
  const parts = [readFindings, readOpenDocuments, readShort, readEvents, readChanges, readDueSets];
  for (const read of parts) {
    try {
      sections.push(...(await read(context, zone)));
    } catch (error) {
      if (!isRefusedList(error)) throw error;
      notes.push(`Skipped: ${error.message}`);
    }
  }
  const { streams } = context;
  const format = (section: Section, { color, width, isTerminal }: DisplayOptions) => {
    const { bold, dim } = createPaint(color);
    const ellipsis = streams.unicode ? '…' : '...';
    const cut = (line: string) => (isTerminal ? truncate(cleanLine(line), width, ellipsis) : cleanLine(line));
    const more =
      section.lines.length > maxShownItems ? [`  and ${section.lines.length - maxShownItems} more`] : [];
    const command =
      section.command && section.lines.length > 0
        ? [`  ${dim(formatHint(section.command, streams.repeatedFlags))}`]
        : [];
    const lines = section.lines.slice(0, maxShownItems).map((line) => cut(`  ${line}`));
    const heading = `${bold(section.title)}${lines.length === 0 ? ': none' : ''}`;
    return [heading, ...lines, ...more, ...command].join('\n');
  };
  const now = formatTimestamp(context.now());
  return {
    kind: 'data',
    data: { at: now, ...Object.fromEntries(sections.map(({ name, rows }) => [name, rows])) },
    text: (display) =>
      [`${timeInZone(now, zone)} (${zone})`, ...sections.map((section) => format(section, display))].join(
        '\n\n',
      ),
    notes,
  };
}

async function readFindings(context: Context): Promise<Section[]> {
  const flags = { rule: [], excludeRule: [], rules: [] };
  const { findings } = await runLint(await readLintScope([], flags, context), flags, context);
  const groups = groupFindings(findings).flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { rule, severity, resource } = first;
    const summary = rules.find(({ name }) => name === rule)?.summary ?? rule;
    const names = [...new Set(group.map(({ name }) => name))];
    return [{ rule, severity, resource: resource.command, summary, count: group.length, names }];
  });
  const lines = groups.map(
    ({ severity, summary, count, names }) =>
      `${formatCount(count)} ${severity}${count === 1 || severity === 'info' ? '' : 's'}: ${summary}: ${joinItems(names, 3)}`,
  );
  return [{ name: 'findings', title: 'Findings', rows: groups, lines, command: boh.account('lint') }];
}

/** Reads documents that haven't taken effect. */
async function readOpenDocuments(context: Context): Promise<Section[]> {
  const rows: { resource: string; id: string; name: string; created_at: unknown }[] = [];
  const resources = context.api.collections.filter((resource) => resource.effectiveWhen && resource.list);
  for (const resource of resources) {
    const records = await readAllRecords(context, resource, { filters: [], optional: [] });
    for (const row of records.filter((record) => !hasTakenEffect(resource, record)))
      rows.push({
        ...{ resource: resource.command, id: String(row.id), name: inferTitle(row) },
        created_at: row.created_at ?? null,
      });
  }
  const nounOf = (command: string) => resources.find((resource) => resource.command === command)?.noun ?? '';
  const lines = rows.map(
    ({ resource, id, name }) => `${nounOf(resource)} ${name === id ? id : `${name} (${id})`}`,
  );
  const [first] = rows;
  const command = first && boh.account(`${first.resource} get`, first.id);
  return [{ name: 'open_documents', title: 'Open documents', rows, lines, command }];
}

async function readShort(context: Context): Promise<Section[]> {
  return sectionOf(context, 'levels', async (resource) => {
    const { levels } = await readLevels(resource, { filter: [] }, context);
    const short = levels.filter(({ state }) => state === 'short');
    const rows = short.map(({ item, branch, counted, minimum, day }) => ({
      ...{ id: item.id, name: item.name, branch: branch?.name ?? null, counted, minimum },
      ...{ unit: item.unit, counted_on: day },
    }));
    const lines = rows.map(
      ({ name, branch, counted, minimum, unit, counted_on: day }) =>
        `${name}${branch === null ? '' : ` in ${branch}`}: ${counted ?? '?'} of ${minimum} ${unit ?? ''}, counted ${day ?? ''}`,
    );
    const command = boh.account(`${resource.command} levels`);
    return { name: 'short', title: 'Short', rows, lines, command };
  });
}

async function readEvents(context: Context, zone: string): Promise<Section[]> {
  const today = timeInZone(formatTimestamp(context.now()), zone).slice(0, 10);
  return sectionOf(context, 'week', async (resource) => {
    const week = await readWeek(resource, { filters: [] }, today, context);
    const runs = week.runs.filter(({ date }) => date === today);
    const lines = runs.map(
      ({ event, from, to }) => `${formatHour(from)} to ${formatHour(to)} ${event.name} (${event.effect})`,
    );
    const command = boh.account(`${resource.command} week`);
    return {
      name: 'events',
      title: `${capitalize(resource.nouns)} today`,
      rows: runRows(runs),
      lines,
      command,
    };
  });
}

/** Returns the section of the resource that has a picture; none if the API has no such resource. */
async function sectionOf(
  { api }: Context,
  picture: 'levels' | 'week',
  read: (resource: Resource) => Promise<Section>,
): Promise<Section[]> {
  const resource = api.collections.find(({ pictures }) => pictures?.[picture] !== undefined);
  return resource ? [await read(resource)] : [];
}

/** Reads the writes of the last day that boh sent from this machine, by author and kind. */
async function readChanges(context: Context): Promise<Section[]> {
  const journal = await openHistory(context);
  const since = context.now().getTime() - dayMs;
  const writes = journal ? [...entries(journal, { since })].filter(({ outcome }) => outcome === 'done') : [];
  const groups = Map.groupBy(writes, (entry) => {
    const { user, profile } = entryToJson(entry);
    return JSON.stringify([user ?? profile, entry.resource, entry.verb]);
  });
  const rows = [...groups].map(([key, group]) => {
    const [by, resource, verb] = JSON.parse(key) as [string | null, string | null, string];
    return {
      by,
      resource: context.api.resource(resource ?? '')?.command ?? resource,
      verb,
      count: group.length,
    };
  });
  const lines = rows.map(
    ({ by, resource, verb, count }) =>
      `${by ?? 'unknown'}: ${formatCount(count)} × ${verb} ${resource ?? ''}`,
  );
  const command = boh.account('history', '--since', '1d');
  const title = 'Changed since yesterday (by boh on this machine)';
  return [{ name: 'changes', title, rows, lines, command }];
}

async function readDueSets(context: Context, zone: string): Promise<Section[]> {
  const sets = (await openSets(context))?.all() ?? [];
  const limit = context.now().getTime() + dayMs;
  const rows = sets.flatMap((set) => {
    const action = finalStates.includes(set.state) ? undefined : nextAction(set);
    if (!action || action.dueAt > limit) return [];
    return [
      {
        name: set.name,
        event: action.kind === 'begin' ? 'start' : 'end',
        at: formatTimestamp(new Date(action.dueAt)),
      },
    ];
  });
  const lines = rows.map(({ name, event, at }) => `${name}: ${event} ${timeInZone(at, zone)}`);
  const command = boh.account('change show');
  return [{ name: 'due_changes', title: 'Change sets due within a day', rows, lines, command }];
}
