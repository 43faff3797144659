/** Defines the flag that creates a sandbox with a number of branches. */
import { InvalidArgumentError, Option } from 'commander';

/** The maximum number of branches, because clients read all branches of the owner in one response. */
const maxBranches = 10_000;

/** Returns the flag `--branches`. */
export function branchesOption(): Option {
  return new Option('--branches <number>', 'number of branches').argParser((text) => {
    if (/^[1-9]\d*$/.test(text) && Number(text) <= maxBranches) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${maxBranches}.`);
  });
}
