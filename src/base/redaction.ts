/** Redacts the secrets of a command in all text that is displayed or stored. */

/** The text that replaces a secret. */
export const redactionMarker = '••••';

/** The minimum length of a secret, in characters. A shorter value can't be distinguished from other text, so it isn't redacted. */
export const minSecretLength = 8;

/** A secret. Messages name it by the variable or setting that contains it. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

export interface SecretSpelling {
  readonly secret: KnownSecret;
  /** The index in the list of `spellingsOf`. */
  readonly spelling: number;
  readonly text: string;
}

/** Matches plain words and numbers, which any text may contain. They are redacted in values and messages, but not in field names. */
export const plainWordPattern = /^([a-z_]+|[\d.]+)$/;

class SecretRegistry {
  readonly byValue = new Map<string, KnownSecret>();
  /** The spellings of all secrets, longer ones first, because one secret may contain another. */
  spellings: readonly SecretSpelling[] = [];
  strings: readonly string[] = [];
  /** The strings that aren't plain words, and so can't be names of fields. */
  unambiguousStrings: readonly string[] = [];
  /** The paths of the values that were redacted in received data. A value that is received again has the same path. */
  readonly redactedPaths = new Set<string>();

  add(secret: KnownSecret): void {
    if (secret.value.length < minSecretLength || this.byValue.has(secret.value)) return;
    this.byValue.set(secret.value, secret);
    const spellings = [...this.byValue.values()].flatMap((registered) =>
      spellingsOf(registered.value).map((text, spelling) => ({ secret: registered, spelling, text })),
    );
    const distinct = spellings.filter(
      ({ text }, index) => spellings.findIndex((spelling) => spelling.text === text) === index,
    );
    this.spellings = distinct.sort((a, b) => b.text.length - a.text.length);
    this.strings = this.spellings.map(({ text }) => text);
    this.unambiguousStrings = this.strings.filter((text) => !plainWordPattern.test(text));
  }
}

/** Returns the spellings of a secret: unchanged and in lower case, each also as in JSON, CSV and a URL. Files store indexes of this list. */
export function spellingsOf(value: string): string[] {
  const variants = [value, value.toLowerCase()];
  return variants.flatMap((variant) => [
    variant,
    JSON.stringify(variant).slice(1, -1),
    variant.replaceAll('"', '""'),
    percentEncode(variant),
  ]);
}

/** Percent-encodes text. Returns it unchanged if it can't be encoded, so that the secret is still redacted. */
function percentEncode(text: string): string {
  try {
    return encodeURIComponent(text.toWellFormed());
  } catch {
    return text;
  }
}

/** The secrets of all commands that this process runs, usually one. */
let registry = new SecretRegistry();
let runningCommands = 0;

/** Runs a command. These secrets, and those that it registers later, are redacted until it ends. */
export async function withSecretsRedacted<T>(
  secrets: readonly KnownSecret[],
  work: () => Promise<T>,
): Promise<T> {
  runningCommands++;
  for (const secret of secrets) registry.add(secret);
  try {
    return await work();
  } finally {
    runningCommands--;
    if (runningCommands === 0) registry = new SecretRegistry();
  }
}

/** Redacts a secret from now on, for example one that was read from the settings. Does nothing outside a command. */
export function registerSecret(secret: KnownSecret): void {
  if (runningCommands > 0) registry.add(secret);
}

export function knownSecrets(): readonly KnownSecret[] {
  return [...registry.byValue.values()];
}

/** Returns all spellings of the known secrets, longer ones first. */
export function knownSpellings(): readonly SecretSpelling[] {
  return registry.spellings;
}

/** Returns the text with all spellings of known secrets redacted. */
export function redact(text: string): string {
  return redactSpellings(text, registry.strings);
}

/** Returns finished output with known secrets redacted, except plain words, which may be names of fields. */
export function redactOutput(text: string): string {
  return redactSpellings(text, registry.unambiguousStrings);
}

function redactSpellings(text: string, spellings: readonly string[]): string {
  let result = text;
  for (const spelling of spellings)
    if (result.includes(spelling)) result = result.replaceAll(spelling, redactionMarker);
  return result;
}

/** Returns a value with known secrets redacted in its strings, at any depth; the same value if it contains none. */
export function redactValue<Value>(value: Value): Value {
  return registry.byValue.size === 0 ? value : (replaceStrings(value, redact) as Value);
}

/** Redacts known secrets in data that `request` has read, and counts the redacted values for `takeRedactionCount`. */
export function redactData<Value>(value: Value, request: string): Value {
  const redactedValue = redactValue(value);
  recordRedactedPaths(value, redactedValue, request);
  return redactedValue;
}

/** Records the path of each value that differs. The path of a value in a record begins with the record's ID, wherever it is read. */
function recordRedactedPaths(before: unknown, after: unknown, path: string): void {
  if (before === after) return;
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) {
    registry.redactedPaths.add(path);
    return;
  }
  const owner = 'id' in after ? String(after.id) : path;
  const inner = Object.values(before);
  for (const [index, [name, value]] of Object.entries(after).entries())
    recordRedactedPaths(inner[index], value, `${owner}.${name}`);
}

/** Returns how many values of received data were redacted since the last call. */
export function takeRedactionCount(): number {
  const count = registry.redactedPaths.size;
  registry.redactedPaths.clear();
  return count;
}

/** The maximum nesting, in levels. A value that is nested deeper is redacted completely. */
const maxDepth = 500;

/** Replaces the strings of a value, and its keys that aren't plain words, at any depth. Returns the same value if none changes. */
export function replaceStrings(value: unknown, replace: (text: string, name?: string) => string): unknown {
  const walk = (inner: unknown, name: string | undefined, levels: number): unknown => {
    if (typeof inner === 'string') return replace(inner, name);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (levels === 0) return redactionMarker;
    if (Array.isArray(inner)) {
      const items = inner.map((item) => walk(item, name, levels - 1));
      return items.every((item, index) => item === inner[index]) ? inner : items;
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
