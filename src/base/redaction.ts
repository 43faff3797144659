/** Redaction: replaces the secrets that a command knows in all text that is shown or stored. */

/** Replaces a secret in everything that is shown or stored. */
export const redactionMarker = '••••';

/** The minimum length of a secret, in characters. A shorter value can't be distinguished from other text, so it isn't redacted. */
export const minSecretLength = 8;

/** A secret. Messages name it by the variable or setting that contains it. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** A spelling of a known secret. */
export interface SecretSpelling {
  readonly secret: KnownSecret;
  /** The index in the list of `spellingsOf`. */
  readonly spelling: number;
  readonly text: string;
}

/** Matches plain words and numbers, which any text may contain. They are redacted in values and messages, but not in field names. */
export const plainWordPattern = /^([a-z_]+|[\d.]+)$/;

class KnownSecrets {
  readonly byValue = new Map<string, KnownSecret>();
  /** All spellings of the secrets, longer ones first, because one secret may contain another. */
  all: readonly SecretSpelling[] = [];
  spellings: readonly string[] = [];
  /** The spellings without plain words. */
  distinct: readonly string[] = [];
  /** The paths of the values that were redacted in received data. A value that is received again has the same path. */
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
    this.distinct = this.spellings.filter((text) => !plainWordPattern.test(text));
  }
}

/** Returns the spellings of a secret: as it is and in lower case, each also as in JSON, CSV and a URL. Files store indexes of this list. */
export function spellingsOf(value: string): string[] {
  const forms = [value, value.toLowerCase()];
  return forms.flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    form.replaceAll('"', '""'),
    percentEncoded(form),
  ]);
}

/** Returns the text unchanged if it can't be encoded, so that the secret is still redacted. */
function percentEncoded(text: string): string {
  try {
    return encodeURIComponent(text.toWellFormed());
  } catch {
    return text;
  }
}

/** The secrets of all commands that this process runs, usually one. */
let known = new KnownSecrets();
let running = 0;

/** Runs a command. These secrets, and the secrets that it reads later, are redacted until it ends. */
export async function withSecretsRedacted<T>(
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

/** Redacts a secret from now on, for example one that was read from the settings. Does nothing outside a command. */
export function registerSecret(secret: KnownSecret): void {
  if (running > 0) known.add(secret);
}

/** Returns the secrets that the command knows. */
export function knownSecrets(): readonly KnownSecret[] {
  return [...known.byValue.values()];
}

/** Returns all spellings of the known secrets, longer ones first. */
export function knownSpellings(): readonly SecretSpelling[] {
  return known.all;
}

/** Returns the text with all spellings of known secrets redacted. */
export function redact(text: string): string {
  return without(text, known.spellings);
}

/** Returns finished output with known secrets redacted, except plain words, which may be names of fields. */
export function redactOutput(text: string): string {
  return without(text, known.distinct);
}

function without(text: string, spellings: readonly string[]): string {
  let shown = text;
  for (const spelling of spellings)
    if (shown.includes(spelling)) shown = shown.replaceAll(spelling, redactionMarker);
  return shown;
}

/** Returns a value with known secrets redacted in its texts, at any depth; the same value if it contains none. */
export function redactValue<Value>(value: Value): Value {
  return known.byValue.size === 0 ? value : (replaceStrings(value, redact) as Value);
}

/** Redacts known secrets in data that `request` has read, and counts the redacted values for `takeRedactions`. */
export function redactData<Value>(value: Value, request: string): Value {
  const covered = redactValue(value);
  noteChanged(value, covered, request);
  return covered;
}

/** Records the path of each value that differs. The path of a record with an id begins with the id, wherever it is read. */
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

/** Returns how many values of received data were redacted since the last call. */
export function takeRedactionCount(): number {
  const count = known.inData.size;
  known.inData.clear();
  return count;
}

/** The maximum nesting, in levels. A value that is nested deeper is redacted completely. */
const maxDepth = 500;

/** Returns a value with its texts, and keys that aren't plain words, replaced at any depth; the same value if none changes. */
export function replaceStrings(value: unknown, replace: (text: string, name?: string) => string): unknown {
  const walk = (inner: unknown, name: string | undefined, levels: number): unknown => {
    if (typeof inner === 'string') return replace(inner, name);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (levels === 0) return redactionMarker;
    if (Array.isArray(inner)) {
      const items = inner.map((item) => walk(item, name, levels - 1));
      return items.every((item, at) => item === inner[at]) ? inner : items;
    }
    const prototype = Object.getPrototypeOf(inner);
    if (prototype !== null && prototype !== Object.prototype) return inner;
    let isChanged = false;
    const entries = Object.entries(inner).map(([key, member]) => {
      const [newKey, newMember] = [
        plainWordPattern.test(key) ? key : replace(key),
        walk(member, key, levels - 1),
      ];
      isChanged ||= newKey !== key || newMember !== member;
      return [newKey, newMember] as const;
    });
    if (!isChanged) return inner;
    const copy = Object.fromEntries(entries);
    return prototype === null ? Object.setPrototypeOf(copy, null) : copy;
  };
  return walk(value, undefined, maxDepth);
}
