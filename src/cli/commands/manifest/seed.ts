/** `boh seed --count RESOURCE=N`: creates realistic test records in the account, or prints them as a manifest. */

import { splitList } from '../../../api/contract/comma-list.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { manifestFields } from '../../../engine/manifest/declared/fields.ts';
import { parseDeclaration } from '../../../engine/manifest/declared/parse-records.ts';
import { generate } from '../../../engine/manifest/seed/generate.ts';
import type { Context } from '../../context/context.ts';
import { formatYaml } from '../../terminal/yaml-text.ts';
import { openRunSession, runFlagProblems, runFlags } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { orNone, repeated } from '../flags/flag-table.ts';
import { applyPlanned, planManifests } from './apply.ts';

const maxSeededRecords = 1_000_000;

export function seedCommand(context: Context): Command {
  const { api } = context;
  return createCommand(context, {
    name: 'seed',
    about:
      'Create realistic test records that refer to each other. The same --random-seed gives the same records, so seeding ' +
      'again creates no records.',
    flags: [
      [
        '--count <resource=number>',
        'create this many records of a resource (repeatable, or separated by commas)',
        { ...repeated, ...orNone },
      ],
      ['--random-seed <number>', 'seed of the random generator', { default: '1' }],
      ['--print', 'print the records as a manifest; send nothing'],
      ...runFlags,
    ],
    examples: [
      'boh seed --count tags=10,customers=5000 --random-seed 7',
      'boh seed --count suppliers=20,inventory-items=200 --print > seeds.yaml',
    ],
    dryRun: true,
    check: runFlagProblems,
    run: async (_, { count, randomSeed, print, ...flags }) => {
      const counts = parseCounts(count, context);
      const values = generate({ api, counts, seed: parseRandomSeed(randomSeed) });
      if (print) return { kind: 'text', text: formatYaml(values), value: values };
      const declaration = await parseDeclaration(values, 'seed', api);
      const session = await openRunSession(context, flags);
      const createPlan = () => planManifests(declaration, { prune: [] }, session, context);
      const source = [...counts].map(([{ command }, count]) => `${command}=${count}`).join(',');
      const request = { createPlan, declaration, session, source, command: 'seed' };
      return applyPlanned({ ...request, flags: { ...flags, prune: [] } }, context);
    },
  });
}

function parseRandomSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usage(`--random-seed must be a whole number, not "${text}".`);
}

/** Returns the number of records to create for each resource. Throws one failure with all problems. */
function parseCounts(values: readonly string[], { api }: Context): Map<Resource, number> {
  const counts = new Map<Resource, number>();
  const problems = values.flatMap(splitList).flatMap((pair) => {
    const [resourceName = '', number = ''] = pair.split('=');
    const resource = api.findResource(resourceName.trim());
    const count = Number(number);
    if (!resource || manifestFields(resource).size === 0) {
      const names = api.collections.map(({ command }) => command);
      return [`boh seed can't create "${resourceName}".${didYouMean(resourceName, names)}`];
    }
    if (counts.has(resource)) return [`${resource.command} is listed twice.`];
    if (!/^\d+$/.test(number) || count > maxSeededRecords)
      return [`Expected a number of records, for example ${resource.command}=100, not "${pair}".`];
    counts.set(resource, count);
    return [];
  });
  if (problems.length > 0) throw usage(problems.join(' '));
  if ([...counts.values()].some((count) => count > 0)) return counts;
  throw usage('Missing --count: the records to create.', {
    hint: boh.hint`For example: ${boh.account('seed', '--count', 'customers=100')}`,
  });
}
