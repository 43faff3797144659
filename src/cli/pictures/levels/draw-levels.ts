/** Draws stock levels as bars with marks at the minimum, par and maximum levels. */
import { escapeHtml } from '../page.ts';
import type { ItemLevel } from './compare-levels.ts';

const heavySymbols: Readonly<Record<string, string>> = { '├': '┣', '┼': '╋', '┤': '┫', '─': '━' };

/** Returns a bar such as `━━┣━━━┼───┤`: heavy up to the counted quantity, with marks at minimum, par and maximum. The text is empty if all are unknown. */
export function renderLevelBar({ minimum, par, maximum, counted }: ItemLevel, width: number): string {
  const largest = Math.max(0, ...[minimum, par, maximum, counted].filter((quantity) => quantity !== null));
  if (largest === 0) return '';
  const indexOf = (quantity: number) =>
    Math.max(0, Math.min(width - 1, Math.round((quantity / largest) * (width - 1))));
  const lastHeavy = counted === null || counted <= 0 ? -1 : indexOf(counted);
  // If two marks share a position, the minimum is shown, because it is the most important.
  const marks = new Map([
    ...(maximum === null ? [] : [[indexOf(maximum), '┤'] as const]),
    ...(par === null ? [] : [[indexOf(par), '┼'] as const]),
    ...(minimum === null ? [] : [[indexOf(minimum), '├'] as const]),
  ]);
  return Array.from({ length: width }, (_, index) => {
    const mark = marks.get(index) ?? '─';
    return index <= lastHeavy ? (heavySymbols[mark] ?? mark) : mark;
  }).join('');
}

export function renderLevelsSvg(levels: readonly ItemLevel[]): string {
  const [left, width, lineHeight] = [320, 600, 28];
  const bars = levels.map((level, index) => {
    const { item, branch, minimum, par, maximum, counted, state } = level;
    const largest = Math.max(
      1e-9,
      ...[minimum, par, maximum, counted].filter((quantity) => quantity !== null),
    );
    const x = (quantity: number) => (left + (quantity / largest) * width).toFixed(1);
    const y = index * lineHeight + 6;
    const mark = (quantity: number | null, name: string) =>
      quantity === null
        ? ''
        : `<line class="par" x1="${x(quantity)}" x2="${x(quantity)}" y1="${y}" y2="${y + 16}"><title>${name} ${quantity}</title></line>`;
    const fill =
      counted === null
        ? ''
        : `<rect class="${state === 'short' ? 'short' : 'fine'}" x="${left}" y="${y}" width="${((counted / largest) * width).toFixed(1)}" height="16"/>`;
    const label = escapeHtml(branch === null ? item.name : `${item.name}, ${branch.name}`);
    return `<text class="scale" x="8" y="${y + 13}">${label}</text><rect class="bar" x="${left}" y="${y}" width="${width}" height="16"/>${fill}${mark(minimum, 'minimum')}${mark(par, 'par')}${mark(maximum, 'maximum')}`;
  });
  return `<svg viewBox="0 0 ${left + width + 40} ${levels.length * lineHeight + 12}" role="img" aria-label="Levels">${bars.join('\n')}</svg>`;
}
