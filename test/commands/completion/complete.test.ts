import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runBoh } from '../../harness/run-boh.ts';
import { temporaryFolders } from '../../settings/temporary-folder.ts';
import { complete, completeWithDescriptions } from './completing.ts';

const newFolder = temporaryFolders();

describe('completion of commands and flags', () => {
  it('first word: suggests resources and other commands, except hidden commands', async () => {
    const candidates = await complete('');
    expect(candidates).toEqual(expect.arrayContaining(['customers', 'whoami', 'explain', 'completion']));
    expect(candidates).not.toContain('__complete');
    expect(await completeWithDescriptions('supp')).toEqual(['suppliers\tSuppliers of inventory items']);
  });

  it('after the time limit for records: still suggests them', async () => {
    const env = { BOH_COMPLETION_PATIENCE: '0' };
    expect(await complete('supp', env)).toEqual(['suppliers']);
    expect(await complete('suppliers list --inc', env)).toEqual(['--include']);
    expect(await complete('suppliers list --output nd', env)).toEqual(['ndjson']);
  });

  it('after any name of a resource: suggests its verbs and their values', async () => {
    expect(await complete('addresses ')).toEqual([
      'list',
      'get',
      'create',
      'update',
      'delete',
      'upsert',
      'export',
      'import',
    ]);
    expect(await complete('suppliers upsert --key con')).toEqual(['contact-name']);
    expect(await complete('customers import --mode up')).toEqual(['upsert', 'update']);
    expect(await complete('customers import --key ph')).toEqual(['phone']);
    expect(await complete('customers update --where tags')).toEqual(['tags.id=']);
    expect(await complete('supplier li')).toEqual(['list', 'link-item']);
    expect(await complete('--sandbox -o json suppliers unl')).toEqual(['unlink-item']);
    expect(await complete('sandbox ser')).toEqual(['serve']);
  });

  it('flags: suggests both forms of booleans, and global flags after any command', async () => {
    expect(await complete('customers create --is-b')).toEqual(['--is-blacklisted']);
    expect(await complete('customers update --no-is-b')).toEqual(['--no-is-blacklisted']);
    expect(await complete('customers list --sand')).toEqual(['--sandbox']);
    expect(await complete('--dry')).toEqual(['--dry-run']);
    expect(await complete('users create --p')).not.toContain('--pin');
  });

  it('flags that the command line already has: are omitted, unless they can be repeated', async () => {
    expect(await complete('suppliers create --name x --na')).toEqual([]);
    expect(await complete('suppliers create --tags x --ta')).toEqual(['--tags']);
  });

  it('after --: suggests no flags', async () => {
    expect(await complete('customers get -- --sand')).toEqual([]);
  });

  it('unknown command: suggests nothing', async () => {
    expect(await complete('nonsense ')).toEqual([]);
    expect(await complete('customers nonsense ')).toEqual([]);
    expect(await complete('constructor __proto__ ')).toEqual([]);
  });
});

