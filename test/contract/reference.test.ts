import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Operation, operations } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { exampleArguments, formatExample } from '../../src/api/reference/examples.ts';
import { recordSchema } from '../../src/api/reference/json-schema.ts';
import { api } from '../../src/api/resources/index.ts';
import { handWritten } from '../../src/cli/commands/index.ts';
import { resourceCommand } from '../../src/cli/commands/resource-command.ts';
import type { Context } from '../../src/cli/context/context.ts';
import { runBoh } from '../harness/run-boh.ts';

/** Returns a page of the reference without the backslashes that escape Markdown. */
const readPage = (name: string) => readFileSync(`docs/reference/${name}.md`, 'utf8').replaceAll('\\', '');

describe('reference', () => {
  it('has a page for every resource, with a man page that npm links', () => {
    const manual: string[] = JSON.parse(readFileSync('package.json', 'utf8')).man;
    for (const { command } of api.resources) expect(manual).toContain(`man/boh-${command}.1`);
    expect(manual.map((file) => file.replace('man/', '')).sort()).toEqual(readdirSync('man').sort());
  });

  it.each(api.resources.map((resource) => [resource.command, resource] as const))(
    '%s: has every command with its scopes and an example, and every field and filter',
    (_, resource) => {
      const text = readPage(resource.command);
      for (const operation of operations(resource)) {
        expect(text).toContain(`### ${operation.command}\n`);
        expect(text).toContain(`\n${formatExample(operation)}\n`);
        for (const scope of operation.scopes) expect(text).toContain(`\`${scope}\``);
      }
      for (const [name, { traits }] of Object.entries(resource.fields)) {
        expect(text).toContain(`| \`${name}\` | ${traits.description}`);
        for (const word of traits.allowed ?? []) expect(text).toContain(word);
      }
      for (const { name } of resource.filters) {
        expect(text).toMatch(new RegExp(`\\| \`--(\\[no-\\])?${name.replaceAll(/[_.]/g, '-')}[ \`]`));
      }
    },
  );
});

it.each(api.collections.map((resource) => [resource.command, resource] as const))(
  'reference of %s: has every verb, including composite and bulk verbs',
  async (name, resource) => {
    const { commands } = await resourceCommand(resource, undefined, {} as Context);
    const manual = readFileSync(`man/boh-${name}.1`, 'utf8').replaceAll('\\', '');
    for (const verb of commands) {
      expect(readPage(name)).toContain(`### ${name} ${verb.name()}\n`);
      expect(manual).toContain(`.SS ${name} ${verb.name()}\n`);
    }
  },
);

it('reference of verbs: has every flag that is neither a field nor a filter', async () => {
  const text = readPage('global-flags');
  for (const verb of [
    'list',
    'create',
    'update',
    'upsert',
    'export',
    'import',
    'export-links',
    'import-links',
  ]) {
    const suppliers = api.findResource('suppliers');
    const { commands } = await resourceCommand(suppliers as Resource, verb, {} as Context);
    for (const option of commands.find((candidate) => candidate.name() === verb)?.options ?? []) {
      const isOfContract = ['Fields:', 'Filters:'].includes(option.helpGroupHeading ?? '');
      if (!option.hidden && !isOfContract)
        expect([verb, text]).toEqual([verb, expect.stringContaining(`${option.long}`)]);
    }
  }
});

describe('reference of handwritten commands', () => {
  const context = { api } as Context;

  /** Returns the full names of all subcommands: `boh auth login`. */
  const namesBelow = ({ commands }: Command, name: string): string[] =>
    commands.flatMap((subcommand) => [
      `${name} ${subcommand.name()}`,
      ...namesBelow(subcommand, `${name} ${subcommand.name()}`),
    ]);

  it.each(handWritten.filter(({ hidden }) => !hidden).map((entry) => [entry.name, entry] as const))(
    '%s: has the command and every subcommand by full name',
    async (name, { load }) => {
      const top = await load(context, []);
      const members = await Promise.all(top.commands.map((subcommand) => load(context, [subcommand.name()])));
      const commandNames = new Set(members.flatMap((member) => namesBelow(member, `boh ${name}`)));
      const text = readPage(name);
      expect(text).toContain(`\nUsage: boh ${name} `);
      for (const below of commandNames)
        expect(text).toMatch(new RegExp(`### ${below}\n\n\`\`\`text\n[^#]*^Usage: ${below}[ |]`, 'm'));
      expect(text.match(/^Usage: /gm)).toHaveLength(commandNames.size + 1);
    },
  );

  it.each(readdirSync('man'))('%s: breaks command lines only with a backslash', (file) => {
    const lines = readFileSync(`man/${file}`, 'utf8').split('\n');
    for (const [index, line] of lines.entries()) {
      if (line.endsWith(' \\e')) expect(lines[index + 1]).toMatch(/^ {2}\\-\\-[a-z]/);
    }
    const unfinished = lines.filter((line) => line.endsWith('\\e') && !/^( {2}\\-\\-|boh )/.test(line));
    expect(unfinished).toEqual([]);
  });
});

describe('example of the reference', () => {
  const root = mkdtempSync(join(tmpdir(), 'boh-examples-'));
  const templateFolder = join(root, 'fresh');
  beforeAll(async () => {
    mkdirSync(templateFolder);
    const result = await runBoh(['--sandbox', 'whoami'], { env: { BOH_CONFIG_DIR: templateFolder } });
    expect(result).toMatchObject({ exitCode: 0 });
  });
  afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));

  /** Returns the commands that must run before the example: a delete before a restore, and a link before an unlink. */
  function preparation({ resource, effect, verb }: Operation): string[][] {
    const requiredVerb = { restore: 'delete', unlink: verb.replace('unlink', 'link') }[effect as string];
    return operations(resource)
      .filter((operation) => operation.verb === requiredVerb)
      .map(exampleArguments);
  }

  it.each(api.operations.map((operation) => [formatExample(operation), operation] as const))(
    '%s: runs in the sandbox',
    async (_, operation) => {
      const folder = mkdtempSync(join(root, 'x'));
      cpSync(templateFolder, folder, { recursive: true });
      const env = { BOH_CONFIG_DIR: folder };
      for (const argv of preparation(operation))
        expect(await runBoh(argv, { env })).toMatchObject({ exitCode: 0 });
      const result = await runBoh(exampleArguments(operation), { env });
      expect(result).toMatchObject({ exitCode: 0 });
      expectShape(operation, result.stdout);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  );

  /** Expects a result that matches the schema of `boh schema`. */
  function expectShape({ resource, response }: Operation, stdout: string): void {
    if (response === 'nothing') {
      expect(JSON.parse(stdout)).toMatchObject({ id: expect.any(String), outcome: 'done', error: null });
      return;
    }
    const value: unknown = JSON.parse(stdout);
    const record = z.fromJSONSchema(recordSchema(resource) as Parameters<typeof z.fromJSONSchema>[0]);
    const schema = response === 'records' ? z.array(record).min(1) : record;
    expect(schema.safeParse(value).error?.issues ?? []).toEqual([]);
  }
});
