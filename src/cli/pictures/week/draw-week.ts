/** Draws a week as a grid of hours and days: with letters on a terminal, with names on a page. */

import {
  dayOf,
  type EventRun,
  formatHour,
  type Week,
  type WeekEvent,
} from '../../../engine/weeks/build-week.ts';
import { createPaint } from '../../terminal/color.ts';
import { escapeHtml, letterLabel } from '../page.ts';
import { dayName } from './describe-week.ts';

/** The width of the first column: `16:00` and the space after it. */
const hourWidth = 7;

/** Returns the events that run in the week, in the order of their letters. */
export function eventsOfWeek({ events, runs }: Week): WeekEvent[] {
  return events.filter((event) => runs.some((run) => run.event === event));
}

/** Returns the lines of the drawing. The list is empty if no event runs. Events that run at the same time share a cell. */
export function drawWeek(week: Week, { width, color }: { width: number; color: boolean }): string[] {
  const displayedEvents = eventsOfWeek(week);
  if (displayedEvents.length === 0) return [];
  const paint = createPaint(color);
  const cellWidth = Math.max(2, Math.floor((width - hourWidth) / 7) - 1);
  const headers = week.dates.map((date) => {
    const day = dayName(dayOf(date));
    const longHeader = `${day.slice(0, 3)} ${Number(date.slice(8))}`;
    return (longHeader.length <= cellWidth ? longHeader : day.slice(0, Math.min(3, cellWidth))).padEnd(
      cellWidth,
    );
  });
  const lines = [paint.bold(`${' '.repeat(hourWidth)}${headers.join(' ')}`.trimEnd())];
  for (const hour of hoursOf(week.runs)) {
    const cells = week.dates.map((date) => {
      const letters = runsAt(week.runs, date, hour).map(({ event }) =>
        letterLabel(displayedEvents.indexOf(event)),
      );
      const text =
        letters.join('').length <= cellWidth ? letters.join('') : `${letters[0]?.slice(0, cellWidth - 1)}+`;
      const padding = ' '.repeat(cellWidth - text.length);
      return (
        (letters.length > 1 ? paint.inverse(text) : text || '·') + (text === '' ? padding.slice(1) : padding)
      );
    });
    lines.push(`${formatHour(hour).padStart(hourWidth - 2)}  ${cells.join(' ')}`.trimEnd());
  }
  return lines;
}

/** Returns the week as an HTML table with a cell for each hour of each day. */
export function renderWeekHtml(week: Week): string {
  const headers = week.dates.map((date) => `<th scope="col">${dayName(dayOf(date))} ${date}</th>`).join('');
  const rows = hoursOf(week.runs).map((hour) => {
    const cells = week.dates.map((date) => {
      const names = runsAt(week.runs, date, hour).map(({ event }) => escapeHtml(event.name));
      return `<td${names.length > 1 ? ' class="twice"' : ''}>${names.join('<br>')}</td>`;
    });
    return `<tr><th scope="row">${formatHour(hour)}</th>${cells.join('')}</tr>`;
  });
  return `<table><tr><th></th>${headers}</tr>${rows.join('\n')}</table>`;
}

/** Returns the hours from the start of the first event to the end of the last. */
function hoursOf(runs: readonly EventRun[]): number[] {
  if (runs.length === 0) return [];
  const first = Math.floor(Math.min(...runs.map(({ from }) => from)));
  const last = Math.ceil(Math.max(...runs.map(({ to }) => to)));
  return Array.from({ length: last - first }, (_, index) => first + index);
}

function runsAt(runs: readonly EventRun[], date: string, hour: number): EventRun[] {
  return runs.filter((run) => run.date === date && run.from < hour + 1 && run.to > hour);
}
