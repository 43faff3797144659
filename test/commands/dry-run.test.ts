/** Tests that no command ignores `--dry-run`: it shows what it would do, or refuses the flag. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verbsOf } from '../../src/api/contract/composite.ts';
import { api } from '../../src/api/resources/index.ts';
import { resourceCommand } from '../../src/cli/commands/resource-command.ts';
import { bulkVerbsOf, pictureVerbsOf } from '../../src/cli/commands/resource-verbs.ts';
import type { Context } from '../../src/cli/context/context.ts';
import { everyHandWrittenCommand } from '../harness/every-command.ts';
import { runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();

let service: TestService;
beforeAll(async () => {
  const user = { id: 'me', name: 'Amal' };
  const whoami = { data: { user, business: { id: 'b', name: 'The Diner' } } };
  service = await serve({ 'GET /whoami': whoami });
});
afterAll(() => service.close());

/** Returns the settings, sandboxes, histories, runs and other kept files of a home, without caches. */
function keptFiles(home: string): Record<string, string> {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !file.includes('/cache/'));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'latin1')]));
}

const commands = await everyHandWrittenCommand(newFolder);

describe('every command that is not a verb of a resource', () => {
  it.each(commands.map(({ command, words }) => ({ words: words.join(' '), command, args: words })))(
    'with --dry-run, $words: is refused or changes nothing',
    async ({ command, args }) => {
      const home = newFolder();
      const profile = { base_url: service.baseUrl, token: 'token' };
      const settings = { version: 1, active: 'main', profiles: { main: profile }, defaults: {} };
      writeFileSync(join(home, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
      const filesBefore = keptFiles(home);
      service.takeRequests();

      const result = await runBoh([...args, '--dry-run', '--yes', '--no-input'], {
        env: { BOH_CONFIG_DIR: home, TMPDIR: newFolder() },
      });

      const requests = service.takeRequests();
      if (!command.supportsDryRun) {
        expect(result).toMatchObject({ exitCode: 2, stdout: '' });
        expect(result.stderr).toContain("doesn't support --dry-run. Nothing was sent or changed.");
        expect(requests).toEqual([]);
      }
      expect(requests.filter((line) => !line.startsWith('GET '))).toEqual([]);
      expect(keptFiles(home)).toEqual(filesBefore);
    },
  );
});

it.each(api.collections)('$command --dry-run: every verb but pictures supports it', async (resource) => {
  const pictures = pictureVerbsOf(resource).map(({ name }) => name);
  const verbs = [
    ...verbsOf(resource).map(({ verb }) => verb),
    ...bulkVerbsOf(resource).map(({ name }) => name),
  ];
  for (const verb of [...verbs, ...pictures]) {
    const { commands } = await resourceCommand(resource, verb, { api } as Context);
    const command = commands.find((candidate) => candidate.name() === verb);
    expect(command?.supportsDryRun, verb).toBe(!pictures.includes(verb));
  }
});
