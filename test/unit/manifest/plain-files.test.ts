/** Plain manifests are read by a reader of their own: whatever it reads, it reads as the library does, with the same places. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Pauses } from '../../../src/manifest/pauses.ts';
import { Mistakes } from '../../../src/manifest/source/mistakes.ts';
import type { MapNode, Node } from '../../../src/manifest/source/node.ts';
import { readPlain } from '../../../src/manifest/source/read-plain.ts';
import { readYaml } from '../../../src/manifest/source/read-yaml.ts';
import { fc } from '../../harness/fast-check.ts';

const env = { COST: '8.5' };

/** The tree with its places counted. */
const told = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(told);
  if ('line' in value && 'column' in value) return `${value.line}:${value.column}`;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, told(inner)]));
};

async function byLibrary(text: string) {
  const mistakes = new Mistakes();
  const nodes = await readYaml({ file: 'a.yaml', text }, { env, pauses: new Pauses(undefined) }, mistakes);
  return { nodes: told(nodes), mistakes: mistakes.sentences() };
}

/** The whole tree: the items of its lists are told of by themselves. */
function asPlain(text: string) {
  const mistakes = new Mistakes();
  const items = new Map<string | undefined, Node[]>();
  const node = drained(
    readPlain(
      { file: 'a.yaml', text },
      { env, mistakes },
      {
        tree: (item, name) => items.set(name, [...(items.get(name) ?? []), item]),
        plain: () => false,
      },
    ),
  );
  const filled = (inner: Node, name?: string): Node =>
    inner.kind === 'list' ? { ...inner, items: items.get(name) ?? [] } : inner;
  const whole =
    node?.kind === 'map'
      ? {
          ...node,
          entries: node.entries.map((entry) => ({ ...entry, value: filled(entry.value, entry.name) })),
        }
      : node && filled(node);
  return whole && { nodes: told([whole]), mistakes: mistakes.sentences() };
}

function drained(steps: ReturnType<typeof readPlain>): Node | undefined {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

async function expectSame(text: string): Promise<boolean> {
  const plain = asPlain(text);
  if (plain) expect(plain, text).toEqual(await byLibrary(text));
  return plain !== undefined;
}

const plain = [
  'a: b\u00a0\n',
  'tags:\n  - { name: VIP, type: customer }\n  - { name: "Two words", type: customer }\n',
  'tags:\n- name: A\n  type: customer\n- name: B # said\n\n# more\ncustomers:\n  - name: طماطم 🍅\n    phone: 0815\n',
  "---\nsuppliers:\n  - name: Fresh Farms\n    items:\n      - { item: TOM-01, order_unit: crate, order_to_storage_factor: 12.50 }\n    tags: [A, \"B, C\", 'it''s', -5, true, null]\n",
  '{"tags":[{"name":"A \\"x\\" \\u0627","type":1,"is":[true,false,null,-0.5,12]}],\n  "$schema": "x"\n}\n',
  '- a\n- 2026-01-02\n- 10:30\n- x:y\n- a#b\n- -5\n- 1.5.2\n- 10 %\n',
  `a: $\{COST}\nb: "$\{NOBODY:-x y}"\nc: $\{NOBODY}\n`,
  'a:\n  b:\n    - c: d\n      e:\n      - f\n',
];

/** Right or wrong, of a kind that the library reads or has the words for. */
const other = [
  'a: |\n  text\n',
  'a: b\n  c\n',
  'a: &x b\nc: *x\n',
  'a:\n\t- b\n',
  'a: b\na: c\n',
  'a: 1\r\nb: 2\r\n',
  'a: .5\n',
  'a: 1e3\n',
  'a: 0x1f\n',
  'a: +5\n',
  'a: ~\n',
  'a:\nb: c\n',
  'a: b: c\n',
  '? a\n: b\n',
  '<<: { a: b }\n',
  'null: a\n',
  '{ a: b, }\n',
  '{ a }\n',
  '[a: b]\n',
  'a: {b: c\n  , d: e}\n',
  'a: b\n---\nc: d\n',
  'a: "x\n  y"\n',
  'a: 19.999999999999999999\n',
  'a: "\\x41"\n',
  '  a: b\n',
  '- - a\n',
  '-\n',
  '',
  'a: !!str 5\n',
  '{"a":1,"a":2}',
  '{"a":1',
  '@a: b\n',
  'a: %b\n',
];

/** Pieces of which manifests are made, in any order. */
const pieces = fc.array(
  fc.constantFrom(
    ...'a: |- |  |\n|\n  |\n    |{|}|[|]|, |,|:|"|\'|#| #|b|name|: |true|null|5|-1.50|007|~|<<: |&x|*x|!|?|---\n|\u00a0|\t|\\n|\\|é|x y|1e3|.5|- a: |{ a: b }|[x, y]|: c\n|\r\n|=|@|%|`|>|- - '.split(
      '|',
    ),
    '|',
    `$\{COST}`,
    `$\{NO}`,
  ),
  { maxLength: 14 },
);

const scalars = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.stringMatching(/^[a-z0-9 :#,.'"\-{}[\]%@!&*?|>~+x_]{0,8}$/),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('0815', '1e3', 'null', '~', '2026-01-02', '10:30', '.5', '0x1f', '-', '', ' a ', '5 '),
);
const names = fc.oneof(
  fc.constantFrom('name', 'tags', '$key', 'storage_unit', 'a-b', 'true', '5'),
  fc.string({ maxLength: 4 }),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('a plain manifest', () => {
  it.each(plain)('is read as the library reads it: %j', async (text) => {
    expect(await expectSame(text)).toBe(true);
  });

  it.each(other)('is left to the library where it is more than that, or wrong: %j', async (text) => {
    expect(asPlain(text)).toBeUndefined();
  });

  it('is the same whatever values were written down, in every way of writing them', async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(0, 2, 4), fc.boolean(), async (value, indent, isJson) => {
        const text = isJson
          ? JSON.stringify(value, null, indent)
          : stringify(value, { indent: Math.max(2, indent), lineWidth: 0, indentSeq: indent > 2 });
        if (await expectSame(text)) read++;
      }),
      { numRuns: 400 },
    );
    expect(read).toBeGreaterThan(100);
  });

  it('is the same however its pieces are thrown together', async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        if (await expectSame(parts.join(''))) read++;
        if (await expectSame(`tags:\n  - name: ${parts.join('')}\n    type: x\n`)) read++;
      }),
      { numRuns: 1500 },
    );
    expect(read).toBeGreaterThan(20);
  });
});

