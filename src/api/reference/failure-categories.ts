/** Describes when each category of failure occurs and how to fix it. */
import { type Category, exitCodes } from '../../base/errors.ts';

/** A category of failure, for `boh explain errors`. */
export interface FailureCategory {
  category: Category;
  exit_code: number;
  when: string;
  /** What the user can do about failures of this category. */
  remedy: string;
}

const descriptions: Readonly<Record<Category, { when: string; remedy: string }>> = {
  internal: {
    when: 'a bug in boh',
    remedy: 'Report it with the command line and the output of `boh version`.',
  },
  usage: {
    when: 'the command line or the input is wrong, or a name matches several records; nothing was sent',
    remedy: 'The message lists all problems. `--help` shows the correct usage.',
  },
  not_signed_in: {
    when: 'there is no token, or the service refused it (401)',
    remedy: 'Sign in with `boh auth login`, or set BOH_TOKEN.',
  },
  not_allowed: {
    when: "the token's scopes don't allow it (403)",
    remedy: 'The message names the missing scope. Sign in again with it, or ask a user who has it.',
  },
  not_found: {
    when: "the record doesn't exist (404), or no record has the name after @",
    remedy: 'List the records; --is-deleted includes deleted ones.',
  },
  refused: {
    when: 'the service refused the input (400, 409, 422)',
    remedy:
      "The message has the service's reason for each field. `boh explain RESOURCE.FIELD` shows the rules.",
  },
  rate_limited: {
    when: 'too many requests, even after waiting (429)',
    remedy: 'Wait a few minutes, and run fewer commands at the same time.',
  },
  unavailable: {
    when: 'no connection, a timeout, an error of the service (5xx), an invalid response, or an incomplete list; or a file of boh is locked or damaged',
    remedy: 'Run `boh doctor` to find the cause.',
  },
  partial: {
    when: "some of several records or resources failed, were skipped or are incomplete, and the others are done; or an update emptied fields that it didn't send",
    remedy: 'The output lists each failure. Fix these records and run the command for them again.',
  },
  unreported: {
    when: "a write is done, but its result couldn't be shown",
    remedy: "Don't repeat the command. The message names the record and the command that shows it.",
  },
  differences: {
    when: 'diff, mirror diff, mirror status --max-age or a command with --exit-code found differences, or lint found mistakes',
    remedy: 'This is a result, not an error.',
  },
  interrupted: {
    when: 'SIGINT stopped the command (SIGHUP: 129, SIGTERM: 143)',
    remedy: "Completed writes stay. The message lists what wasn't done.",
  },
};

export const failureCategories: readonly FailureCategory[] = (Object.keys(exitCodes) as Category[]).map(
  (category) => ({
    category,
    exit_code: exitCodes[category],
    ...descriptions[category],
  }),
);
