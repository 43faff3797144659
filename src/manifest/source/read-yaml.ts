/** YAML and JSON, which is YAML as well, into a tree with places. Loads the library that reads them. */
import type { Alias, Document, Pair, Range, Scalar, YAMLMap, YAMLSeq, Node as YamlNode } from 'yaml';
import type { Environment } from '../../environment.ts';
import type { Pauses } from '../pauses.ts';
import type { Mistakes } from './mistakes.ts';
import type { BrokenNode, Entry, Node, Place } from './node.ts';
import { scalarNode } from './scalar.ts';
import { PlacedText, type TextFile } from './text-place.ts';

/** Anchors may repeat what stands once, though not without end: this often, and a few more. */
const mostRepeated = { times: 20, more: 10_000 };
const mostLevels = 100;

type Library = typeof import('yaml');

/** One tree for each document in the file. What is wrong with it is among the mistakes, and left out. */
export async function readYaml(
  file: TextFile,
  { env, pauses }: { env: Environment; pauses: Pauses },
  mistakes: Mistakes,
): Promise<Node[]> {
  const yaml = await import('yaml');
  const { text } = file;
  const placed = new PlacedText(file);
  const place = (offset: number) => placed.at(offset);
  const documents = await documentsIn(text, yaml, pauses);
  let isSound = true;
  for (const { errors } of documents) {
    for (const { message, pos, code } of errors) {
      isSound = false;
      mistakes.add(place(pos[0]), inWords(code, message));
    }
  }
  if (!isSound) return [];
  const room = { left: text.length * mostRepeated.times + mostRepeated.more };
  return documents.flatMap((document) => {
    if (document.contents === null) return [];
    const reader = new TreeReader({ yaml, document, place, env, mistakes, room });
    return [reader.read(document.contents as YamlNode, 0)];
  });
}

/** Symbols of the text between two looks at the time. */
const atOnce = 1000;

/** As the library’s `parseAllDocuments` does it, with stops. */
async function documentsIn(text: string, yaml: Library, pauses: Pauses): Promise<Document[]> {
  const parser = new yaml.Parser();
  const composer = new yaml.Composer({ prettyErrors: false, merge: false });
  const documents: Document[] = [];
  let count = 0;
  for (const symbol of new yaml.Lexer().lex(text)) {
    for (const token of parser.next(symbol)) documents.push(...composer.next(token));
    if (++count % atOnce === 0 && pauses.isDue) await pauses.take();
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  await pauses.takeIfDue();
  return documents;
}

function inWords(code: string, message: string): string {
  if (code === 'TAB_AS_INDENT') return 'is indented by a tab; YAML takes spaces alone';
  if (code === 'DUPLICATE_KEY') return 'stands twice';
  const first = message.split('\n')[0] ?? message;
  return `can’t be read as YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}

interface Reading {
  yaml: Library;
  document: Document;
  place(offset: number): Place;
  env: Environment;
  mistakes: Mistakes;
  /** Nodes that may still be made: anchors within anchors grow without end. */
  room: { left: number };
}

class TreeReader {
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  read(node: YamlNode | null, level: number, at = this.#placeOf(node)): Node {
    const { yaml, room } = this.#reading;
    if (node === null) return { kind: 'scalar', value: null, text: '', at };
    room.left--;
    if (room.left < 0)
      return this.#refuse(at, 'repeats itself through anchors far too often', room.left === -1);
    if (level > mostLevels) return this.#refuse(at, `is nested deeper than ${mostLevels} levels`);
    if (yaml.isAlias(node)) return this.#readAlias(node, level, at);
    if (yaml.isMap(node)) return this.#readMap(node as YAMLMap, level, at);
    if (yaml.isSeq(node)) return this.#readList(node as YAMLSeq, level, at);
    return this.#readScalar(node as Scalar, at);
  }

  #readAlias(alias: Alias, level: number, at: Place): Node {
    const target = alias.resolve(this.#reading.document);
    if (!target) return this.#refuse(at, `refers to the anchor ${alias.source}, which is not there`);
    return this.read(target as YamlNode, level + 1, at);
  }

  #readList({ items }: YAMLSeq, level: number, at: Place): Node {
    const read = items.map((item) =>
      this.read(item as YamlNode | null, level + 1, this.#placeOf(item as YamlNode) ?? at),
    );
    return { kind: 'list', at, items: read };
  }

  #readMap({ items }: YAMLMap, level: number, at: Place): Node {
    const entries = new Map<string, Entry>();
    const merged: Entry[] = [];
    for (const { key, value } of items as Pair<YamlNode, YamlNode | null>[]) {
      const { yaml } = this.#reading;
      const keyAt = this.#placeOf(key);
      if (!yaml.isScalar(key)) {
        this.#refuse(keyAt, 'can’t be a name: it is no text');
        continue;
      }
      const valueAt = value === null || value.range == null ? keyAt : this.#placeOf(value);
      const read = this.read(value, level + 1, valueAt);
      const name = String(key.value ?? '');
      if (name === '<<') merged.push(...this.#merged(read));
      else entries.set(name, { name, at: keyAt, value: read });
    }
    const own = [...entries.values()];
    const more = merged.filter(
      ({ name }, index) => !entries.has(name) && merged.findIndex((each) => each.name === name) === index,
    );
    return { kind: 'map', at, entries: [...own, ...more] };
  }

  #merged(node: Node): readonly Entry[] {
    if (node.kind === 'map') return node.entries;
    if (node.kind === 'list') return node.items.flatMap((item) => this.#merged(item));
    if (node.kind !== 'broken') this.#refuse(node.at, 'must name a map to take over, as in <<: *usual');
    return [];
  }

  #readScalar(scalar: Scalar, at: Place): Node {
    const { value } = scalar;
    const isText = typeof value === 'string';
    const text = isText ? value : String(scalar.source ?? value ?? '');
    if (!isText && typeof value !== 'number' && typeof value !== 'boolean' && value !== null) {
      return this.#refuse(at, 'is of a type that can’t be sent; put it in quotes');
    }
    return scalarNode(value, text, at, this.#reading);
  }

  #refuse(at: Place, what: string, isTold = true): BrokenNode {
    if (isTold) this.#reading.mistakes.add(at, what);
    return { kind: 'broken', at };
  }

  #placeOf(node: { range?: Range | null } | null | undefined): Place {
    return this.#reading.place(node?.range?.[0] ?? 0);
  }
}
