/** The parts of src/: what each is for, and what it may import. The rule of imports and the picture are made from it. */

export interface Part {
  /** For the picture: a few words. */
  about: string;
  /** Other parts; `libraries` stands for any of those, a library's name for that one alone. */
  imports: readonly string[];
}

/** A part is a folder of src/, or a file directly in it. From the ground up. */
const below: Record<string, Part> = {
  errors: { about: 'the closed list of failures and their exit codes', imports: [] },
  chance: { about: 'numbers that look random, the same each time', imports: [] },
  ending: { about: 'how a run ends when it is told to', imports: ['errors'] },
  environment: { about: 'the variables of a process', imports: [] },
  'as-owner': { about: 'root at work on the files of somebody else', imports: ['errors'] },
  'make-folder': { about: 'a folder, with those above it', imports: [] },
  'own-folders': {
    about: 'where boh keeps what is its own',
    imports: ['errors', 'environment', 'libraries'],
  },
  sha256: { about: 'a few hashes, for less than Node’s own', imports: [] },
  'fold-text': { about: 'text as people search for it', imports: [] },
  loopback: { about: 'which addresses are this machine', imports: [] },
  palette: { about: 'the colours of pages in a browser', imports: [] },
  stopwatch: { about: 'time that passes whatever the clock does', imports: [] },
  suggest: { about: 'what a mistyped word may have meant', imports: ['libraries'] },
  unreadable: { about: 'why a file can’t be read, in words', imports: [] },
  version: { about: 'the version, and how boh names itself', imports: ['../package.json'] },
  contract: {
    about: 'the vocabulary: resource, field, filter, operation, API',
    imports: ['errors', 'fold-text', 'suggest', 'zod'],
  },
  storage: { about: 'the one wrapper of SQLite', imports: ['errors', 'as-owner', 'make-folder'] },
  terminal: {
    about: 'streams, tables, formats, prompts, cleaning of text',
    imports: ['errors', 'environment', 'fold-text', 'libraries'],
  },
  auth: {
    about: 'signing in by authorization code',
    imports: ['errors', 'loopback', 'palette', 'libraries'],
  },
  resources: { about: 'the API as data: 23 resources and whoami', imports: ['contract'] },
  client: {
    about: 'operation and input to HTTP and back: pages, retries',
    imports: ['errors', 'environment', 'loopback', 'stopwatch', 'contract', 'libraries'],
  },
  settings: {
    about: 'flags, environment and profile to one resolved value',
    imports: [
      ...['errors', 'as-owner', 'environment', 'loopback', 'make-folder', 'own-folders', 'sha256', 'suggest'],
      ...['terminal', 'libraries'],
    ],
  },
  sandbox: {
    about: 'the service itself: routes, store, rules, OAuth, faults',
    imports: [
      ...['errors', 'palette', 'environment', 'chance', 'own-folders', 'contract', 'resources', 'storage'],
      'libraries',
    ],
  },
  reference: {
    about: 'contract to Markdown, man pages, JSON Schema, OpenAPI',
    imports: ['errors', 'version', 'contract', 'libraries'],
  },
  session: {
    about: 'an account, opened: list, get, write, look names up',
    imports: [
      ...['errors', 'environment', 'stopwatch', 'suggest', 'version', 'contract', 'settings'],
      ...['auth', 'client'],
    ],
  },
  pace: {
    about: 'one budget of requests for each token, shared by all processes',
    imports: ['errors', 'client', 'storage'],
  },
  diagnosis: {
    about: 'what is wrong with a setup, and what to do',
    imports: [
      '../package.json',
      'errors',
      'environment',
      'version',
      'contract',
      'settings',
      'auth',
      'client',
      'sandbox',
    ],
  },
  interaction: {
    about: 'between a command and whoever uses it: input read, questions asked, results shown',
    imports: [
      ...['errors', 'environment', 'fold-text', 'loopback', 'suggest', 'version', 'contract', 'settings'],
      ...[
        'terminal',
        'auth',
        'client',
        'session',
        'reference',
        'as-owner',
        'make-folder',
        'unreadable',
        'libraries',
      ],
    ],
  },
  // The engines stand on an account and on the contract, and know nothing of a command line.
  bulk: {
    about: 'files in and out, backups, copies, and the ledger of a run',
    imports: [
      ...['errors', 'environment', 'make-folder', 'own-folders', 'suggest', 'contract', 'session', 'storage'],
      ...['unreadable', 'libraries'],
    ],
  },
  pictures: {
    about: 'records as people would rather see them: maps, weeks, levels',
    imports: ['errors', 'contract', 'terminal', 'palette', 'libraries'],
  },
  history: {
    about: 'what was written, and taking it back',
    imports: [
      ...['errors', 'environment', 'own-folders', 'sha256', 'contract', 'session', 'storage', 'bulk'],
      'libraries',
    ],
  },
  manifest: {
    about: 'declared data: plan and apply',
    imports: [
      ...['errors', 'environment', 'chance', 'suggest', 'contract', 'session', 'storage', 'bulk'],
      ...['reference', 'unreadable', 'libraries'],
    ],
  },
  mirror: {
    about: 'a copy in SQL',
    imports: ['errors', 'loopback', 'contract', 'session', 'storage', 'bulk', 'libraries'],
  },
};

const names = Object.keys(below);

export const parts: Readonly<Record<string, Part>> = {
  ...below,
  // Commands are made from the API that they are handed; which one that is, is main's to say.
  commands: {
    about: 'the command line: describes, asks and shows',
    imports: [...names.filter((name) => name !== 'resources'), 'libraries'],
  },
  main: { about: 'composes; the only place that catches', imports: [...names, 'commands', 'libraries'] },
};
