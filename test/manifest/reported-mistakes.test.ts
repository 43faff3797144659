import { describe, expect, it } from 'vitest';
import { openManifestWorkspace } from './workspace.ts';

const requests = (stderr: string) => stderr.match(/^(GET|POST|PUT|DELETE) .*$/gm) ?? [];

describe('mistakes in manifests', () => {
  it('are reported together, also from different files', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'seeds/a.yaml',
      [
        'tags:',
        '  - { name: VIP, type: custommer }',
        '  - name: "\\q"',
        '    type: customer',
        'customers:',
        '  - { name: A, phone: "1", tags: [Absent, VIP] }',
        '  - name: A: B',
        'suppliers:',
        '  - name: Fresh Farms',
        '    phone: "1"',
        '    phone: "2"',
        '    items: [{ item: SKU-9999 }]',
        '',
      ].join('\n'),
    );
    workspace.write('seeds/b.yaml', 'inventory-items:\n  - { sku: SKU-001, cost: many }\n');
    const mistakes = await workspace.mistakes('plan @/seeds');
    expect(mistakes).toEqual({
      'seeds/a.yaml:2:24': [expect.stringContaining('did you mean "customer"?: "custommer"')],
      'seeds/a.yaml:3:12': [expect.stringContaining('invalid escape sequence')],
      'seeds/a.yaml:7:11': [expect.stringContaining("can't be read as YAML")],
      'seeds/a.yaml:11:5': [expect.stringMatching(/^phone is a duplicate key: also at .*a\.yaml:10:5$/)],
      'seeds/a.yaml:12:21': ['inventory item SKU-9999 not found in the account or in the files'],
      'seeds/b.yaml:2:27': ['must be a number: "many"'],
    });
  });

  it('after a YAML syntax error: mistakes in other entries and files are reported', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'seeds/a.yaml',
      [
        'tags:',
        '  - { name: One, type: nothing }',
        '  - { name: Two, type: customer',
        'suppliers:',
        '  - { name: S, phne: "1" }',
        '',
      ].join('\n'),
    );
    workspace.write('seeds/b.yaml', 'modifiers:\n  - { reference: R, nam: x }\n');
    const mistakes = await workspace.mistakes('plan @/seeds');
    expect(Object.keys(mistakes)).toEqual([
      'seeds/a.yaml:2:24',
      'seeds/a.yaml:4:1',
      'seeds/a.yaml:5:16',
      'seeds/b.yaml:2:21',
    ]);
  });

  it("a name isn't reported as unknown if a record with mistakes may have this name", async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      [
        'categories:',
        '  - { reference: MINE, nmae: Mine }',
        'inventory-item-categories:',
        '  - { nam: Spices }',
        'inventory-items:',
        '  - { sku: SKU-001, category: Spices }',
        'gift-card-products:',
        '  - { sku: G, name: G, pricing_method: 1, price: 5, category: MINE }',
        '',
      ].join('\n'),
    );
    expect(Object.keys(await workspace.mistakes('plan @/a.yaml'))).toEqual(['a.yaml:2:24', 'a.yaml:4:7']);
  });

  it("are reported even if the account can't be read", async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { nam: A }\n');
    const result = await workspace.bohWithoutSandbox('plan @/a.yaml', {
      BOH_BASE_URL: 'http://127.0.0.1:9',
      BOH_TOKEN: 'x',
    });
    expect([result.exitCode, result.stderr]).toEqual([
      2,
      expect.stringContaining('nam is not a field of a tag'),
    ]);
    const unknownResult = await workspace.bohWithoutSandbox('plan @/a.yaml');
    expect([unknownResult.exitCode, unknownResult.stderr]).toEqual([
      2,
      expect.stringContaining('nam is not a field of a tag'),
    ]);
  });

  it('a duplicate resource: mistakes in both lists are reported', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { nam: A }\ntags:\n  - { nam: B }\n');
    const mistakes = await workspace.mistakes('plan @/a.yaml');
    expect(Object.keys(mistakes)).toEqual(['a.yaml:2:7', 'a.yaml:3:1', 'a.yaml:4:7']);
    expect(mistakes['a.yaml:3:1']?.[0]).toMatch(/^tags is a duplicate key: also at .*a\.yaml:1:1$/);
    workspace.write('a.json', '{"tags":[{"name":"A","type":"customer","name":"B"}]}');
    expect((await workspace.mistakes('plan @/a.json'))['a.json:1:40']?.[0]).toMatch(
      /^name is a duplicate key/,
    );
  });
});

it('keys that start with x-: contain anchors, and are not resources', async () => {
  const workspace = await openManifestWorkspace();
  workspace.write(
    'a.yaml',
    `x-usual: &usual { type: customer }\nx-names: [&first One]\nx-note: "$\{BOH_TEST_UNSET}"\ntags:\n  - { <<: *usual, name: *first }\n`,
  );
  expect((await workspace.changes('@/a.yaml')).map(({ key, fields }) => [key, fields.type?.new])).toEqual([
    ['One', 'customer'],
  ]);
});

