/** Follows docs/guides/add-a-resource.md in a copy of the checkout, and checks that no other file has to be edited. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyCheckout, followGuide } from '../harness/copied-checkout.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';

const checkout = mkdtempSync(join(tmpdir(), 'boh-checkout-'));
afterAll(() => rmSync(checkout, { recursive: true, force: true, maxRetries: 10 }));

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' });
}

let pagesBefore: string;
beforeAll(() => {
  copyCheckout(checkout);
  followGuide(checkout);
  pagesBefore = node('scripts/reference.ts', '--check').stdout;
  for (const script of ['scripts/reference.ts', 'scripts/build.ts']) {
    execFileSync(process.execPath, [script], { cwd: checkout, stdio: 'pipe' });
  }
});

async function boh(line: string) {
  const words = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
  const result = await spawnBoh(['--sandbox', ...words, '-o', 'json'], {
    launcher: join(checkout, 'bin/boh.js'),
    env: { BOH_CONFIG_DIR: join(checkout, 'config') },
  });
  return { ...result, value: result.stdout === '' ? undefined : JSON.parse(result.stdout) };
}

describe('the resource of the guide', () => {
  it('its pages: are reported missing before they are written, and are current afterwards', () => {
    expect(pagesBefore).toContain('docs/reference/machines.md is out of date.');
    expect(node('scripts/reference.ts', '--check')).toMatchObject({ status: 0, stdout: '' });
    expect(existsSync(join(checkout, 'docs/reference/machines.md'))).toBe(true);
    expect(JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).man).toContain(
      'man/boh-machines.1',
    );
  });

  it('demo business: has its record under the name in the contract', async () => {
    const { value } = await boh('machines get @MACHINE-1 --include keeper');
    expect(value).toMatchObject({ code: 'MACHINE-1', name: 'Pizza Oven', type: 1, power: 3000 });
    expect(value.keeper.name).toEqual(expect.any(String));
  });

  it('commands: create, list, update, delete and restore records', async () => {
    const createResult = await boh('machines create --name "Big Oven" --type oven --power 9000 --code BIG');
    expect(createResult).toMatchObject({ exitCode: 0, value: { name: 'Big Oven', type: 1, power: 9000 } });
    const { id } = createResult.value;
    expect((await boh('machines list --name big --type oven')).value).toMatchObject([{ id }]);
    expect((await boh('machines update @BIG --power 8000')).value).toMatchObject({ id, power: 8000 });
    expect(await boh('machines delete @BIG --yes')).toMatchObject({ exitCode: 0 });
    expect((await boh('machines list')).value).toHaveLength(1);
    expect(await boh(`machines restore ${id}`)).toMatchObject({ exitCode: 0 });
    expect((await boh('machines list')).value).toHaveLength(2);
  });

  it('limits: are checked before a request and by the service', async () => {
    const line = 'machines create --name Mill --type coffee-machine --power 5000';
    const [refused, unchecked] = [await boh(line), await boh(`${line} --unchecked`)];
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('power: must be 4000 or less where type is coffee-machine'),
    ]);
    expect([unchecked.exitCode, unchecked.stderr]).toEqual([6, expect.stringContaining('at most 4000')]);
  });

  it('explain, schemas, OpenAPI document and help: include it', async () => {
    const explainResult = await boh('explain machines.power');
    expect(explainResult.value).toMatchObject({
      unit: 'watts',
      rules: expect.arrayContaining(['1 or more.']),
    });
    const schema = await boh('schema machines --input create');
    expect(schema.value.required).toEqual(['name', 'type']);
    const document = await boh('openapi');
    expect(Object.keys(document.value.paths)).toContain('/machines/{machineId}/restore');
    expect((await boh('resources')).value).toContainEqual(expect.objectContaining({ resource: 'machines' }));
  });
});
