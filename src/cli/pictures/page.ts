/** Writes a picture as one HTML page: the drawing with a description below it. The page loads no other files. */
import { palette } from '../../base/palette.ts';

export interface HtmlPage {
  title: string;
  /** The drawing as safe HTML. */
  drawing: string;
  /** The description of the drawing, in sentences. */
  sentences: readonly string[];
}

export function renderHtmlPage({ title, drawing, sentences }: HtmlPage): string {
  const lines = sentences.map((line) => `<li>${escapeHtml(line)}</li>`).join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark;
${palette}
}
body { margin: 2rem auto; max-width: 64rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
svg, table { width: 100%; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
svg text { font-size: 14px; text-anchor: middle; fill: var(--ink); unicode-bidi: plaintext; }
svg text.scale { font-size: 12px; fill: var(--faint); text-anchor: start; }
li { unicode-bidi: plaintext; }
.zone { fill-opacity: .25; stroke-width: 2; fill-rule: evenodd; }
.hue-0 { fill: #1b9e9e; stroke: #1b9e9e; } .hue-1 { fill: #c08a00; stroke: #c08a00; }
.hue-2 { fill: #3a8f3a; stroke: #3a8f3a; } .hue-3 { fill: #a64ca6; stroke: #a64ca6; }
.hue-4 { fill: #c0392b; stroke: #c0392b; } .hue-5 { fill: #2f6db5; stroke: #2f6db5; }
.overlap { fill: #c0392b; fill-opacity: .35; stroke: none; }
.gap { fill: none; stroke: var(--faint); stroke-dasharray: 4; }
.point { fill: #c0392b; stroke: var(--card); stroke-width: 2; }
.line { fill: none; stroke: var(--accent); stroke-width: 2; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; }
td.twice { background: #c0392b40; }
.bar { fill: var(--line); } .par { stroke: var(--ink); stroke-width: 2; } .short { fill: #c0392b; } .fine { fill: var(--accent); }
</style>
<h1>${escapeHtml(title)}</h1>
${drawing}
<h2>Description</h2>
<ul>
${lines}
</ul>
`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The maximum length of a name in characters. A picture may repeat a name many times. */
const maxNameCharacters = 60;

/** Returns the name, cut to 60 characters with an ellipsis. */
export function shortenName(name: string): string {
  if (name.length <= maxNameCharacters) return name;
  // Twice as many code units, because a character may take two.
  const characters = [...name.slice(0, 2 * maxNameCharacters + 1)];
  return characters.length <= maxNameCharacters
    ? name
    : `${characters.slice(0, maxNameCharacters - 1).join('')}…`;
}

/** The labels in drawings without space for names. */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Returns the label for an index: A to Z, then A1, B1 and so on. */
export function letterLabel(index: number): string {
  const round = Math.floor(index / letters.length);
  return `${letters[index % letters.length]}${round === 0 ? '' : round}`;
}
