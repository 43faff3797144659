/** Makes text from outside (the service, files, people) safe to show on a terminal, also next to right-to-left text. */

/**
 * Returns one line of text in which every character that could move the cursor, change the terminal, reorder or hide text
 * is replaced with a visible one, line breaks included. Control characters become their Unicode pictures
 * (␛ for ESC); all others become �, as do long sequences of combining marks. Safe text is returned unchanged.
 */
export function cleanLine(text: string): string {
  return replaceUnsafe(text, replaceWithVisible);
}

/** Cleans text of several lines. Line feeds stay; CR LF becomes one. */
export function cleanText(text: string): string {
  return mapLines(text.replaceAll('\r\n', '\n'), cleanLine);
}

/**
 * Writes each unsafe character of JSON or YAML text as \uXXXX. Such characters can only be inside strings, where this
 * is the same value.
 */
export function escapeText(text: string): string {
  return mapLines(text, (line) => replaceUnsafe(line, escapeAsUnicode));
}

/** Replaces boh's own quotes and symbols with ASCII, for a terminal that shows only ASCII. */
export function toAscii(text: string): string {
  return text.replaceAll(/[’‘“”…–•→]/g, (symbol) => asciiReplacements[symbol] ?? symbol);
}

const asciiReplacements: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '…': '...',
  '–': '-',
  '•': '*',
  '→': '->',
};

function mapLines(text: string, transform: (line: string) => string): string {
  return text.includes('\n') ? text.split('\n').map(transform).join('\n') : transform(text);
}

function replaceUnsafe(text: string, replacement: (character: string) => string): string {
  if (safeText.test(text)) return text;
  unsafe ??= unsafeCharacters();
  return text.replace(unsafe, replacement);
}

/** Matches text that needs no cleaning: ASCII and boh's own symbols, which is most of what is shown. */
const safeText = /^[\x20-\x7e’‘“”…–•]*$/;

/** Compiled at first use, because compiling it would slow down every start. */
let unsafe: RegExp | undefined;

function unsafeCharacters(): RegExp {
  // Format characters that are visible: signs before a number in Arabic and other scripts.
  const visible = String.raw`\u{600}-\u{605}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}`;
  // Controls, line and paragraph separators, lone surrogates, and characters without a shape: bidirectional
  // marks, overrides and isolates, zero-width spaces, fillers, tags.
  const hidden = String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[${visible}]]`;
  // Arabic and related scripts, the scripts of India and Sri Lanka, Tibetan, Burmese, Khmer and Mongolian.
  const letter = String.raw`[\u{620}-\u{dff}\u{f00}-\u{109f}\u{1780}-\u{17b3}\u{17b6}-\u{17ff}\u{1820}-\u{18af}]`;
  const pictogram = String.raw`\p{Extended_Pictographic}`;
  const tag = String.raw`[\u{e0020}-\u{e007f}]`;

  // Hidden characters that belong to their neighbors are kept. Each entry is one case.
  const legitimate = [
    // A joiner or non-joiner, which changes the shape of letters.
    String.raw`(?<=${letter})[\u{200c}\u{200d}](?=${letter})`,
    // A joiner that combines two emoji.
    String.raw`(?<=${pictogram}[\p{Emoji_Modifier}\u{fe0f}]?)\u{200d}(?=${pictogram})`,
    // A variation selector after a visible character.
    String.raw`(?<!^|${hidden})[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}\u{180b}-\u{180d}\u{180f}]`,
    // The tags of a flag such as England's.
    String.raw`(?<=\u{1f3f4}${tag}*)${tag}`,
  ];
  // The limit of Unicode (UAX #15, "Stream-Safe Text Format"): longer sequences would fill lines from one cell.
  const longMarkSequence = String.raw`(?<=\p{M}{30})\p{M}+`;
  return new RegExp(`(?!${legitimate.join('|')})${hidden}|${longMarkSequence}`, 'gv');
}

function replaceWithVisible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return '�';
}

/** Returns one escape for each UTF-16 unit, as JSON requires. */
function escapeAsUnicode(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}

/** Matches Hebrew, Arabic and related scripts, with their presentation forms. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const [isolateStart, isolateEnd] = ['\u2068', '\u2069'];

/**
 * A left-to-right space (an empty braille pattern). Terminals such as VTE drop characters without width, isolates
 * included. There only a visible column keeps a number from swapping places with an Arabic name before it.
 */
const barrier = '\u2800';

/**
 * Puts right-to-left text between a first strong isolate and a pop directional isolate (UAX 9). Both have no width, and
 * a terminal without bidi doesn't show them. The text must be clean, so that it doesn't contain these characters.
 */
export function isolateText(text: string): string {
  return rightToLeft.test(text) ? isolateStart + text + isolateEnd : text;
}

/** Returns the two columns of space after a cell that may be isolated, so that the next cell stays after it. */
export function gapAfter(cell: string): string {
  return cell.includes(isolateEnd) ? ` ${barrier}` : '  ';
}

/**
 * Returns the space after text on a terminal. After right-to-left text it is a barrier: "old → new" would be read as
 * new → old, and a number would appear before its name.
 */
export function spaceAfter(text: string): string {
  return rightToLeft.test(text) ? barrier : ' ';
}
