/** What a ledger says of its run as a whole, by name: in JSON, with references in the place of known secrets. */
import type { Database } from '../../storage/database.ts';
import { SecretReferences, type StoredSecrets } from './secret-references.ts';

const secrets = 'known_secrets';

export class Facts {
  readonly #database: Database;
  /** Of everything that the ledger keeps. */
  readonly references = new SecretReferences(
    () => this.#read(secrets) as StoredSecrets | undefined,
    (stored) => this.#write(secrets, stored),
  );

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the value of a fact; undefined where it was never set. */
  get(name: string): unknown {
    return this.references.filledValue(this.#read(name));
  }

  set(name: string, value: unknown): void {
    this.#write(name, this.references.hiddenValue(value));
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
