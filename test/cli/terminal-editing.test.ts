import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

/** Returns an environment whose editor runs these shell commands on the file "$1". */
function editor(...commands: string[]): Record<string, string> {
  const file = join(demo.folder, 'editor');
  writeFileSync(file, `#!/bin/sh\n${commands.join('\n')}\n`);
  chmodSync(file, 0o755);
  return { VISUAL: file };
}

const editedFile = join(demo.folder, 'edited.yaml');
const remainingFiles = () => readdirSync(demo.folder).filter((name) => /^boh-(edit|kept)-/.test(name));
const supplier = () => demo.json<Record<string, unknown>>('suppliers get @SUP-01');

describe('update --edit', () => {
  test('opens the fields that can be changed, in a file that only its owner can read', async () => {
    const env = editor(`cp "$1" ${editedFile}`, `stat -c '%a' "$1" "$(dirname "$1")" > ${editedFile}.modes`);
    const terminal = demo.terminal('boh --sandbox suppliers update @SUP-01 --edit', { env });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('No changes. Nothing was sent.');
    const text = readFileSync(editedFile, 'utf8');
    expect(text).toContain('# Phone number\nphone: "555000200"\n');
    expect(text).toMatch(/tags:\n {2}- \w+ # Local\n/);
    expect(text).not.toContain('created_at');
    expect(readFileSync(`${editedFile}.modes`, 'utf8')).toBe('600\n700\n');
    expect(remainingFiles()).toEqual([]);
  });

  test('sends only the changes, and shows the command without an editor', async () => {
    const before = await supplier();
    const env = editor(`sed -i 's/^phone: .*/phone: 0555/; s/^code:.*//' "$1"`);
    const terminal = demo.terminal('boh --sandbox suppliers update @SUP-01 --edit', { env });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/\n {2}boh --sandbox suppliers update supplier-1 --phone 0555\n/);
    const after = await supplier();
    expect(after).toEqual({ ...before, phone: '0555', updated_at: after.updated_at });
    expect(remainingFiles()).toEqual([]);
  });

  test('invalid YAML: opens the editor again, and saves the text if the user declines', async () => {
    const env = editor('echo "name: [" >> "$1"');
    const terminal = demo.terminal('boh --sandbox suppliers update @SUP-01 --edit', { env, columns: 160 });
    await terminal.waitFor('Open the editor again?');
    expect(terminal.text()).toMatch(/line \d+, column \d+: /);
    terminal.types('y', keys.enter);
    await terminal.waitFor('Open the editor again?');
    terminal.types('n', keys.enter);
    expect(await terminal.ended()).toBe(2);
    const savedFile = /Your text was saved to (.*)\n/.exec(terminal.text())?.[1] ?? '';
    expect(existsSync(savedFile)).toBe(true);
    expect(readFileSync(savedFile, 'utf8')).toContain('name: [\nname: [\n');
    expect(statSync(savedFile).mode & 0o777).toBe(0o600);
  });

  test('an invalid value: opens the editor again', async () => {
    const env = editor(
      `if [ -e ${editedFile}.twice ]; then sed -i 's/^rate: .*/rate: 16/' "$1"; else touch ${editedFile}.twice; sed -i 's/^rate: .*/rate: much/' "$1"; fi`,
    );
    const terminal = demo.terminal('boh --sandbox taxes update @VAT --edit -o id', { env });
    await terminal.waitFor('rate: must be a number');
    await terminal.waitFor('Open the editor again?');
    terminal.types(keys.enter);
    expect(await terminal.ended()).toBe(0);
    expect(await demo.json('taxes get @VAT')).toMatchObject({ rate: 16 });
  });

  test('fields that contain secrets: are not in the file', async () => {
    const env = editor(`cp "$1" ${editedFile}`);
    const terminal = demo.terminal('boh --sandbox users update "@Omar Nasser" --edit', { env });
    expect(await terminal.ended()).toBe(0);
    expect(readFileSync(editedFile, 'utf8')).not.toMatch(/pin|password/);
  });

  test.each([
    ['exits with 3', 'exit 3', 'failed with exit code 3. Nothing was sent'],
    ['is killed', 'kill -9 $$', 'failed with exit code 137. Nothing was sent'],
    ['deletes the file', 'rm "$1"', "Can't read the edited file"],
    ['deletes the folder', 'rm -r "$(dirname "$1")"', "Can't read the edited file"],
    ['replaces the file with a folder', 'rm "$1"; mkdir "$1"', "Can't read the edited file"],
  ])('an editor that %s: is reported, and no file remains', async (_, command, message) => {
    const before = remainingFiles();
    const terminal = demo.terminal('boh --sandbox suppliers update @SUP-01 --edit', {
      env: editor(command),
      columns: 160,
    });
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text().replaceAll('\n', ' ')).toContain(message);
    expect(terminal.text()).not.toContain('bug');
    expect(remainingFiles()).toEqual(before);
  });

  test.each([
    ['rm', "Can't read the edited file"],
    ['no-such-editor', 'was not found. Nothing was sent'],
    ['/', 'failed with exit code 126. Nothing was sent'],
    ['false', 'failed with exit code 1. Nothing was sent'],
  ])('EDITOR=%s: reports why it is not an editor', async (EDITOR, message) => {
    const before = remainingFiles();
    const terminal = demo.terminal('boh --sandbox suppliers update @SUP-01 --edit', {
      env: { EDITOR },
      columns: 160,
    });
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text().replaceAll('\n', ' ')).toContain(message);
    expect(remainingFiles()).toEqual(before);
  });

  test('text that is not UTF-8: opens the editor again', async () => {
    const env = editor(`printf 'name: \\377\\n' > "$1"`);
    const terminal = demo.terminal('boh --sandbox suppliers update @SUP-01 --edit', { env });
    await terminal.waitFor("isn't UTF-8");
    await terminal.waitFor('Open the editor again?');
    terminal.types('n', keys.enter);
    expect(await terminal.ended()).toBe(2);
  });

  test('environment of the editor: contains neither the token nor the client secret', async () => {
    const secrets = { BOH_TOKEN: 'canary-token', BOH_CLIENT_SECRET: 'canary-secret' };
    const env = { ...editor(`env > ${editedFile}.env`), ...secrets };
    const terminal = demo.terminal('boh --sandbox suppliers update @SUP-01 --edit', { env });
    expect(await terminal.ended()).toBe(0);
    expect(readFileSync(`${editedFile}.env`, 'utf8')).toContain('VISUAL=');
    expect(readFileSync(`${editedFile}.env`, 'utf8')).not.toContain('canary');
  });

  test('deletes the files of a killed edit, but not the saved files', async () => {
    const savedFiles = remainingFiles().filter((name) => name.startsWith('boh-kept-'));
    expect(savedFiles.length).toBeGreaterThan(0);
    // boh starts the editor in a shell, so boh is the parent of the shell.
    const env = editor(`kill -9 $(sed 's/.*) . //; s/ .*//' /proc/$PPID/stat)`);
    const killed = demo.terminal('exec boh --sandbox suppliers update @SUP-01 --edit', { env });
    await killed.ended();
    expect(remainingFiles().filter((name) => name.startsWith('boh-edit-'))).toHaveLength(1);
    const terminal = demo.terminal('boh --sandbox suppliers update @SUP-01 --edit', { env: editor('true') });
    expect(await terminal.ended()).toBe(0);
    expect(remainingFiles()).toEqual(savedFiles);
  });

  test('is refused without a terminal, and with other input', async () => {
    const result = await demo.boh('suppliers update @SUP-01 --edit');
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('--edit needs a terminal');
    for (const flag of ['--dry-run', '--phone 1', '--full', '--data {}', '--clear phone'])
      expect((await demo.boh(`suppliers update @SUP-01 --edit ${flag}`)).exitCode).toBe(2);
  });
});
