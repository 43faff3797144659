import { describe, expect, it } from 'vitest';
import { parseBashLine, quoteForBash } from '../../../src/cli/commands/completion/shells.ts';
import { fc } from '../../harness/fast-check.ts';

/** The default value of COMP_WORDBREAKS in bash. */
const breaks = ' \t\n"\'@><=;|&(:';

describe('parseBashLine', () => {
  it.each([
    ['boh cust', { before: [], current: 'cust', unreplacedPart: '', quote: '' }],
    ['boh customers ', { before: ['customers'], current: '', unreplacedPart: '', quote: '' }],
    [
      '  boh  customers\tget a',
      { before: ['customers', 'get'], current: 'a', unreplacedPart: '', quote: '' },
    ],
    ['boh l --status=cl', { before: ['l'], current: '--status=cl', unreplacedPart: '--status=', quote: '' }],
    // An at sign begins a word and belongs to it.
    ['boh get @Fr', { before: ['get'], current: '@Fr', unreplacedPart: '', quote: '' }],
    ['boh c --items=@A', { before: ['c'], current: '--items=@A', unreplacedPart: '--items=', quote: '' }],
    ['boh get @a:b', { before: ['get'], current: '@a:b', unreplacedPart: '@a:', quote: '' }],
    ['boh get "@Fresh F', { before: ['get'], current: '@Fresh F', unreplacedPart: '', quote: '"' }],
    ["boh get --x='a=", { before: ['get'], current: '--x=a=', unreplacedPart: '--x=', quote: "'" }],
    ['boh get @Fresh\\ F', { before: ['get'], current: '@Fresh F', unreplacedPart: '', quote: '' }],
    ['boh get "a\\"b\\n" c', { before: ['get', 'a"b\\n'], current: 'c', unreplacedPart: '', quote: '' }],
    ['boh get "" x', { before: ['get', ''], current: 'x', unreplacedPart: '', quote: '' }],
    ['', { before: [], current: '', unreplacedPart: '', quote: '' }],
    ['boh get $(rm -rf x', { before: ['get', '$(rm', '-rf'], current: 'x', unreplacedPart: '', quote: '' }],
  ])('splits %j as bash does: %j', (line, expected) => {
    expect(parseBashLine(line, breaks)).toEqual(expected);
  });

  it('any text that is quoted for bash: is parsed back unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '"', "'"), (text, quote) => {
        const word = `${quote}${quoteForBash(text, quote as '')}${quote}`;
        // A line break after a backslash isn't part of a word.
        fc.pre(!text.includes('\n') && !text.includes('\r'));
        const { before } = parseBashLine(`boh ${word} `, breaks);
        expect(before).toEqual(word === '' ? [] : [text]);
      }),
    );
  });

  it('any line and any word breaks: the part that bash keeps is a prefix of the current word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (line, wordBreaks) => {
        const { current, unreplacedPart } = parseBashLine(line, wordBreaks);
        expect(current.startsWith(unreplacedPart)).toBe(true);
      }),
    );
  });
});
