/** What stands in the place of a secret, and the secrets that a command knows: those are covered wherever text is shown or kept. */

/** Stands in the place of a secret in everything that is shown or kept. */
export const mask = '••••';

/** Shorter values can't be told from other text, so they are never covered inside it. */
export const minSecretLength = 8;

/** A secret with what messages call it: the variable or the setting that it comes from. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** One way in which a known secret may be written. */
export interface KnownSpelling {
  readonly secret: KnownSecret;
  /** Its place among those of `spellingsOf`. */
  readonly spelling: number;
  readonly text: string;
}

/** A word or a number, which may stand in any text: it is covered in values and sentences, and not in the form of an output. */
export const plainWord = /^([a-z_]+|[\d.]+)$/;

class KnownSecrets {
  readonly byValue = new Map<string, KnownSecret>();
  /** Every way in which one of them may be written; longer ones first, as one secret may hold another. */
  all: readonly KnownSpelling[] = [];
  spellings: readonly string[] = [];
  /** The same without plain words. */
  distinct: readonly string[] = [];
  /** The places of values that were covered in received data; one that is read again has the same. */
  readonly inData = new Set<string>();

  add(secret: KnownSecret): void {
    if (secret.value.length < minSecretLength || this.byValue.has(secret.value)) return;
    this.byValue.set(secret.value, secret);
    const all = [...this.byValue.values()].flatMap((each) =>
      spellingsOf(each.value).map((text, spelling) => ({ secret: each, spelling, text })),
    );
    const distinct = all.filter(({ text }, at) => all.findIndex((other) => other.text === text) === at);
    this.all = distinct.sort((a, b) => b.text.length - a.text.length);
    this.spellings = this.all.map(({ text }) => text);
    this.distinct = this.spellings.filter((text) => !plainWord.test(text));
  }
}

/** Returns a secret as it is, in lower case as keys are compared, in JSON, in CSV and in an address. Files refer to places in the list. */
export function spellingsOf(value: string): string[] {
  const forms = [value, value.toLowerCase()];
  return forms.flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    form.replaceAll('"', '""'),
    percentEncoded(form),
  ]);
}

/** The text itself where it can't be encoded: whatever is broken, the secret is covered. */
function percentEncoded(text: string): string {
  try {
    return encodeURIComponent(text.toWellFormed());
  } catch {
    return text;
  }
}

/** The secrets of all commands that this process runs; mostly it runs one. */
let known = new KnownSecrets();
let running = 0;

/** Does the work of a command: these secrets, and those that it comes to know, are covered until it has ended. */
export async function coveringSecrets<T>(
  secrets: readonly KnownSecret[],
  work: () => Promise<T>,
): Promise<T> {
  running++;
  for (const secret of secrets) known.add(secret);
  try {
    return await work();
  } finally {
    running--;
    if (running === 0) known = new KnownSecrets();
  }
}

/** Covers a secret from here on, as one of the settings that was read. Nothing happens outside a command. */
export function knowSecret(secret: KnownSecret): void {
  if (running > 0) known.add(secret);
}

/** Returns the secrets that the command knows. */
export function knownSecrets(): readonly KnownSecret[] {
  return [...known.byValue.values()];
}

/** Returns every way in which a known secret may be written, longer ones first. */
export function knownSpellings(): readonly KnownSpelling[] {
  return known.all;
}

/** Returns the text with every known secret in it covered, however it is spelled. */
export function redacted(text: string): string {
  return without(text, known.spellings);
}

/** Returns the same for a piece of finished output, in which plain words may be names of fields. */
export function redactedOutput(text: string): string {
  return without(text, known.distinct);
}

function without(text: string, spellings: readonly string[]): string {
  let shown = text;
  for (const spelling of spellings) if (shown.includes(spelling)) shown = shown.replaceAll(spelling, mask);
  return shown;
}

/** Returns a value with known secrets covered in its texts, at any depth; the same value where it holds none. */
export function redactedValue<Value>(value: Value): Value {
  return known.byValue.size === 0 ? value : (textsReplaced(value, redacted) as Value);
}

/** Returns the same of data that `request` has read, and counts its covered values for `takeRedactions`. */
export function redactedData<Value>(value: Value, request: string): Value {
  const covered = redactedValue(value);
  noteChanged(value, covered, request);
  return covered;
}

/** Notes each value that differs below a place. A record with an id is a place of its own, wherever it is read. */
function noteChanged(before: unknown, after: unknown, place: string): void {
  if (before === after) return;
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) {
    known.inData.add(place);
    return;
  }
  const owner = 'id' in after ? String(after.id) : place;
  const inner = Object.values(before);
  for (const [at, [name, value]] of Object.entries(after).entries())
    noteChanged(inner[at], value, `${owner}.${name}`);
}

/** Returns how many values of received data were covered since the last call. */
export function takeRedactions(): number {
  const count = known.inData.size;
  known.inData.clear();
  return count;
}

/** What is nested deeper isn't walked to its end, and covered whole. */
const deepest = 500;

/** Returns a value with its texts replaced, at any depth, and keys that are no plain names; the same value where none changes. */
export function textsReplaced(value: unknown, replace: (text: string, name?: string) => string): unknown {
  const walk = (inner: unknown, name: string | undefined, levels: number): unknown => {
    if (typeof inner === 'string') return replace(inner, name);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (levels === 0) return mask;
    if (Array.isArray(inner)) {
      const items = inner.map((item) => walk(item, name, levels - 1));
      return items.every((item, at) => item === inner[at]) ? inner : items;
    }
    const prototype = Object.getPrototypeOf(inner);
    if (prototype !== null && prototype !== Object.prototype) return inner;
    let isChanged = false;
    const entries = Object.entries(inner).map(([key, held]) => {
      const [newKey, newHeld] = [plainWord.test(key) ? key : replace(key), walk(held, key, levels - 1)];
      isChanged ||= newKey !== key || newHeld !== held;
      return [newKey, newHeld] as const;
    });
    if (!isChanged) return inner;
    const made = Object.fromEntries(entries);
    return prototype === null ? Object.setPrototypeOf(made, null) : made;
  };
  return walk(value, undefined, deepest);
}
