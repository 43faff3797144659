/** Is this machine fit to run boh? */
import manifest from '../../package.json' with { type: 'json' };
import { type Finding, ok, problem } from './finding.ts';

export function checkNode(version: string = process.versions.node): Finding {
  const range = manifest.engines.node;
  if (isInRange(version, range)) return ok('Node', `${version}, which is new enough`);
  return problem(
    'Node',
    'usage',
    `${version}; boh needs ${range}.`,
    'Install the current LTS of Node: https://nodejs.org',
  );
}

/** A range as `engines` has it: `^22.22.2 || >=24.15.0`. */
export function isInRange(version: string, range: string): boolean {
  return range.split('||').some((part) => {
    const [, operator, least = ''] = /^\s*(\^|>=)([\d.]+)\s*$/.exec(part) ?? [];
    const isSameMajor = version.split('.')[0] === least.split('.')[0];
    return compare(version, least) >= 0 && (operator === '>=' || isSameMajor);
  });
}

function compare(one: string, other: string): number {
  const others = other.split('.').map(Number);
  const differences = one.split('.').map((part, index) => Number.parseInt(part, 10) - (others[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