describe('secrets', () => {
  const user = (fields: string) => `users:\n  - { name: New One, number: "77", lang: en, ${fields} }\n`;

  it('from an unset variable: apply refuses a new record, and plan and diff work', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', user(`pin: "$\{BOH_TEST_PIN}"`));
    for (const [command, exitCode] of [
      ['plan', 0],
      ['diff', 10],
    ] as const) {
      const result = await workspace.boh(`${command} @/a.yaml -o json`);
      expect(result.exitCode).toBe(exitCode);
      expect(JSON.parse(result.stdout).changes[0].fields.pin).toEqual({ old: null, new: '••••' });
    }
    expect((await workspace.boh('plan @/a.yaml --out @/saved.plan')).exitCode).toBe(0);
    for (const applyArguments of ['@/a.yaml', '--plan @/saved.plan']) {
      const refusedResult = await workspace.boh(`apply ${applyArguments} --yes -v`);
      expect([refusedResult.exitCode, refusedResult.stderr]).toEqual([
        2,
        expect.stringContaining('BOH_TEST_PIN'),
      ]);
      expect(requests(refusedResult.stderr).filter((line) => !line.startsWith('GET '))).toEqual([]);
    }
    const env = { BOH_TEST_PIN: '98761' };
    expect((await workspace.boh('apply --plan @/saved.plan --yes', undefined, env)).exitCode).toBe(0);
    // The user exists now, and secrets are never compared.
    const repeatResult = await workspace.boh('apply @/a.yaml --yes');
    expect([repeatResult.exitCode, repeatResult.stderr]).toEqual([0, expect.stringContaining('1 unchanged')]);
  });

  it('an unset variable in a field that is not a secret: is a mistake', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', user(`email: "$\{BOH_TEST_MAIL}", pin: "$\{BOH_TEST_PIN}"`));
    expect(await workspace.mistakes('plan @/a.yaml')).toEqual({
      'a.yaml:2:53': ['needs the variable BOH_TEST_MAIL, which is not set'],
    });
  });
});

describe('$absent: true', () => {
  const tagNames = async (workspace: Awaited<ReturnType<typeof openManifestWorkspace>>) =>
    (await workspace.json<{ name: string }[]>('tags list --all')).map(({ name }) => name);

  it('deletes the record once, within the limit of deletions', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      'tags:\n  - { name: VIP, $absent: true }\n  - { name: Never There, $absent: true }\n',
    );
    expect(await workspace.changes('@/a.yaml')).toEqual([
      { action: 'delete', resource: 'tags', key: 'VIP', fields: {} },
    ]);
    workspace.write('b.yaml', 'tags: [{ name: VIP, $absent: true }, { name: Regular, $absent: true }]\n');
    const refusedResult = await workspace.boh('apply @/b.yaml --yes');
    expect(refusedResult.exitCode).toBe(2);
    expect(refusedResult.stderr).toContain('Would delete 2 of 16 tags; the limit is 1');
    expect(await tagNames(workspace)).toContain('VIP');
    expect((await workspace.boh('apply @/a.yaml')).stderr).toContain('To delete 1 record, add --yes.');
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    expect(await tagNames(workspace)).not.toContain('VIP');
    expect(await workspace.changes('@/a.yaml')).toEqual([]);
    expect((await workspace.boh('apply @/b.yaml --max-deletes 1 --yes --outputs @/ids.json')).exitCode).toBe(
      0,
    );
    expect(JSON.parse(workspace.read('ids.json'))).toEqual({});
  });

  it('ignores the other values of the record, and a later path can keep it', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `users:\n  - { name: Temp, number: "991", lang: en, pin: "$\{BOH_TEST_UNSET}", $absent: true }\ntags:\n  - { name: VIP, $absent: true }\n`,
    );
    workspace.write('b.yaml', 'tags:\n  - { name: VIP, $absent: false }\n');
    expect(await workspace.changes('@/a.yaml')).toHaveLength(1);
    expect(await workspace.changes('@/a.yaml @/b.yaml')).toEqual([]);
  });

  it('is applied by a saved plan', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { name: VIP, $absent: true }\n');
    expect((await workspace.boh('plan @/a.yaml --out @/p.plan')).exitCode).toBe(0);
    expect((await workspace.boh('apply --plan @/p.plan --yes')).exitCode).toBe(0);
    expect(await tagNames(workspace)).not.toContain('VIP');
  });

  it('is refused for the owner, with $renamed_from, and if another record refers to the record', async () => {
    const workspace = await openManifestWorkspace();
    const users =
      await workspace.json<{ id: string; name: string; email: string; is_owner: boolean }[]>(
        'users list --all',
      );
    const owner = users.find(({ is_owner }) => is_owner);
    workspace.write(
      'a.yaml',
      [
        'users:',
        `  - { email: "${owner?.email}", $absent: true }`,
        'tags:',
        '  - { name: VIP, $absent: true }',
        '  - { name: New, $renamed_from: Regular, $absent: true }',
        '  - { name: Gift, $absent: maybe }',
        'customers:',
        '  - { name: C, phone: "1", tags: [VIP] }',
        '',
      ].join('\n'),
    );
    const mistakes = await workspace.mistakes('plan @/a.yaml');
    expect(mistakes).toMatchObject({
      'a.yaml:5:5': [expect.stringContaining("$absent and $renamed_from can't be combined")],
      'a.yaml:6:28': ['$absent must be true or false'],
      'a.yaml:8:35': [expect.stringMatching(/^VIP is deleted by \$absent at .*a\.yaml:4:5/)],
    });
    expect(mistakes['a.yaml:2:5']?.[0]).toContain('it is the owner of the account');
  });
});
