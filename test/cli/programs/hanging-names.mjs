/** Loaded before boh: DNS lookups never end, and each blocks a thread of Node's pool, like a resolver that doesn't answer. */
import dns from 'node:dns';
import { open } from 'node:fs';

dns.lookup = () => {
  // No process writes to the pipe, so opening it never ends.
  open(process.env.ENDLESS_PIPE, 'r', () => {});
};
