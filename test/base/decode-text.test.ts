import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { decodeText, encodings } from '../../src/base/decode-text.ts';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';

function errorMessage(bytes: Uint8Array, encoding?: string): string {
  try {
    decodeText(bytes, { sourceName: 'It', encoding });
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
  return '';
}

describe('decodeText', () => {
  it('any text: is returned without its byte order mark', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.integer({ min: 0, max: 0x10ffff }))
          .map((codePoints) => String.fromCodePoint(...codePoints)),
        (text) => {
          const expected = text.toWellFormed().replace(/^\uFEFF+/, '');
          expect(decodeText(Buffer.from(expected), { sourceName: 'It' })).toBe(expected);
          expect(decodeText(Buffer.from(`\uFEFF${expected}`), { sourceName: 'It' })).toBe(expected);
          expect(
            decodeText(Buffer.from(expected, 'utf16le'), { sourceName: 'It', encoding: 'utf-16le' }),
          ).toBe(expected);
        },
      ),
    );
  });

  it('any invalid UTF-8: is refused with the position of the first invalid byte', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .array(fc.constantFrom(0x41, 0x0a, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xff))
        .map((values) => Uint8Array.from(values)),
    );
    fc.assert(
      fc.property(bytes, (encoded) => {
        const message = errorMessage(encoded);
        expect(message === '').toBe(isUtf8(encoded));
        if (message === '') return;
        const offset = Number(/at byte (\d+) /.exec(message)?.[1]) - 1;
        expect(isUtf8(encoded.subarray(0, offset))).toBe(true);
        // The bytes at the position don't start a valid character.
        expect(
          [1, 2, 3, 4].some(
            (count) => offset + count <= encoded.length && isUtf8(encoded.subarray(offset, offset + count)),
          ),
        ).toBe(false);
      }),
    );
  });

  it.each([
    [[0x61, 0x0a, 0x62, 0xff], undefined, 'is not UTF-8: it contains 0xFF at byte 4 (line 2, column 2)'],
    [[0x61, 0xc3], undefined, 'contains 0xC3 at byte 2'],
    [[0x61, 0xe2, 0x82, 0x41], undefined, 'contains 0xE2 at byte 2'],
    [[0x61, 0x00, 0x62], 'utf-16le', 'is not UTF-16LE'],
    [[0x61, 0x80, 0x41], 'shift_jis', 'is not SHIFT_JIS: it contains 0x80 at byte 2'],
  ])('%j as %s: is refused with %s', (bytes, encoding, message) => {
    expect(errorMessage(Uint8Array.from(bytes), encoding)).toContain(message);
  });

  it('UTF-16 with a byte order mark: is decoded; UTF-32: is refused', () => {
    const littleEndianBytes = Buffer.from('\ufeff{"name":"منى 🍅"}', 'utf16le');
    for (const bytes of [littleEndianBytes, Buffer.from(littleEndianBytes).swap16()])
      expect(decodeText(bytes, { sourceName: 'It' })).toBe('{"name":"منى 🍅"}');
    expect(errorMessage(Uint8Array.of(0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0), undefined)).toContain('is UTF-32');
  });

  it('--encoding: decodes every supported encoding, and refuses an unknown one', () => {
    const decode = (encoding: string, ...bytes: number[]) =>
      decodeText(Uint8Array.from(bytes), { sourceName: 'It', encoding });
    expect(decode('windows-1256', 0x80, 0xe3, 0xce, 0xc8, 0xd2)).toBe('€مخبز');
    expect(decode('windows-1252', 0x80, 0x99, 0xe9)).toBe('€™é');
    expect(decode('iso-8859-6', 0xe5)).toBe('م');
    expect(decode('shift_jis', 0x82, 0xa0)).toBe('あ');
    for (const encoding of encodings) expect(decode(encoding)).toBe('');
    expect(errorMessage(new Uint8Array(), 'nonsense')).toBe('Unknown encoding "nonsense".');
  });
});
