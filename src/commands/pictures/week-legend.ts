/** What stands below a week on a terminal: what each letter is, what meets, and what doesn’t run. */
import type { Page } from '../../interaction/output/result.ts';
import { letterFor } from '../../pictures/letters.ts';
import { shownEvents } from '../../pictures/week/draw-week.ts';
import { hourWords, type Week } from '../../pictures/week/week-of.ts';
import { dateWords, dayName } from '../../pictures/week/week-words.ts';
import { renderTable } from '../../terminal/table.ts';
import { sentences } from './picture.ts';

export function legendOf(week: Week, remarks: readonly string[], page: Page): string[] {
  const rows = shownEvents(week).map(({ name, effect, from, to, days, fromDate, toDate }, index) => ({
    letter: letterFor(index),
    name,
    effect,
    hours: `${hourWords(from ?? 0)}–${hourWords(to ?? 0)}`,
    days: days.length === 7 ? 'every day' : days.map((day) => dayName(day).slice(0, 3)).join(' '),
    dates: dateWords(fromDate, toDate),
  }));
  const columns = [
    { name: 'letter', header: '', whole: true },
    { name: 'name', least: 16 },
    { name: 'effect', rank: 1 },
    { name: 'hours', whole: true },
    { name: 'days', rank: 2, least: 11 },
    { name: 'dates', rank: 3, whole: true },
  ];
  const { text } = renderTable(columns, rows, { ...page, isolate: page.isWindow && page.unicode });
  const table = rows.length === 0 ? [] : ['', ...text.trimEnd().split('\n'), ''];
  return [...table, ...sentences(remarks, page)];
}
