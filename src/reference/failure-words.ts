/** When each category of failure occurs and what helps, in words. */
import { type Category, exitCodes } from '../base/errors.ts';

export interface FailureFacts {
  category: Category;
  exit_code: number;
  when: string;
  /** What to do next, as far as it can be said for all of its kind. */
  remedy: string;
}

const words: Readonly<Record<Category, { when: string; remedy: string }>> = {
  internal: {
    when: 'a bug in boh',
    remedy: 'Report it, with the command line and the output of `boh version`.',
  },
  usage: {
    when: 'the command line or the input is wrong; nothing was sent',
    remedy: 'The message names everything that is wrong with it; `--help` shows what is right.',
  },
  not_signed_in: {
    when: 'there is no token, or the service refused it (401)',
    remedy: 'Sign in with `boh auth login`, or set BOH_TOKEN.',
  },
  not_allowed: {
    when: 'the token’s scopes don’t allow it (403)',
    remedy: 'The message names the missing scope: sign in again with it, or have somebody do it who may.',
  },
  not_found: {
    when: 'there is no such record (404), or no record of the name that was looked up with @',
    remedy: 'List the records: deleted ones need --is-deleted.',
  },
  refused: {
    when: 'the service refused the input (400, 409, 422)',
    remedy: 'Each field is told with what the service says of it; `boh explain RESOURCE.FIELD` says more.',
  },
  rate_limited: {
    when: 'too many requests, even after waiting (429)',
    remedy: 'Wait a few minutes, and have fewer commands run at once.',
  },
  unavailable: {
    when: 'no connection, a time-out, a fault of the service (5xx), or an answer that can’t be understood',
    remedy: '`boh doctor` finds out where it breaks off.',
  },
  partial: {
    when: 'some of several records failed; the others are done',
    remedy: 'The failures are told one by one: mend them and run the command for those alone.',
  },
  unreported: {
    when: 'a write was carried out, but its result could not be shown',
    remedy: 'Don’t repeat the command: the message names the record, and the command that shows it.',
  },
  differences: {
    when: 'a comparison found differences, where the command was asked to tell',
    remedy: 'This is an answer, not a fault.',
  },
  interrupted: {
    when: 'somebody or the system stopped it (129 on SIGHUP, 143 on SIGTERM)',
    remedy: 'What was done stays done; the message says what was not.',
  },
};

export const failures: readonly FailureFacts[] = (Object.keys(exitCodes) as Category[]).map((category) => ({
  category,
  exit_code: exitCodes[category],
  ...words[category],
}));
