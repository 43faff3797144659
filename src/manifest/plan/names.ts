/** What people call the records whose ids a plan has met, for showing it. */
import { isRow } from '../../session/row.ts';

export class Names {
  readonly #known = new Map<string, Map<string, string>>();

  note(target: string, id: string, name: string): void {
    const own = this.#known.get(target) ?? new Map<string, string>();
    this.#known.set(target, own);
    if (!own.has(id)) own.set(id, name);
  }

  of(target: string, id: string): string {
    return this.#known.get(target)?.get(id) ?? id;
  }

  /** The related records that an answer shows with their names. */
  noteShown(target: string, title: string, shown: unknown): void {
    for (const each of Array.isArray(shown) ? shown : [shown]) {
      const name = isRow(each) ? each[title] : undefined;
      if (isRow(each) && typeof each.id === 'string' && typeof name === 'string' && name !== '')
        this.note(target, each.id, name);
    }
  }
}
