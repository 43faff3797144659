/** Records that would be new, and whose key is nearly that of another one: boh takes them for two, and people may have meant one. */
import type { Resource } from '../../contract/resource.ts';
import { keyFieldsNamed, NearKeys } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import type { Declared } from '../declared/declared.ts';
import { placeText } from '../source/node.ts';

const maxRemarks = 10;

/** Compares declared records that are known by a single text with each other and with rows that are none of them. */
export class NearDeclared {
  readonly #noun: string;
  readonly #byField = new Map<string, NearKeys<Declared>>();

  constructor(resource: Resource, declared: readonly Declared[]) {
    this.#noun = resource.noun;
    for (const record of declared) {
      const [part, ...more] = record.key;
      if (!part || more.length > 0 || typeof part.value !== 'string') continue;
      const near = this.#byField.get(part.name) ?? new NearKeys(keyFieldsNamed(resource, [part.name]));
      this.#byField.set(part.name, near);
      near.add([part.value], record);
    }
  }

  meet(row: Row): void {
    for (const near of this.#byField.values()) near.meet(row);
  }

  /** Returns a sentence for each that would be new. */
  remarks(isThere: (record: Declared) => boolean): string[] {
    const sentences = new Set<string>();
    const say = (record: Declared, text: string | undefined, other: string) => {
      if (isThere(record)) return;
      sentences.add(
        `${text} would be a new ${this.#noun}, and ${other}: they differ only in case, marks, forms of Arabic letters, scripts of digits or the way to write a phone number, which makes two keys.`,
      );
    };
    const found = [...this.#byField.values()].flatMap((near) => near.found);
    for (const { item, values, other } of found) {
      const [[text], [otherText]] = [values, other.values];
      if ('record' in other) say(item, text, `${other.record.id} is called ${otherText}`);
      else {
        say(item, text, `${placeText(other.item.at)} declares ${otherText}`);
        say(other.item, otherText, `${placeText(item.at)} declares ${text}`);
      }
    }
    return [...sentences].slice(0, maxRemarks);
  }
}
