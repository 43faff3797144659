import { describe, expect, it } from 'vitest';
import { openDeclaring } from './declaring.ts';

describe('a manifest with mistakes', () => {
  it('is refused with all mistakes, each with line and column, and nothing is written', async () => {
    const place = await openDeclaring();
    place.write(
      'seeds/menu.yaml',
      [
        'tagz:',
        '  - { name: A }',
        'tags:',
        '  - { name: VIP, type: custommer }',
        '  - { nam: B, type: customer }',
        '  - { name: C, type: customer }',
        '  - { name: C, type: customer }',
        'inventory-items:',
        '  - sku: X-1',
        '    storage_to_ingredient_factor: many',
        '    is_product: true',
        '    category: [Vegetables]',
        'loyalty-rewards: []',
        '',
      ].join('\n'),
    );
    const found = await place.mistakes('plan @/seeds -v');
    expect(found).toEqual({
      'seeds/menu.yaml:1:1': ['tagz is not a resource. Did you mean "tags"?'],
      'seeds/menu.yaml:4:24': [expect.stringContaining('; did you mean "customer"?: "custommer"')],
      'seeds/menu.yaml:5:7': ['nam is not a field of a tag. Did you mean "name"?'],
      'seeds/menu.yaml:7:5': [expect.stringMatching(/^declares the same tag as .*menu\.yaml:6:5$/)],
      'seeds/menu.yaml:10:35': ['must be a number: "many"'],
      'seeds/menu.yaml:11:5': ["is_product can't be set"],
      'seeds/menu.yaml:12:15': ['must name one inventory item category'],
      'seeds/menu.yaml:13:1': [expect.stringContaining("can't be declared")],
    });
    const { stderr } = await place.boh('plan @/seeds -v');
    expect(stderr).not.toMatch(/^(POST|PUT|DELETE) /m);
    expect(stderr).toContain('8 mistakes');
  });

  it.each([
    ['a tab', 'tags:\n\t- { name: A }\n', /tab/],
    ['a key twice', 'tags:\n  - name: A\n    name: B\n', /duplicate key/],
    ['an anchor that explodes', explosion(), /anchors/],
    ['an unknown anchor', 'tags:\n  - *missing\n', /missing/],
    [
      'a variable that is not set',
      `tags:\n  - name: $\{NOBODY_SET_THIS}\n    type: customer\n`,
      /NOBODY_SET_THIS/,
    ],
    [
      'a number that would become another',
      'taxes:\n  - name: A\n    rate: 19.999999999999999999\n',
      /exactly/,
    ],
    ['a truth value for a text', 'tags:\n  - name: true\n', /quotes/],
    [
      'the same link twice',
      'suppliers:\n  - name: A\n    items:\n      - { item: X }\n      - { item: X }\n',
      /twice/,
    ],
    ['$key without a value', 'addresses:\n  - $key: [name]\n    description: x\n', /key/],
    ['an unknown word of our own', 'tags:\n  - name: A\n    $exakt: true\n', /\$exact/],
  ])('%s', async (_, text, expected) => {
    const place = await openDeclaring();
    place.write('a.yaml', text);
    const found = await place.mistakes('plan @/a.yaml');
    for (const at of Object.keys(found)) expect(at).toMatch(/^a\.yaml:\d+:\d+$/);
    expect(Object.values(found).flat().join('\n')).toMatch(expected);
  });

  it("reports files that aren't manifests in plain words", async () => {
    const place = await openDeclaring();
    place.write('deep.yaml', `tags: ${'['.repeat(5000)}${']'.repeat(5000)}\n`);
    place.write('deep.json', `${'{"tags":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
    const deep = await place.mistakes('plan @/deep.yaml @/deep.json');
    expect(Object.values(deep)).toEqual([
      ['is nested deeper than 100 levels'],
      ['is nested deeper than 100 levels'],
    ]);
    place.write('tag.yaml', 'tags:\n  - { name: !vault secrets/tag, type: customer }\n');
    expect(await place.mistakes('plan @/tag.yaml')).toEqual({
      'tag.yaml:2:13': ['has the unknown tag !vault'],
    });
    place.write(
      'no.json',
      '{"tags":[{"name":"a\\u0000b","type":"customer"},{"name":"\\ud83d","type":"customer"}]}',
    );
    expect(await place.mistakes('plan @/no.json')).toEqual({
      'no.json:1:18': ['contains an invalid character'],
      'no.json:1:56': ['contains an invalid character'],
    });
  });

  it('reports unknown and ambiguous names together with all other mistakes, once the account is read', async () => {
    const place = await openDeclaring();
    await place.boh('tags create --name Same --type customer');
    await place.boh('tags create --name Same --type customer');
    place.write(
      'a.yaml',
      'tags:\n  - { name: Same, name_localized: x }\ncustomers:\n  - { name: Customer, phone: "1", tags: [Absent, Same] }\n',
    );
    const found = await place.mistakes('plan @/a.yaml');
    expect(Object.keys(found)).toEqual(['a.yaml:2:5', 'a.yaml:4:42', 'a.yaml:4:50']);
    expect(found['a.yaml:2:5']?.[0]).toContain('$key');
    expect(found['a.yaml:4:42']).toEqual([
      'tag Absent of the type customer not found in the account or in the files',
    ]);
  });
});

describe('secrets', () => {
  it('are refused as literal values, and never shown if they come from a variable', async () => {
    const place = await openDeclaring();
    place.write('a.yaml', 'users:\n  - { name: New One, number: "77", lang: en, pin: "4321" }\n');
    expect(await place.mistakes('plan @/a.yaml')).toEqual({
      'a.yaml:2:51': [`pin is a secret and can't be in a file: use a variable, for example pin: $\{PIN}`],
    });
    place.write('a.yaml', `users:\n  - { name: New One, number: "77", lang: en, pin: "$\{PIN:-4321}" }\n`);
    expect(Object.values(await place.mistakes('plan @/a.yaml')).flat()[0]).toContain('secret');
    for (const partly of [`43$\{BOH_CONFIG_DIR}`, `$$\{PIN}`]) {
      place.write('a.yaml', `users:\n  - { name: New One, number: "77", lang: en, pin: "${partly}" }\n`);
      expect(Object.values(await place.mistakes('plan @/a.yaml')).flat()[0]).toContain('secret');
    }
    place.write('a.yaml', `users:\n  - { name: New One, number: "77", lang: en, pin: "$\{PIN}" }\n`);
    const ran = await place.boh('plan @/a.yaml -o json', undefined, { PIN: '98761' });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout + ran.stderr).not.toContain('98761');
    expect(JSON.parse(ran.stdout).changes[0].fields.pin).toEqual({ old: null, new: '••••' });
  });
});

