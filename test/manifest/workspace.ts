/**
 * Test setup for manifests: a temporary folder, functions that write files into it, and boh with its own sandbox.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { copyDemoBusiness, copyEmptyBusiness } from '../harness/demo-business.ts';
import { type BohResult, failureOf, runBoh } from '../harness/run-boh.ts';

export interface Change {
  action: 'create' | 'update' | 'delete';
  resource: string;
  key: string;
  fields: Record<string, { old: unknown; new: unknown }>;
  links?: {
    action: string;
    link: string;
    key: string;
    fields: Record<string, { old: unknown; new: unknown }>;
  }[];
}

/** A temporary folder for manifests, and boh with its own configuration and sandbox. */
export interface ManifestWorkspace {
  folder: string;
  write(name: string, text: string): string;
  read(name: string): string;
  /** Returns the contents of all files in a folder, by file name. */
  files(name: string): Record<string, string>;
  /** Runs boh with arguments that are separated by spaces. */
  boh(line: string, stdin?: string, env?: Record<string, string>): Promise<BohResult>;
  /** Runs boh without `--sandbox`, for the account of the command line or the environment. */
  bohWithoutSandbox(line: string, env?: Record<string, string>): Promise<BohResult>;
  json<Result>(line: string): Promise<Result>;
  /** Returns the changes that `boh plan` prints for paths in the folder. */
  changes(paths: string): Promise<Change[]>;
  /**
   * Returns the mistakes that a command reports, by `FILE:LINE:COLUMN`. The paths of files are relative to the folder.
   */
  mistakes(line: string): Promise<Record<string, string[]>>;
}

export async function openManifestWorkspace({ isEmpty = false } = {}): Promise<ManifestWorkspace> {
  const folder = mkdtempSync(join(tmpdir(), 'boh-manifest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const configEnv = { BOH_CONFIG_DIR: join(folder, '.config') };
  const wordsOf = (line: string) => line.split(' ').map((word) => word.replace(/^@\//, `${folder}/`));
  const bohWithoutSandbox = (line: string, env: Record<string, string> = {}) =>
    runBoh(wordsOf(line), { env: { ...configEnv, ...env } });
  const boh = (line: string, stdin?: string, env: Record<string, string> = {}) => {
    const words = wordsOf(line);
    return runBoh(['--sandbox', ...words], {
      env: { ...configEnv, ...env },
      ...(stdin !== undefined && { stdin }),
    });
  };
  const createSandbox = isEmpty ? copyEmptyBusiness : copyDemoBusiness;
  createSandbox(configEnv.BOH_CONFIG_DIR);
  return {
    folder,
    boh,
    bohWithoutSandbox,
    write: (name, text) => {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    files: (name) =>
      Object.fromEntries(
        readdirSync(join(folder, name)).map((file) => [file, readFileSync(join(folder, name, file), 'utf8')]),
      ),
    json: async (line) => {
      const result = await boh(`${line} --json`);
      if (result.stdout === '') throw new Error(result.stderr);
      return JSON.parse(result.stdout);
    },
    changes: async (paths) => {
      const result = await boh(`plan ${paths} -o json`);
      if (result.exitCode !== 0) throw new Error(result.stderr);
      return JSON.parse(result.stdout).changes;
    },
    mistakes: async (line) => {
      const result = await boh(`${line} -o json`);
      if (result.exitCode !== 2) throw new Error(`exit ${result.exitCode}: ${result.stderr}`);
      const fields = (failureOf(result).fields ?? {}) as Record<string, string[]>;
      return Object.fromEntries(
        Object.entries(fields).map(([location, messages]) => [location.replace(`${folder}/`, ''), messages]),
      );
    },
  };
}
