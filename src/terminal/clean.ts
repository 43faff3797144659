/** Makes text from outside (the service, files, people) safe to show on a terminal. */

/**
 * One line of text: every character that could move the cursor, change the terminal, reorder or hide text
 * is replaced by a visible mark, line breaks included. Control characters become their Unicode pictures
 * (␛ for ESC); all others become �. Text that is safe comes back unchanged.
 */
export function cleanLine(text: string): string {
  return replaceUnsafe(text, mark);
}

/** The same for text of several lines: line feeds stay, CR LF counts as one. */
export function cleanText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => cleanLine(line))
    .join('\n');
}

/** Replaces each unsafe character, given as one code point, by what `replacement` makes of it. */
export function replaceUnsafe(text: string, replacement: (character: string) => string): string {
  return printableAscii.test(text) ? text : text.replace(unsafe, replacement);
}

const printableAscii = /^[\x20-\x7e]*$/;

/** Visible although Unicode counts them as format characters: signs that precede a number in Arabic and other scripts. */
const visibleFormats = '\\u{600}-\\u{605}\\u{6dd}\\u{70f}\\u{890}\\u{891}\\u{8e2}\\u{110bd}\\u{110cd}';

/**
 * Controls, line and paragraph separators, lone surrogates, and whatever has no shape of its own: bidirectional
 * marks, overrides and isolates, zero-width spaces, fillers, language tags.
 */
const hidden = `[[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Cf}\\p{Default_Ignorable_Code_Point}]--[${visibleFormats}]]`;

/** Scripts in which a joiner or non-joiner between two letters changes their shape: ordinary spelling there. */
const joiningLetter = `[${[
  ...['Arab', 'Syrc', 'Nkoo', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda'],
  ...['Mlym', 'Sinh', 'Khmr', 'Mymr', 'Tibt'],
]
  .map((script) => `[\\p{scx=${script}}&&[\\p{L}\\p{M}]]`)
  .join('')}]`;

const variation = '[\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}\\u{180b}-\\u{180d}\\u{180f}]';
const tag = '[\\u{e0020}-\\u{e007f}]';

/** Hidden characters that belong to what stands before them, and so are kept: each alternative is one such place. */
const legitimate = [
  `(?<=${joiningLetter})[\\u{200c}\\u{200d}](?=${joiningLetter})`,
  `(?<=\\p{Extended_Pictographic}[\\p{Emoji_Modifier}\\u{fe0f}]?)\\u{200d}(?=\\p{Extended_Pictographic})`,
  `(?<=[\\p{L}\\p{N}\\p{P}\\p{S}])${variation}`,
  `(?<=\\u{1f3f4}${tag}*)${tag}`,
].join('|');

const unsafe = new RegExp(`(?!${legitimate})${hidden}`, 'gv');

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return '�';
}
