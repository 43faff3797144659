/** Checks the files of the sandboxes. */
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { Failure } from '../base/errors.ts';
import { boh, type Hint } from '../base/hint.ts';
import type { Api } from '../contract/api.ts';
import { checkSandboxFile } from '../sandbox/check.ts';
import { sandboxFile, sandboxFolder } from '../sandbox/store/sandbox-files.ts';
import {
  type DiagnosisContext,
  type Finding,
  passedFinding,
  problemFinding,
  warningFinding,
} from './finding.ts';

/** Checks all sandboxes. Damage of the sandbox `inUse` is a problem; damage of others is a warning. */
export async function checkSandboxes(
  inUse: string | undefined,
  { api, env }: DiagnosisContext,
): Promise<Finding[]> {
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
