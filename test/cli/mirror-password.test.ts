import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noPostgres, type Postgres, startPostgres } from '../harness/postgres.ts';
import { home, quotedProgram, spawnBoh } from '../harness/spawn-boh.ts';
import { keys, openTerminal, terminalTest } from '../harness/terminal.ts';

const password = 'a secret: word';

describe.skipIf(noPostgres !== undefined)(
  `mirror in a database with a password${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let server: Postgres;
    let env: Record<string, string>;
    const words = ['--sandbox', 'mirror', 'sync', '--resource', 'tags'];
    beforeAll(async () => {
      server = await startPostgres({ password });
      const BOH_MIRROR = await server.createDatabase('mirrored');
      env = { BOH_CONFIG_DIR: join(home, 'password'), BOH_MIRROR, HOME: home };
    });
    afterAll(() => server?.stop());

    test('without a password and a terminal: exits with 2 and explains how to set it', async () => {
      const result = await spawnBoh(words, { env });
      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain('requires a password.');
      expect(result.stderr).toContain('PGPASSWORD');
    });

    test('a password in the URL, in PGPASSWORD or in the password file: is used', async () => {
      const file = join(home, 'passwords');
      writeFileSync(file, `*:*:mirrored:mirror:${password.replace(':', '\\:')}\n`, { mode: 0o600 });
      const mirrorUrl = env.BOH_MIRROR?.replace('mirror@', `mirror:${encodeURIComponent(password)}@`) ?? '';
      for (const credentials of [{ BOH_MIRROR: mirrorUrl }, { PGPASSWORD: password }, { PGPASSFILE: file }]) {
        const result = await spawnBoh(words, { env: { ...env, ...credentials } });
        expect({ credentials, ...result }).toMatchObject({ exitCode: 0 });
        expect(result.stderr).not.toMatch(/warning/i);
      }
      const refusedResult = await spawnBoh(words, { env: { ...env, PGPASSWORD: 'another' } });
      expect(refusedResult).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('~/.pgpass') });
    });

    terminalTest('on a terminal: asks once and does not show the password', async () => {
      const terminal = openTerminal(`exec ${quotedProgram} ${words.join(' ')} --every 1s`, { env });
      await terminal.waitFor('Password for postgres://mirror@/mirrored');
      terminal.types(password, keys.enter);
      await terminal.waitFor('records read');
      expect(await terminal.waitFor('records read')).not.toContain('Password');
      terminal.types(keys.ctrlC);
      expect(await terminal.ended()).toBe(130);
      expect(terminal.text()).not.toContain('secret');
    });

    terminalTest(
      'a wrong password: asks again, and ends with exit code 2 after three wrong passwords',
      async () => {
        const line = `exec ${quotedProgram} ${words.join(' ')} --every 1s`;
        const corrected = openTerminal(line, { env });
        await corrected.waitFor('Password for');
        corrected.types('wrong', keys.enter);
        await corrected.waitFor('Wrong password');
        corrected.types(password, keys.enter);
        await corrected.waitFor('records read');
        corrected.types(keys.ctrlC);
        expect(await corrected.ended()).toBe(130);

        const rejected = openTerminal(line, { env });
        await rejected.waitFor('Password for');
        rejected.types('wrong', keys.enter);
        for (let retry = 0; retry < 2; retry++) {
          await rejected.waitFor('Wrong password');
          rejected.types('wrong', keys.enter);
        }
        await rejected.waitFor('rejected the password');
        expect(await rejected.ended()).toBe(2);
      },
    );
  },
);
