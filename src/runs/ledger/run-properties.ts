/** Stores the properties of a run by name, as JSON with references in place of known secrets. */
import type { Database } from '../../storage/database.ts';
import { SecretReferences, type StoredSecrets } from './secret-references.ts';

const secretsProperty = 'known_secrets';

/** Reads and writes the properties of a ledger, in its table `facts`. */
export class RunProperties {
  readonly #database: Database;
  /** The references to secrets in everything that the ledger contains. */
  readonly references = new SecretReferences(
    () => this.#read(secretsProperty) as StoredSecrets | undefined,
    (stored) => this.#write(secretsProperty, stored),
  );

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the value of a property; undefined if it was never set. */
  get(name: string): unknown {
    return this.references.fillInValue(this.#read(name));
  }

  set(name: string, value: unknown): void {
    this.#write(name, this.references.hideInValue(value));
  }

  #read(name: string): unknown {
    const row = this.#database.get('SELECT value FROM facts WHERE name = ?', name);
    return row === undefined ? undefined : JSON.parse(String(row.value));
  }

  #write(name: string, value: unknown): void {
    this.#database.run(
      'INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      name,
      JSON.stringify(value),
    );
  }
}
