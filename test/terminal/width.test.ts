import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { cleanLine } from '../../src/cli/terminal/clean.ts';
import { displayWidth, pad, truncate } from '../../src/cli/terminal/width.ts';
import { fc } from '../harness/fast-check.ts';
import { countSegments } from './count-segments.ts';

const words = fc
  .array(
    fc.constantFrom(
      'abc',
      'é',
      'e\u{301}',
      'مزارع',
      'طَ',
      '鮮魚',
      'ﾊﾟ',
      '👨\u{200d}👩\u{200d}👧',
      '🇸🇦',
      'กำ',
      'क्षि',
      ' ',
      '한글',
      '…',
    ),
  )
  .map((parts) => parts.join(''));
const texts = fc.oneof(words, fc.string({ unit: 'grapheme' }).map(cleanLine));

describe('displayWidth', () => {
  test.each([
    ['', 0],
    ['Fresh Farms', 11],
    ['مزارع', 5],
    ['مَزَارِعُ', 5],
    ['鮮魚市場', 8],
    ['👨\u{200d}👩\u{200d}👧\u{200d}👦', 2],
    ['e\u{301}', 1],
    ['␛[2J', 4],
  ])('of %j is %d', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('equals string-width, also in its fast path', () => {
    for (let code = 0x20; code < 0x1_0000; code += 1) {
      const character = String.fromCharCode(code);
      if (cleanLine(character) === character) expect(displayWidth(character)).toBe(stringWidth(character));
    }
  });
});

describe('truncate', () => {
  test('cuts between characters, with an ellipsis', () => {
    expect(truncate('Fresh Farms', 6)).toBe('Fresh…');
    expect(truncate('Fresh Farms', 6, '...')).toBe('Fre...');
    expect(truncate('鮮魚市場', 6)).toBe('鮮魚…');
    expect(truncate('e\u{301}e\u{301}e\u{301}', 2)).toBe('e\u{301}…');
    expect(truncate('👨\u{200d}👩\u{200d}👧ab', 3)).toBe('👨\u{200d}👩\u{200d}👧…');
  });

  test('leaves text that fits unchanged', () => {
    expect(truncate('Fresh', 5)).toBe('Fresh');
    expect(truncate('鮮魚', 4)).toBe('鮮魚');
  });

  test('never exceeds the width, for any text', () => {
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom('…', '...', ''),
        (text, width, ellipsis) => {
          const cut = truncate(text, width, ellipsis);
          expect(displayWidth(cut)).toBeLessThanOrEqual(width);
          if (displayWidth(text) <= width) expect(cut).toBe(text);
        },
      ),
    );
  });

  test('stops reading after the cut', () => {
    const segments = countSegments();
    expect(displayWidth(truncate('鮮魚👨\u{200d}👩\u{200d}👧'.repeat(5_000), 40))).toBe(39);
    expect(segments()).toBeLessThan(200);
  });
});

describe('pad', () => {
  test('fills the free side up to the width', () => {
    expect(pad('ab', 4)).toBe('ab  ');
    expect(pad('ab', 4, 'right')).toBe('  ab');
    expect(pad('鮮魚', 3)).toBe('鮮魚');
  });

  test('pads any text to exactly the requested width', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, width) => {
        expect(displayWidth(pad(truncate(text, width), width))).toBe(width);
      }),
    );
  });
});
