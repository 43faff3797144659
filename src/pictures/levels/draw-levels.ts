/** Levels as bars: how full each is, with a mark where its minimum, its par and its maximum stand. */
import { escaped } from '../page.ts';
import type { Level } from './levels-of.ts';

const heavy: Readonly<Record<string, string>> = { '├': '┣', '┼': '╋', '┤': '┫', '─': '━' };

/** `━━┣━━━┼───┤`: what was counted is heavy, marks stand at minimum, par and maximum. Empty where nothing is known. */
export function levelBar({ minimum, par, maximum, counted }: Level, width: number): string {
  const most = Math.max(0, ...[minimum, par, maximum, counted].filter((it) => it !== null));
  if (most === 0) return '';
  const at = (quantity: number) =>
    Math.max(0, Math.min(width - 1, Math.round((quantity / most) * (width - 1))));
  const full = counted === null || counted <= 0 ? -1 : at(counted);
  // Where two stand at one place the minimum is seen: it is what matters first.
  const marks = new Map([
    ...(maximum === null ? [] : [[at(maximum), '┤'] as const]),
    ...(par === null ? [] : [[at(par), '┼'] as const]),
    ...(minimum === null ? [] : [[at(minimum), '├'] as const]),
  ]);
  return Array.from({ length: width }, (_, index) => {
    const mark = marks.get(index) ?? '─';
    return index <= full ? (heavy[mark] ?? mark) : mark;
  }).join('');
}

/** A bar for each, as SVG. */
export function svgLevels(levels: readonly Level[]): string {
  const [left, width, line] = [320, 600, 28];
  const bars = levels.map((level, index) => {
    const { item, branch, minimum, par, maximum, counted, state } = level;
    const most = Math.max(1e-9, ...[minimum, par, maximum, counted].filter((it) => it !== null));
    const x = (quantity: number) => (left + (quantity / most) * width).toFixed(1);
    const y = index * line + 6;
    const mark = (quantity: number | null, name: string) =>
      quantity === null
        ? ''
        : `<line class="par" x1="${x(quantity)}" x2="${x(quantity)}" y1="${y}" y2="${y + 16}"><title>${name} ${quantity}</title></line>`;
    const fill =
      counted === null
        ? ''
        : `<rect class="${state === 'short' ? 'short' : 'fine'}" x="${left}" y="${y}" width="${((counted / most) * width).toFixed(1)}" height="16"/>`;
    const label = escaped(branch === null ? item.name : `${item.name}, ${branch.name}`);
    return `<text class="scale" x="8" y="${y + 13}">${label}</text><rect class="bar" x="${left}" y="${y}" width="${width}" height="16"/>${fill}${mark(minimum, 'minimum')}${mark(par, 'par')}${mark(maximum, 'maximum')}`;
  });
  return `<svg viewBox="0 0 ${left + width + 40} ${levels.length * line + 12}" role="img" aria-label="Levels">${bars.join('\n')}</svg>`;
}
