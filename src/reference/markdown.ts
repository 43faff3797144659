/** Writes pages of the reference as Markdown. */
import { type Block, inlines, type Page } from './blocks.ts';

/** Returns a page as Markdown. */
export function markdownPage({ name, blocks }: Page, title = name): string {
  const mark = '<!-- Generated from the contract by scripts/reference.ts. Do not edit. -->';
  return `${[mark, `# ${title}`, ...blocks.map(block)].join('\n\n')}\n`;
}

function block(it: Block): string {
  switch (it.kind) {
    case 'heading':
      return `${'#'.repeat(it.level)} ${it.text}`;
    case 'paragraph':
      return inline(it.text);
    case 'terms':
      return it.terms.map(({ term, text }) => `- **${inline(term)}**: ${inline(sentence(text))}`).join('\n');
    case 'table':
      return [row(it.head), `|${'---|'.repeat(it.head.length)}`, ...it.rows.map(row)].join('\n');
    case 'code':
      return ['```sh', ...it.lines, '```'].join('\n');
    case 'screen':
      return ['```text', ...it.lines, '```'].join('\n');
  }
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => inline(cell).replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}

function sentence(text: string | readonly string[]): string {
  return typeof text === 'string' ? text : text.join('; ');
}

/** Characters to escape; an underscore inside a word isn't markup. */
const special = /[<>*[\]\\]|(?<!\w)_|_(?!\w)/g;

function inline(text: string): string {
  return inlines(text)
    .map((part) => {
      if (part.kind === 'code') return `\`${part.text}\``;
      if (part.kind === 'link') return `[${part.text}](${part.to})`;
      return part.text.replaceAll(special, (character) =>
        character === '<' ? '&lt;' : character === '>' ? '&gt;' : `\\${character}`,
      );
    })
    .join('');
}
