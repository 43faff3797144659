import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addProfile } from '../../src/account/settings/config.ts';
import { Secret } from '../../src/account/settings/secret.ts';
import { openStore } from '../../src/account/settings/store.ts';
import { temporaryFolders } from './temporary-folder.ts';

const newFolder = temporaryFolders();

async function storeWithProfile() {
  const store = openStore({ BOH_CONFIG_DIR: join(newFolder(), 'config') });
  await store.update((config) =>
    addProfile(config, 'diner', { base_url: 'https://diner.example.com', token: new Secret('token-1') }),
  );
  return { store };
}

describe('settings file saved by an editor', () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');

  test('with a byte order mark: is read, and written without one', async () => {
    const { store } = await storeWithProfile();
    const { config } = await store.read();
    writeFileSync(store.path, `\ufeff${readFileSync(store.path, 'utf8')}`);
    expect((await store.read()).config).toEqual(config);
    await store.update((current) => ({ ...current, defaults: { timeout: 9 } }));
    expect(JSON.parse(readFileSync(store.path, 'utf8'))).toMatchObject({ defaults: { timeout: 9 } });
  });

  test.each([
    ['UTF-16LE', (text: string) => utf16(`\ufeff${text}`)],
    ['UTF-16BE', (text: string) => utf16(`\ufeff${text}`).swap16()],
    ['UTF-16LE without a byte order mark', utf16],
    ['UTF-16BE without a byte order mark', (text: string) => utf16(text).swap16()],
    ['ISO 8859-1', (text: string) => Buffer.from(text.replaceAll('diner', 'caf\u00e9'), 'latin1')],
  ])('in %s: is refused, and left unchanged', async (_, encode) => {
    const { store } = await storeWithProfile();
    const bytes = encode(readFileSync(store.path, 'utf8'));
    writeFileSync(store.path, bytes);
    for (const attempt of [store.read(), store.update((config) => config)])
      await expect(attempt).rejects.toMatchObject({
        category: 'usage',
        message: expect.stringMatching(/config\.json is not UTF-8/),
        details: { hint: expect.stringContaining('Save it as UTF-8') },
      });
    expect(readFileSync(store.path).equals(bytes)).toBe(true);
  });
});
