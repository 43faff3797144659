/** Loaded before boh: name look-ups never answer, and each holds a thread of Node's pool, as a resolver without an answer does. */
import dns from 'node:dns';
import { open } from 'node:fs';

dns.lookup = () => {
  // Nobody writes to the pipe, so its opening doesn't end.
  open(process.env.ENDLESS_PIPE, 'r', () => {});
};
