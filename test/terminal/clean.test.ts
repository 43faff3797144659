import { describe, expect, test } from 'vitest';
import { cleanLine, cleanText, escapeText } from '../../src/cli/terminal/clean.ts';
import { fc } from '../harness/fast-check.ts';
import { dangerous, hostileTexts } from './fake-streams.ts';

const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(
      '\x1b',
      '\x9b',
      '\r',
      '\n',
      '\u{200d}',
      '\u{200c}',
      '\u{202e}',
      '\u{fe0f}',
      '😀',
      'ب',
      'क',
      '\u{94d}',
    ),
  ),
});

describe('cleanLine', () => {
  test.each(Object.entries(hostileTexts))('makes %s visible', (_kind, text) => {
    const clean = cleanLine(text);
    expect(clean).not.toMatch(dangerous);
    expect(clean).not.toBe(text);
  });

  test('replaces control characters with control pictures (U+2400), and other hidden characters with U+FFFD', () => {
    expect(cleanLine('a\x1b[2Jb\tc\x7f')).toBe('a␛[2Jb␉c␡');
    expect(cleanLine('a\x9bb\u{202e}c\u{200b}d\u{e0041}e')).toBe('a�b�c�d�e');
  });

  test.each([
    ['plain text', 'Fresh Farms, 12.50'],
    ['Arabic with vowel marks', 'مَزَارِعُ طَازَجَة'],
    ['Persian with a non-joiner between letters', 'می\u{200c}خواهم'],
    ['Hindi with a joiner after a virama', 'क्\u{200d}ष'],
    ['Sinhala', 'ශ්\u{200d}රී'],
    ['CJK', '鮮魚市場'],
    ['a family', '👨\u{200d}👩\u{200d}👧\u{200d}👦'],
    ['emoji with skin tone and joiner', '👩🏽\u{200d}🍳'],
    ['emoji with variation selectors', '❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}'],
    ['the flag of England', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['combining marks', 'e\u{301}\u{323}'],
  ])('leaves %s unchanged', (_kind, text) => {
    expect(cleanLine(text)).toBe(text);
  });

  test('limits combining marks on one letter, and keeps the text after them', () => {
    const combiningMarks = '\u{301}'.repeat(500_000);
    expect(cleanLine(`Caf${combiningMarks}e`)).toBe(`Caf${'\u{301}'.repeat(30)}�e`);
    expect(JSON.parse(escapeText(JSON.stringify(combiningMarks)))).toBe(combiningMarks);
  });

  test('removes every control and hidden character, and is idempotent', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const clean = cleanLine(text);
        expect(clean).not.toMatch(dangerous);
        expect(clean.isWellFormed()).toBe(true);
        expect(cleanLine(clean)).toBe(clean);
      }),
      { numRuns: 500 },
    );
  });
});

describe('cleanText', () => {
  test('keeps line breaks, and replaces the same characters as cleanLine', () => {
    expect(cleanText('one\r\ntwo\nthree\rfour')).toBe('one\ntwo\nthree␍four');
    fc.assert(
      fc.property(anyText, (text) => {
        expect(cleanText(text).replaceAll('\n', '')).not.toMatch(dangerous);
      }),
    );
  });
});

describe('escapeText', () => {
  test('keeps line breaks, and escapes the characters that cleanLine replaces', () => {
    expect(escapeText('a\x1b\n\u{202e}\u{e0041}😀')).toBe('a\\u001b\n\\u202e\\udb40\\udc41😀');
  });

  test('does not change the value of JSON', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeText(JSON.stringify({ [text]: text }, null, 2));
        expect(escaped.replaceAll('\n', '')).not.toMatch(dangerous);
        expect(JSON.parse(escaped)).toEqual({ [text]: text });
      }),
    );
  });
});