describe('completed values', () => {
  it('are the words of an enumeration, after the flag or its equals sign', async () => {
    expect(await completeWithDescriptions('customers create --gender ')).toEqual(['male\t1', 'female\t2']);
    expect(await complete('inventory-counts create --status=c')).toEqual(['--status=closed']);
    expect(await complete('customers create --is-blacklisted=')).toEqual([
      '--is-blacklisted=true',
      '--is-blacklisted=false',
    ]);
  });

  it('continue after a comma in lists', async () => {
    expect(await complete('inventory-counts list --status draft,')).toEqual(['draft,closed']);
    expect(await complete('inventory-counts create --status draft,')).toEqual([]);
    expect(await complete('users create --notifications new_transfer_order,new_pending_p')).toEqual([
      'new_transfer_order,new_pending_purchase_order',
    ]);
    expect(await complete('customers list --columns id,na')).toEqual(['id,name']);
    expect(await complete('customers list --sort -')).toEqual(['-created_at', '-updated_at']);
    expect(await complete('customers list --include addresses.d')).toEqual(['addresses.delivery_zone']);
    expect(await complete('customers update x --clear birth')).toEqual(['birth-date']);
    expect(await complete('customers update x --clear ta')).toEqual(['tags']);
    expect(await complete('users update x --add-notifications new_transfer_o')).toEqual([
      'new_transfer_order',
    ]);
    expect(await complete('users create --ask p')).toEqual(['pin', 'password']);
  });

  it('are formats, shells, settings and subjects of explain', async () => {
    expect(await complete('-o c')).toEqual(['csv', 'compact']);
    expect(await complete('completion f')).toEqual(['fish']);
    expect(await complete('schema suppl')).toEqual(['suppliers']);
    expect(await complete('schema suppliers --input u')).toEqual(['update']);
    expect(await complete('explain customers.ge')).toEqual(['customers.get', 'customers.gender']);
  });

  it('are files for --data, and folders with a slash', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'inner'));
    writeFileSync(join(folder, 'input.json'), '');
    writeFileSync(join(folder, '.hidden'), '');
    expect(await complete(`users create --data @${folder}/`)).toEqual([
      `@${folder}/inner/`,
      `@${folder}/input.json`,
    ]);
    expect(await complete('users create --data ')).toEqual(['@', '-']);
    expect(await complete(`users create --data @${folder}/none/`)).toEqual([]);
  });

  it('are the names of profiles, settings, and the verbs of a resource', async () => {
    const folder = newFolder();
    writeConfig(folder, { riverside: { base_url: 'https://api.example.com', business_name: 'Riverside' } });
    expect(await completeWithDescriptions('--profile r', { BOH_CONFIG_DIR: folder })).toEqual([
      'riverside\tRiverside',
    ]);
    expect(await complete('profiles use r', { BOH_CONFIG_DIR: folder })).toEqual(['riverside']);
    expect(await complete('config get wire.r')).toEqual(['wire.redeem_method']);
    expect(await complete('auth can suppliers unl')).toEqual(['unlink-item']);
  });
});