describe('what files may be', () => {
  it('a folder, JSON, a list in a file named after its resource, and tables are read', async () => {
    const place = await openDeclaring();
    place.write('seeds/tags.yaml', '- { name: One, type: customer }\n');
    place.write('seeds/more.json', '{"$schema":"x","tags":[{"name":"Two","type":"customer"}]}');
    place.write('seeds/inventory-items.csv', 'sku,cost,category\nSKU-001,9.25,Vegetables\n');
    place.write('seeds/deeper/tags.ndjson', '{"name":"Three","type":"customer"}\n');
    place.write('seeds/notes.txt', 'nothing of ours');
    const changes = await place.changes('@/seeds');
    expect(changes.map(({ action, resource, key }) => `${action} ${resource} ${key}`)).toEqual([
      'create tags Three',
      'create tags Two',
      'create tags One',
      'update inventory-items SKU-001',
    ]);
    expect(changes[3]?.fields).toEqual({ cost: { old: 4.5, new: 9.25 } });
  });

  it('several paths: the last $exact for a record applies', async () => {
    const place = await openDeclaring();
    place.write('base.yaml', 'suppliers:\n  - { name: Fresh Farms, $exact: true, items: [] }\n');
    place.write('soft.yaml', 'suppliers:\n  - { name: Fresh Farms, $exact: false }\n');
    place.write('other.yaml', 'suppliers:\n  - { name: Fresh Farms, tags: [] }\n');
    expect(await place.changes('@/base.yaml @/other.yaml')).toHaveLength(1);
    expect(await place.changes('@/base.yaml @/soft.yaml')).toEqual([]);
  });

  it('several paths: later fields override earlier ones', async () => {
    const place = await openDeclaring();
    place.write('base/items.yaml', 'inventory-items:\n  - { sku: SKU-001, cost: 6, barcode: "1" }\n');
    place.write('north/items.yaml', 'inventory-items:\n  - { sku: SKU-001, cost: 7 }\n');
    const [change] = await place.changes('@/base @/north');
    expect(change?.fields.cost?.new).toBe(7);
    expect(change?.fields.barcode?.new).toBe('1');
  });

  it('a default contains no other variable, and a table contains no variables', async () => {
    const place = await openDeclaring();
    place.write('a.yaml', `tags:\n  - { name: "$\{A:-$\{B}}", type: customer }\n`);
    expect((await place.mistakes('plan @/a.yaml'))['a.yaml:2:13']?.[0]).toContain('invalid variable');
    place.write('tags.csv', `name,type\n$\{A:-x},customer\n`);
    expect((await place.changes('@/tags.csv'))[0]?.key).toBe(`$\{A:-x}`);
  });

  it('variables are expanded, to numbers in number fields', async () => {
    const place = await openDeclaring();
    place.write(
      'a.yaml',
      `inventory-items:\n  - { sku: "$\{SKU}", cost: "$\{COST:-8.5}", barcode: "$$\{x}" }\n`,
    );
    const ran = await place.boh('plan @/a.yaml -o json', undefined, { SKU: 'SKU-001' });
    expect(JSON.parse(ran.stdout).changes[0].fields).toEqual({
      cost: { old: 4.5, new: 8.5 },
      barcode: { old: '6281000000001', new: `$\{x}` },
    });
  });

  it('anchors and merge keys are resolved; digits in a text field stay as written', async () => {
    const place = await openDeclaring();
    place.write(
      'a.yaml',
      'tags:\n  - &usual { name: 007, type: customer }\n  - { <<: *usual, name: 0815 }\n',
    );
    expect((await place.changes('@/a.yaml')).map(({ key }) => key)).toEqual(['007', '0815']);
  });

  it.each(['', 'tags:\n', '# nothing\n', '{}'])('files without records exit with 2: %j', async (text) => {
    const place = await openDeclaring();
    place.write('a.yaml', text);
    for (const command of ['plan', 'diff']) expect((await place.boh(`${command} @/a.yaml`)).exitCode).toBe(2);
  });

  it('missing paths, empty folders and tables without a resource exit with 2', async () => {
    const place = await openDeclaring();
    place.write('empty/readme.md', '');
    place.write('odd/prices.csv', 'a,b\n1,2\n');
    for (const path of ['nowhere', 'empty', 'odd/prices.csv']) {
      expect((await place.boh(`plan @/${path}`)).exitCode).toBe(2);
    }
  });
});

function explosion(): string {
  const lines = ['tags:', '  - &a0 { name: x }'];
  for (let index = 1; index < 30; index++)
    lines.push(`  - &a${index} [*a${index - 1}, *a${index - 1}, *a${index - 1}]`);
  return `${lines.join('\n')}\n`;
}
