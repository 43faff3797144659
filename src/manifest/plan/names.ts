/** What people call the records whose ids a plan has met, for showing it. */
import { isRow } from '../../session/row.ts';

export class Names {
  readonly #known = new Map<string, Map<string, string>>();
  #later: (() => void) | undefined;

  /** The first name that is noted stays. */
  note(target: string, id: string, name: string): void {
    const own = this.#of(target);
    if (!own.has(id)) own.set(id, name);
  }

  /** In the place of any other. */
  prefer(target: string, id: string, name: string): void {
    this.#of(target).set(id, name);
  }

  /** Called once a name is asked for: mostly none is. */
  noteLater(later: () => void): void {
    this.#later = later;
  }

  /** The id where no name is known. Without a target it may be of any. */
  of(target: string, id: string): string {
    const later = this.#later;
    this.#later = undefined;
    later?.();
    if (target !== '') return this.#known.get(target)?.get(id) ?? id;
    for (const own of this.#known.values()) {
      const name = own.get(id);
      if (name !== undefined) return name;
    }
    return id;
  }

  /** The related records that an answer shows with their names. */
  noteShown(target: string, title: string, shown: unknown): void {
    for (const each of Array.isArray(shown) ? shown : [shown]) {
      const name = isRow(each) ? each[title] : undefined;
      if (isRow(each) && typeof each.id === 'string' && typeof name === 'string' && name !== '')
        this.note(target, each.id, name);
    }
  }

  #of(target: string): Map<string, string> {
    const own = this.#known.get(target) ?? new Map<string, string>();
    this.#known.set(target, own);
    return own;
  }
}
