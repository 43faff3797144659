/** Formats pages of the reference as Markdown. */
import { type Block, parseInlines, type ReferencePage } from './blocks.ts';

export function markdownPage({ name, title = name, blocks }: ReferencePage): string {
  const generatedNote = '<!-- Generated from the contract by scripts/reference.ts. Do not edit. -->';
  return `${[generatedNote, `# ${title}`, ...blocks.map(formatBlock)].join('\n\n')}\n`;
}

function formatBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${block.text}`;
    case 'paragraph':
      return formatInline(block.text);
    case 'terms':
      return block.terms
        .map(({ term, text }) => `- **${formatInline(term)}**: ${formatInline(joinMeanings(text))}`)
        .join('\n');
    case 'table':
      return [
        formatRow(block.head),
        `|${'---|'.repeat(block.head.length)}`,
        ...block.rows.map(formatRow),
      ].join('\n');
    case 'code':
      return ['```sh', ...block.lines, '```'].join('\n');
    case 'screen':
      return ['```text', ...block.lines, '```'].join('\n');
  }
}

function formatRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => formatInline(cell).replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}

function joinMeanings(text: string | readonly string[]): string {
  return typeof text === 'string' ? text : text.join('; ');
}

/** Characters to escape; an underscore inside a word isn't markup. */
const specialCharacters = /[<>*[\]\\]|(?<!\w)_|_(?!\w)/g;

function formatInline(text: string): string {
  return parseInlines(text)
    .map((part) => {
      if (part.kind === 'code') return `\`${part.text}\``;
      if (part.kind === 'link') return `[${part.text}](${part.to})`;
      return part.text.replaceAll(specialCharacters, (character) =>
        character === '<' ? '&lt;' : character === '>' ? '&gt;' : `\\${character}`,
      );
    })
    .join('');
}
