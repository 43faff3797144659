/** Provides streams for tests, which record the output and accept input. */
import { PassThrough } from 'node:stream';
import type { Streams } from '../../src/cli/terminal/streams.ts';

/** Streams whose output can be read. */
export interface FakeStreams extends Streams {
  stdin: PassThrough;
  written: { out(): string; err(): string };
}

/** Returns streams of a terminal with 80 columns and 24 rows; `settings` overrides their properties. */
export function fakeStreams(settings: Partial<Streams> = {}): FakeStreams {
  const out = new PassThrough();
  const err = new PassThrough();
  const text = (stream: PassThrough) => String(stream.read() ?? '');
  return {
    isTerminal: { in: true, out: true, err: true },
    columns: () => 80,
    rows: () => 24,
    color: { out: false, err: false },
    unicode: true,
    cursor: true,
    interactive: true,
    quiet: false,
    repeatedFlags: undefined,
    ...settings,
    stdin: new PassThrough(),
    stdout: out,
    stderr: err,
    written: { out: () => text(out), err: () => text(err) },
  };
}

/** Matches characters that control a terminal, reorder text or hide it. */
export const dangerous =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{61c}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}\u{2066}-\u{2069}\u{feff}]/u;

/** Examples of text that must not reach a terminal unchanged, by kind. */
export const hostileTexts = {
  'a CSI sequence': 'a\x1b[31mred\x1b[2Jb',
  'an OSC 8 link': 'a\x1b]8;;https://example.com\x1b\\b\x1b]8;;\x07',
  'an OSC 52 clipboard write': 'a\x1b]52;c;cm0gLXJmIH4=\x07b',
  'a DCS sequence': 'a\x1bP$q"p\x1b\\b',
  'C1 controls': 'a\x9b31mb\x9d0;title\x9cc\x90d\x85e',
  'a carriage return': 'safe\rRISK',
  'a line break': 'first\nsecond\r\nthird',
  'backspaces, a bell, NUL and DEL': 'abc\b\b\b\x07\0\x7f',
  'bidirectional overrides': 'user\u{202e}txt.exe\u{202c}',
  'bidirectional isolates': 'a\u{2066}b\u{2067}c\u{2068}d\u{2069}',
  'bidirectional marks': 'a\u{200e}b\u{200f}c\u{61c}d',
  'zero-width characters': 'pay\u{200b}pal\u{2060}\u{feff}\u{200d}\u{200c}.com',
  'lone surrogates': 'a\ud800b\udc00c',
  'line and paragraph separators': 'a\u{2028}b\u{2029}c',
  'language tags': 'a\u{e0001}\u{e0041}b',
};
