import { describe, expect, it } from 'vitest';
import { bashQuoted, readBashLine } from '../../../src/commands/completion/shells.ts';
import { fc } from '../../harness/fast-check.ts';

/** What bash has in COMP_WORDBREAKS by default. */
const breaks = ' \t\n"\'@><=;|&(:';

describe('a line of bash', () => {
  it.each([
    ['boh cust', { before: [], current: 'cust', kept: '', quote: '' }],
    ['boh customers ', { before: ['customers'], current: '', kept: '', quote: '' }],
    ['  boh  customers\tget a', { before: ['customers', 'get'], current: 'a', kept: '', quote: '' }],
    ['boh l --status=cl', { before: ['l'], current: '--status=cl', kept: '--status=', quote: '' }],
    // An at sign begins a word and belongs to it.
    ['boh get @Fr', { before: ['get'], current: '@Fr', kept: '', quote: '' }],
    ['boh c --items=@A', { before: ['c'], current: '--items=@A', kept: '--items=', quote: '' }],
    ['boh get @a:b', { before: ['get'], current: '@a:b', kept: '@a:', quote: '' }],
    ['boh get "@Fresh F', { before: ['get'], current: '@Fresh F', kept: '', quote: '"' }],
    ["boh get --x='a=", { before: ['get'], current: '--x=a=', kept: '--x=', quote: "'" }],
    ['boh get @Fresh\\ F', { before: ['get'], current: '@Fresh F', kept: '', quote: '' }],
    ['boh get "a\\"b\\n" c', { before: ['get', 'a"b\\n'], current: 'c', kept: '', quote: '' }],
    ['boh get "" x', { before: ['get', ''], current: 'x', kept: '', quote: '' }],
    ['', { before: [], current: '', kept: '', quote: '' }],
    ['boh get $(rm -rf x', { before: ['get', '$(rm', '-rf'], current: 'x', kept: '', quote: '' }],
  ])('%j', (line, expected) => {
    expect(readBashLine(line, breaks)).toEqual(expected);
  });

  it('is read as it was quoted, with any content', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '"', "'"), (text, quote) => {
        const word = `${quote}${bashQuoted(text, quote as '')}${quote}`;
        // A line break behind a backslash is no character of a word.
        fc.pre(!text.includes('\n') && !text.includes('\r'));
        const { before } = readBashLine(`boh ${word} `, breaks);
        expect(before).toEqual(word === '' ? [] : [text]);
      }),
    );
  });

  it('never throws, and replaces at most the line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (line, wordBreaks) => {
        const { current, kept } = readBashLine(line, wordBreaks);
        expect(current.startsWith(kept)).toBe(true);
      }),
    );
  });
});
