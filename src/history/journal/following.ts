/** What has come to a journal since it was looked at before: for copies of it that follow it. */
import { hash } from 'node:crypto';
import { jsonIn } from '../../storage/json-cell.ts';
import type { Journal } from './journal.ts';
import { namesLinks } from './stored-entry.ts';

/** How far a journal has come: its newest link, and the newest of its entries. */
export interface End {
  seq: number;
  number: number;
}

export function endOf({ database }: Journal): End {
  const { seq, number } = database.get('SELECT seq, number FROM chain_end') ?? {};
  return { seq: Number(seq ?? 0), number: Number(number ?? 0) };
}

/** The oldest entry that wasn’t thrown away; undefined where there is none. */
export function oldestIn({ database }: Journal): number | undefined {
  const number = database.get('SELECT min(number) AS number FROM entries')?.number;
  return number == null ? undefined : Number(number);
}

/** How often it was found to have lost writes. */
export function lossesIn({ database }: Journal): number {
  return Number(database.get("SELECT count(*) AS count FROM marks WHERE kind = 'lost'")?.count);
}

/** Whose entries they are, as far as it is known by now: who was signed in may turn out later. */
export function ownersIn({ database }: Journal): string {
  const rows = database.all('SELECT id, business, business_name, user, user_name FROM accounts ORDER BY id');
  return hash('sha256', JSON.stringify(rows.map((row) => Object.values(row))), 'base64url');
}

/** By which an entry is known to be the same as before: no other journal has it. Undefined where it isn’t there. */
export function hashOf({ database }: Journal, number: number): string | undefined {
  const hash = database.get('SELECT hash FROM entries WHERE number = ?', number)?.hash;
  return hash == null ? undefined : String(hash);
}

/** Entries up to a number that say something else since a link. */
export interface Touched {
  /** In their order. */
  numbers: number[];
  /** Some were forgotten, or their lines; else their outcome has come. */
  hasForgotten: boolean;
}

export function touchedSince({ database }: Journal, { seq, number }: End): Touched {
  const told = database.all('SELECT number FROM outcomes WHERE seq > ? AND number <= ?', seq, number);
  const touched = new Set(told.map((row) => Number(row.number)));
  const marks = database.all("SELECT content FROM marks WHERE seq > ? AND kind = 'forgotten'", seq);
  for (const { content } of marks) {
    for (const link of jsonIn(content, database, namesLinks).links) {
      const [table, key = ''] = link.split(' ');
      const own =
        table === 'commands'
          ? database.all('SELECT number FROM entries WHERE command = ?', Number(key)).map((row) => row.number)
          : [key];
      for (const each of own) if (Number(each) <= number) touched.add(Number(each));
    }
  }
  return { numbers: [...touched].sort((one, other) => one - other), hasForgotten: marks.length > 0 };
}
