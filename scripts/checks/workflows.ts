/** Checks that workflow files are safe: a pull request, a cache or a changed action must not affect a release. */
import { parse } from 'yaml';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  permissions?: Record<string, string> | string;
  steps?: Step[];
}

interface Workflow {
  on?: string | string[] | Record<string, unknown>;
  permissions?: Record<string, string> | string;
  jobs?: Record<string, Job>;
}

/** Events that run the code of outside contributors with the permissions of the repository. */
const dangerousEvents = ['pull_request_target', 'workflow_run', 'issue_comment'];

/** Returns a message for each problem of a workflow file. */
export function workflowProblems(file: string, text: string): string[] {
  if (!/^\.github\/workflows\/.*\.ya?ml$/.test(file)) return [];
  const workflow: Workflow = parse(text);
  const events =
    typeof workflow.on === 'string'
      ? [workflow.on]
      : [workflow.on ?? []].flatMap((on) => (Array.isArray(on) ? on : Object.keys(on)));
  const isRelease = /release/.test(file);
  const problems = [
    ...events.filter((event) => dangerousEvents.includes(event)).map((event) => `runs on ${event}`),
    ...(JSON.stringify(workflow.permissions) === '{}' ? [] : ['does not begin with permissions: {}']),
    ...Object.entries(workflow.jobs ?? {}).flatMap(([name, job]) =>
      jobProblems(job, isRelease).map((problem) => `job ${name} ${problem}`),
    ),
    ...[...text.matchAll(/uses: \S+@[0-9a-f]{40}(?! # v\d)/g)].map(
      ([use]) => `has no comment with the version after "${use}"`,
    ),
  ];
  return problems.map((problem) => `${file}: ${problem}.`);
}

function jobProblems({ permissions, steps = [] }: Job, isRelease: boolean): string[] {
  if (typeof permissions !== 'object') return ['has no list of permissions'];
  const canWrite = Object.values(permissions).includes('write');
  const runsCheckout = steps.some(
    ({ uses = '', run = '' }) => /^actions\/checkout@/.test(uses) || /\bnpm (ci|run|test)\b/.test(run),
  );
  return [
    ...(canWrite && runsCheckout ? ['has a write permission and runs code of the checkout'] : []),
    ...steps.flatMap((step) => stepProblems(step, isRelease)),
  ];
}

function stepProblems({ uses = '', run = '', with: inputs = {} }: Step, isRelease: boolean): string[] {
  const script = [run, inputs.script].join('\n');
  const isPinned = uses === '' || uses.startsWith('./') || /@[0-9a-f]{40}$/.test(uses);
  const caches = uses.startsWith('actions/cache') || (inputs.cache ?? false) !== false;
  const mayCache = uses.startsWith('actions/setup-node@') && inputs['package-manager-cache'] !== false;
  const storesToken = uses.startsWith('actions/checkout@') && inputs['persist-credentials'] !== false;
  return [
    ...(isPinned ? [] : [`uses ${uses}, which is not pinned by a commit`]),
    ...(script.includes('${{') ? ['has an expression in a script: pass it as an environment variable'] : []),
    ...(isRelease && (caches || mayCache) ? [`uses a cache in a release (${uses})`] : []),
    ...(storesToken ? ['checks out with persist-credentials'] : []),
  ];
}
