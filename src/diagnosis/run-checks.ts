/** Checks what commands need: Node, the configuration, the service and the sandboxes. */
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { Failure } from '../base/errors.ts';
import { boh, type Hint } from '../base/hint.ts';
import type { Api } from '../contract/api.ts';
import { checkSandboxFile } from '../sandbox/check.ts';
import { sandboxFile, sandboxFolder } from '../sandbox/store/sandbox-files.ts';
import { endpointName, requireBaseUrl, type Settings } from '../settings/settings.ts';
import { type LoadedSettings, loadSettings } from '../settings/store.ts';
import {
  type DiagnosisContext,
  type Finding,
  findingFromError,
  passedFinding,
  problemFinding,
  skippedFinding,
  warningFinding,
} from './finding.ts';
import { checkService } from './service.ts';

/** Runs all checks. Sends a few requests if a service is configured. Throws only for bugs. */
export async function runChecks(context: DiagnosisContext): Promise<Finding[]> {
  const { findings, settings } = await checkConfiguration(context);
  return [
    checkNode(),
    ...findings,
    ...(settings ? await serviceFindings(settings, context) : []),
    ...(await checkSandboxes(settings?.sandbox, context)),
  ];
}

async function serviceFindings(settings: Settings, context: DiagnosisContext): Promise<Finding[]> {
  const { baseUrl, sandbox } = settings;
  if (sandbox !== undefined) return [skippedFinding('Network', 'not needed for a sandbox')];
  if (baseUrl === undefined) return [skippedFinding('Network', 'no service URL is set')];
  if (context.offline) return [skippedFinding('Network', 'skipped by --dry-run')];
  return checkService(settings, baseUrl, context);
}

export function checkNode(version: string = process.versions.node): Finding {
  const range = manifest.engines.node;
  if (isInRange(version, range)) return passedFinding('Node', `${version}`);
  return problemFinding(
    'Node',
    'usage',
    `${version}; boh needs ${range}.`,
    'Install the current LTS of Node: https://nodejs.org',
  );
}

/** Returns whether a version is in a range of `engines`: `^22.22.2 || >=24.15.0`. */
export function isInRange(version: string, range: string): boolean {
  return range.split('||').some((part) => {
    const [, operator, minVersion = ''] = /^\s*(\^|>=)([\d.]+)\s*$/.exec(part) ?? [];
    const isSameMajor = version.split('.')[0] === minVersion.split('.')[0];
    return compareVersions(version, minVersion) >= 0 && (operator === '>=' || isSameMajor);
  });
}

function compareVersions(a: string, b: string): number {
  const partsOfB = b.split('.').map(Number);
  const differences = a.split('.').map((part, index) => Number.parseInt(part, 10) - (partsOfB[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** The result of checking the configuration. */
interface Configuration {
  findings: Finding[];
  /** Undefined if the configuration can't be used; checks that need it are skipped. */
  settings?: Settings;
}

async function checkConfiguration({ flags, env }: DiagnosisContext): Promise<Configuration> {
  let loaded: LoadedSettings;
  try {
    loaded = await loadSettings(flags, env);
  } catch (error) {
    return { findings: [findingFromError('Configuration', error)] };
  }
  const { settings, config, store, notes } = loaded;
  return {
    findings: [
      fileFinding(store.path, notes),
      profileFinding(settings, Object.keys(config.profiles)),
      serviceFinding(settings),
    ],
    settings,
  };
}

/** Reports notes of reading the file, which has already fixed its permissions if possible. */
function fileFinding(path: string, notes: readonly string[]): Finding {
  if (notes.length > 0) {
    return warningFinding(
      'Configuration',
      notes.join(' '),
      boh.hint`File: ${path}. To check again: ${boh.account('doctor')}`,
    );
  }
  return passedFinding(
    'Configuration',
    existsSync(path) ? `${path}, readable only by you` : `none yet; the path is ${path}`,
  );
}

function profileFinding({ profile, source }: Settings, names: readonly string[]): Finding {
  if (profile !== undefined)
    return passedFinding('Profile', `${profile}, chosen by ${sourceNames[source.profile ?? 'default']}`);
  const otherProfiles = names.length > 0 ? `; available: ${names.join(', ')}` : '';
  return passedFinding('Profile', `none in use${otherProfiles}`);
}

const sourceNames = {
  flag: '--profile',
  environment: 'BOH_PROFILE',
  profile: 'the configuration',
  preset: 'the configuration',
  default: 'the configuration',
};

function serviceFinding(settings: Settings): Finding {
  try {
    if (settings.sandbox === undefined) requireBaseUrl(settings);
  } catch (error) {
    return findingFromError('Service', error);
  }
  return passedFinding('Service', endpointName(settings) + settings.apiPrefix);
}

/** Checks all sandboxes. Damage of the sandbox `inUse` is a problem; damage of others is a warning. */
async function checkSandboxes(inUse: string | undefined, { api, env }: DiagnosisContext): Promise<Finding[]> {
  const folder = sandboxFolder(env);
  const names = existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => /^[^.].*\.sqlite$/.test(file))
        .map((file) => basename(file, '.sqlite'))
    : [];
  const findings = await Promise.all(
    names.map((name) => checkSandbox(name, name === inUse, sandboxFile(env, name), api)),
  );
  const damaged = findings.filter((finding) => finding !== undefined);
  if (damaged.length > 0) return damaged;
  return [passedFinding('Sandboxes', names.length === 0 ? 'none yet' : `intact: ${names.join(', ')}`)];
}

async function checkSandbox(
  name: string,
  isInUse: boolean,
  file: string,
  api: Api,
): Promise<Finding | undefined> {
  try {
    const [first, ...otherProblems] = await checkSandboxFile({ api, file });
    if (first === undefined) return undefined;
    const more =
      otherProblems.length > 0
        ? ` To list ${otherProblems.length} more: boh sandbox check --name ${name}`
        : '';
    return damagedFinding(name, isInUse, `The sandbox ${file} is damaged. ${first}${more}`, undefined);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return damagedFinding(name, isInUse, error.message, error.details.hint);
  }
}

function damagedFinding(name: string, isInUse: boolean, message: string, hint: Hint | undefined): Finding {
  const remedy =
    hint ?? boh.hint`To rename it and create a new one: ${boh.plain('sandbox reset', '--name', name)}`;
  return isInUse
    ? problemFinding('Sandboxes', 'unavailable', message, remedy)
    : warningFinding('Sandboxes', message, remedy);
}