/** Every item that is told of, in words that don’t say how it was told. */
function itemsOf(text: string, isTaken: boolean) {
  const items: unknown[] = [];
  let taken = 0;
  const mistakes = new Mistakes();
  const steps = readPlain(
    { file: 'a.yaml', text },
    { env, mistakes },
    {
      tree: (item, name) => items.push([name, item.kind === 'map' ? entriesOf(item) : told(item)]),
      plain({ names: own, values: held, at }, name) {
        if (!isTaken) return false;
        taken++;
        const entries = own.map((each, index) => [each, held[index], told(at.ofValue(index))]);
        items.push([name, { at: told(at), entries }]);
        return true;
      },
    },
  );
  const node = drained(steps);
  return { read: node && { items, mistakes: mistakes.sentences() }, taken };
}

function entriesOf({ at, entries }: MapNode) {
  const each = entries.map(({ name, value }) =>
    value.kind === 'scalar' && value.template === undefined
      ? [name, value.value, told(value.at)]
      : [name, told(value)],
  );
  return { at: told(at), entries: each };
}

describe('a record that is written like one before it', () => {
  const held = fc.oneof(
    fc.stringMatching(/^[a-z0-9 :#,.'"\-{}]{1,8}$/),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, '0815', '', ' a ', 'طماطم', '\n', 'a\\b', `$\{COST}`, 1.5),
  );
  const records = fc.array(
    fc.record(
      { name: held, phone: held, $key: held, cost: held, tags: fc.constant([1, 'a']) },
      { requiredKeys: ['name', 'phone', '$key'] },
    ),
    { minLength: 4, maxLength: 12 },
  );
  const lists = fc.dictionary(fc.constantFrom('customers', 'tags', 'x'), records, { minKeys: 1 });

  it('is read as its tree is, with the same places, in every way of writing it', async () => {
    let found = 0;
    await fc.assert(
      fc.property(lists, fc.constantFrom(0, 2, 4), fc.boolean(), (value, indent, isJson) => {
        const text = isJson
          ? JSON.stringify(value, null, indent)
          : stringify(value, { indent: Math.max(2, indent), lineWidth: 0, indentSeq: indent > 2 });
        const { read, taken } = itemsOf(text, true);
        expect(read, text).toEqual(itemsOf(text, false).read);
        found += taken;
      }),
      { numRuns: 600 },
    );
    expect(found).toBeGreaterThan(10);
  });

  it('is read as its tree is, wherever it begins to be otherwise', async () => {
    let found = 0;
    const like = '- name: A\n  type: b\n- { name: A, type: b }\n- name: A # c\n  type: "b"\n';
    await fc.assert(
      fc.property(pieces, pieces, (first, second) => {
        for (const text of [
          `${like}- name: ${first.join('')}\n  type: ${second.join('')}\n- name: A\n  type: b\n`,
          `${like}- { name: ${first.join('')}, type: ${second.join('')} }\n`,
          `${like}${first.join('')}- name: C${second.join('')}\n  type: d\n`,
        ]) {
          const { read, taken } = itemsOf(text, true);
          expect(read, text).toEqual(itemsOf(text, false).read);
          if (read) found += taken;
        }
      }),
      { numRuns: 1500 },
    );
    expect(found).toBeGreaterThan(10);
  });
});
