/** Keeps unsent answers of a form on disk, so that Ctrl-C, a closed window or a crash loses nothing. Never contains secrets. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRow } from '../../account/client/shape.ts';
import type { Operation } from '../../api/contract/operation.ts';
import { replaceFileSync } from '../../base/replace-file.ts';
import type { Answer } from './answer.ts';
import type { RecordsDraft } from './record-entries.ts';

/** The content of a form that wasn't sent. */
export interface FormDraft {
  savedAt: Date;
  answers: Map<string, Answer>;
  /** The records and texts of unfinished sheets, by the name of their question. */
  sheets: Map<string, RecordsDraft>;
}

/** A form has at most this many answers without being kept. */
const maxUnkeptAnswers = 5;

const recordsOf = (ids: unknown) =>
  Array.isArray(ids) ? ids.map((id) => ({ id: String(id), label: String(id) })) : [];

/** The draft of one command and record. If it can't be read or written, the form works without it. */
export class DraftFile {
  readonly #file: string;

  constructor(accountFolder: string, { command }: Operation, ids: readonly string[]) {
    const hash = createHash('sha256')
      .update(JSON.stringify([command, ids]))
      .digest('hex')
      .slice(0, 16);
    this.#file = join(accountFolder, 'drafts', `${command.replaceAll(' ', '-')}-${hash}.json`);
  }

  /** Saves the draft if it has more than a few answers. Returns whether it did. */
  save({ body }: Operation, { savedAt, answers, sheets }: FormDraft): boolean {
    const filled = [...sheets.values()].map(
      ({ texts }) => [...(texts?.values() ?? [])].filter(Boolean).length,
    );
    const lines = [...answers.values()].map(({ value }) => (Array.isArray(value) ? value.length : 1));
    const count = [...filled, ...lines].reduce((sum, number) => sum + number, 0);
    if (count <= maxUnkeptAnswers) return false;
    const secrets = body.filter(({ field }) => field.traits.secret).map(({ name }) => name);
    const content = {
      version: 1,
      savedAt,
      answers: [...answers]
        .filter(([name]) => !secrets.includes(name))
        .map(([name, { value, display, records }]) => [name, value, display, records?.map(({ id }) => id)]),
      sheets: [...sheets].map(([name, { records = [], texts = new Map() }]) => [
        name,
        records.map(({ id }) => id),
        [...texts],
      ]),
    };
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      replaceFileSync(this.#file, JSON.stringify(content));
      return true;
    } catch {
      return false;
    }
  }

  /** Returns the draft; undefined if there is none that can be read. Its records have only IDs. */
  read(): FormDraft | undefined {
    try {
      const content: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      if (!isRow(content) || content.version !== 1) return undefined;
      const [answers, sheets] = [content.answers, content.sheets] as [unknown[][], unknown[][]];
      return {
        savedAt: new Date(String(content.savedAt)),
        answers: new Map(
          answers.map(([name, value, display, ids]) => [
            String(name),
            { value, display: String(display), ...(Array.isArray(ids) && { records: recordsOf(ids) }) },
          ]),
        ),
        sheets: new Map(
          sheets.map(([name, ids, texts]) => [
            String(name),
            { records: recordsOf(ids), texts: new Map(texts as [string, string][]) },
          ]),
        ),
      };
    } catch {
      return undefined;
    }
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
