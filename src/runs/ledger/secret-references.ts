/** Replaces known secrets in files with references, which are filled again from the environment or the settings. */
import { randomBytes, scryptSync } from 'node:crypto';
import { exactJson } from '../../base/number-text.ts';
import {
  knownSecrets,
  knownSpellings,
  plainWord,
  redactionText,
  spellingsOf,
  textsReplaced,
} from '../../base/redaction.ts';

/** What a file stores about the secrets that its references stand for. */
export interface StoredSecrets {
  salt: string;
  /**
   * The variable or the setting of each secret, by the hash in its references. The hash is salted, so that no text
   * from outside can pass for a reference, and slow to compute, as a password can be guessed.
   */
  names: Readonly<Record<string, string>>;
}

/**
 * The start of a reference: a code point that no text contains, as it is reserved for programs. The digit after the
 * hash is the index in `spellingsOf`.
 */
const opening = '\ufdd0';
const reference = /\ufdd0([\da-f]{32})\.(\d)\ufdd1/g;

/** The names of members whose values are terms of boh itself, which queries look for. */
const ownWords = ['resource', 'verb', 'category'];

/** Replaces secrets with references, and references with secrets. */
export class SecretReferences {
  readonly #read: () => StoredSecrets | undefined;
  readonly #save: (stored: StoredSecrets) => void;
  /** The hashes of secrets, by their values. */
  readonly #hashes = new Map<string, string>();
  #stored: StoredSecrets | undefined;

  /** Creates the references of one file. `read` is called until there are secrets; `save` is called when one is added. */
  constructor(read: () => StoredSecrets | undefined, save: (stored: StoredSecrets) => void = () => {}) {
    this.#read = read;
    this.#save = save;
  }

  /** Returns what is stored of the secrets that references stand for. */
  get stored(): StoredSecrets | undefined {
    this.#stored ??= this.#read();
    return this.#stored;
  }

  /** Returns the text with a reference in place of each known secret, however it is spelled. */
  hidden(text: string): string {
    let kept = text;
    for (const { secret, spelling, text: spelled } of knownSpellings()) {
      if (kept.includes(spelled))
        kept = kept.replaceAll(spelled, `${opening}${this.#add(secret)}.${spelling}\ufdd1`);
    }
    return kept;
  }

  /** Returns the same for a JSON text, which stays valid JSON. */
  hiddenJson(json: string): string {
    if (!knownSpellings().some(({ text }) => json.includes(text))) return json;
    return JSON.stringify(this.hiddenValue(exactJson(json)));
  }

  /** Returns the same for the texts of a value. */
  hiddenValue(value: unknown): unknown {
    return textsReplaced(value, (text, name = '') =>
      ownWords.includes(name) && plainWord.test(text) ? text : this.hidden(text),
    );
  }

  /** Returns the text with its secrets. A secret that is no longer known is redacted. */
  filled(text: string): string {
    if (!text.includes(opening)) return text;
    return text.replaceAll(reference, (whole, hash: string, spelling: string) => {
      if (this.stored?.names[hash] === undefined) return whole;
      const value = this.#valueOf(hash);
      return (value === undefined ? undefined : spellingsOf(value)[Number(spelling)]) ?? redactionText;
    });
  }

  /** Returns the same for a JSON text. */
  filledJson(json: string): string {
    return json.includes(opening) ? JSON.stringify(this.filledValue(exactJson(json))) : json;
  }

  /** Returns the same for the texts of a value. */
  filledValue(value: unknown): unknown {
    return textsReplaced(value, (text) => this.filled(text));
  }

  /** Returns the names of secrets that are no longer known. */
  missing(): string[] {
    const missing = Object.entries(this.stored?.names ?? {}).filter(([hash]) => !this.#valueOf(hash));
    return [...new Set(missing.map(([, name]) => name))];
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
