import { describe, expect, it } from 'vitest';
import { type Block, code, heading, paragraph, table, terms } from '../../src/api/reference/blocks.ts';
import { markdownPage } from '../../src/api/reference/markdown.ts';
import { foldCommand, formatPlainText, wrap } from '../../src/api/reference/plain-text.ts';
import { resourceOverview, resourcePage } from '../../src/api/reference/resource-blocks.ts';
import { resourceDetails } from '../../src/api/reference/resource-details.ts';
import { manPage } from '../../src/api/reference/roff.ts';
import { topics } from '../../src/api/reference/topics.ts';
import { api } from '../../src/api/resources/index.ts';
import { fc } from '../harness/fast-check.ts';

describe('formatPlainText', () => {
  it('prints terms next to their meanings, or above them in a narrow terminal', () => {
    const blocks = [heading('Words'), terms([{ term: 'draft', text: 'not posted yet' }])];
    expect(formatPlainText(blocks, { width: 80 })).toBe('Words\n  draft  not posted yet\n');
    expect(formatPlainText([table(['a', 'b'], [['`a-long-term`', 'what it means']])], { width: 20 })).toBe(
      '  a-long-term\n    what it means\n',
    );
  });

  it('fits into 80 columns for every subject', () => {
    const texts = [
      ...api.resources.flatMap((resource) => {
        const details = resourceDetails(resource);
        return [resourceOverview(details), resourcePage(details).blocks];
      }),
      ...topics.map(({ blocks }) => blocks(api)),
    ];
    for (const text of texts) {
      // A command line is broken only before flags, so a long value may exceed the width.
      const lines = formatPlainText(text, { width: 80 })
        .split('\n')
        .filter((line) => !/^ +--/.test(line));
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
    }
  });

  it('wrap: keeps every word, within the width', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,30}$/)),
        fc.integer({ min: 1, max: 100 }),
        (words, width) => {
          const lines = wrap(words.join(' '), width);
          expect(lines.join(' ')).toBe(words.join(' '));
          for (const line of lines) expect(line.length <= width || !line.includes(' ')).toBe(true);
        },
      ),
    );
  });

  it('foldCommand: breaks a long command with backslashes', () => {
    const line =
      'boh suppliers create --name "Coastal Fish" --phone 555000222 --email orders@coastal.example';
    const folded = foldCommand(line, 60);
    expect(folded.every((part) => part.length <= 60)).toBe(true);
    expect(folded.join('\n').replaceAll(/ \\\n {2}/g, ' ')).toBe(line);
    expect(foldCommand('boh customers list', 60)).toEqual(['boh customers list']);
  });
});

const pageWith = (...blocks: Block[]) => ({ name: 'a-page', summary: 'What it is', blocks });

describe('markdownPage', () => {
  it('escapes markup, but not in code', () => {
    const text = markdownPage(pageWith(paragraph('is_active _<b>_ is `a_b <c>` in [tags](tags.md)')));
    expect(text).toContain('is_active \\_&lt;b&gt;\\_ is `a_b <c>` in [tags](tags.md)');
  });

  it('escapes a vertical bar in a cell', () => {
    expect(markdownPage(pageWith(table(['flag'], [['`true|false`']])))).toContain('| `true\\|false` |');
  });
});

describe('manPage', () => {
  it('starts with its title and the line that man -k shows', () => {
    const text = manPage(pageWith(), { source: 'boh 1.2.3' });
    expect(text).toContain('.TH A\\-PAGE 1 "" "boh 1.2.3" "boh"');
    expect(text).toContain('.SH NAME\na\\-page \\- What it is\n');
  });

  it('escapes text that would be a formatter request', () => {
    const text = manPage(pageWith(paragraph('.so /etc/passwd'), code("'quoted' \\n"), paragraph("'x")), {
      source: '',
    });
    const requests = text.split('\n').filter((line) => /^[.']/.test(line));
    expect(requests.filter((line) => !/^\.(\\"|TH|SH|PP|nh|ad|RS|RE|nf|fi)/.test(line))).toEqual([]);
    expect(text).toContain('\\&.so /etc/passwd');
    expect(text).toContain('\\(aqquoted\\(aq \\en');
  });
});
