/** Records that would be new, and whose key is nearly that of another one: boh takes them for two, and people may have meant one. */
import { nearKeyForm } from '../../contract/key-form.ts';
import { isNearPhone } from '../../contract/phone-form.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import { type Declared, formOf } from '../declared/declared.ts';
import { placeText } from '../source/node.ts';
import { valueIn } from './wants.ts';

/** As many are told of. */
const mostTold = 10;

interface Known {
  record: Declared;
  text: string;
}

export class NearKeys {
  readonly #resource: Resource;
  readonly #declared: readonly Declared[];
  /** By field and near form, of records that are known by a single text; made where a row is none of them. */
  #byField: Map<string, Map<string, Known>> | undefined;
  readonly #found: { record: Declared; text: string; other: string }[] = [];

  constructor(resource: Resource, declared: readonly Declared[]) {
    this.#resource = resource;
    this.#declared = declared;
  }

  #known(): Map<string, Map<string, Known>> {
    if (!this.#byField) {
      this.#byField = new Map();
      for (const record of this.#declared) this.#add(record, this.#byField);
    }
    return this.#byField;
  }

  #add(record: Declared, byField: Map<string, Map<string, Known>>): void {
    const [{ name, value: text } = { name: '', value: undefined }, ...more] = record.key;
    if (more.length > 0 || typeof text !== 'string') return;
    const known = byField.get(name) ?? new Map<string, Known>();
    byField.set(name, known);
    const near = nearKeyForm(this.#resource.fields[name], text);
    const before = known.get(near);
    if (before && this.#isNear(name, before.text, text)) {
      this.#found.push({ record, text, other: `${placeText(before.record.at)} declares ${before.text}` });
      this.#found.push({
        record: before.record,
        text: before.text,
        other: `${placeText(record.at)} declares ${text}`,
      });
    } else if (!before) known.set(near, { record, text });
  }

  /** To be told of every row that is none of what is looked for. */
  meet(row: Row): void {
    for (const [name, known] of this.#known()) {
      const shown = valueIn(row, name, this.#resource);
      if (shown === null) continue;
      const near = known.get(nearKeyForm(this.#resource.fields[name], shown));
      if (!near || !this.#isNear(name, shown, near.text)) continue;
      this.#found.push({ ...near, other: `${row.id} is called ${shown}` });
    }
  }

  #isNear(name: string, one: string, other: string): boolean {
    const isPhone = this.#resource.fields[name]?.traits.form === 'phone';
    if (isPhone && !isNearPhone(one, other)) return false;
    return formOf(this.#resource, name, one) !== formOf(this.#resource, name, other);
  }

  /** A sentence for each that would be new. */
  remarks(isThere: (record: Declared) => boolean): string[] {
    if (this.#declared.every(isThere)) return [];
    this.#known();
    const fresh = this.#found.filter(({ record }) => !isThere(record));
    const sentences = fresh.map(
      ({ text, other }) =>
        `${text} would be a new ${this.#resource.noun}, and ${other}: they differ only in case, marks, forms of Arabic letters, scripts of digits or the way to write a phone number, which makes two keys.`,
    );
    return [...new Set(sentences)].slice(0, mostTold);
  }
}
