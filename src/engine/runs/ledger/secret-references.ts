/**
 * Replaces known secrets in files with references. When the file is read, the secrets come from the environment or the
 * settings.
 */
import { randomBytes, scryptSync } from 'node:crypto';
import { parseExactJson } from '../../../base/number-text.ts';
import {
  knownSecrets,
  knownSpellings,
  plainWordPattern,
  redactionMarker,
  replaceStrings,
  spellingsOf,
} from '../../../base/redaction.ts';

/** The data that a file stores about its references to secrets. */
export interface StoredSecrets {
  salt: string;
  /**
   * The variable or the setting of each secret, by the hash in its references. The hash is salted, so that references
   * can't be forged, and slow to compute, so that passwords are hard to guess.
   */
  names: Readonly<Record<string, string>>;
}

/**
 * The start of a reference: a code point that is reserved for programs and doesn't occur in text. The digit after the
 * hash is the index in `spellingsOf`.
 */
const referenceStart = '\ufdd0';
const referencePattern = /\ufdd0([\da-f]{32})\.(\d)\ufdd1/g;

/** The names of members whose values belong to boh. They aren't replaced, because queries search for them. */
const unreplacedMembers = ['resource', 'verb', 'category'];

export class SecretReferences {
  readonly #read: () => StoredSecrets | undefined;
  readonly #save: (stored: StoredSecrets) => void;
  /** The hashes of secrets, by their values. */
  readonly #hashes = new Map<string, string>();
  #stored: StoredSecrets | undefined;

  /**
   * Creates the references of one file. `read` is called until it returns secrets; `save` is called when a secret is
   * added.
   */
  constructor(read: () => StoredSecrets | undefined, save: (stored: StoredSecrets) => void = () => {}) {
    this.#read = read;
    this.#save = save;
  }

  /** Returns the stored data about secrets; undefined if there is none. */
  get stored(): StoredSecrets | undefined {
    this.#stored ??= this.#read();
    return this.#stored;
  }

  /** Returns the text with a reference in place of each known secret, in any of its spellings. */
  hide(text: string): string {
    let result = text;
    for (const { secret, spelling, text: spelledText } of knownSpellings()) {
      if (result.includes(spelledText))
        result = result.replaceAll(spelledText, `${referenceStart}${this.#add(secret)}.${spelling}\ufdd1`);
    }
    return result;
  }

  /** Replaces secrets in a JSON text, which stays valid JSON. */
  hideInJson(json: string): string {
    if (!knownSpellings().some(({ text }) => json.includes(text))) return json;
    return JSON.stringify(this.hideInValue(parseExactJson(json)));
  }

  /** Replaces secrets in all strings of a value. */
  hideInValue(value: unknown): unknown {
    return replaceStrings(value, (text, name = '') =>
      unreplacedMembers.includes(name) && plainWordPattern.test(text) ? text : this.hide(text),
    );
  }

  /** Returns the text with secrets in place of references. A secret that is no longer known is redacted. */
  fill(text: string): string {
    if (!text.includes(referenceStart)) return text;
    return text.replaceAll(referencePattern, (match, hash: string, spelling: string) => {
      if (this.stored?.names[hash] === undefined) return match;
      const value = this.#valueOf(hash);
      return (value === undefined ? undefined : spellingsOf(value)[Number(spelling)]) ?? redactionMarker;
    });
  }

  /** Fills in the secrets in a JSON text. */
  fillInJson(json: string): string {
    return json.includes(referenceStart) ? JSON.stringify(this.fillInValue(parseExactJson(json))) : json;
  }

  /** Fills in the secrets in all strings of a value. */
  fillInValue(value: unknown): unknown {
    return replaceStrings(value, (text) => this.fill(text));
  }

  /** Returns the names of secrets that are no longer known. */
  missing(): string[] {
    const missingEntries = Object.entries(this.stored?.names ?? {}).filter(([hash]) => !this.#valueOf(hash));
    return [...new Set(missingEntries.map(([, name]) => name))];
  }

  #add({ name, value }: { name: string; value: string }): string {
    this.#stored = this.stored ?? { salt: randomBytes(16).toString('hex'), names: {} };
    const { salt, names } = this.#stored;
    const hash = this.#hashOf(value, salt);
    if (names[hash] !== undefined) return hash;
    this.#stored = { salt, names: { ...names, [hash]: name } };
    this.#save(this.#stored);
    return hash;
  }

  #valueOf(hash: string): string | undefined {
    const salt = this.stored?.salt ?? '';
    return knownSecrets().find(({ value }) => this.#hashOf(value, salt) === hash)?.value;
  }

  #hashOf(value: string, salt: string): string {
    const hash = this.#hashes.get(value) ?? scryptSync(value, salt, 16).toString('hex');
    this.#hashes.set(value, hash);
    return hash;
  }
}