describe('completed records', () => {
  it('come from the sandbox: IDs with their names, and names after an at sign', async () => {
    const folder = newFolder();
    const env = { BOH_CONFIG_DIR: folder };
    await runBoh(['--sandbox', 'suppliers', 'list', '-o', 'id'], { env });
    const [farms = ''] = await completeWithDescriptions('--sandbox suppliers get ', env);
    expect(farms).toMatch(/^[\w-]+\t\S/);
    expect(await complete('--sandbox suppliers get @Fresh', env)).toEqual(['@Fresh Farms']);
    expect(await complete('--sandbox inventory-items get @SKU-00', env)).toContain('@SKU-001');
    expect(await complete('--sandbox inventory-counts create --items @SKU-001', env)).toEqual(['@SKU-001=']);
    expect(await complete('--sandbox inventory-items list --category-id @Veg', env)).toEqual(['@Vegetables']);
    expect(await complete('--sandbox suppliers restore ', env)).not.toContain(farms.split('\t')[0]);
  });

  it("include records that the API can't list, if earlier responses contained their names", async () => {
    const env = { BOH_CONFIG_DIR: newFolder() };
    await runBoh(['--sandbox', 'groups', 'list', '--include', 'products'], { env });
    expect(await complete('--sandbox sections create --branch-id @R', env)).toEqual(['@Riverside']);
    expect(await completeWithDescriptions('--sandbox users list --branches-id branch-r', env)).toEqual([
      'branch-riverside\tRiverside',
    ]);
    expect(await complete('--sandbox users update u --add-branches @Riverside,@Old', env)).toEqual([
      '@Riverside,@Old Town',
    ]);
    const link = '--sandbox inventory-items link-branch @SKU-001 @Ri';
    expect(await complete(link, env)).toEqual(['@Riverside']);
    expect(await complete('--sandbox groups update g --products @Kun', env)).toEqual(['@Kunafa']);
    expect(await complete('--sandbox loyalty-rewards redeem r --order-id ', env)).toEqual([]);
  });

  it("don't create a missing sandbox", async () => {
    const folder = newFolder();
    expect(await complete('--sandbox suppliers get @', { BOH_CONFIG_DIR: folder })).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('completed records of a service', () => {
  let server: Server | undefined;
  afterEach(() => server?.closeAllConnections());

  async function startService(
    body: string,
    status = 200,
  ): Promise<{ env: Record<string, string>; requests: string[] }> {
    const requests: string[] = [];
    const httpServer = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    server = httpServer;
    await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
    const { port } = httpServer.address() as AddressInfo;
    const env = {
      BOH_CONFIG_DIR: newFolder(),
      BOH_BASE_URL: `http://127.0.0.1:${port}`,
      BOH_TOKEN: 'secret-token',
    };
    return { env, requests };
  }

  const page = JSON.stringify({ data: [{ id: 's-1', name: 'Fresh Farms', code: 'SUP-1' }] });

  it('are cached for the next Tab, in a file that only its user can read', async () => {
    const { env, requests } = await startService(page);
    const first = await completeWithDescriptions('suppliers get s', env);
    expect(first).toEqual(['s-1\tFresh Farms']);
    expect(await completeWithDescriptions('suppliers get s', env)).toEqual(first);
    expect(requests).toEqual(['/suppliers']);

    const folder = join(env.BOH_CONFIG_DIR ?? '', 'cache');
    const file = join(folder, 'completion.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('secret-token');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('are requested again for another token', async () => {
    const { env, requests } = await startService(page);
    await complete('suppliers get s', env);
    await complete('suppliers get s', { ...env, BOH_TOKEN: 'another' });
    expect(requests).toHaveLength(2);
  });

  it('after an at sign: are requested by the beginning of the name', async () => {
    const { env, requests } = await startService(page);
    expect(await complete('suppliers get @Fr', env)).toEqual(['@Fresh Farms']);
    expect(requests).toEqual(['/suppliers?filter[name]=Fr']);
  });

  it('for restore: are only records with deleted_at, because the filter can return others', async () => {
    const rows = [
      { id: 's-1', name: 'Fresh Farms', deleted_at: null },
      { id: 's-2', name: 'Gone', deleted_at: '2026-11-01 10:00:00' },
      { id: 's-3', name: 'Without a time' },
    ];
    const { env, requests } = await startService(JSON.stringify({ data: rows, meta: { last_page: 1 } }));
    expect(await complete('suppliers restore s', env)).toEqual(['s-2']);
    expect(requests).toEqual(['/suppliers?filter[is_deleted]=true']);
  });

  it.each([
    ['refuses', '{"message":"Unauthenticated."}', 401],
    ['sends HTML', '<html>', 200],
    ['sends invalid records', '{"data":[1,null,{"id":5},{}]}', 200],
    ['sends nothing', '', 200],
  ])('are empty, without a message, if the service %s', async (_, body, status) => {
    const { env } = await startService(body, status);
    expect(await complete('suppliers get ', env)).toEqual([]);
  });

  it('never contain control sequences', async () => {
    const hostileRecords = [
      { id: 'a\u001b[2J', name: 'x' },
      { id: 'b', name: 'Evil\u001b]52;c;x\u0007\n' },
    ];
    const { env } = await startService(JSON.stringify({ data: hostileRecords }));
    expect(await completeWithDescriptions('suppliers get ', env)).toEqual([
      'b\tEvil␛]52;c;x␇␊',
      '@\tsupplier by name',
    ]);
  });
});

describe('completion with an invalid configuration', () => {
  it('suggests nothing, and leaves the files unchanged, so that a command can report them', async () => {
    const damagedFolder = newFolder();
    writeFileSync(join(damagedFolder, 'config.json'), '{"version":1,', { mode: 0o600 });
    expect(await complete('--profile ', { BOH_CONFIG_DIR: damagedFolder })).toEqual([]);
    expect(await complete('suppliers get ', { BOH_CONFIG_DIR: damagedFolder })).toEqual([]);
    expect(readdirSync(damagedFolder)).toEqual(['config.json']);

    const sharedFolder = newFolder();
    writeConfig(sharedFolder, { riverside: { base_url: 'https://api.example.com' } });
    chmodSync(join(sharedFolder, 'config.json'), 0o644);
    expect(await complete('--profile ', { BOH_CONFIG_DIR: sharedFolder })).toEqual([]);
    expect(statSync(join(sharedFolder, 'config.json')).mode & 0o777).toBe(0o644);
    expect(existsSync(join(sharedFolder, 'cache'))).toBe(false);
  });
});

function writeConfig(folder: string, profiles: Record<string, unknown>): void {
  const text = JSON.stringify({ version: 1, profiles, defaults: {} });
  writeFileSync(join(folder, 'config.json'), text, { mode: 0o600 });
}
